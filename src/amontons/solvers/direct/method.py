"""Direct solution of small problems over bodies, in one compiled call.

Bilateral rows are eliminated by a Cholesky factorisation that keeps to the sparsity of the joints;
what is left, a small dense problem of contacts, limits and bounded motors, goes to Newton's method
(:mod:`amontons.solvers.direct.newton`). A mechanism without contacts takes one step.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons._jit import serial_kernel
from amontons.algebra.cones import FREE, NONNEGATIVE, SetKind
from amontons.errors import UnsupportedProblemError
from amontons.problem.exact_friction import exact_linear
from amontons.problem.problem import ConeProblem
from amontons.solvers.base import Buffers, Floats, Iterate, Solver
from amontons.solvers.direct.condense import (
    add_compliance,
    backward,
    eliminate,
    fill_matrix,
    forward,
    row_jacobians,
    row_order,
    rows_of_bodies,
    velocities_of,
)
from amontons.solvers.direct.newton import Reduced, mean_steps, solve_reduced
from amontons.solvers.gauge import Gauge

MOST_ROWS = 400
"""Rows of a problem up to which a dense matrix is worth its time."""

MOST_OTHERS = 120
"""Rows of contacts, limits and bounded motors among them, for Newton's method."""

MOST_STEPS = 400
"""Of Newton's method and its sweeps."""

SHARE = 0.03
"""Of the tolerance: to which Newton's method goes, in steps of its own."""

SUPPORTED = frozenset((SetKind.FREE, SetKind.NONNEGATIVE, SetKind.INTERVAL, SetKind.COULOMB))

NOTHING = np.empty(0)


@serial_kernel
def solve_small(arrays, sets, compliance, linear, exact, wanted, most, x):
    """x ← the solution, from the guess x; returns the steps that took. See the module."""
    contacts, rows, bodies = arrays.forces, linear.size, arrays.inverse_mass.size
    free, one_sided = 0, 0
    for g in range(sets.groups.shape[0]):
        if sets.groups[g, 0] == FREE:
            free = sets.groups[g, 2]
        elif sets.groups[g, 0] == NONNEGATIVE:
            one_sided = sets.groups[g, 2]
    order, body = np.empty(rows, np.int64), np.empty((rows, 2), np.int64)
    jacobian, pushed = np.empty((rows, 12)), np.empty((rows, 12))
    first, member = np.empty(bodies + 1, np.int64), np.empty(2 * rows, np.int64)
    W, start, scale = np.empty((rows, rows)), np.empty(rows, np.int64), np.zeros(rows)
    row_order(contacts, free, order)
    row_jacobians(arrays, order, body, jacobian, pushed)
    rows_of_bodies(body, bodies, first, member)
    fill_matrix(jacobian, pushed, first, member, W)
    if compliance.size:
        add_compliance(sets.normal, compliance, order, free, W)
    eliminate(W, free, start, scale)
    # what the rows that are left see: u = Sx + s
    rest, point = linear[order], np.empty(rows)
    forward(W, free, start, scale, rest)
    for i in range(free):
        point[i] = -rest[i]
    others, steps = rows - free, 1
    for i in range(free, rows):
        point[i] = x[order[i]]
    if others:
        S = np.empty((others, others))
        for i in range(others):
            for j in range(i + 1):
                S[i, j] = S[j, i] = W[free + i, free + j]
        scalars = others - 3 * contacts
        lower, upper = np.zeros(scalars), np.full(scalars, np.inf)
        lower[one_sided:], upper[one_sided:] = sets.lower, sets.upper
        rho = np.empty(contacts + scalars)
        mean_steps(S, contacts, rho)
        reduced = Reduced(S, rest[free:], sets.normal, sets.friction, lower, upper, rho)
        steps += solve_reduced(reduced, exact, wanted, most - 1, point[free:])
    backward(W, free, start, scale, point)
    # once more with what rounding left
    u, velocity = np.empty(rows), np.empty((bodies, 6))
    velocities_of(body, jacobian, pushed, point, velocity, u)
    for i in range(rows):
        u[i] = -(u[i] + linear[order[i]]) if i < free else 0.0
        if compliance.size and i < free:
            u[i] -= compliance[order[i]] * point[i]
    forward(W, free, start, scale, u[:free])
    backward(W, free, start, scale, u[:free])
    for i in range(rows):
        x[order[i]] = point[i] + u[i] if i < free else point[i]
    return steps


def solves_directly(problem: ConeProblem) -> bool:
    """Whether the problem is small enough, over bodies, and of contacts without torques."""
    if problem.rows > MOST_ROWS or problem.operator.over_bodies is None:
        return False
    kinds, ranks = problem.sets.kinds, problem.ranks.count
    if ranks > 1 or not kinds <= SUPPORTED:
        return False
    free = sum(run.blocks for run in problem.sets.runs if run.kind is SetKind.FREE)
    return problem.rows - free <= MOST_OTHERS


@dataclass(frozen=True, kw_only=True)
class Direct(Solver):
    """Small problems over bodies in one compiled call: joints eliminated, contacts by Newton.

    For up to 400 rows, of which 120 may be of contacts (without rolling and spinning friction),
    limits and bounded motors. `Auto` begins with it.

    Parameters
    ----------
    exact:
        Solve exact Coulomb friction instead of the convex problem.
    """

    exact: bool = False  # type: ignore[misc]

    buffers: ClassVar[int] = 2

    def check(self, problem: ConeProblem) -> None:
        """Only small problems over bodies."""
        if problem.rows and not solves_directly(problem):
            raise UnsupportedProblemError(
                f"Direct solves small problems over bodies (at most {MOST_ROWS} rows, of which "
                f"{MOST_OTHERS} not of joints, no rolling or spinning friction), and this is "
                f"{problem!r}; use Auto"
            )

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """The start, and the point that the call ends at."""
        x = buffers.projected(problem, x)
        yield Iterate(x, *self._error(problem, x, gauge))
        if self.max_iterations:
            new = buffers.free(x)
            new[:] = x
            wanted = SHARE * self.tolerance / gauge.factor
            steps = solve_from(
                problem, new, self.exact, wanted, min(self.max_iterations, MOST_STEPS)
            )
            yield Iterate(new, *self._error(problem, new, gauge), steps)

    def _error(self, problem: ConeProblem, x: Floats, gauge: Gauge) -> tuple[float, float]:
        product = problem.product(x)
        error, objective = gauge.error(problem, x, product)
        if self.exact:
            error, _ = gauge.error(problem, x, product, exact_linear(problem, x, product))
        return error, objective


def directly(
    method: Solver, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
) -> Generator[Iterate, None, tuple[Floats, int]]:
    """For solvers that begin with Direct: the start, and where it ends.

    Returns the better point and the steps taken. Where rows of joints all but contradict each
    other, Direct leaves some out: what comes of that is no start for others, and is not shown.
    """
    steps = 0
    for iterate in method.iterations(problem, x, gauge, buffers):
        if steps == 0 or not problem.bilateral or iterate.error <= method.tolerance:
            yield iterate
        steps = iterate.cost
    assert buffers.best is not None
    return buffers.best.copy(), steps


def solve_from(problem: ConeProblem, x: Floats, exact: bool, wanted: float, most: int) -> int:
    """x ← the solution of a problem in rows of one unit, to an error of `wanted` [m/s].

    Returns the steps that it took, at most so many.
    """
    operator = problem.operator.over_bodies
    assert operator is not None
    compliance = NOTHING if problem.compliance is None else problem.compliance
    return int(
        solve_small(
            operator.arrays, problem.sets.arrays, compliance, problem.linear, exact, wanted, most, x
        )
    )
