"""A problem that several processes share: here threads, each with bodies that touch no others'."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import amontons as am
from amontons.algebra.sums import ALONE, Ranks, norm
from amontons.solvers import Jacobi
from amontons.testing.random import random_normals

pytestmark = pytest.mark.usefixtures("one_thread")

WAIT = 300.0
"""Seconds after which a process that others wait for counts as lost: a kernel may be compiled."""


class Threads(Ranks):
    """Processes that are threads of this one; each has its own."""

    def __init__(self, rank, count, barrier, board):
        self.rank, self.count, self.barrier, self.board = rank, count, barrier, board
        self.calls = 0

    @classmethod
    def of(cls, count):
        """So many, who know each other."""
        barrier, board = threading.Barrier(count, timeout=WAIT), [()] * count
        return [cls(rank, count, barrier, board) for rank in range(count)]

    def total(self, parts):
        return self._combined(sum, parts)

    def maximum(self, parts):
        return self._combined(max, parts)

    def _combined(self, how, parts):
        self.calls += 1
        self.board[self.rank] = (how, tuple(parts))
        self.barrier.wait()
        everyone = list(self.board)
        self.barrier.wait()
        assert {each for each, _ in everyone} == {how}  # all ask for the same at the same time
        return tuple(how(column) for column in zip(*(part for _, part in everyone), strict=True))


def cluster(rng, bodies, contacts, torque):
    """Bodies and contacts between them and the world, as arguments of `from_contacts`."""
    a = rng.integers(0, bodies, contacts)
    more = {"rolling": rng.uniform(0.01, 0.1, contacts), "spinning": 0.02} if torque else {}
    return {
        "inverse_mass": rng.uniform(0.5, 2.0, bodies),
        "inverse_inertia": np.eye(3) * rng.uniform(1.0, 5.0, (bodies, 1, 1)),
        "bodies_a": a,
        "bodies_b": np.where(rng.random(contacts) < 0.3, -1, (a + 1) % bodies),
        "normals": random_normals(rng, contacts),
        "arms_a": rng.uniform(-0.5, 0.5, (contacts, 3)),
        "arms_b": rng.uniform(-0.5, 0.5, (contacts, 3)),
        "free_velocity": rng.uniform(-1.0, 1.0, (bodies, 6)),
        "friction": rng.uniform(0.2, 0.8, contacts),
    } | more


def joined(parts):
    """The arguments of all clusters in one problem."""
    whole = {
        key: np.concatenate([np.broadcast_to(p[key], (len(p["arms_a"]),)) for p in parts])
        if key == "spinning"
        else np.concatenate([p[key] for p in parts])
        for key in parts[0]
    }
    before = np.cumsum([0] + [len(p["inverse_mass"]) for p in parts])
    for side in ("bodies_a", "bodies_b"):
        numbers = [
            np.where(p[side] < 0, -1, p[side] + n) for p, n in zip(parts, before[:-1], strict=True)
        ]
        whole[side] = np.concatenate(numbers)
    return whole


def part_of(arguments, ranks):
    """One process's part of a problem that `ranks` share."""
    alone = am.ConeProblem.from_contacts(**arguments)
    return am.ConeProblem(alone.operator, alone.given_linear, alone.sets, ranks=ranks)


def together(given, work):
    """What `work` makes of each of the given, in as many threads; the first error of any."""
    errors = []

    def guarded(each):
        try:
            return work(each)
        except threading.BrokenBarrierError:
            return None  # another failed
        except BaseException as reason:
            errors.append(reason)
            ranks = each[1] if isinstance(each, tuple) else each.ranks
            ranks.barrier.abort()
            raise

    with ThreadPoolExecutor(len(given)) as pool:
        futures = [pool.submit(guarded, each) for each in given]
    if errors:
        raise errors[0]
    return [future.result() for future in futures]


SOLVERS = [
    am.APGD(tolerance=1e-7),
    am.SpectralGradient(tolerance=1e-5),  # finer, rounding leads it along other ways
    Jacobi(tolerance=1e-4, max_iterations=3000),
]


@pytest.mark.parametrize("torque", [False, True], ids=["forces", "wrenches"])
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_shared_problems_are_solved_as_whole_ones(solver, torque):
    """Of three processes, one owns nothing but a body that nothing touches."""
    rng = np.random.default_rng(7)
    parts = [cluster(rng, n, c, torque) for n, c in ((4, 9), (1, 0), (5, 12))]
    whole = am.ConeProblem.from_contacts(**joined(parts))
    if torque:  # one length for all: the median of lengths would be each process's own
        whole = whole.even
    expected = solver.solve(whole)
    assert expected.converged
    ranks = Threads.of(len(parts))
    shares = together(list(zip(parts, ranks, strict=True)), lambda given: part_of(*given))
    if torque:
        shares = [share.even for share in shares]
    found = together(shares, solver.solve)
    for solution in found:
        assert solution.status == expected.status
        assert solution.iterations == pytest.approx(expected.iterations, rel=0.1)
        assert solution.residuals == found[0].residuals  # all have the verdict on the whole
        assert solution.objective == pytest.approx(expected.objective, rel=1e-6)
    impulses = np.concatenate([solution.impulses for solution in found])
    size = np.abs(expected.impulses).max()
    assert impulses == pytest.approx(expected.impulses, abs=2e-3 * size)
    assert len({r.calls for r in ranks}) == 1


def test_sizes_and_norms_are_of_the_whole():
    rng = np.random.default_rng(3)
    parts = [cluster(rng, n, c, False) for n, c in ((3, 5), (2, 4))]
    whole = am.ConeProblem.from_contacts(**joined(parts))
    shares = together(list(zip(parts, Threads.of(2), strict=True)), lambda given: part_of(*given))

    def measured(share):
        return share.all_rows, share.all_blocks, share.linear_norm, share.speed_unit

    for found in together(shares, measured):
        assert found == pytest.approx(measured(whole), rel=1e-14)
    vectors = [rng.standard_normal(share.rows) for share in shares]
    pairs = dict(zip(map(id, shares), vectors, strict=True))
    norms = together(shares, lambda share: share.norm(1e200 * pairs[id(share)]))
    assert norms == pytest.approx([1e200 * np.linalg.norm(np.concatenate(vectors))] * 2)


def test_copies_keep_their_ranks():
    rng = np.random.default_rng(5)
    ranks = Ranks()
    problem = part_of(cluster(rng, 3, 5, True), ranks)
    assert problem.even is not problem
    for copy in (problem.even, problem.with_linear(problem.linear), problem.even.even):
        assert copy.ranks is ranks


def test_alone_nothing_changes():
    values = np.array([3.0, -4.0])
    assert ALONE.total((1.0, 2.0)) == (1.0, 2.0)
    assert ALONE.maximum((1.0, 2.0)) == (1.0, 2.0)
    assert ALONE.norm(values) == norm(values) == 5.0
    assert ALONE.inner(values, values) == 25.0
    assert norm(1e200 * values) == pytest.approx(5e200)
    assert norm(np.empty(0)) == 0.0
