"""The problem of a small step in arrays that solvers and the judge read, and its solution."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from amontons.algebra.cones import COULOMB, FREE, INTERVAL, NONNEGATIVE, SetArrays
from amontons.algebra.sums import largest_and_square
from amontons.array_types import Floats
from amontons.judge.blocks import COLUMNS, judge_blocks
from amontons.problem import kernels
from amontons.problem.operators.body_kernels import (
    BodyArrays,
    body_curvatures,
    body_product,
    body_velocities,
    velocity_product,
)
from amontons.problem.operators.body_layout import list_incidences, pack_bodies
from amontons.problem.residuals import SMALL_STEP
from amontons.problem.sets.coefficients import NORMAL_ROUNDING, NORMAL_TOLERANCE
from amontons.small_worlds.linking import joining
from amontons.small_worlds.tables import NOT_FINITE, NOT_SOLVED, ROUGH_NORMALS, TAKEN
from amontons.solvers.direct.method import SHARE, solve_small
from amontons.solvers.gauge import natural_map

_add_compliance, _project = kernels.add_compliance.serial, kernels.project.serial
_velocity_product, _body_velocities = velocity_product.serial, body_velocities.serial
_body_product, _body_curvatures = body_product.serial, body_curvatures.serial
_natural_map, _judge_blocks = natural_map.serial, judge_blocks.serial


class SmallProblem(NamedTuple):
    """A problem in rows of one unit, as `ConeProblem.even` has it."""

    arrays: BodyArrays  # in its own rows
    even: BodyArrays  # in rows of one unit
    sets: SetArrays
    factors: Floats  # what makes a speed of each row, (rows,)
    scaled: bool  # whether any factor is not 1
    linear: Floats  # r of the even rows, (rows,)
    compliance: Floats  # of the even rows, (rows,) or (0,)
    rho: Floats  # d / trace(N_bb), (blocks,)
    unit: float  # what errors are relative to [m/s]
    factor: float  # 1/unit


@joining
def small_sets(contacts, free, one_sided, bounded):
    """Groups of blocks by their kinds, as `arrangement` has them; chunks are the same with ends."""
    groups, chunks = np.empty((4, 4), np.int64), np.empty((4, 6), np.int64)
    used, block, row = 0, 0, 0
    for g in range(4):
        kind, count, size = COULOMB, contacts, 3
        if g == 1:
            kind, count, size = FREE, free, 1
        elif g == 2:
            kind, count, size = NONNEGATIVE, one_sided, 1
        elif g == 3:
            kind, count, size = INTERVAL, bounded, 1
        if count:
            groups[used, 0], groups[used, 1] = kind, block
            groups[used, 2], groups[used, 3] = count, row
            for k in range(4):
                chunks[used, k] = groups[used, k]
            chunks[used, 4], chunks[used, 5] = 0, count
            used += 1
        block += count
        row += size * count
    return groups[:used], chunks[:used]


@joining
def small_norm(linear, factors, contacts):
    """‖r‖ of rows of one unit, in the order of callers: a contact's rows together."""
    speeds = np.empty(linear.size)
    for c in range(contacts):
        for k in range(3):
            speeds[3 * c + k] = linear[k * contacts + c] * factors[k * contacts + c]
    for i in range(3 * contacts, linear.size):
        speeds[i] = linear[i] * factors[i]
    largest, square = largest_and_square(speeds)
    if not 1e-150 < largest < 1e150:
        return -1.0  # zero, or huge: for the staged step to treat
    return math.sqrt(square)


@joining
def small_product(arrays, sets, compliance, x, velocity, out):
    """out ← (N + E) x, and velocity ← M⁻¹ D x."""
    _body_product(arrays, x, velocity, out)
    if compliance.size:
        _add_compliance(sets, compliance, x, out)


@joining
def small_steps_of_blocks(arrays, sets, compliance, contacts):
    """d / trace(N_bb) of each block."""
    blocks = arrays.body.shape[0]
    curvature = np.zeros((blocks, 3))
    _body_curvatures(arrays, sets.normal, curvature)
    if compliance.size:
        for b in range(contacts, blocks):
            curvature[b, 0] += compliance[2 * contacts + b]
    largest = 0.0
    for b in range(blocks):
        for k in range(3):
            largest = max(largest, curvature[b, k])
    rho = np.ones(blocks)
    kernels.mean_steps(contacts, curvature, largest if largest > 0.0 else 1.0, rho)
    return rho


@joining
def small_problem(
    bodies, gyration, inverse_inertia, contacts, friction, offset, rows, free, settings
):
    """The problem r = Dᵀv* + b of contacts and rows of joints, and whether it can be used.

    As `assemble` and `ConeProblem` make it; contacts are a `ContactPlaces`.
    """
    count, scalars, mass = contacts.gaps.size, rows.offset.size, bodies.inverse_mass
    blocks, total = count + scalars, 3 * count + scalars
    body = np.empty((blocks, 2), np.int32)
    body[:count] = contacts.bodies
    body[count:] = rows.bodies
    packed, pointer = np.empty((mass.size, 6)), np.empty(mass.size + 1, np.int64)
    turning, mobile = np.empty(mass.size, np.bool_), np.empty(mass.size, np.bool_)
    pack_bodies(mass, inverse_inertia, packed, turning, mobile)
    arms, levers = np.empty((2 * count, 3)), np.empty((2 * blocks, 3))
    incidence = np.empty(2 * blocks, np.int32)
    used = list_incidences(
        body, mobile, contacts.arms_a, contacts.arms_b, arms, pointer, incidence, levers
    )
    lengths = np.ones(0)
    arrays = BodyArrays(
        count, 0, body, arms, lengths, rows.jacobian, mass, packed, pointer, incidence[:used],
        levers[:used],
    )  # fmt: skip
    status = TAKEN
    mended, normal = np.empty((count, 3)), np.empty((3, count))
    if not kernels.mend_normals(contacts.normals, NORMAL_ROUNDING, mended) <= NORMAL_TOLERANCE:
        status = ROUGH_NORMALS
    for c in range(count):
        for k in range(3):
            normal[k, c] = mended[c, k]
    groups, chunks = small_sets(count, rows.free, rows.one_sided, rows.bounded)
    linear = np.empty(total)
    _velocity_product(arrays, free, linear)
    kernels.add_offsets(linear, contacts.normals, offset, rows.offset)
    factors, scaled = np.ones(total), False
    for i in range(scalars):
        if rows.angular[i]:
            a, b = rows.bodies[i, 0], rows.bodies[i, 1]
            factors[3 * count + i] = min(gyration[a], gyration[b])  # −1 is the world, the last
            scaled = scaled or factors[3 * count + i] != 1.0
    lower, upper, bounded = rows.lower.copy(), rows.upper.copy(), total - rows.bounded
    for i in range(rows.bounded):
        lower[i], upper[i] = lower[i] / factors[bounded + i], upper[i] / factors[bounded + i]
    nothing = np.empty(0)
    sets = SetArrays(
        groups, chunks, normal, friction, nothing, nothing, lower, upper, np.zeros(1)
    )  # fmt: skip
    length = small_norm(linear, factors, count)
    if not length > 0.0:
        status = NOT_FINITE
    unit = max(length, settings.least * math.sqrt(blocks))
    jacobian, soft = np.empty((scalars, 12)), False
    for i in range(scalars):
        soft = soft or rows.compliance[i] != 0.0
        for k in range(12):
            jacobian[i, k] = rows.jacobian[i, k] * factors[3 * count + i]
    squares, compliance = factors * factors, np.zeros(total if soft else 0)
    for i in range(scalars if soft else 0):
        compliance[3 * count + i] = squares[3 * count + i] * rows.compliance[i]
    even = BodyArrays(
        count, 0, body, arms, lengths, jacobian if scaled else rows.jacobian, mass, packed,
        pointer, incidence[:used], levers[:used],
    )  # fmt: skip
    for i in range(total):
        linear[i] = factors[i] * linear[i]
    rho = small_steps_of_blocks(even, sets, compliance, count)
    return status, SmallProblem(
        arrays, even, sets, factors, scaled, linear, compliance, rho, unit, 1.0 / unit
    )


@joining
def small_error(problem, x, velocity, out):
    """Error of x in the solver's gauge; out ← (N + E) x."""
    small_product(problem.even, problem.sets, problem.compliance, x, velocity, out)
    partial = np.empty((problem.sets.chunks.shape[0], 3))
    square, _, _ = _natural_map(
        problem.sets, problem.rho, x, out, problem.linear, partial
    )  # fmt: skip
    return problem.factor * math.sqrt(square)


@joining
def small_verdict(problem, settings, x, out):
    """The judge's scaled error of x, whose product is given."""
    velocity = np.empty(x.size)
    for i in range(x.size):
        velocity[i] = out[i] + problem.linear[i]
    partial = np.empty((problem.sets.chunks.shape[0], COLUMNS))
    found = _judge_blocks(
        problem.sets,
        problem.rho,
        SMALL_STEP,
        x,
        out,
        problem.linear,
        velocity,
        settings.exact,
        partial,
    )
    scaled = math.sqrt(found[0]) / problem.unit
    if math.isfinite(settings.most):
        scaled = max(scaled, math.sqrt(found[5]) / settings.most)
    return scaled


@joining
def small_solution(problem, settings, x, velocity):
    """x ← impulses in even rows, from a guess; velocity ← M⁻¹ D x. Returns how, error, steps."""
    _project(problem.sets, x)
    out = np.empty(x.size)
    error, steps = small_error(problem, x, velocity, out), 0
    if not error <= settings.tolerance:
        wanted = SHARE * settings.tolerance / problem.factor
        steps = solve_small(
            problem.even, problem.sets, problem.compliance, problem.linear, settings.exact, wanted,
            settings.most_steps, x,
        )  # fmt: skip
        error = small_error(problem, x, velocity, out)
        if not error <= settings.tolerance:
            return NOT_SOLVED, error, steps
    residual = small_verdict(problem, settings, x, out)
    if not residual <= settings.tolerance:
        return NOT_SOLVED, residual, steps
    return TAKEN, residual, steps


@joining
def small_impulses(problem, x, velocity):
    """x ← impulses in the problem's own rows; velocity ← M⁻¹ D x of those."""
    for i in range(x.size):
        x[i] = x[i] * problem.factors[i]
    if problem.scaled:
        _body_velocities(problem.arrays, x, velocity)
