"""Volume and moments of balls that overlap: what is in several of them counts once.

One ball and two are closed forms. Of more, slices across z are unions of discs, whose moments are
those of the arcs at their edge (Green's theorem); over z they are summed by Gauss's rule, panel by
panel between the heights where balls, or the circles in which two meet, begin and end. Panels have
kinks where the edges of three meet: volumes are right to 1e-6 of themselves, inertias to 1e-5.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from amontons.array_types import Floats

NODES = 8
"""Slices of a panel, and half the points of an arc."""


class Moments(NamedTuple):
    """Of a solid of density 1, about the origin."""

    volume: float  # [m³]
    first: Floats  # ∫ x dV [m⁴], (3,)
    second: Floats  # ∫ x ⊗ x dV [m⁵], (3, 3)

    def moved(self, by: Floats) -> Moments:
        """Those of the solid moved by a vector [m]."""
        cross = np.outer(self.first, by)
        second = self.second + cross + cross.T + self.volume * np.outer(by, by)
        return Moments(self.volume, self.first + self.volume * by, second)

    def plus(self, other: Moments) -> Moments:
        """Those of this solid and another one."""
        return Moments(
            self.volume + other.volume, self.first + other.first, self.second + other.second
        )

    def inertia(self) -> Floats:
        """About the centre of mass, for a density of 1 kg/m³ [kg m²], shape (3, 3)."""
        about = self.moved(-self.first / self.volume).second
        return np.asarray(np.trace(about) * np.eye(3) - about)


NOTHING = Moments(0.0, np.zeros(3), np.zeros((3, 3)))


def moments_of_balls(centres: Floats, radii: Floats) -> Moments:
    """Of the union of balls, shape (balls, 3) and (balls,) [m]."""
    middle = centres.mean(axis=0)
    kept = _not_inside_others(centres, radii)
    places, radii = centres[kept] - middle, radii[kept]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    meet = apart < radii[:, None] + radii[None]
    count, group = connected_components(csr_array(meet), directed=False)
    total = NOTHING
    for each in range(count):
        of = group == each
        total = total.plus(_moments_of_group(places[of], radii[of]))
    return total.moved(middle)


def _moments_of_group(places: Floats, radii: Floats) -> Moments:
    """Of balls that hang together."""
    if len(radii) == 1:
        return _cut_ball(float(radii[0]), float(radii[0])).moved(places[0])
    if len(radii) == 2:
        return _moments_of_two(places, radii)
    return moments_by_slices(places, radii)


def _not_inside_others(centres: Floats, radii: Floats) -> NDArray[np.int64]:
    """Numbers of the balls that no other one contains; of equal ones the first, (balls,)."""
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    inside = apart + radii[:, None] <= radii[None]  # i in j
    number = np.arange(len(radii))
    same = inside & inside.T & (number[:, None] <= number[None])
    return np.asarray(np.flatnonzero(~(inside & ~same).any(axis=1)))


def _cut_ball(radius: float, height: float) -> Moments:
    """Of the part of a ball about the origin that is below a plane across z, at this height."""
    r, z = radius, height

    def between(over: Floats) -> float:
        """The integral of a polynomial in z, by its coefficients from the constant up."""
        powers = np.arange(1, len(over) + 1)
        return float((over / powers) @ (z**powers - (-r) ** powers))

    disc = pi * np.array([r * r, 0.0, -1.0])
    volume = between(disc)
    upright = between(np.concatenate([[0.0], disc]))
    along = between(np.concatenate([[0.0, 0.0], disc]))
    across = between(0.25 * pi * np.array([r**4, 0.0, -2.0 * r * r, 0.0, 1.0]))  # ∫ x² of a disc
    return Moments(volume, np.array([0.0, 0.0, upright]), np.diag([across, across, along]))


def _moments_of_two(places: Floats, radii: Floats) -> Moments:
    """Of two balls that meet: each is cut by the plane of the circle in which they do."""
    along = places[1] - places[0]
    distance = float(np.linalg.norm(along))
    axis = along / distance
    height = 0.5 * (distance + (radii[0] ** 2 - radii[1] ** 2) / distance)
    total = NOTHING
    for place, radius, to_plane, up in (
        (places[0], radii[0], height, axis), (places[1], radii[1], distance - height, -axis),
    ):  # fmt: skip
        part = _cut_ball(float(radius), float(to_plane))
        across, along_axis = part.second[0, 0], part.second[2, 2]
        second = across * np.eye(3) + (along_axis - across) * np.outer(up, up)
        total = total.plus(Moments(part.volume, part.first[2] * up, second).moved(place))
    return total


def moments_by_slices(places: Floats, radii: Floats) -> Moments:
    """Of any balls, by slices across z."""
    edges = _heights(places, radii)
    node, weight = np.polynomial.legendre.leggauss(NODES)
    # z = middle + half · sin(π t/2): the square roots at the ends of panels become smooth
    bend, slope = np.sin(0.5 * pi * node), 0.5 * pi * np.cos(0.5 * pi * node) * weight
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    heights = (middle[:, None] + half[:, None] * bend).ravel()
    weights = (half[:, None] * slope).ravel()
    arcs = np.array(
        [
            (*arc, z, w)
            for z, w in zip(heights.tolist(), weights.tolist(), strict=True)
            for arc in _exposed_arcs(places, radii, z)
        ]
    )
    return _moments_of_arcs(arcs)


def _heights(places: Floats, radii: Floats) -> Floats:
    """Where balls, and the circles in which two meet, begin and end, in order."""
    ends = [places[:, 2] - radii, places[:, 2] + radii]
    i, j = np.triu_indices(len(radii), 1)
    along = places[j] - places[i]
    apart = np.linalg.norm(along, axis=1)
    meet = (apart < radii[i] + radii[j]) & (apart > abs(radii[i] - radii[j]))
    i, j, along, apart = i[meet], j[meet], along[meet], apart[meet]
    axis = along / apart[:, None]
    to_plane = 0.5 * (apart + (radii[i] ** 2 - radii[j] ** 2) / apart)
    reach = np.sqrt(np.maximum(radii[i] ** 2 - to_plane**2, 0.0) * (1.0 - axis[:, 2] ** 2))
    height = places[i, 2] + to_plane * axis[:, 2]
    return np.asarray(np.unique(np.concatenate([*ends, height - reach, height + reach])))


def _exposed_arcs(
    places: Floats, radii: Floats, z: float
) -> list[tuple[float, float, float, float, float]]:
    """The edge of the union of discs at a height: x, y, radius, and angles from and to."""
    square = radii**2 - (z - places[:, 2]) ** 2
    cut = square > 0.0
    x, y = places[cut, 0], places[cut, 1]
    r = np.sqrt(square[cut])
    dx, dy = x[None] - x[:, None], y[None] - y[:, None]
    apart = np.hypot(dx, dy)
    number = np.arange(len(r))
    hidden = apart + r[:, None] <= r[None]
    hidden &= ~(hidden.T & (number[:, None] <= number[None]))
    meet = (apart < r[:, None] + r[None]) & (apart > abs(r[:, None] - r[None]))
    arcs = []
    for i in np.flatnonzero(~hidden.any(axis=1)):
        others = np.flatnonzero(meet[i])
        if not others.size:
            arcs.append((x[i], y[i], r[i], 0.0, 2.0 * pi))
            continue
        d = apart[i, others]
        half = np.arccos(np.clip((d * d + r[i] ** 2 - r[others] ** 2) / (2.0 * d * r[i]), -1, 1))
        begin = (np.arctan2(dy[i, others], dx[i, others]) - half) % (2.0 * pi)
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], (begin + 2.0 * half)[order]
        reached = np.maximum.accumulate(end)
        covered = max(float(reached[-1]) - 2.0 * pi, 0.0)  # by what goes on past a full turn
        start = np.concatenate([[covered], np.maximum(reached[:-1], covered)])
        stop = begin
        free = stop > start
        arcs += [(x[i], y[i], r[i], a, b) for a, b in zip(start[free], stop[free], strict=True)]
        last = max(float(reached[-1]), covered)
        if last < 2.0 * pi:
            arcs.append((x[i], y[i], r[i], last, 2.0 * pi))
    return arcs


def _moments_of_arcs(arcs: Floats) -> Moments:
    """Of the solid whose slices these arcs bound, by rows of x, y, radius, angles, z and weight."""
    x0, y0, r, begin, end, z, weight = arcs.T[:, :, None]
    node, share = np.polynomial.legendre.leggauss(2 * NODES)
    angle = 0.5 * (begin + end) + 0.5 * (end - begin) * node
    x, y = x0 + r * np.cos(angle), y0 + r * np.sin(angle)
    length = weight * 0.5 * (end - begin) * share * r
    dx, dy = -length * np.sin(angle), length * np.cos(angle)
    area = 0.5 * (x * dy - y * dx)
    of_x, of_y = 0.5 * x * x * dy, -0.5 * y * y * dx
    xx, yy, xy = x**3 * dy / 3.0, -(y**3) * dx / 3.0, 0.5 * x * x * y * dy
    xz, yz, zz = z * of_x, z * of_y, z * z * area
    second = [[each.sum() for each in row] for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]
    first = np.array([of_x.sum(), of_y.sum(), (z * area).sum()])
    return Moments(float(area.sum()), first, np.array(second))
