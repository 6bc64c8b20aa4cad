"""Kernels that lay out bodies and their constraints, once for each problem."""

from __future__ import annotations

from amontons._jit import kernel, prange, serial_kernel


@serial_kernel
def pack_bodies(inverse_mass, inverse_inertia, packed, turning, mobile):
    """Upper halves of the inverse inertias, and which bodies can turn, and move at all."""
    for i in range(inverse_mass.size):
        inertia, place, turns = inverse_inertia[i], 0, False
        for k in range(3):
            for j in range(k, 3):
                packed[i, place] = inertia[k, j]
                turns = turns or inertia[k, j] != 0.0
                place += 1
        turning[i] = turns
        mobile[i] = turns or inverse_mass[i] > 0.0


@serial_kernel
def list_incidences(body, mobile, arms_a, arms_b, arms, pointer, incidence, levers):
    """incidence ← 2·constraint + side of all constraints on each body, in order; levers ← ∓arms.

    Pointer ← first incidence of each body, and their number at the end; arms ← A's and B's in turn.
    """
    pointer[:] = 0
    for c in range(body.shape[0]):
        for side in range(2):
            i = body[c, side]
            if i >= 0 and mobile[i]:
                pointer[i + 1] += 1
    for i in range(pointer.size - 1):
        pointer[i + 1] += pointer[i]
    place = pointer[:-1].copy()
    contacts = arms_a.shape[0]
    for c in range(body.shape[0]):
        for side in range(2):
            r0, r1, r2 = 0.0, 0.0, 0.0
            if c < contacts:
                r0, r1, r2 = arms_a[c, 0], arms_a[c, 1], arms_a[c, 2]
                if side:
                    r0, r1, r2 = arms_b[c, 0], arms_b[c, 1], arms_b[c, 2]
                arms[2 * c + side, 0], arms[2 * c + side, 1] = r0, r1
                arms[2 * c + side, 2] = r2
            i = body[c, side]
            if i < 0 or not mobile[i]:
                continue
            p, sign = place[i], 2.0 * side - 1.0
            place[i] += 1
            incidence[p] = 2 * c + side
            levers[p, 0], levers[p, 1], levers[p, 2] = sign * r0, sign * r1, sign * r2
    return pointer[-1]


@kernel
def invert_masses(inverse_mass, inverse, masses, regular):
    """masses ← inertia, packed as its inverse is, and mass; `regular` says where an inertia is."""
    for i in prange(inverse.shape[0]):
        xx, xy, xz = inverse[i, 0], inverse[i, 1], inverse[i, 2]
        yy, yz, zz = inverse[i, 3], inverse[i, 4], inverse[i, 5]
        a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        det = xx * a + xy * b + xz * c
        largest = max(abs(xx), abs(yy), abs(zz))
        regular[i] = det > 1e-12 * largest * largest * largest
        scale = 1.0 / det if regular[i] else 0.0
        masses[i, 0], masses[i, 1], masses[i, 2] = scale * a, scale * b, scale * c
        masses[i, 3] = scale * (xx * zz - xz * xz)
        masses[i, 4] = scale * (xy * xz - xx * yz)
        masses[i, 5] = scale * (xx * yy - xy * xy)
        masses[i, 6] = 1.0 / inverse_mass[i] if inverse_mass[i] > 0.0 else 0.0
