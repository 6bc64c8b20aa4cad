"""Signed distance of a point to each convex shape, in the shape's own frame.

Every function returns the distance [m], negative inside, and the unit outward normal there. The
closest point of the surface is the point less distance·normal. Where several are closest (the
centre of a shape, its axis), one of them is taken.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import cross, dot, minus, norm, over, row, times
from amontons.model.shapes.table import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID

NEAR = 1e-13
"""Relative distance below which a difference of points has no direction worth the name."""

VANISHING = 1e-140
"""Lengths [m] whose squares still have all their digits."""

NEWTON_STEPS = 100
"""Most steps to the closest point of an ellipsoid; a handful is usual."""


@routine
def distance_to_capsule(radius, half, p):
    """From a capsule of this radius and half length along z."""
    d = (p[0], p[1], p[2] - min(max(p[2], -half), half))
    length = norm(d)
    if length > VANISHING:
        return length - radius, over(d, length)
    return -radius, (1.0, 0.0, 0.0)


@routine
def distance_to_box(h, p):
    """From a box with these half extents."""
    d = (
        p[0] - min(max(p[0], -h[0]), h[0]),
        p[1] - min(max(p[1], -h[1]), h[1]),
        p[2] - min(max(p[2], -h[2]), h[2]),
    )
    length = norm(d)
    if length > VANISHING:
        return length, over(d, length)
    s0, s1, s2 = abs(p[0]) - h[0], abs(p[1]) - h[1], abs(p[2]) - h[2]
    if s0 >= s1 and s0 >= s2:
        return s0, (math.copysign(1.0, p[0]), 0.0, 0.0)
    if s1 >= s2:
        return s1, (0.0, math.copysign(1.0, p[1]), 0.0)
    return s2, (0.0, 0.0, math.copysign(1.0, p[2]))


@routine
def from_the_axis(p):
    """Distance of a point from the z axis, and its direction across it (any, on the axis)."""
    from_axis = math.sqrt(p[0] * p[0] + p[1] * p[1])
    if from_axis > VANISHING:
        return from_axis, p[0] / from_axis, p[1] / from_axis
    return from_axis, 1.0, 0.0


@routine
def distance_to_cylinder(radius, half, p):
    """From a cylinder of this radius and half height along z: a box in the plane of axis, point."""
    from_axis, u0, u1 = from_the_axis(p)
    across, along = from_axis - radius, abs(p[2]) - half
    up = math.copysign(1.0, p[2])
    if across <= 0.0 and along <= 0.0:
        if across >= along:
            return across, (u0, u1, 0.0)
        return along, (0.0, 0.0, up)
    across, along = max(across, 0.0), max(along, 0.0)
    length = math.sqrt(across * across + along * along)
    across, along = across / length, along / length
    return length, (across * u0, across * u1, up * along)


@routine
def distance_to_cone(radius, height, p):
    """From a cone whose base is at z = −h/4 and whose tip at z = 3h/4.

    In the plane of axis and point, it is a right triangle: base and side are its two segments.
    """
    from_axis, u0, u1 = from_the_axis(p)
    slant = math.sqrt(radius * radius + height * height)
    across, along = height / slant, radius / slant  # normal of the side
    r, t = from_axis - radius, p[2] + 0.25 * height  # from the rim
    side, base = across * r + along * t, -t
    if side <= 0.0 and base <= 0.0:
        if side >= base:
            return side, (across * u0, across * u1, along)
        return base, (0.0, 0.0, -1.0)
    climbed = min(max(across * t - along * r, 0.0), slant)
    r_side, t_side = r + along * climbed, t - across * climbed
    r_base, t_base = max(r, 0.0), t
    to_side = math.sqrt(r_side * r_side + t_side * t_side)
    to_base = math.sqrt(r_base * r_base + t_base * t_base)
    if to_base < to_side:
        if to_base > NEAR * slant:
            return to_base, (r_base / to_base * u0, r_base / to_base * u1, t_base / to_base)
        return to_base, (0.0, 0.0, -1.0)
    if to_side > NEAR * slant:
        return to_side, (r_side / to_side * u0, r_side / to_side * u1, t_side / to_side)
    return to_side, (across * u0, across * u1, along)


@routine
def distance_to_ellipsoid(axes, p):
    """From an ellipsoid with these semi-axes.

    With a the smallest semi-axis, the closest point is a_i g_i, g_i = q_i/(w + k_i), where
    q_i = a_i|x_i|/a², k_i = (a_i/a)² − 1, and w ≥ 0 makes Σ g_i² = 1. The reciprocal norm of g is
    concave in w: Newton's method for it, begun below the root, climbs to it without overshooting.
    """
    (a0, a1, a2), (x, y, z) = axes, p
    a = min(a0, a1, a2)
    r0, r1, r2 = a0 / a, a1 / a, a2 / a
    k0, k1, k2 = (r0 - 1.0) * (r0 + 1.0), (r1 - 1.0) * (r1 + 1.0), (r2 - 1.0) * (r2 + 1.0)
    q0, q1, q2 = r0 * (abs(x) / a), r1 * (abs(y) / a), r2 * (abs(z) / a)
    w = max(0.0, q0 - k0, q1 - k1, q2 - k2)
    g0, g1, g2 = 0.0, 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        # on a plane of symmetry, a numerator and a denominator may both be zero
        g0 = q0 / (w + k0) if q0 > 0.0 else 0.0
        g1 = q1 / (w + k1) if q1 > 0.0 else 0.0
        g2 = q2 / (w + k2) if q2 > 0.0 else 0.0
        square = g0 * g0 + g1 * g1 + g2 * g2
        if square <= 1.0:
            break
        slope = 0.0
        slope += g0 * g0 / (w + k0) if q0 > 0.0 else 0.0
        slope += g1 * g1 / (w + k1) if q1 > 0.0 else 0.0
        slope += g2 * g2 / (w + k2) if q2 > 0.0 else 0.0
        step = square * (math.sqrt(square) - 1.0) / slope
        w += step
        if step <= 1e-16 * w:
            break
    square = g0 * g0 + g1 * g1 + g2 * g2
    if w == 0.0:
        # within the evolute, in the plane across the shortest axis: both its sides are as close
        rest = math.sqrt(max(0.0, 1.0 - square))
        if a0 == a:
            g0 = rest
        elif a1 == a:
            g1 = rest
        else:
            g2 = rest
    else:
        length = math.sqrt(square)
        g0, g1, g2 = g0 / length, g1 / length, g2 / length
    n = (g0 / r0, g1 / r1, g2 / r2)
    n = over(n, norm(n))
    distance = dot(n, (abs(x) - a0 * g0, abs(y) - a1 * g1, abs(z) - a2 * g2))
    return distance, (math.copysign(n[0], x), math.copysign(n[1], y), math.copysign(n[2], z))


@routine
def distance_to_hull(point, face_start, corner, plane, first, face, faces, p, limit):
    """From the hull with vertices from row `first` on and this many faces from row `face` on.

    Beyond `limit` [m] a smaller number than the distance may be returned, but none below `limit`.
    """
    highest, nearest = -np.inf, face
    for f in range(face, face + faces):
        height = dot(row(plane, f), p) - plane[f, 3]
        if height > highest:
            highest, nearest = height, f
    n = row(plane, nearest)
    if highest <= 0.0 or highest > limit:
        return highest, n
    best, b = np.inf, (0.0, 0.0, 0.0)
    extent = 0.0
    for f in range(face, face + faces):
        m = row(plane, f)
        height = dot(m, p) - plane[f, 3]
        # the closest point is on a face that the point sees
        if height <= 0.0 or height * height >= best:
            continue
        begin, end = face_start[f], face_start[f + 1]
        before = first + corner[end - 1]
        above = True
        for c in range(begin, end):
            after = first + corner[c]
            q = minus(p, row(point, before))
            e = minus(row(point, after), row(point, before))
            before = after
            if dot(m, cross(e, q)) >= 0.0:
                continue
            above = False
            square = dot(e, e)
            q = minus(q, times(min(max(dot(e, q) / square, 0.0), 1.0), e))
            extent = max(extent, square)
            square = dot(q, q)
            if square < best:
                best, b = square, q
        if above:
            return height, m
    length = math.sqrt(best)
    if length > NEAR * math.sqrt(extent):
        return length, over(b, length)
    return length, n


@routine
def distance_to_convex(kind, size, data, point, face_start, corner, plane, s, p, limit):
    """From shape `s` of the table, any convex one but a sphere; `limit` as for a hull."""
    if kind == BOX:
        return distance_to_box(row(size, s), p)
    if kind == CAPSULE:
        return distance_to_capsule(size[s, 0], size[s, 1], p)
    if kind == CYLINDER:
        return distance_to_cylinder(size[s, 0], size[s, 1], p)
    if kind == CONE:
        return distance_to_cone(size[s, 0], size[s, 1], p)
    if kind == ELLIPSOID:
        return distance_to_ellipsoid(row(size, s), p)
    return distance_to_hull(
        point, face_start, corner, plane, data[s, 0], data[s, 2], data[s, 3], p, limit
    )
