"""The stiffness that a force in a joint gives a body's rotation, where a step cannot resolve it.

A force F at the arm r of a body turns with the arm: a small rotation θ changes its torque r × F by
(θ × r) × F = −K θ, with the symmetric part

    K = (r·F) 1 − ½ (r Fᵀ + F rᵀ).

Links of a taut chain swing across at ω² = K/I. A step takes the arms at its start, and so swings
grow without bound for hω > 2. What of h²K is above I is therefore taken at the end of the step: it
adds to the inertia, (I + h²K₊) ω⁺ = I ω* + …, which is stable for any step and damps what no step
of this length could show. Bodies with hω ≤ 1 are left alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from amontons._jit import routine, serial_kernel
from amontons.array_types import Floats, Longs
from amontons.dynamics.joints.measures import rotation, turned
from amontons.dynamics.joints.tables import JointArrays


class Taut(NamedTuple):
    """Bodies whose joints are too taut for a step, and what that adds to their inertia."""

    rows: Longs  # of the bodies, (taut,)
    added: Floats  # h²K₊ in world axes [kg m²], (taut, 3, 3)
    free: Floats  # v* without that, (taut, 6)


NOT_TAUT = Taut(np.empty(0, dtype=np.int64), np.empty((0, 3, 3)), np.empty((0, 6)))

RESOLVED = 1.0
"""(hω)² up to which a step is short enough for a swing."""

MOST_SWEEPS, NEGLIGIBLE = 30, 1e-32
"""Of Jacobi's method, which needs some five; and squares of what is left beside the diagonal's."""


def stiffen(
    joints: JointArrays,
    reaction_force: Floats,
    position: Floats,
    orientation: Floats,
    free: Floats,
    inverse_inertia: Floats,
    step: float,
) -> Taut:
    """Add h²K₊ to the inertia of bodies whose joints are that taut; return them.

    Changes the free velocities v* (bodies, 6) and the inverse inertias in world axes (bodies, 3, 3)
    of these bodies. Reactions are those of the last step (joints, 3). Bodies that cannot turn have
    I⁻¹ = 0.
    """
    count = len(position)
    rows, added, loose = (
        np.empty(count, dtype=np.int64),
        np.empty((count, 3, 3)),
        np.empty((count, 6)),
    )
    found = stiffen_bodies(
        joints, reaction_force, position, orientation, free, inverse_inertia, step, rows, added,
        loose,
    )  # fmt: skip
    return Taut(rows[:found], added[:found], loose[:found]) if found else NOT_TAUT


@routine
def principal(matrix, axes):
    """Matrix ← diag(eigenvalues), axes ← unit eigenvectors as columns, by Jacobi's rotations.

    The matrix is symmetric, 3 × 3.
    """
    for i in range(3):
        for j in range(3):
            axes[i, j] = 1.0 if i == j else 0.0
    for _ in range(MOST_SWEEPS):
        off = matrix[0, 1] ** 2 + matrix[0, 2] ** 2 + matrix[1, 2] ** 2
        on = matrix[0, 0] ** 2 + matrix[1, 1] ** 2 + matrix[2, 2] ** 2
        if not off > NEGLIGIBLE * on:
            return
        for p in range(2):
            for q in range(p + 1, 3):
                if matrix[p, q] == 0.0:
                    continue
                # the smaller root of t² + 2θt − 1 = 0 is the tangent of the turn that makes it zero
                theta = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                t = t if theta >= 0.0 else -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(3):
                    x, y = matrix[k, p], matrix[k, q]
                    matrix[k, p], matrix[k, q] = c * x - s * y, s * x + c * y
                    x, y = axes[k, p], axes[k, q]
                    axes[k, p], axes[k, q] = c * x - s * y, s * x + c * y
                for k in range(3):
                    x, y = matrix[p, k], matrix[q, k]
                    matrix[p, k], matrix[q, k] = c * x - s * y, s * x + c * y


@routine
def stiffen_body(stiffness, inverse_inertia, spin, added):
    """Whether h²K of a body is beyond what a step resolves; if so, all but it are changed.

    I⁻¹ = C Cᵀ, and CᵀKC = Q diag(ratio) Qᵀ has what of h²K₊ is to be added, by I. With S = C Q

        (I + h²K₊)⁻¹ = S (1 + added)⁻¹ Sᵀ,  h²K₊ = S⁻ᵀ added S⁻¹,

    and a spin ω becomes (I + h²K₊)⁻¹ I ω = S (1 + added)⁻¹ S⁻¹ ω.
    """
    root, inverse = np.zeros((3, 3)), np.zeros((3, 3))  # C and C⁻¹, lower triangles
    for i in range(3):
        for j in range(i + 1):
            total = inverse_inertia[i, j]
            for k in range(j):
                total -= root[i, k] * root[j, k]
            root[i, j] = math.sqrt(total) if i == j else total / root[j, j]
    for j in range(3):
        inverse[j, j] = 1.0 / root[j, j]
        for i in range(j + 1, 3):
            total = 0.0
            for k in range(j, i):
                total -= root[i, k] * inverse[k, j]
            inverse[i, j] = total / root[i, i]
    ratio, axes, span, back = (
        np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)),
    )  # fmt: skip
    for i in range(3):
        for j in range(i + 1):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += root[k, i] * stiffness[k, m] * root[m, j]
            ratio[i, j], ratio[j, i] = total, total
    principal(ratio, axes)
    more = (
        max(ratio[0, 0] - RESOLVED, 0.0), max(ratio[1, 1] - RESOLVED, 0.0),
        max(ratio[2, 2] - RESOLVED, 0.0),
    )  # fmt: skip
    if not (more[0] > 0.0 or more[1] > 0.0 or more[2] > 0.0):
        return False
    for i in range(3):
        for j in range(3):
            one, other = 0.0, 0.0
            for k in range(3):
                one += root[i, k] * axes[k, j]
                other += axes[k, i] * inverse[k, j]
            span[i, j], back[i, j] = one, other
    along = np.empty(3)
    for i in range(3):
        total = 0.0
        for k in range(3):
            total += back[i, k] * spin[k]
        along[i] = total / (1.0 + more[i])
    for i in range(3):
        total = 0.0
        for k in range(3):
            total += span[i, k] * along[k]
        spin[i] = total
        for j in range(i + 1):
            softer, harder = 0.0, 0.0
            for k in range(3):
                softer += span[i, k] * span[j, k] / (1.0 + more[k])
                harder += back[k, i] * more[k] * back[k, j]
            inverse_inertia[i, j], inverse_inertia[j, i] = softer, softer
            added[i, j], added[j, i] = harder, harder
    return True


@serial_kernel
def stiffen_bodies(
    joints, reaction_force, position, orientation, free, inverse_inertia, step, rows, added, loose
):  # fmt: skip
    """What :func:`stiffen` does; rows, added, loose ← those of a `Taut`; returns how many."""
    if not may_be_taut(joints, reaction_force, position, orientation, inverse_inertia, step):
        return 0
    stiffness, found = np.zeros((position.shape[0], 3, 3)), 0
    add_stiffness(joints, reaction_force, position, orientation, stiffness)
    for i in range(position.shape[0]):
        size, ease = 0.0, 0.0
        for k in range(3):
            for m in range(3):
                size += (step * step * stiffness[i, k, m]) ** 2
                ease += inverse_inertia[i, k, m] ** 2
                stiffness[i, k, m] = step * step * stiffness[i, k, m]
        # no eigenvalue of h² I⁻¹K is larger than this
        if not math.sqrt(size) * math.sqrt(ease) > RESOLVED:
            continue
        for k in range(6):
            loose[found, k] = free[i, k]
        if stiffen_body(stiffness[i], inverse_inertia[i], free[i, 3:], added[found]):
            rows[found] = i
            found += 1
    return found


@serial_kernel
def work_of_stiffness(mean, added, velocity, rows):
    """Work of what taut joints add to inertias, the torque impulse −h²K₊ ω⁺ [J]."""
    total = 0.0
    for n in range(rows.size):
        i = rows[n]
        for k in range(3):
            for m in range(3):
                total -= mean[i, 3 + k] * added[n, k, m] * velocity[i, 3 + m]
    return total


@serial_kernel
def may_be_taut(joints, reaction_force, position, orientation, inverse_inertia, step):
    """Whether a bound of h²‖K‖‖I⁻¹‖ exceeds what a step resolves for any body.

    ‖K‖ of one joint is at most 3‖r‖‖F‖: the short way out for all worlds that are not taut.
    """
    size = np.zeros(position.shape[0])
    for j in range(joints.bodies.shape[0]):
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        p = (joints.point[j, 0], joints.point[j, 1], joints.point[j, 2])
        if b >= 0:
            q = orientation[b]
            p = turned(rotation((q[0], q[1], q[2], q[3])), p)
            p = (p[0] + position[b, 0], p[1] + position[b, 1], p[2] + position[b, 2])
        f = reaction_force[j]
        force = math.sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])
        for i in (a, b):
            if i >= 0:
                x, y, z = p[0] - position[i, 0], p[1] - position[i, 1], p[2] - position[i, 2]
                size[i] += 3.0 * force * math.sqrt(x * x + y * y + z * z)
    for i in range(size.size):
        if size[i] > 0.0:
            ease = 0.0
            for k in range(3):
                for m in range(3):
                    ease += inverse_inertia[i, k, m] ** 2
            if step * step * size[i] * math.sqrt(ease) > RESOLVED:
                return True
    return False


@serial_kernel
def add_stiffness(joints, reaction_force, position, orientation, total):
    """Total ← total + K of every body [N m/rad], shape (bodies, 3, 3)."""
    for side in range(2):
        for j in range(joints.bodies.shape[0]):
            i, b = joints.bodies[j, side], joints.bodies[j, 1]
            if i < 0:
                continue
            p = (joints.point[j, 0], joints.point[j, 1], joints.point[j, 2])
            if b >= 0:
                q = orientation[b]
                p = turned(rotation((q[0], q[1], q[2], q[3])), p)
                p = (p[0] + position[b, 0], p[1] + position[b, 1], p[2] + position[b, 2])
            sign = 1.0 if side else -1.0
            r = (p[0] - position[i, 0], p[1] - position[i, 1], p[2] - position[i, 2])
            f = (
                sign * reaction_force[j, 0],
                sign * reaction_force[j, 1],
                sign * reaction_force[j, 2],
            )
            along = r[0] * f[0] + r[1] * f[1] + r[2] * f[2]
            for k in range(3):
                total[i, k, k] += along
                for m in range(3):
                    total[i, k, m] -= 0.5 * (r[k] * f[m] + r[m] * f[k])


def steady_turns(twist: Floats, before: Floats, rows: Longs) -> Floats:
    """Velocities (bodies, 6) with what of the rotation of some bodies was there a step before.

    Of bodies whose swings no step resolves, the rotation before a step says nothing about that
    after it, except for what has lasted: ω (ω·ω₋)/(ω·ω), between 0 and ω. `before` is ω₋, shape
    (bodies, 3).
    """
    if not rows.size:
        return twist
    steady = twist.copy()
    steady_spins(twist, before, rows, steady)
    return steady


@serial_kernel
def steady_spins(twist, before, rows, steady):
    """Steady ← what :func:`steady_turns` says of the rotation of bodies `rows`."""
    for n in range(rows.size):
        i = rows[n]
        square, both = 0.0, 0.0
        for k in range(3):
            square += twist[i, 3 + k] * twist[i, 3 + k]
            both += twist[i, 3 + k] * before[i, k]
        share = 0.0
        if square > 0.0:
            share = min(max(both / square, 0.0), 1.0)
        for k in range(3):
            steady[i, 3 + k] = share * twist[i, 3 + k]
