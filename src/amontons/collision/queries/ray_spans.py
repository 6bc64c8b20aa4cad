"""Which stretch of a line lies within a convex shape, in the shape's own frame.

A line is an origin and a unit direction. Every function returns where the line enters and leaves,
as distances from the origin [m] of either sign, and the outward unit normal where it enters. A line
that misses enters at +∞ and leaves at −∞. The origin should not be far from the shape: the caller
moves it along the line.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import helper, routine
from amontons.algebra.vectors import along, dot, minus, norm, over, row, times
from amontons.model.shapes.table import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, SPHERE


@helper
def missed():
    """The answer of a line that misses."""
    return np.inf, -np.inf, (0.0, 0.0, 0.0)


@helper
def slab(x, d, half):
    """Stretch of a coordinate x + t d within ±half."""
    if d == 0.0:
        return (-np.inf, np.inf) if abs(x) <= half else (np.inf, -np.inf)
    a, b = (-half - x) / d, (half - x) / d
    return min(a, b), max(a, b)


@helper
def disc(radius, p, d):
    """Stretch within a radius from the z axis, whatever z is."""
    x, y, d0, d1 = p[0], p[1], d[0], d[1]
    rate = d0 * d0 + d1 * d1
    if rate == 0.0:
        return (-np.inf, np.inf) if x * x + y * y <= radius * radius else (np.inf, -np.inf)
    away = x * d1 - y * d0
    square = radius * radius - away * away / rate
    if square < 0.0:
        return np.inf, -np.inf
    middle, half = -(x * d0 + y * d1) / rate, math.sqrt(square / rate)
    return middle - half, middle + half


@routine
def span_of_sphere(radius, p, d):
    """Within a sphere about the origin."""
    middle = -dot(p, d)
    p = along(p, middle, d)
    square = radius * radius - dot(p, p)
    if square < 0.0:
        return missed()
    half = math.sqrt(square)
    return middle - half, middle + half, over(minus(p, times(half, d)), radius)


@routine
def span_of_ellipsoid(a, p, d):
    """Within an ellipsoid with these semi-axes: a sphere, where lengths are measured by them."""
    u, p = (d[0] / a[0], d[1] / a[1], d[2] / a[2]), (p[0] / a[0], p[1] / a[1], p[2] / a[2])
    rate = dot(u, u)
    middle = -dot(p, u) / rate
    p = along(p, middle, u)
    square = 1.0 - dot(p, p)
    if square < 0.0:
        return missed()
    half = math.sqrt(square / rate)
    p = minus(p, times(half, u))
    n = (p[0] / a[0], p[1] / a[1], p[2] / a[2])
    return middle - half, middle + half, over(n, norm(n))


@routine
def span_of_box(h, p, d):
    """Within a box with these half extents."""
    in0, out0 = slab(p[0], d[0], h[0])
    in1, out1 = slab(p[1], d[1], h[1])
    in2, out2 = slab(p[2], d[2], h[2])
    enter, leave = max(in0, in1, in2), min(out0, out1, out2)
    if enter > leave:
        return missed()
    if enter == in0:
        return enter, leave, (-math.copysign(1.0, d[0]), 0.0, 0.0)
    if enter == in1:
        return enter, leave, (0.0, -math.copysign(1.0, d[1]), 0.0)
    return enter, leave, (0.0, 0.0, -math.copysign(1.0, d[2]))


@routine
def span_of_cylinder(radius, half, p, d):
    """Within a cylinder of this radius and half height along z."""
    in_side, out_side = disc(radius, p, d)
    in_end, out_end = slab(p[2], d[2], half)
    enter, leave = max(in_side, in_end), min(out_side, out_end)
    if enter > leave:
        return missed()
    if in_end >= in_side:
        return enter, leave, (0.0, 0.0, -math.copysign(1.0, d[2]))
    return enter, leave, ((p[0] + enter * d[0]) / radius, (p[1] + enter * d[1]) / radius, 0.0)


@routine
def span_of_capsule(radius, half, p, d):
    """Within a capsule: a cylinder and two balls, whose stretches join to one."""
    enter, leave, _ = span_of_cylinder(radius, half, p, d)
    for end in (-half, half):
        in_ball, out_ball, _ = span_of_sphere(radius, (p[0], p[1], p[2] + end), d)
        enter, leave = min(enter, in_ball), max(leave, out_ball)
    if enter > leave:
        return missed()
    q = along(p, enter, d)
    n = (q[0], q[1], q[2] - min(max(q[2], -half), half))
    return enter, leave, over(n, norm(n))


@helper
def nappe(slope, x, y, w, d):
    """Stretch below the tip of a cone of any height; w is how far below the tip the origin is.

    Within x² + y² ≤ slope² w² lie two cones, tip to tip. Other than the usual discriminant, the one
    here loses nothing to cancellation.
    """
    d0, d1, d2 = d
    square = slope * slope
    rate = d0 * d0 + d1 * d1 - square * d2 * d2
    middle = x * d0 + y * d1 + square * w * d2
    rest = x * x + y * y - square * w * w
    e0, e1, e2 = w * d0 + d2 * x, w * d1 + d2 * y, x * d1 - y * d0
    discriminant = square * (e0 * e0 + e1 * e1) - e2 * e2
    if rate > 0.0 and discriminant < 0.0:
        return np.inf, -np.inf
    q = -(middle + math.copysign(math.sqrt(max(discriminant, 0.0)), middle))
    if rate == 0.0:  # parallel to a line of the side
        once = rest / q if q != 0.0 else np.inf
        return (once, np.inf) if d2 < 0.0 else (-np.inf, once)
    one, other = (q / rate, rest / q) if q != 0.0 else (0.0, 0.0)
    low, high = min(one, other), max(one, other)
    if rate > 0.0:
        return low, high
    return (high, np.inf) if d2 < 0.0 else (-np.inf, low)


@routine
def span_of_cone(radius, height, p, d):
    """Within a cone whose base is at z = −h/4 and whose tip at z = 3h/4."""
    in_side, out_side = nappe(radius / height, p[0], p[1], 0.75 * height - p[2], d)
    in_end, out_end = slab(p[2] - 0.25 * height, d[2], 0.5 * height)
    enter, leave = max(in_side, in_end), min(out_side, out_end)
    if enter > leave:
        return missed()
    if in_end > in_side and d[2] > 0.0:
        return enter, leave, (0.0, 0.0, -1.0)
    slant = math.sqrt(radius * radius + height * height)
    q = along(p, enter, d)
    from_axis = math.sqrt(q[0] * q[0] + q[1] * q[1])
    if from_axis <= 1e-14 * radius:  # the tip itself
        return enter, leave, (0.0, 0.0, 1.0)
    across = height / slant / from_axis
    return enter, leave, (q[0] * across, q[1] * across, radius / slant)


@routine
def span_of_hull(plane, face, faces, p, d):
    """Within all half-spaces behind this many faces from row `face` on."""
    enter, leave, through = -np.inf, np.inf, face
    for f in range(face, face + faces):
        rate = dot(row(plane, f), d)
        below = plane[f, 3] - dot(row(plane, f), p)
        if rate < 0.0:
            t = below / rate
            if t > enter:
                enter, through = t, f
        elif rate > 0.0:
            leave = min(leave, below / rate)
        elif below < 0.0:
            return missed()
        if enter > leave:
            return missed()
    return enter, leave, row(plane, through)


@routine
def span_of_convex(kind, size, data, plane, s, p, d):
    """Within shape `s` of the table, any convex one."""
    a, b = size[s, 0], size[s, 1]
    if kind == SPHERE:
        return span_of_sphere(a, p, d)
    if kind == BOX:
        return span_of_box(row(size, s), p, d)
    if kind == CAPSULE:
        return span_of_capsule(a, b, p, d)
    if kind == CYLINDER:
        return span_of_cylinder(a, b, p, d)
    if kind == CONE:
        return span_of_cone(a, b, p, d)
    if kind == ELLIPSOID:
        return span_of_ellipsoid(row(size, s), p, d)
    return span_of_hull(plane, data[s, 2], data[s, 3], p, d)
