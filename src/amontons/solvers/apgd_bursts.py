"""Bursts of APGD: many iterations in one call, for problems over bodies.

A call from Python costs as much as an iteration on a thousand contacts. The loop is that of
:meth:`APGD.iterations`, with its kernels, so it is read there; here it keeps its state in arrays
between one burst and the next.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons import _jit
from amontons._jit import CHUNK, routine, serial_kernel
from amontons.algebra.cones import Metric
from amontons.problem.kernels import add_compliance, blended_square
from amontons.problem.operators import BodyOperator
from amontons.problem.operators.body_kernels import body_product, body_quadratic
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Gauge
from amontons.solvers.apgd_kernels import assess_and_propose, larger_curvature, next_momentum
from amontons.solvers.base import Buffers, Floats, Iterate

if TYPE_CHECKING:
    from amontons.solvers.apgd import APGD

MOST = 64
"""Iterations of a burst at most."""

WORK = 60_000
"""Blocks times iterations of a burst: about two milliseconds, after which limits are checked."""

_pass_over = assess_and_propose.serial
_product, _quadratic = body_product.serial, body_quadratic.serial
_comply, _square = add_compliance.serial, blended_square.serial
_larger_curvature, _next_momentum = routine(larger_curvature), routine(next_momentum)

X, X_OLD, X_NEW, BEST, KEPT, NX, NX_OLD, NX_NEW, JUDGED, PROPOSED = range(10)
"""Rows of x (the last of them not to be touched) and of Nx, and whether x is judged and left."""

L, THETA, BETA, LEAST, UPHILL, LENGTH = range(6)
"""Numbers of algorithm 1: curvature, momentum, least squared error, and what a pass returned."""


class State(NamedTuple):
    """Where a run stands between bursts."""

    x: Floats  # iterates, shape (buffers, rows)
    Nx: Floats  # products of three of them, shape (3, rows)
    velocity: Floats  # and the bodies' velocities on the way there, shape (3, bodies, 6)
    place: NDArray[np.int64]  # see X and on
    number: Floats  # see L and on
    error: Floats  # log of a burst: squared, unscaled errors of iterates, shape (iterations,)
    objective: Floats  # and objectives, without the problem's offset


@serial_kernel
def descend(
    sets, metric, rho, arrays, masses, compliance, linear, shrink, restart, enough, room, partial,
    sums, state,
):  # fmt: skip
    """Iterate until `room` iterates are logged or one has a squared error of at most `enough`.

    Returns how many were logged. The last of them is judged, and the step from it proposed.
    `compliance` is empty where there is none.
    """
    x, Nx, velocity, place, number = state.x, state.Nx, state.velocity, state.place, state.number
    logged = 0
    while True:
        now, old, new = place[X], place[X_OLD], place[X_NEW]
        n_now, n_old, n_new = place[NX], place[NX_OLD], place[NX_NEW]
        beta = number[BETA]
        if place[PROPOSED] == 0:
            error, quadratic, lin, uphill, length = _pass_over(
                sets, metric, rho, x[now], x[old], Nx[n_now], Nx[n_old], linear, beta,
                1.0 / number[L], x[new], partial,
            )  # fmt: skip
            number[UPHILL], number[LENGTH] = uphill, length
            place[PROPOSED] = 1
            if place[JUDGED] == 0:
                place[JUDGED] = 1
                state.error[logged], state.objective[logged] = error, 0.5 * quadratic + lin
                logged += 1
                if error < number[LEAST]:
                    number[LEAST], place[BEST] = error, now
                if logged == room or not error > enough:
                    return logged
        _product(arrays, x[new], velocity[n_new], Nx[n_new])
        if compliance.size > 0:
            _comply(sets, compliance, x[new], Nx[n_new])
            bend = _square(x[new], x[now], x[old], Nx[n_new], Nx[n_now], Nx[n_old], beta, sums)
        else:
            bend = _quadratic(masses, velocity[n_new], velocity[n_now], velocity[n_old], beta, sums)
        place[PROPOSED] = 0
        length = number[LENGTH]
        if bend > number[L] * length * (1.0 + 1e-12) and length > 0.0:
            number[L] = _larger_curvature(number[L], bend, length)
            continue
        if restart and number[UPHILL] > 0.0:
            number[THETA], number[BETA] = 1.0, 0.0
        else:
            number[THETA], number[BETA] = _next_momentum(number[THETA])
        place[X], place[X_OLD] = new, now
        place[NX], place[NX_OLD], place[NX_NEW] = n_new, n_now, n_old
        spare = 0
        while spare in (new, now, place[BEST], place[KEPT]):
            spare += 1
        place[X_NEW] = spare
        place[JUDGED] = 0
        number[L] *= shrink


def come_in_bursts(problem: ConeProblem) -> bool:
    """Whether a problem's iterations do: it is over bodies, and small enough for one thread."""
    return (
        isinstance(problem.operator, BodyOperator)
        and problem.blocks < _jit.PARALLEL_ABOVE
        and type(problem).total is ConeProblem.total
    )


def bursts(
    solver: APGD, problem: ConeProblem, start: Floats, curvature: float, gauge: Gauge,
    metric: Metric, buffers: Buffers,
) -> Generator[Iterate]:  # fmt: skip
    """Iterates of APGD from `start`, one of the buffers, with the first guess of L given."""
    operator = problem.operator
    assert isinstance(operator, BodyOperator)
    sets = problem.sets.arrays
    room = 1 if buffers.watched else min(MOST, 1 + WORK // problem.blocks)
    kept = buffers.place(buffers.best)  # by the method before this one
    if len(buffers.block) < (4 if kept < 0 else 5):
        raise RuntimeError("a burst needs four buffers beside the best point of another method")
    state = State(
        buffers.block,
        np.empty((3, problem.rows)),
        np.empty((3, operator.bodies, 6)),
        np.zeros(PROPOSED + 1, dtype=np.int64),
        np.zeros(LENGTH + 1),
        np.empty(room),
        np.empty(room),
    )
    place, number = state.place, state.number
    first = buffers.place(start)
    place[[X, X_OLD, BEST, KEPT, NX, NX_OLD, NX_NEW]] = first, first, first, kept, 0, 1, 2
    place[X_NEW] = next(k for k in range(len(buffers.block)) if k not in (first, kept))
    number[[L, THETA, LEAST]] = curvature, 1.0, math.inf
    problem.product(start, state.Nx[0], state.velocity[0])
    state.Nx[1], state.velocity[1] = state.Nx[0], state.velocity[0]
    partial = np.empty((sets.chunks.shape[0], 5))
    compliance = np.empty(0) if problem.compliance is None else problem.compliance
    chunks = operator.bodies / CHUNK if problem.compliance is None else problem.rows / (4 * CHUNK)
    sums = np.empty((math.ceil(chunks), 1))
    left = solver.max_iterations + 1  # the start is logged, too
    while True:
        begin, enough = time.perf_counter(), (gauge.wanted / gauge.factor) ** 2
        logged = descend(
            sets, metric, gauge.rho, operator.arrays, operator.masses, compliance, problem.linear,
            solver.shrink, solver.restart, enough, max(1, min(room, left)), partial, sums, state,
        )  # fmt: skip
        each = (time.perf_counter() - begin) / logged
        left -= logged
        errors = (gauge.factor * np.sqrt(state.error[:logged])).tolist()
        objectives = (state.objective[:logged] + problem.objective_offset).tolist()
        best, last = buffers[place[BEST]], buffers[place[X]]
        for k in range(logged):
            x = last if k == logged - 1 else best
            yield Iterate(x, errors[k], objectives[k], 1, begin + (k + 1) * each)
