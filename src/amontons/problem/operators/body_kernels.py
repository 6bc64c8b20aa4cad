"""Kernels of the matrix-free operator: two gathers, no tangent frames, no atomics.

N x is a pass over bodies, each summing the impulses of its own constraints and multiplying by its
inverse mass, and a pass over constraints, each reading two body velocities. Every index writes its
own slot, so the passes run in parallel and give the same bits on any number of threads.

Arrays may be float32 or float64. What a body sums has the type of the velocity that it makes, and
what a constraint sums that of its row; constants are written so that they do not widen float32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK, helper, kernel, prange, routine
from amontons.algebra.sums import column_sum

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


BODIES = 256
"""Bodies per partial sum: few, so that threads share them evenly."""


class BodyArrays(NamedTuple):
    """Bodies and constraints in the form that kernels use.

    Constraints are the `forces` contacts of 3 rows, then the `wrenches` contacts of 6 rows (force
    and torque), then scalar rows. Side 0 is body A, side 1 body B; −1 is the world.
    """

    forces: int
    wrenches: int
    body: Ints  # the two bodies of each constraint, shape (constraints, 2)
    arms: Floats  # from a body's centre to the contact point [m], shape (2 contacts, 3)
    lengths: Floats  # ℓ of contacts with torque: their torque rows are ℓω and m/ℓ, (wrenches,)
    jacobian: Floats  # of scalar rows: A linear, A angular, B linear, B angular, (scalars, 12)
    inverse_mass: Floats  # [1/kg], shape (bodies,)
    inverse_inertia: Floats  # xx, xy, xz, yy, yz, zz in the world frame, shape (bodies, 6)
    pointer: NDArray[np.int64]  # first incidence of each body, shape (bodies + 1,)
    incidence: Ints  # 2·constraint + side, body by body
    levers: Floats  # ∓arms in the order of incidences, contiguous for each body


@helper
def place(arrays, c):
    """First row of constraint `c`, and the stride from one of its rows to the next."""
    if c < arrays.forces:
        return c, arrays.forces
    contacts = arrays.forces + arrays.wrenches
    if c < contacts:
        return 2 * arrays.forces + c, arrays.wrenches
    return 2 * arrays.forces + 5 * arrays.wrenches + c, 1


@helper
def turn(inertia, i, t0, t1, t2):
    """I⁻¹ t of body `i`."""
    xx, xy, xz = inertia[i, 0], inertia[i, 1], inertia[i, 2]
    yy, yz, zz = inertia[i, 3], inertia[i, 4], inertia[i, 5]
    return (
        xx * t0 + xy * t1 + xz * t2,
        xy * t0 + yy * t1 + yz * t2,
        xz * t0 + yz * t1 + zz * t2,
    )


@helper
def gather_body(arrays, i, x, velocity):
    """velocity[i] ← M⁻¹ f with f the impulses of all constraints on body `i`; returns fᵀM⁻¹f."""
    zero, one = velocity.dtype.type(0), velocity.dtype.type(1)
    f0, f1, f2, t0, t1, t2 = zero, zero, zero, zero, zero, zero
    levers, incidence = arrays.levers, arrays.incidence
    # unsigned: Numba would wrap around negative signed indices
    second, third = np.uint64(arrays.forces), np.uint64(2 * arrays.forces)
    p, end = np.uint64(arrays.pointer[i]), np.uint64(arrays.pointer[i + 1])
    while p < end:  # incidences are in the order of constraints: forces come first
        code = incidence[p]
        c = np.uint64(code >> 1)
        if c >= second:
            break
        sign = one if code & 1 else -one
        r0, r1, r2 = levers[p, 0], levers[p, 1], levers[p, 2]
        x0, x1, x2 = x[c], x[second + c], x[third + c]
        f0 += sign * x0
        f1 += sign * x1
        f2 += sign * x2
        t0 += r1 * x2 - r2 * x1
        t1 += r2 * x0 - r0 * x2
        t2 += r0 * x1 - r1 * x0
        p += np.uint64(1)
    for rest in range(p, end):
        code = incidence[rest]
        c = code >> 1
        row, step = place(arrays, c)
        if c < arrays.forces + arrays.wrenches:
            sign = one if code & 1 else -one
            r0, r1, r2 = levers[rest, 0], levers[rest, 1], levers[rest, 2]
            x0, x1, x2 = x[row], x[row + step], x[row + 2 * step]
            couple = sign * arrays.lengths[c - arrays.forces]
            f0 += sign * x0
            f1 += sign * x1
            f2 += sign * x2
            t0 += r1 * x2 - r2 * x1 + couple * x[row + 3 * step]
            t1 += r2 * x0 - r0 * x2 + couple * x[row + 4 * step]
            t2 += r0 * x1 - r1 * x0 + couple * x[row + 5 * step]
        else:
            s, k = c - arrays.forces - arrays.wrenches, 6 * (code & 1)
            f0 += arrays.jacobian[s, k] * x[row]
            f1 += arrays.jacobian[s, k + 1] * x[row]
            f2 += arrays.jacobian[s, k + 2] * x[row]
            t0 += arrays.jacobian[s, k + 3] * x[row]
            t1 += arrays.jacobian[s, k + 4] * x[row]
            t2 += arrays.jacobian[s, k + 5] * x[row]
    im = arrays.inverse_mass[i]
    w0, w1, w2 = turn(arrays.inverse_inertia, i, t0, t1, t2)
    velocity[i, 0], velocity[i, 1], velocity[i, 2] = im * f0, im * f1, im * f2
    velocity[i, 3], velocity[i, 4], velocity[i, 5] = w0, w1, w2
    return im * (f0 * f0 + f1 * f1 + f2 * f2) + (t0 * w0 + t1 * w1 + t2 * w2)


@helper
def point_velocity(arrays, code, i, velocity):
    """Velocity of body `i` at the contact point of incidence `code`; zero for the world."""
    if i < 0:
        zero = velocity.dtype.type(0)
        return zero, zero, zero
    p, b = np.uint64(code), np.uint64(i)
    r0, r1, r2 = arrays.arms[p, 0], arrays.arms[p, 1], arrays.arms[p, 2]
    w0, w1, w2 = velocity[b, 3], velocity[b, 4], velocity[b, 5]
    return (
        velocity[b, 0] + w1 * r2 - w2 * r1,
        velocity[b, 1] + w2 * r0 - w0 * r2,
        velocity[b, 2] + w0 * r1 - w1 * r0,
    )


@helper
def relative_velocity(arrays, c, velocity, out):
    """Rows of Dᵀ v that belong to constraint `c`, into the first entries of `out`."""
    a, b = arrays.body[c, 0], arrays.body[c, 1]
    contacts = arrays.forces + arrays.wrenches
    if c < contacts:
        a0, a1, a2 = point_velocity(arrays, 2 * c, a, velocity)
        b0, b1, b2 = point_velocity(arrays, 2 * c + 1, b, velocity)
        out[0], out[1], out[2] = b0 - a0, b1 - a1, b2 - a2
        if c >= arrays.forces:
            for k in range(3):
                out[3 + k] = 0.0
                if b >= 0:
                    out[3 + k] += velocity[b, 3 + k]
                if a >= 0:
                    out[3 + k] -= velocity[a, 3 + k]
                out[3 + k] *= arrays.lengths[c - arrays.forces]
    else:
        total = 0.0
        for k in range(6):
            if a >= 0:
                total += arrays.jacobian[c - contacts, k] * velocity[a, k]
            if b >= 0:
                total += arrays.jacobian[c - contacts, 6 + k] * velocity[b, k]
        out[0] = total


@helper
def push(arrays, c, side, dx, velocity):
    """Add to one body's velocity what impulse `dx` of constraint `c` gives it."""
    i = arrays.body[c, side]
    if i < 0:
        return
    contacts = arrays.forces + arrays.wrenches
    if c < contacts:
        sign = 1.0 if side == 1 else -1.0
        code = 2 * c + side
        r0, r1, r2 = arrays.arms[code, 0], arrays.arms[code, 1], arrays.arms[code, 2]
        f0, f1, f2 = sign * dx[0], sign * dx[1], sign * dx[2]
        t0, t1, t2 = r1 * f2 - r2 * f1, r2 * f0 - r0 * f2, r0 * f1 - r1 * f0
        if c >= arrays.forces:
            couple = sign * arrays.lengths[c - arrays.forces]
            t0 += couple * dx[3]
            t1 += couple * dx[4]
            t2 += couple * dx[5]
    else:
        J = arrays.jacobian[c - contacts, 6 * side : 6 * side + 6]
        f0, f1, f2 = J[0] * dx[0], J[1] * dx[0], J[2] * dx[0]
        t0, t1, t2 = J[3] * dx[0], J[4] * dx[0], J[5] * dx[0]
    im = arrays.inverse_mass[i]
    w0, w1, w2 = turn(arrays.inverse_inertia, i, t0, t1, t2)
    velocity[i, 0] += im * f0
    velocity[i, 1] += im * f1
    velocity[i, 2] += im * f2
    velocity[i, 3] += w0
    velocity[i, 4] += w1
    velocity[i, 5] += w2


@helper
def wrench_velocity(arrays, j, velocity, out):
    """Dᵀ v in the six rows of the j-th contact with torque."""
    c = arrays.forces + j
    a, b = arrays.body[c, 0], arrays.body[c, 1]
    a0, a1, a2 = point_velocity(arrays, 2 * c, a, velocity)
    b0, b1, b2 = point_velocity(arrays, 2 * c + 1, b, velocity)
    w0, w1, w2 = turning(b, velocity)
    v0, v1, v2 = turning(a, velocity)
    length, row, stride = arrays.lengths[j], 3 * arrays.forces + j, arrays.wrenches
    out[row] = b0 - a0
    out[row + stride] = b1 - a1
    out[row + 2 * stride] = b2 - a2
    out[row + 3 * stride] = length * (w0 - v0)
    out[row + 4 * stride] = length * (w1 - v1)
    out[row + 5 * stride] = length * (w2 - v2)


@helper
def turning(i, velocity):
    """Angular velocity of body `i`; zero for the world."""
    if i < 0:
        zero = velocity.dtype.type(0)
        return zero, zero, zero
    b = np.uint64(i)
    return velocity[b, 3], velocity[b, 4], velocity[b, 5]


@routine
def scalar_velocities(forces, wrenches, body, jacobian, v, out):
    """Dᵀ v in the rows of scalar constraints."""
    row = 3 * forces + 6 * wrenches
    for s in range(jacobian.shape[0]):
        a, b = body[forces + wrenches + s, 0], body[forces + wrenches + s, 1]
        total = 0.0
        if a >= 0:
            for k in range(6):
                total += jacobian[s, k] * v[a, k]
        if b >= 0:
            for k in range(6):
                total += jacobian[s, 6 + k] * v[b, k]
        out[row + s] = total


@helper
def spread_velocities(arrays, velocity, out):
    """out ← Dᵀ velocity: a pass over constraints, parallel in kernels that are."""
    stride = np.uint64(arrays.forces)
    for contact in prange(arrays.forces):
        c = np.uint64(contact)
        a0, a1, a2 = point_velocity(arrays, 2 * contact, arrays.body[c, 0], velocity)
        b0, b1, b2 = point_velocity(arrays, 2 * contact + 1, arrays.body[c, 1], velocity)
        out[c] = b0 - a0
        out[stride + c] = b1 - a1
        out[stride + stride + c] = b2 - a2
    for j in prange(arrays.wrenches):
        wrench_velocity(arrays, j, velocity, out)
    scalar_velocities(arrays.forces, arrays.wrenches, arrays.body, arrays.jacobian, velocity, out)


@kernel
def velocity_product(arrays, velocity, out):
    """out ← Dᵀ velocity."""
    spread_velocities(arrays, velocity, out)


@helper
def gather_velocities(arrays, x, velocity):
    """velocity ← M⁻¹ D x: a pass over bodies; returns xᵀNx, a by-product without cost."""
    bodies = arrays.inverse_mass.size
    partial = np.empty((-(-bodies // BODIES), 1))
    for p in prange(partial.shape[0]):
        total = 0.0
        for i in range(p * BODIES, min(bodies, (p + 1) * BODIES)):
            total += gather_body(arrays, i, x, velocity)
        partial[p, 0] = total
    return column_sum(partial, 0)


@kernel
def body_velocities(arrays, x, velocity):
    """velocity ← M⁻¹ D x; returns xᵀNx."""
    return gather_velocities(arrays, x, velocity)


@kernel
def body_product(arrays, x, velocity, out):
    """velocity ← M⁻¹ D x, then out ← Dᵀ velocity; returns xᵀNx."""
    square = gather_velocities(arrays, x, velocity)
    spread_velocities(arrays, velocity, out)
    return square


@helper
def kinetic_sum(masses, new, old, older, beta, low, high):
    """Sum of vᵀMv over bodies from `low` to `high`, v = new − old − β(old − older)."""
    share, total = new.dtype.type(beta), 0.0
    for body in range(low, high):
        i = np.uint64(body)
        v0 = new[i, 0] - old[i, 0] - share * (old[i, 0] - older[i, 0])
        v1 = new[i, 1] - old[i, 1] - share * (old[i, 1] - older[i, 1])
        v2 = new[i, 2] - old[i, 2] - share * (old[i, 2] - older[i, 2])
        w0 = new[i, 3] - old[i, 3] - share * (old[i, 3] - older[i, 3])
        w1 = new[i, 4] - old[i, 4] - share * (old[i, 4] - older[i, 4])
        w2 = new[i, 5] - old[i, 5] - share * (old[i, 5] - older[i, 5])
        t0, t1, t2 = turn(masses, i, w0, w1, w2)
        total += masses[i, 6] * (v0 * v0 + v1 * v1 + v2 * v2) + (w0 * t0 + w1 * t1 + w2 * t2)
    return total


@kernel
def body_quadratic(masses, new, old, older, beta, partial):
    """vᵀMv = dᵀNd for v = new − old − β(old − older), the velocities that impulses d give."""
    for p in prange(partial.shape[0]):
        low, high = p * CHUNK, min(masses.shape[0], (p + 1) * CHUNK)
        partial[p, 0] = kinetic_sum(masses, new, old, older, beta, low, high)
    return column_sum(partial, 0)


@kernel
def quadratic_of_units(masses, new, old, older, beta, starts, partial):
    """The same by units of bodies, from starts[u] to starts[u + 1]; partial sums (units, 1)."""
    for u in prange(partial.shape[0]):
        low, high = starts[u], starts[u + 1]
        partial[u, 0] = kinetic_sum(masses, new, old, older, beta, low, high)


@kernel
def body_curvatures(arrays, normal, out):
    """Mean diagonal of N over each block's normal, tangential and torque rows.

    On one side, trace([r]×ᵀ I⁻¹ [r]×) = tr(I⁻¹)‖r‖² − rᵀI⁻¹r, so no block needs to be formed.
    """
    contacts = arrays.forces + arrays.wrenches
    for c in prange(arrays.body.shape[0]):
        along, trace, torque = 0.0, 0.0, 0.0
        for side in range(2):
            i = arrays.body[c, side]
            if i < 0:
                continue
            im, inertia = arrays.inverse_mass[i], arrays.inverse_inertia
            if c < contacts:
                code = 2 * c + side
                r0, r1, r2 = arrays.arms[code, 0], arrays.arms[code, 1], arrays.arms[code, 2]
                n0, n1, n2 = normal[0, c], normal[1, c], normal[2, c]
                t0, t1, t2 = r1 * n2 - r2 * n1, r2 * n0 - r0 * n2, r0 * n1 - r1 * n0
                w0, w1, w2 = turn(inertia, i, t0, t1, t2)
                along += im + t0 * w0 + t1 * w1 + t2 * w2
                s0, s1, s2 = turn(inertia, i, r0, r1, r2)
                whole = inertia[i, 0] + inertia[i, 3] + inertia[i, 5]
                square = r0 * r0 + r1 * r1 + r2 * r2
                trace += 3.0 * im + whole * square - (r0 * s0 + r1 * s1 + r2 * s2)
                torque += whole / 3.0
            else:
                J = arrays.jacobian[c - contacts, 6 * side : 6 * side + 6]
                w0, w1, w2 = turn(inertia, i, J[3], J[4], J[5])
                along += im * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2])
                along += J[3] * w0 + J[4] * w1 + J[5] * w2
        out[c, 0] = along
        if c < contacts:
            out[c, 1] = 0.5 * (trace - along)
        if arrays.forces <= c < contacts:
            out[c, 2] = torque * arrays.lengths[c - arrays.forces] ** 2
