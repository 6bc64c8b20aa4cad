"""Volumes of balls cut by boxes and by cylinders.

A ball that is cut by faces which do not meet inside it has lost caps, whose volume is a closed
form. Otherwise the volume is ∫ A(z) dz with the area A of a disc in a rectangle, a closed form as
well. A has kinks where the disc's rim passes a side or a corner. Between two of them it is smooth
but for square roots at the ends, which z = a + (b − a)(3s² − 2s³) takes away, so that Gauss's rule
with 20 points is exact to 1e-9 of the ball and better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NODES = 20
"""Points of Gauss's rule between two kinks."""

CHUNK = 4000
"""Balls that are integrated at a time."""

_abscissa, _weight = np.polynomial.legendre.leggauss(NODES)
_s = 0.5 * (_abscissa + 1.0)
PLACES = 3.0 * _s**2 - 2.0 * _s**3
WEIGHTS = 0.5 * _weight * 6.0 * _s * (1.0 - _s)


def ball_volumes(radius: Floats) -> Floats:
    """4/3 π r³ [m³]."""
    return np.asarray(4.0 / 3.0 * np.pi * radius**3)


def in_box(centre: Floats, radius: Floats, low: Floats, high: Floats) -> Floats:
    """Volume of each ball within a box [m³], shape (balls,)."""
    below, above = centre - low, high - centre  # inside a box both are positive
    depth = np.minimum(below, above)
    r = radius[:, None]
    volume = np.where((depth >= r).all(axis=1), ball_volumes(radius), 0.0)
    cut = (depth > -r).all(axis=1) & (depth < r).any(axis=1)
    # caps that have no point in common: the edges of the box are outside of the ball
    near = np.sort(depth, axis=1)
    apart = (near[:, 0] >= 0.0) & (np.hypot(near[:, 0], near[:, 1]) >= radius)
    simple, other = np.flatnonzero(cut & apart), np.flatnonzero(cut & ~apart)
    lost = _caps(below[simple], r[simple]) + _caps(above[simple], r[simple])
    volume[simple] = ball_volumes(radius[simple]) - lost.sum(axis=1)
    for start in range(0, other.size, CHUNK):
        some = other[start : start + CHUNK]
        unit = (-below[some] / r[some], above[some] / r[some])
        volume[some] = radius[some] ** 3 * _unit_ball_in_box(*unit)
    return volume


def in_cylinder(centre: Floats, radius: Floats, tube: float, half: float) -> Floats:
    """Volume of each ball within a cylinder about z from −half to half [m³], shape (balls,)."""
    off = np.hypot(centre[:, 0], centre[:, 1])
    low = np.maximum(-half - centre[:, 2], -radius)
    high = np.minimum(half - centre[:, 2], radius)
    whole = (off + radius <= tube) & (low == -radius) & (high == radius)
    volume = np.where(whole, ball_volumes(radius), 0.0)
    touched = (off - radius < tube) & (low < high) & ~whole
    rows = np.flatnonzero(touched)
    for start in range(0, rows.size, CHUNK):
        some = rows[start : start + CHUNK]
        r, d = radius[some, None], off[some, None]
        # the rim of the disc passes the wall where its radius is |R − d| or R + d
        kinks = np.concatenate([np.abs(tube - d), tube + d], axis=1)
        heights = np.sqrt(np.maximum(r**2 - kinks**2, 0.0))
        ends = np.concatenate([low[some, None], high[some, None], heights, -heights], axis=1)
        z, dz = _nodes(np.clip(ends, low[some, None], high[some, None]))
        rho = np.sqrt(np.maximum(r**2 - z**2, 0.0))
        volume[some] = (dz * _lens(rho, np.full_like(rho, tube), d + 0.0 * rho)).sum(axis=1)
    return volume


def in_ball(centre: Floats, radius: Floats, other: float) -> Floats:
    """Volume of each ball within one of radius `other` about the origin [m³], shape (balls,)."""
    d = np.linalg.norm(centre, axis=1)
    small = np.minimum(radius, other)
    volume = np.where(d <= np.abs(radius - other), ball_volumes(small), 0.0)
    cut = (d > np.abs(radius - other)) & (d < radius + other)
    r, x = radius[cut], d[cut]
    # caps on either side of the plane of the circle in which the surfaces meet
    plane = (x**2 + r**2 - other**2) / (2.0 * x)
    volume[cut] = _caps(plane, r) + _caps(x - plane, np.full_like(x, other))
    return volume


def _caps(depth: Floats, radius: Floats) -> Floats:
    """Volume beyond a plane at this distance from the centre [m³]; none beyond the radius."""
    height = np.clip(radius - depth, 0.0, 2.0 * radius)
    return np.asarray(np.pi / 3.0 * height**2 * (3.0 * radius - height))


def _nodes(ends: Floats) -> tuple[Floats, Floats]:
    """Points and weights of Gauss's rule between all ends of each row, sorted or not."""
    ends = np.sort(ends, axis=1)
    first, length = ends[:, :-1, None], np.diff(ends, axis=1)[:, :, None]
    rows = len(ends)
    return (first + length * PLACES).reshape(rows, -1), (length * WEIGHTS).reshape(rows, -1)


def _unit_ball_in_box(low: Floats, high: Floats) -> Floats:
    """Of balls of radius 1 about the origin, each in a box of its own; shape (balls,)."""
    low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    sides = [low[:, :1], high[:, :1], low[:, 1:2], high[:, 1:2]]
    corners = [np.hypot(x, y) for x in sides[:2] for y in sides[2:]]
    kinks = np.concatenate([*sides, *corners], axis=1)
    heights = np.sqrt(np.maximum(1.0 - kinks**2, 0.0))
    ends = np.concatenate([low[:, 2:], high[:, 2:], heights, -heights], axis=1)
    z, dz = _nodes(np.clip(ends, low[:, 2:], high[:, 2:]))
    rho = np.sqrt(np.maximum(1.0 - z**2, 0.0))
    area = _quadrant(rho, high[:, :1], high[:, 1:2]) - _quadrant(rho, low[:, :1], high[:, 1:2])
    area -= _quadrant(rho, high[:, :1], low[:, 1:2]) - _quadrant(rho, low[:, :1], low[:, 1:2])
    return np.asarray((dz * area).sum(axis=1))


def _quadrant(rho: Floats, x: Floats, y: Floats) -> Floats:
    """∫ over the disc between 0 and x, and 0 and y, with signs: odd in both, shape of rho."""
    sign = np.sign(x) * np.sign(y)
    a, b = np.minimum(np.abs(x), rho), np.minimum(np.abs(y), rho)
    inside = a**2 + b**2 <= rho**2
    safe = np.where(rho > 0.0, rho, 1.0)
    # a sector between two triangles, where the corner is beyond the rim
    turn = np.arcsin(np.minimum(a / safe, 1.0)) - np.arccos(np.minimum(b / safe, 1.0))
    outer = 0.5 * rho**2 * turn
    outer += 0.5 * a * np.sqrt(np.maximum(rho**2 - a**2, 0.0))
    outer += 0.5 * b * np.sqrt(np.maximum(rho**2 - b**2, 0.0))
    return np.asarray(sign * np.where(inside, a * b, outer))


def _lens(r: Floats, other: Floats, d: Floats) -> Floats:
    """Area that two circles have in common, their middles d apart."""
    small = np.minimum(r, other)
    held = d <= np.abs(r - other)
    cut = ~held & (d < r + other)
    area = np.where(held, np.pi * small**2, 0.0)
    a, b, x = r[cut], other[cut], d[cut]
    first = np.clip((x**2 + a**2 - b**2) / (2.0 * x * a), -1.0, 1.0)
    second = np.clip((x**2 + b**2 - a**2) / (2.0 * x * b), -1.0, 1.0)
    kite = np.maximum((a + b - x) * (x + a - b) * (x - a + b) * (x + a + b), 0.0)
    area[cut] = a**2 * np.arccos(first) + b**2 * np.arccos(second) - 0.5 * np.sqrt(kite)
    return area
