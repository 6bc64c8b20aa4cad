"""A problem over bodies cut into parts: every process works on one, and has all of the data.

Blocks are handed out in whole chunks, the units over which kernels sum, and so are bodies. A block
that touches a body of another process is worked on by both. So each process sums all impulses on
its own bodies, in the order in which one process alone would, and adding up chunks in their order
gives the same bits on any number of processes, and without any.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK
from amontons.algebra.cones import INTERVAL, ROWS_OF_KIND, Metric, SetArrays
from amontons.array_types import Floats
from amontons.problem.operators import BodyOperator
from amontons.problem.operators.body_kernels import BodyArrays
from amontons.problem.problem import ConeProblem

Numbers = NDArray[np.int64]


class Owners(NamedTuple):
    """Which process has which chunk; every process works out the same."""

    blocks: Numbers  # of each chunk of blocks, shape (chunks,)
    bodies: Numbers  # of each chunk of bodies

    @classmethod
    def of(cls, problem: ConeProblem, operator: BodyOperator, count: int) -> Owners:
        """Equal shares of each kind of block, and bodies to whom most of their blocks belong."""
        chunks = problem.sets.arrays.chunks
        middle = 0.5 * (chunks[:, 4] + chunks[:, 5]) / chunks[:, 2]
        blocks = np.minimum((middle * count).astype(np.int64), count - 1)
        parts, votes = -(-operator.bodies // CHUNK), np.repeat(blocks, _lengths(chunks))
        ballot = np.zeros(parts * count, dtype=np.int64)
        for side in operator.arrays.body.T:
            ends = side >= 0
            ballot += np.bincount(
                (side[ends] // CHUNK) * count + votes[ends], minlength=parts * count
            )
        return cls(blocks, ballot.reshape(parts, count).argmax(axis=1))

    def of_blocks(self, problem: ConeProblem) -> Numbers:
        """Of each block, shape (blocks,)."""
        return np.repeat(self.blocks, _lengths(problem.sets.arrays.chunks))

    def of_bodies(self, count: int) -> Numbers:
        """Of each body, shape (bodies,)."""
        return np.repeat(self.bodies, CHUNK)[:count]


class Part(NamedTuple):
    """What one process works on: its own blocks and copies of its neighbours'."""

    blocks: Numbers | slice  # number of each in the whole problem: by kind, its own before copies
    rows: Numbers | slice  # number of each row in the whole problem, in the order of kernels
    own_chunks: Numbers  # which of its chunks count
    sets: SetArrays
    arrays: BodyArrays
    masses: Floats  # inertia and mass of its own bodies, shape (own bodies, 7)
    own: Numbers  # number of each of its own bodies in the whole problem: those come first
    ghosts: Numbers  # and of those of others that its blocks touch, which come next

    @classmethod
    def everything(cls, problem: ConeProblem, operator: BodyOperator) -> Part:
        """The part of a process that is alone; nothing is copied."""
        sets, nobody = problem.sets.arrays, np.empty(0, dtype=np.int64)
        return cls(
            slice(None), slice(None), np.arange(len(sets.chunks)), sets, operator.arrays,
            operator.masses, np.arange(operator.bodies), nobody,
        )  # fmt: skip

    @classmethod
    def of(cls, problem: ConeProblem, operator: BodyOperator, owners: Owners, rank: int) -> Part:
        """The part of one rank."""
        whole, sets = operator.arrays, problem.sets.arrays
        block_owner, body_owner = owners.of_blocks(problem), owners.of_bodies(operator.bodies)
        lasting = np.append(np.where(operator.mobile, body_owner, -1), -1)  # −1 is the world
        counted = block_owner == rank
        here = counted | (lasting[whole.body] == rank).any(axis=1)
        groups, chunks, own_chunks, blocks, rows = _arranged(sets, counted, here)
        own = np.flatnonzero(body_owner == rank)
        met = np.zeros(operator.bodies + 1, dtype=bool)
        met[whole.body[blocks]] = True
        ghosts = np.flatnonzero(met[:-1] & operator.mobile & (body_owner != rank))
        place = np.full(operator.bodies + 1, -1, dtype=np.int32)  # who never moves is the world
        listed = np.concatenate([own, ghosts])
        place[listed] = np.arange(listed.size, dtype=np.int32)
        place[:-1][~operator.mobile] = -1
        contacts = whole.forces + whole.wrenches
        of_contacts, of_scalars = blocks[blocks < contacts], blocks[blocks >= contacts]
        wrenches = of_contacts[of_contacts >= whole.forces]
        mine = owners.bodies == rank
        pointer, incidence, levers = _incidences(whole, mine, blocks, ghosts.size)
        arrays = BodyArrays(
            forces=of_contacts.size - wrenches.size,
            wrenches=wrenches.size,
            body=place[whole.body[blocks]],
            arms=whole.arms.reshape(-1, 2, 3)[of_contacts].reshape(-1, 3),
            lengths=whole.lengths[wrenches - whole.forces],
            jacobian=whole.jacobian[of_scalars - contacts],
            inverse_mass=whole.inverse_mass[listed],
            inverse_inertia=whole.inverse_inertia[listed],
            pointer=pointer,
            incidence=incidence,
            levers=levers,
        )
        return cls(
            blocks=blocks, rows=rows, own_chunks=own_chunks,
            sets=_sets(sets, groups, chunks, blocks), arrays=arrays, masses=operator.masses[own],
            own=own, ghosts=ghosts,
        )  # fmt: skip

    def metric(self, metric: Metric) -> Metric:
        """Step lengths of its blocks, from those of the whole problem."""
        return Metric(*(each[self.blocks] if each.size else each for each in metric))

    def own_rows(self, values: Floats) -> Floats:
        """Values of the rows that count, chunk by chunk, from those of all its rows."""
        runs = runs_of_rows(self.sets.chunks[self.own_chunks])
        return np.concatenate([values[:0], *(values[run] for run in runs)])

    def chunk_sums(self, values: Floats) -> Floats:
        """Sums over the rows of each chunk that counts, from values of all its rows."""
        chunks = self.sets.chunks[self.own_chunks]
        sums = [sum(values[run].sum() for run in runs_of_rows(chunk[None])) for chunk in chunks]
        return np.array(sums, dtype=np.float64)


def runs_of_rows(chunks: Numbers) -> list[slice]:
    """Where the rows of these chunks are: one run for each component of a chunk's blocks."""
    runs = []
    for kind, _, count, row, begin, end in chunks.tolist():
        for k in range(ROWS_OF_KIND[kind]):
            runs.append(slice(row + k * count + begin, row + k * count + end))
    return runs


def _lengths(chunks: Numbers) -> Numbers:
    return np.asarray(chunks[:, 5] - chunks[:, 4])


def _arranged(
    sets: SetArrays, counted: NDArray[np.bool_], here: NDArray[np.bool_]
) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Groups, chunks, chunks that count, blocks and rows of one process."""
    groups: list[tuple[int, ...]] = []
    chunks: list[tuple[int, ...]] = []
    counting: list[int] = []
    blocks, rows = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    first = row = 0
    for kind, begin, count, begin_row in sets.groups.tolist():
        mine, some = counted[begin : begin + count], here[begin : begin + count]
        own, copies = np.flatnonzero(mine), np.flatnonzero(some & ~mine)
        listed = np.concatenate([own, copies])
        if not listed.size:
            continue
        group = (kind, first, listed.size, row)
        groups.append(group)
        for start, end in ((0, own.size), (own.size, listed.size)):
            for at in range(start, end, CHUNK):
                if end == own.size and start == 0:
                    counting.append(len(chunks))
                chunks.append((*group, at, min(at + CHUNK, end)))
        blocks.append(begin + listed)
        height = int(ROWS_OF_KIND[kind])
        rows.append((begin_row + count * np.arange(height)[:, None] + listed).ravel())
        first, row = first + listed.size, row + height * listed.size
    return (
        np.array(groups, dtype=np.int64).reshape(-1, 4),
        np.array(chunks, dtype=np.int64).reshape(-1, 6),
        np.array(counting, dtype=np.int64),
        np.concatenate(blocks),
        np.concatenate(rows),
    )


def _sets(whole: SetArrays, groups: Numbers, chunks: Numbers, blocks: Numbers) -> SetArrays:
    cones = blocks[blocks < whole.normal.shape[1]]
    bounded = blocks[:0]
    for kind, first, count, _ in whole.groups.tolist():
        if kind == INTERVAL:
            bounded = blocks[(blocks >= first) & (blocks < first + count)] - first

    def of(values: Floats, which: Numbers) -> Floats:
        return values[which] if values.size else values

    return SetArrays(
        groups=groups,
        chunks=chunks,
        normal=np.ascontiguousarray(whole.normal[:, cones]),
        friction=of(whole.friction, cones),
        rolling=of(whole.rolling, cones),
        spinning=of(whole.spinning, cones),
        lower=of(whole.lower, bounded),
        upper=of(whole.upper, bounded),
        exact=whole.exact,
    )


def _incidences(
    whole: BodyArrays, own: NDArray[np.bool_], blocks: Numbers, ghosts: int
) -> tuple[Numbers, NDArray[np.int32], Floats]:
    """Blocks on each of its own bodies, in the order of the whole problem; ghosts have none."""
    bodies = len(whole.pointer) - 1
    place = np.empty(len(whole.body), dtype=np.int64)
    place[blocks] = np.arange(blocks.size)
    pointers, codes, levers = [np.zeros(1, np.int64)], [whole.incidence[:0]], [whole.levers[:0]]
    used = 0
    for chunk in np.flatnonzero(own).tolist():
        begin, end = chunk * CHUNK, min((chunk + 1) * CHUNK, bodies)
        first, last = whole.pointer[begin], whole.pointer[end]
        pointers.append(whole.pointer[begin + 1 : end + 1] - first + used)
        codes.append(whole.incidence[first:last])
        levers.append(whole.levers[first:last])
        used += last - first
    pointers.append(np.full(ghosts, used))
    code = np.concatenate(codes)
    moved = (2 * place[code >> 1] + (code & 1)).astype(np.int32)
    return np.concatenate(pointers), moved, np.concatenate(levers)
