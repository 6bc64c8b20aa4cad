"""v* = v + h M⁻¹ f: where bodies would go if nothing held them."""

from __future__ import annotations

from amontons._jit import kernel, prange
from amontons.algebra.rotations import rotation_of


@kernel
def free_velocities(
    orientation,
    twist,
    wrench,
    inverse_mass,
    own_inverse,
    even,
    gravity,
    step,
    free,
    inverse_inertia,
):
    """Free ← v*, and inverse_inertia ← I⁻¹ in world axes, at the present pose.

    `own_inverse` is I⁻¹ in body axes; where `even`, it is the same about all axes. The gyroscopic
    term is not here: rotation takes care of it (:mod:`amontons.dynamics.rotation`).
    """
    for i in prange(inverse_mass.size):
        m = inverse_mass[i]
        for k in range(6):
            free[i, k] = twist[i, k]
        for k in range(3):
            for j in range(3):
                inverse_inertia[i, k, j] = 0.0
        if m == 0.0:
            continue
        for k in range(3):
            free[i, k] += step * (gravity[k] + m * wrench[i, k])
        if even[i]:
            for k in range(3):
                inverse_inertia[i, k, k] = own_inverse[i, 0, 0]
                free[i, 3 + k] += step * own_inverse[i, 0, 0] * wrench[i, 3 + k]
            continue
        a, b, c, d, e, f, g, p, q = rotation_of(orientation, i)
        for k in range(3):
            # row k of R I⁻¹
            r0, r1, r2 = a, b, c
            if k == 1:
                r0, r1, r2 = d, e, f
            elif k == 2:
                r0, r1, r2 = g, p, q
            s0 = r0 * own_inverse[i, 0, 0] + r1 * own_inverse[i, 1, 0] + r2 * own_inverse[i, 2, 0]
            s1 = r0 * own_inverse[i, 0, 1] + r1 * own_inverse[i, 1, 1] + r2 * own_inverse[i, 2, 1]
            s2 = r0 * own_inverse[i, 0, 2] + r1 * own_inverse[i, 1, 2] + r2 * own_inverse[i, 2, 2]
            inverse_inertia[i, k, 0] = s0 * a + s1 * b + s2 * c
            inverse_inertia[i, k, 1] = s0 * d + s1 * e + s2 * f
            inverse_inertia[i, k, 2] = s0 * g + s1 * p + s2 * q
        # exactly symmetric, whatever the rounding
        for k in range(3):
            for j in range(k):
                mean = 0.5 * (inverse_inertia[i, k, j] + inverse_inertia[i, j, k])
                inverse_inertia[i, k, j] = mean
                inverse_inertia[i, j, k] = mean
        for k in range(3):
            turn = inverse_inertia[i, k, 0] * wrench[i, 3]
            turn += inverse_inertia[i, k, 1] * wrench[i, 4]
            turn += inverse_inertia[i, k, 2] * wrench[i, 5]
            free[i, 3 + k] += step * turn
