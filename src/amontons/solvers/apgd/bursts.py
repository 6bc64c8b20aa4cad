"""Bursts of APGD: many iterations in one call, for problems over terms.

A call from Python costs as much as an iteration on a thousand contacts. So `propose` and `accept`
take turns in compiled code here, and leave their state in arrays between one burst and the next.
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
from amontons.algebra.cones import Metric, SetArrays
from amontons.array_types import Floats
from amontons.problem.kernels import add_compliance, compliance_square
from amontons.problem.operators.body_kernels import BodyArrays, body_product, body_quadratic
from amontons.problem.problem import ConeProblem
from amontons.solvers.apgd.accept import BOUNDED, UNBOUNDED, Memory, Pace, accept, recalled
from amontons.solvers.apgd.propose import Origin, propose
from amontons.solvers.base import Buffers, Iterate
from amontons.solvers.gauge import Gauge

if TYPE_CHECKING:
    from amontons.solvers.apgd.method import APGD

MOST = 64
"""Iterations of a burst at most."""

WORK = 60_000
"""Blocks times iterations of a burst: about two milliseconds, after which limits are checked."""

_propose, _accept, _recalled = propose.serial, routine(accept), routine(recalled)
_product, _quadratic = body_product.serial, body_quadratic.serial
_comply, _square = add_compliance.serial, compliance_square.serial

X, X_OLD, X_NEW, BEST, KEPT, NX, NX_OLD, NX_NEW, JUDGED, PROPOSED = range(10)
"""Rows of x (the last of them not to be touched) and of Nx, and whether x is judged and left."""

L, THETA, BETA, LEAST, UPHILL, LENGTH, SPAN, GROWTH, TOTAL, SEEN, BEFORE = range(11)
"""The pace; the least squared error; what the last proposal returned; and the momentum's memory."""


class BurstTerms(NamedTuple):
    """What stays the same from one iteration to the next."""

    sets: SetArrays
    metric: Metric
    rho: Floats  # step of the natural map that is the error, shape (blocks,)
    origin: Origin  # with r, shape (rows,)
    arrays: BodyArrays
    masses: Floats  # inertia and mass of each body, shape (bodies, 7)
    compliance: Floats  # diagonal of E, shape (rows,), or empty where there is none


class Burst(NamedTuple):
    """Where a run stands between bursts."""

    x: Floats  # iterates, shape (buffers, rows)
    Nx: Floats  # products of three of them, shape (3, rows)
    velocity: Floats  # and the bodies' velocities on the way there, shape (3, bodies, 6)
    place: NDArray[np.int64]  # see X and on
    number: Floats  # see L and on
    error: Floats  # log of a burst: squared, unscaled errors of iterates, shape (iterations,)
    objective: Floats  # and objectives, without the problem's offset
    partial: Floats  # room for partial sums of proposals, shape (chunks, 5)
    sums: Floats  # and of dᵀNd, shape (parts, 1)


@serial_kernel
def descend(terms, burst, shrink, restart, enough, room):
    """Iterate until `room` iterates are logged or one has a squared error of at most `enough`.

    Returns how many were logged. The last of them is judged, and the step from it proposed.
    """
    # taken out of their tuples once: Numba counts references to what it takes out
    sets, metric, rho, origin = terms.sets, terms.metric, terms.rho, terms.origin
    arrays, masses, compliance = terms.arrays, terms.masses, terms.compliance
    x, Nx, velocity, place, number = burst.x, burst.Nx, burst.velocity, burst.place, burst.number
    errors, objectives, partial, sums = burst.error, burst.objective, burst.partial, burst.sums
    logged = 0
    while True:  # 6
        now, old, new = place[X], place[X_OLD], place[X_NEW]
        n_now, n_old, n_new = place[NX], place[NX_OLD], place[NX_NEW]
        pace = Pace(number[L], number[THETA], number[BETA])
        span = Memory(number[SPAN], number[GROWTH], number[TOTAL], number[SEEN], number[BEFORE])
        if place[PROPOSED] == 0:
            step = 1.0 / pace.L
            error, quadratic, lin, number[UPHILL], number[LENGTH] = _propose(  # 7, 8
                sets, metric, rho, x[now], x[old], Nx[n_now], Nx[n_old], origin, pace.beta, step,
                x[new], partial,
            )  # fmt: skip
            place[PROPOSED] = 1
            if place[JUDGED] == 0:  # 17 to 24
                place[JUDGED] = 1
                errors[logged], objectives[logged] = error, 0.5 * quadratic + lin
                logged += 1
                span = _recalled(span, error)
                number[SPAN], number[GROWTH], number[TOTAL] = span.iterates, span.growth, span.total
                number[SEEN], number[BEFORE] = span.seen, span.before
                if error < number[LEAST]:
                    number[LEAST], place[BEST] = error, now
                if logged == room or not error > enough:
                    return logged
        _product(arrays, x[new], velocity[n_new], Nx[n_new])
        v_new, v_now, v_old = velocity[n_new], velocity[n_now], velocity[n_old]
        bend = _quadratic(masses, v_new, v_now, v_old, pace.beta, sums)
        if compliance.size > 0:
            _comply(sets, compliance, x[new], Nx[n_new])
            bend += _square(sets, compliance, x[new], x[now], x[old], pace.beta, partial)
        place[PROPOSED] = 0
        length, uphill = number[LENGTH], number[UPHILL]
        accepted, pace = _accept(pace, bend, length, uphill, shrink, restart, span)  # 9 to 30
        number[L], number[THETA], number[BETA] = pace.L, pace.theta, pace.beta
        if accepted:
            place[X], place[X_OLD] = new, now
            place[NX], place[NX_OLD], place[NX_NEW] = n_new, n_now, n_old
            spare = 0
            while spare in (new, now, place[BEST], place[KEPT]):
                spare += 1
            place[X_NEW] = spare
            place[JUDGED] = 0


def come_in_bursts(problem: ConeProblem) -> bool:
    """Whether a problem's iterations do: it is over bodies, and small enough for one thread."""
    return (
        problem.operator.over_bodies is not None
        and problem.blocks < _jit.PARALLEL_ABOVE
        and problem.ranks.count == 1
    )


def bursts(
    solver: APGD, problem: ConeProblem, start: Floats, metric: Metric, pace: Pace, gauge: Gauge,
    buffers: Buffers,
) -> Generator[Iterate]:  # fmt: skip
    """Iterates of APGD from `start`, one of the buffers, with the first pace given."""
    operator = problem.operator.over_bodies
    assert operator is not None
    room = 1 if buffers.watched else min(MOST, 1 + WORK // problem.blocks)
    kept = buffers.place(buffers.best)  # by the method before this one
    if len(buffers.block) < (4 if kept < 0 else 5):
        raise RuntimeError("a burst needs four buffers beside the best point of another method")
    compliance = np.empty(0) if problem.compliance is None else problem.compliance
    terms = BurstTerms(
        sets=problem.sets.arrays,
        metric=metric,
        rho=gauge.rho,
        origin=Origin(np.empty(0), problem.linear),
        arrays=operator.arrays,
        masses=operator.masses,
        compliance=compliance,
    )
    burst = Burst(
        x=buffers.block,
        Nx=np.empty((3, problem.rows)),
        velocity=np.empty((3, operator.bodies, 6)),
        place=np.zeros(PROPOSED + 1, dtype=np.int64),
        number=np.zeros(BEFORE + 1),
        error=np.empty(room),
        objective=np.empty(room),
        partial=np.empty((terms.sets.chunks.shape[0], 5)),
        sums=np.empty((math.ceil(operator.bodies / CHUNK), 1)),
    )
    place, number = burst.place, burst.number
    first = buffers.place(start)
    place[[X, X_OLD, BEST, KEPT, NX, NX_OLD, NX_NEW]] = first, first, first, kept, 0, 1, 2
    place[X_NEW] = next(k for k in range(len(buffers.block)) if k not in (first, kept))
    number[[L, THETA, BETA, LEAST]] = *pace, math.inf
    number[[SPAN, GROWTH, TOTAL, SEEN, BEFORE]] = BOUNDED if problem.sets.exact else UNBOUNDED
    problem.product(start, burst.Nx[0], burst.velocity[0])
    burst.Nx[1], burst.velocity[1] = burst.Nx[0], burst.velocity[0]
    left = solver.max_iterations + 1  # the start is logged, too
    while True:
        begin, enough = time.perf_counter(), (gauge.wanted / gauge.factor) ** 2
        most = max(1, min(room, left))
        done = solver.max_iterations + 1 - left
        if done <= gauge.least > 0:  # then more may be wanted of the next one
            most = min(most, gauge.least + 1 - done)
        logged = descend(terms, burst, solver.shrink, solver.restart, enough, most)
        each = (time.perf_counter() - begin) / logged
        left -= logged
        errors = (gauge.factor * np.sqrt(burst.error[:logged])).tolist()
        objectives = (burst.objective[:logged] + problem.objective_offset).tolist()
        best, last = buffers[place[BEST]], buffers[place[X]]
        for k in range(logged):
            x = last if k == logged - 1 else best
            yield Iterate(x, errors[k], objectives[k], 1, begin + (k + 1) * each)
