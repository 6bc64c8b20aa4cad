"""The Geneva drive: a pin that turns a slotted wheel by one slot, and a disc that locks it between.

While the pin is in a slot, at crank angles |θ| ≤ π/2 − π/n from the line of centres, the wheel's
angle is φ = atan2(r sin θ, a − r cos θ) with r = a sin(π/n); else it dwells.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from amontons.array_types import Floats
from amontons.checks import positive, whole
from amontons.errors import InputError
from amontons.generators.machine_parts import prism
from amontons.model.shapes import TriangleMesh


class GenevaParts(NamedTuple):
    """Meshes of a Geneva drive, each about its own axis along z, and the drive's measures."""

    wheel: TriangleMesh  # with a slot along −x: towards a crank that is at −x from it
    disc: TriangleMesh  # locks the wheel; its cut-out is along x
    pin: TriangleMesh  # about the crank's axis, too: at x = crank, y = 0
    slots: int
    distance: float  # of the two axes [m]
    crank: float  # from the crank's axis to the pin's [m]

    def wheel_angle(self, crank_angle: float) -> float:
        """Angle of the wheel [rad] where the crank has gone so far from the line of centres.

        The wheel turns against the crank; it is a slot's angle on after every turn.
        """
        turns = math.floor(crank_angle / math.tau + 0.5)
        theta, reach = crank_angle - turns * math.tau, math.pi / 2.0 - math.pi / self.slots
        theta = min(max(theta, -reach), reach)
        return _wheel_angle(self.slots, self.distance, theta) - turns * math.tau / self.slots


def geneva_drive(
    slots: int,
    distance: float,
    *,
    width: float,
    pin: float | None = None,
    clearance: float | None = None,
    points: int = 48,
) -> GenevaParts:
    """Wheel, locking disc and pin of a Geneva drive whose wheel is in front of the crank, along x.

    Round parts are polygons within the true circles; arcs of the wheel are so within it, too.

    Parameters
    ----------
    slots:
        Of the wheel: 3 to 12
    distance:
        Of the axes of wheel and crank [m]
    width:
        Along the axes [m]
    pin:
        Its radius [m]; by default 0.06 of the distance or less, as there is room for it.
    clearance:
        Between pin and slot, and between disc and wheel [m]; by default 0.002 of the distance,
        or a tenth of the pin's radius if that is less.
    points:
        Straight pieces of a quarter of a circle.
    """
    count, pieces = whole("slots", slots, least=3), whole("points", points, least=8)
    if count > 12:
        raise InputError(f"slots is {count}; it must be 3 to 12")
    a = positive("distance", distance)
    reach, rim = a * math.sin(math.pi / count), a * math.cos(math.pi / count)
    p = positive("pin", min(0.06 * a, 0.2 * reach, 0.2 * (a - reach)) if pin is None else pin)
    c = positive("clearance", min(0.002 * a, 0.1 * p) if clearance is None else clearance)
    lock, depth = reach - 1.6 * p, a - reach - 1.2 * p
    if lock < 2.0 * p or depth < 2.0 * p:
        raise InputError(f"pin is {p:g} m: too thick for {count} slots and axes {a:g} m apart")
    if c > 0.2 * p:
        raise InputError(f"clearance is {c:g} m; it must be at most a fifth of the pin's radius")
    slot = math.tau / count
    turned = math.pi + slot * np.arange(count)
    edge = math.asin((p + c) / rim)
    arc = _polar(np.linspace(-0.5 * math.pi, 0.5 * math.pi, 2 * pieces + 1), lock + c)
    seen = np.arctan2(arc[:, 1], a - arc[:, 0]) + 0.5 * slot
    bare = math.acos(min((a * a + rim * rim - (lock + c) ** 2) / (2.0 * a * rim), 1.0))
    ends = [edge, 0.5 * slot - bare, 0.5 * slot + bare, slot - edge]
    psi = np.unique(np.clip(np.append(seen, ends), edge, slot - edge))
    between = _polar(psi, np.minimum(rim, _circle_ahead(psi - 0.5 * slot, a, lock + c, rim)))
    bottom = np.array([[depth, -(p + c)], [depth, p + c]])
    sector = np.concatenate([bottom, between])
    outline = np.concatenate([_turned(sector, t) for t in turned])
    disc = _disc(outline, count, a, lock, c, 8 * pieces)
    bore = 0.4 * float(np.hypot(*disc.T).min())
    return GenevaParts(
        prism(outline, width=width), prism(disc, bore=bore, width=width),
        _pin(p, reach, width, pieces), count, a, reach,
    )  # fmt: skip


def _disc(
    wheel: Floats, slots: int, distance: float, lock: float, clearance: float, corners: int
) -> Floats:
    """The locking disc, cut out where the wheel passes while it turns, with the clearance."""
    radius = np.full(corners, lock)
    reach = math.pi / 2.0 - math.pi / slots
    for theta in np.linspace(-reach, reach, 401):
        seen = _turned(wheel, _wheel_angle(slots, distance, theta)) + np.array([distance, 0.0])
        seen = _turned(seen, -theta)
        away = np.hypot(*seen.T)
        place = np.arctan2(seen[:, 1], seen[:, 0]) / math.tau * corners + 0.5 * corners
        for beside in (np.floor(place), np.ceil(place)):
            np.minimum.at(radius, beside.astype(np.int64) % corners, away - clearance)
    return _polar(np.linspace(-math.pi, math.pi, corners, endpoint=False), radius)


def _wheel_angle(slots: int, distance: float, theta: float) -> float:
    """While the pin is in a slot: the wheel's angle where the crank is at θ."""
    crank = distance * math.sin(math.pi / slots)
    return -math.atan2(crank * math.sin(theta), distance - crank * math.cos(theta))


def _pin(radius: float, reach: float, width: float, pieces: int) -> TriangleMesh:
    """A pin at x = reach."""
    around = np.linspace(-math.pi, math.pi, 2 * pieces, endpoint=False)
    about_itself = prism(_polar(around, radius), width=width)
    return TriangleMesh(about_itself.vertices + np.array([reach, 0.0, 0.0]), about_itself.faces)


def _polar(angle: Floats, radius: Floats | float) -> Floats:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _turned(points: Floats, angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.asarray(points @ np.array([[c, s], [-s, c]]))


def _circle_ahead(angle: Floats, distance: float, radius: float, most: float) -> Floats:
    """How far a ray goes until it meets a circle about (distance, 0); `most` where it does not."""
    square = radius**2 - (distance * np.sin(angle)) ** 2
    near = distance * np.cos(angle) - np.sqrt(np.maximum(square, 0.0))
    return np.asarray(np.where((square > 0.0) & (np.cos(angle) > 0.0), near, most))
