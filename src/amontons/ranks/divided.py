"""APGD on one problem by many processes: the iterates of one process, bit for bit.

An iteration takes one exchange, of the velocities of bodies that blocks of several processes touch,
and one reduction, in which the sums over chunks of all processes are put together and added up in
their order. What is done once for each solve is done by every process for itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from amontons._jit import CHUNK
from amontons.array_types import Floats
from amontons.errors import InputError, UnsupportedProblemError
from amontons.problem import kernels
from amontons.problem.operators import BodyOperator
from amontons.problem.operators.body_kernels import (
    body_quadratic,
    body_velocities,
    velocity_product,
)
from amontons.problem.problem import ConeProblem
from amontons.ranks.communicator import Communicator, OneProcess
from amontons.ranks.division import Owners, Part, runs_of_rows
from amontons.solvers.apgd.accept import BOUNDED, UNBOUNDED, Pace, accept, recalled
from amontons.solvers.apgd.method import APGD, first_curvature
from amontons.solvers.apgd.propose import Origin, propose
from amontons.solvers.base import Buffers, Iterate
from amontons.solvers.gauge import Gauge

SUMS = 5
"""Sums over blocks that a proposal makes."""

WORTH_SHARING = 2 * CHUNK
"""Blocks from which processes share a problem: fewer take less time than what must be said."""


@dataclass(frozen=True, kw_only=True)
class DividedAPGD(APGD):
    """`APGD` whose iterations several processes share; made by a simulation that has ranks.

    Every process has the whole problem, and gets the whole solution. Problems of fewer than
    4032 blocks are solved by every process for itself. Vectors are in double precision.
    """

    precision: str = "double"
    communicator: Communicator = field(default_factory=OneProcess, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.precision != "double":
            raise InputError("iterations that processes share are in double precision")
        if self.time_limit < math.inf:
            raise InputError(
                "a time limit depends on the clock of each process: with ranks, leave out "
                "time_limit and say max_iterations"
            )

    def check(self, problem: ConeProblem) -> None:
        """Problems are over bodies."""
        if not isinstance(problem.operator, BodyOperator):
            raise UnsupportedProblemError(
                f"{problem!r} is not over rigid bodies: processes cannot share it; solve it "
                "with APGD() in one process"
            )

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Algorithm 1 of paper 3, as `APGD` has it."""
        if problem.blocks < WORTH_SHARING:
            yield from super().iterations(problem, x, gauge, buffers)
            return
        metric = problem.metric(self.scaling)
        pace = Pace(first_curvature(problem, metric), 1.0, 0.0)  # 3, 4
        share = _Share(problem, self.communicator)
        sets, steps, rho = share.part.sets, share.part.metric(metric), gauge.rho[share.part.blocks]
        origin = Origin(np.empty(0), problem.linear[share.part.rows])
        go = propose.sized(problem.blocks)
        partial = np.empty((len(sets.chunks), SUMS))
        points = np.empty((self.buffers, origin.linear.size))
        points[0] = problem.project(x.copy())[share.part.rows]  # 2
        del x, metric
        now, old, new = share.product(points[0]), share.product(points[0]), share.room()
        x_now = x_old = 0
        judged, span = False, BOUNDED if problem.sets.exact else UNBOUNDED
        try:
            while True:  # 6
                kept = buffers.best.row if isinstance(buffers.best, DividedPoint) else x_now
                x_new = next(k for k in range(self.buffers) if k not in (x_now, x_old, kept))
                beta = pace.beta
                go(
                    sets, steps, rho, points[x_now], points[x_old], now.rows, old.rows, origin,
                    beta, 1.0 / pace.L, points[x_new], partial,
                )  # fmt: skip  # 7, 8
                new = share.product(points[x_new], new)
                ends = points[x_new], points[x_now], points[x_old]
                bends = share.bends(ends, (new, now, old), beta)
                error, quadratic, linear, uphill, length, bend = share.total(partial, bends)
                if not judged:
                    objective = 0.5 * quadratic + linear + problem.objective_offset
                    point = DividedPoint(share, points, x_now)
                    yield Iterate(point, gauge.factor * math.sqrt(error), objective)  # 17 to 24
                    span = recalled(span, error)
                accepted, pace = accept(  # 9 to 30
                    pace, bend, length, uphill, self.shrink, self.restart, span
                )
                if accepted:
                    x_old, x_now = x_now, x_new
                    old, now, new = now, new, old
                judged = not accepted
        except GeneratorExit:  # the run ends here, for all: nobody else knows of shares
            if isinstance(buffers.best, DividedPoint):
                buffers.best = buffers.best.unknowns()
            raise


class _Product(NamedTuple):
    """(N + E) x in the rows of a share, and the velocities M⁻¹ D x on the way there."""

    rows: Floats
    velocity: Floats  # of its own bodies and of ghosts, shape (bodies, 6)


class DividedPoint(NamedTuple):
    """An iterate of which every process has its rows."""

    share: _Share
    points: Floats
    row: int

    def unknowns(self) -> Floats:
        """The whole of it; all processes must ask for it."""
        return self.share.whole(self.points[self.row])


class _Share:
    """What one process does for a problem, and how it meets the others."""

    def __init__(self, problem: ConeProblem, communicator: Communicator) -> None:
        operator = problem.operator
        assert isinstance(operator, BodyOperator)
        self.communicator = communicator
        rank, count = communicator.rank, communicator.count
        owners = Owners.of(problem, operator, count)
        if count == 1:
            self.part = part = Part.everything(problem, operator)
        else:
            self.part = part = Part.of(problem, operator, owners, rank)
        self.compliance = None
        if problem.compliance is not None:
            self.compliance = problem.compliance[part.rows]
        # who is to hear of whose velocities
        keepers = owners.of_bodies(operator.bodies)[part.ghosts]
        wanted = [part.ghosts[keepers == other] for other in range(count)]
        asked = communicator.delivered(wanted)
        self._incoming = [
            (other, np.empty((ids.size, 6))) for other, ids in enumerate(wanted) if ids.size
        ]
        self._slots = [
            part.own.size + np.searchsorted(part.ghosts, wanted[other])
            for other, _ in self._incoming
        ]
        self._outgoing = [
            (other, np.empty((ids.size, 6))) for other, ids in enumerate(asked) if ids.size
        ]
        self._told = [np.searchsorted(part.own, asked[other]) for other, _ in self._outgoing]
        # where the sums of whose chunks come in
        self._order = (
            np.argsort(owners.blocks, kind="stable"),
            np.argsort(owners.bodies, kind="stable"),
        )
        blocks = np.bincount(owners.blocks, minlength=count)
        bodies = np.bincount(owners.bodies, minlength=count)
        self.complies = self.compliance is not None
        bends = blocks if self.complies else bodies
        self._counts = blocks.tolist(), bends.tolist()
        self._sizes = (SUMS * blocks + bends).tolist()
        chunks = problem.sets.arrays.chunks
        self._runs = [runs_of_rows(chunks[owners.blocks == other]) for other in range(count)]
        self._row_sizes = [sum(run.stop - run.start for run in runs) for runs in self._runs]
        self._size = len(problem.linear[part.rows])
        self._gather = body_velocities.sized(len(operator.arrays.body))
        self._spread = velocity_product.sized(len(operator.arrays.body))
        self._comply = kernels.add_compliance.sized(problem.blocks)
        self._bend = body_quadratic.sized(len(operator.arrays.body))

    def room(self) -> _Product:
        """Room for a product."""
        part = self.part
        return _Product(np.empty(self._size), np.empty((part.own.size + part.ghosts.size, 6)))

    def product(self, x: Floats, out: _Product | None = None) -> _Product:
        """(N + E) x in these rows: one exchange."""
        out = out or self.room()
        arrays, velocity = self.part.arrays, out.velocity
        self._gather(arrays, x, velocity)
        for told, (_, letter) in zip(self._told, self._outgoing, strict=True):
            np.take(velocity, told, axis=0, out=letter)
        self.communicator.exchange(self._outgoing, self._incoming)
        for slots, (_, letter) in zip(self._slots, self._incoming, strict=True):
            velocity[slots] = letter
        self._spread(arrays, velocity, out.rows)
        if self.compliance is not None:
            self._comply(self.part.sets, self.compliance, x, out.rows)
        return out

    def bends(
        self,
        points: tuple[Floats, Floats, Floats],
        products: tuple[_Product, _Product, _Product],
        beta: float,
    ) -> Floats:
        """Parts of dᵀ(N + E)d, d = new − old − β(old − older), by chunks of its own.

        Over bodies that is vᵀMv; where something gives way, a sum over rows.
        """
        new, now, old = products
        if self.complies:
            d = points[0] - points[1] - beta * (points[1] - points[2])
            d *= new.rows - now.rows - beta * (now.rows - old.rows)
            return self.part.chunk_sums(d)
        own = self.part.own.size
        partial = np.empty((-(-own // CHUNK), 1))
        v_new, v_now, v_old = (each.velocity[:own] for each in (new, now, old))
        self._bend(self.part.masses, v_new, v_now, v_old, beta, partial)
        return partial[:, 0]

    def total(self, partial: Floats, bends: Floats) -> tuple[float, ...]:
        """Sums over the whole problem, one chunk after the other in their order: one reduction."""
        mine = np.concatenate([partial[self.part.own_chunks].ravel(), bends])
        together = self.communicator.joined(mine, self._sizes)
        of_blocks, of_bends = [], []
        at = 0
        for blocks, rest in zip(*self._counts, strict=True):
            of_blocks.append(together[at : at + SUMS * blocks].reshape(-1, SUMS))
            at += SUMS * blocks
            of_bends.append(together[at : at + rest].reshape(-1, 1))
            at += rest
        block_order, body_order = self._order
        sums, bent = np.empty((block_order.size, SUMS)), np.concatenate(of_bends)
        sums[block_order] = np.concatenate(of_blocks)
        bent[block_order if self.complies else body_order] = bent.copy()
        return *np.add.accumulate(sums)[-1].tolist(), float(np.add.accumulate(bent)[-1, 0])

    def whole(self, x: Floats) -> Floats:
        """Unknowns of all rows, from those of every process."""
        if self.communicator.count == 1:
            return x.copy()
        together = self.communicator.joined(self.part.own_rows(x), self._row_sizes)
        everything = np.empty(together.size)
        at = 0
        for run in itertools.chain(*self._runs):
            everything[run] = together[at : at + run.stop - run.start]
            at += run.stop - run.start
        return everything
