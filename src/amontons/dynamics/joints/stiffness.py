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

from amontons._jit import serial_kernel
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
    if not may_be_taut(joints, reaction_force, position, orientation, inverse_inertia, step):
        return NOT_TAUT
    stiffness = np.zeros((len(position), 3, 3))
    add_stiffness(joints, reaction_force, position, orientation, stiffness)
    stiffness *= step * step
    size = np.sqrt(np.einsum("nij,nij->n", stiffness, stiffness))
    ease = np.sqrt(np.einsum("nij,nij->n", inverse_inertia, inverse_inertia))
    taut = np.flatnonzero(size * ease > RESOLVED)  # no eigenvalue of I⁻¹K is larger than this
    if not taut.size:
        return NOT_TAUT
    root = np.linalg.cholesky(inverse_inertia[taut])  # I⁻¹ = C Cᵀ
    ratio, axes = np.linalg.eigh(np.swapaxes(root, 1, 2) @ stiffness[taut] @ root)
    added = np.maximum(ratio - RESOLVED, 0.0)  # of h²K₊, by I
    found = (added > 0.0).any(axis=1)
    taut, root, axes, added = taut[found], root[found], axes[found], added[found]
    if not taut.size:
        return NOT_TAUT
    span = root @ axes  # I⁻¹ = span spanᵀ, and (I + h²K₊)⁻¹ = span (1 + added)⁻¹ spanᵀ
    softer = np.einsum("nik,nk,njk->nij", span, 1.0 / (1.0 + added), span)
    # (I + h²K₊)⁻¹ I ω = span (1 + added)⁻¹ span⁻¹ ω
    loose = free[taut].copy()
    along = np.linalg.solve(span, free[taut, 3:, None])[..., 0] / (1.0 + added)
    free[taut, 3:] = np.einsum("nik,nk->ni", span, along)
    inverse_inertia[taut] = 0.5 * (softer + np.swapaxes(softer, 1, 2))
    # I = span⁻ᵀ span⁻¹, and so h²K₊ = span⁻ᵀ added span⁻¹
    back = np.linalg.inv(span)
    return Taut(taut, np.einsum("nki,nk,nkj->nij", back, added, back), loose)


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
    steady, turn = twist.copy(), twist[rows, 3:]
    square = np.einsum("ni,ni->n", turn, turn)
    both = np.einsum("ni,ni->n", turn, before[rows])
    share = np.clip(np.divide(both, square, out=np.zeros_like(both), where=square > 0.0), 0.0, 1.0)
    steady[rows, 3:] = share[:, None] * turn
    return steady
