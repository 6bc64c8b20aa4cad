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
from amontons.model.shapes.table import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, SPHERE


@helper
def missed():
    """The answer of a line that misses."""
    return np.inf, -np.inf, 0.0, 0.0, 0.0


@helper
def slab(x, d, half):
    """Stretch of a coordinate x + t d within ±half."""
    if d == 0.0:
        return (-np.inf, np.inf) if abs(x) <= half else (np.inf, -np.inf)
    a, b = (-half - x) / d, (half - x) / d
    return min(a, b), max(a, b)


@helper
def disc(radius, x, y, d0, d1):
    """Stretch within a radius from the z axis, whatever z is."""
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
def span_of_sphere(radius, x, y, z, d0, d1, d2):
    """Within a sphere about the origin."""
    middle = -(x * d0 + y * d1 + z * d2)
    x, y, z = x + middle * d0, y + middle * d1, z + middle * d2
    square = radius * radius - (x * x + y * y + z * z)
    if square < 0.0:
        return missed()
    half = math.sqrt(square)
    n0, n1, n2 = (x - half * d0) / radius, (y - half * d1) / radius, (z - half * d2) / radius
    return middle - half, middle + half, n0, n1, n2


@routine
def span_of_ellipsoid(a0, a1, a2, x, y, z, d0, d1, d2):
    """Within an ellipsoid with these semi-axes: a sphere, where lengths are measured by them."""
    u0, u1, u2 = d0 / a0, d1 / a1, d2 / a2
    rate = u0 * u0 + u1 * u1 + u2 * u2
    middle = -(x / a0 * u0 + y / a1 * u1 + z / a2 * u2) / rate
    p0, p1, p2 = x / a0 + middle * u0, y / a1 + middle * u1, z / a2 + middle * u2
    square = 1.0 - (p0 * p0 + p1 * p1 + p2 * p2)
    if square < 0.0:
        return missed()
    half = math.sqrt(square / rate)
    n0, n1, n2 = (p0 - half * u0) / a0, (p1 - half * u1) / a1, (p2 - half * u2) / a2
    length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    return middle - half, middle + half, n0 / length, n1 / length, n2 / length


@routine
def span_of_box(h0, h1, h2, x, y, z, d0, d1, d2):
    """Within a box with these half extents."""
    in0, out0 = slab(x, d0, h0)
    in1, out1 = slab(y, d1, h1)
    in2, out2 = slab(z, d2, h2)
    enter, leave = max(in0, in1, in2), min(out0, out1, out2)
    if enter > leave:
        return missed()
    if enter == in0:
        return enter, leave, -math.copysign(1.0, d0), 0.0, 0.0
    if enter == in1:
        return enter, leave, 0.0, -math.copysign(1.0, d1), 0.0
    return enter, leave, 0.0, 0.0, -math.copysign(1.0, d2)


@routine
def span_of_cylinder(radius, half, x, y, z, d0, d1, d2):
    """Within a cylinder of this radius and half height along z."""
    in_side, out_side = disc(radius, x, y, d0, d1)
    in_end, out_end = slab(z, d2, half)
    enter, leave = max(in_side, in_end), min(out_side, out_end)
    if enter > leave:
        return missed()
    if in_end >= in_side:
        return enter, leave, 0.0, 0.0, -math.copysign(1.0, d2)
    return enter, leave, (x + enter * d0) / radius, (y + enter * d1) / radius, 0.0


@routine
def span_of_capsule(radius, half, x, y, z, d0, d1, d2):
    """Within a capsule: a cylinder and two balls, whose stretches join to one."""
    in_side, out_side = disc(radius, x, y, d0, d1)
    in_end, out_end = slab(z, d2, half)
    enter, leave = max(in_side, in_end), min(out_side, out_end)
    if enter > leave:
        enter, leave = np.inf, -np.inf
    in_ball, out_ball, _, _, _ = span_of_sphere(radius, x, y, z - half, d0, d1, d2)
    enter, leave = min(enter, in_ball), max(leave, out_ball)
    in_ball, out_ball, _, _, _ = span_of_sphere(radius, x, y, z + half, d0, d1, d2)
    enter, leave = min(enter, in_ball), max(leave, out_ball)
    if enter > leave:
        return missed()
    p0, p1, p2 = x + enter * d0, y + enter * d1, z + enter * d2
    p2 -= min(max(p2, -half), half)
    length = math.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
    return enter, leave, p0 / length, p1 / length, p2 / length


@helper
def nappe(slope, x, y, w, d0, d1, d2):
    """Stretch below the tip of a cone of any height; w is how far below the tip the origin is.

    Within x² + y² ≤ slope² w² lie two cones, tip to tip. Other than the usual discriminant, the one
    here loses nothing to cancellation.
    """
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
def span_of_cone(radius, height, x, y, z, d0, d1, d2):
    """Within a cone whose base is at z = −h/4 and whose tip at z = 3h/4."""
    in_side, out_side = nappe(radius / height, x, y, 0.75 * height - z, d0, d1, d2)
    in_end, out_end = slab(z - 0.25 * height, d2, 0.5 * height)
    enter, leave = max(in_side, in_end), min(out_side, out_end)
    if enter > leave:
        return missed()
    if in_end > in_side and d2 > 0.0:
        return enter, leave, 0.0, 0.0, -1.0
    slant = math.sqrt(radius * radius + height * height)
    p0, p1 = x + enter * d0, y + enter * d1
    from_axis = math.sqrt(p0 * p0 + p1 * p1)
    if from_axis <= 1e-14 * radius:  # the tip itself
        return enter, leave, 0.0, 0.0, 1.0
    across = height / slant / from_axis
    return enter, leave, p0 * across, p1 * across, radius / slant


@routine
def span_of_hull(plane, face, faces, x, y, z, d0, d1, d2):
    """Within all half-spaces behind this many faces from row `face` on."""
    enter, leave, through = -np.inf, np.inf, face
    for f in range(face, face + faces):
        rate = plane[f, 0] * d0 + plane[f, 1] * d1 + plane[f, 2] * d2
        below = plane[f, 3] - (plane[f, 0] * x + plane[f, 1] * y + plane[f, 2] * z)
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
    return enter, leave, plane[through, 0], plane[through, 1], plane[through, 2]


@routine
def span_of_convex(kind, size, data, plane, s, x, y, z, d0, d1, d2):
    """Within shape `s` of the table, any convex one."""
    a, b, c = size[s, 0], size[s, 1], size[s, 2]
    if kind == SPHERE:
        return span_of_sphere(a, x, y, z, d0, d1, d2)
    if kind == BOX:
        return span_of_box(a, b, c, x, y, z, d0, d1, d2)
    if kind == CAPSULE:
        return span_of_capsule(a, b, x, y, z, d0, d1, d2)
    if kind == CYLINDER:
        return span_of_cylinder(a, b, x, y, z, d0, d1, d2)
    if kind == CONE:
        return span_of_cone(a, b, x, y, z, d0, d1, d2)
    if kind == ELLIPSOID:
        return span_of_ellipsoid(a, b, c, x, y, z, d0, d1, d2)
    return span_of_hull(plane, data[s, 2], data[s, 3], x, y, z, d0, d1, d2)
