"""Parts of machines as closed triangle meshes: involute gears, and Geneva wheels with their drivers.

Parts lie in the plane z = 0 with their axis along z through the origin, and have half of their
width on each side of it. A mesh is a polygon drawn out along z, so that flanks and arcs are
inscribed in the true curves: the docstrings say how far off they are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats
from amontons.checks import points_array, positive, whole
from amontons.errors import InputError
from amontons.model.shapes import TriangleMesh

FEWEST_TEETH = 8
"""Teeth of a gear at least: with fewer, the tips are pointed at the usual pressure angles."""


def prism(outline: ArrayLike, *, bore: float, width: float) -> TriangleMesh:
    """A polygon around the origin, drawn out along z, with a round hole in its middle.

    Parameters
    ----------
    outline:
        Corners [m], counter-clockwise; all of it must be seen from the origin, shape (n, 2)
    bore:
        Radius of the hole [m]; its corners are at the angles of the outline's.
    width:
        Along z [m], half of it on each side of z = 0.
    """
    given = np.asarray(outline, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 2 or len(given) < 3:
        raise InputError(f"outline must have shape (n, 2) with n ≥ 3, got {given.shape}")
    corners = points_array("outline", np.column_stack([given, np.zeros(len(given))]))[:, :2]
    hole, half = positive("bore", bore), 0.5 * positive("width", width)
    after = np.roll(corners, -1, axis=0)
    turning = corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]
    length = np.hypot(*(after - corners).T)
    radius = np.hypot(*corners.T)
    ahead = turning > 1e-12 * radius * length
    behind = turning < -1e-12 * radius * length
    if behind.any() or not math.isclose(_turns(corners), 1.0, abs_tol=1e-6):
        raise InputError(
            "outline must go once around the origin, counter-clockwise, and be seen from there "
            f"everywhere; it turns back after corner {int(np.argmax(behind))}"
        )
    nearest = float(radius.min())
    if hole >= nearest:
        raise InputError(
            f"bore is {hole:g} m; the outline comes as near as {nearest:g} m to the origin"
        )
    return _drawn_out(corners, hole / radius[:, None] * corners, ahead, half)


def _turns(corners: Floats) -> float:
    angle = np.arctan2(corners[:, 1], corners[:, 0])
    steps = np.diff(np.append(angle, angle[0]))
    return float(((steps + math.pi) % math.tau - math.pi).sum() / math.tau)


def _drawn_out(outside: Floats, inside: Floats, ahead: Floats, half: float) -> TriangleMesh:
    """Walls and lids. Where two corners are on one ray, the hole has one corner for both."""
    count = len(outside)
    place = np.arange(count)
    for k in range(count):  # not ahead: the next corner's ray is this one's
        if not ahead[k]:
            inside[(k + 1) % count] = inside[k]
    rings = [
        np.column_stack([ring, np.full(count, z)])
        for ring in (outside, inside)
        for z in (-half, half)
    ]
    low, high, hole_low, hole_high = (place + count * k for k in range(4))
    following = np.roll(place, -1)
    squares = [
        (low, low[following], high[following], high),
        (hole_low[following], hole_low, hole_high, hole_high[following]),
        (high, high[following], hole_high[following], hole_high),
        (low[following], low, hole_low, hole_low[following]),
    ]
    faces = []
    for number, (a, b, c, d) in enumerate(squares):
        whole_one, half_one = np.column_stack([a, b, c]), np.column_stack([a, c, d])
        if number == 0:
            faces += [whole_one, half_one]
        elif number == 1:
            faces += [whole_one[ahead], half_one[ahead]]
        elif number == 2:  # a triangle with one corner at the hole where both are on one ray
            faces += [whole_one, half_one[ahead]]
        else:
            faces += [np.column_stack([a, b, d]), np.column_stack([b, c, d])[ahead]]
    points, triangles = np.concatenate(rings), np.concatenate(faces)
    return TriangleMesh(points, triangles[_with_area(points, triangles)])


def _with_area(points: Floats, triangles: Floats) -> Floats:
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    return np.asarray((a != b).any(1) & (b != c).any(1) & (c != a).any(1))


def involute_gear(
    teeth: int,
    module: float,
    *,
    width: float,
    bore: float | None = None,
    pressure_angle: float = 20.0,
    backlash: float = 0.0,
    points: int = 12,
) -> TriangleMesh:
    """A spur gear with involute teeth, one of them along x.

    Two gears of one module and pressure angle run together where their axes are module · (z₁ + z₂)
    / 2 apart; the second is turned so that a gap of its faces a tooth of the first. Flanks are
    inscribed: they are at most r_b t dt² / 8 within the involute, where r_b is the base circle's
    radius, t the roll angle at the tip and dt = t / points.

    Parameters
    ----------
    teeth:
        How many, at least 8. Gears of fewer than 18 teeth have radial flanks below the base circle,
        which is where cutters would undercut them.
    module:
        Pitch diameter per tooth [m]
    width:
        Along the axis [m]
    bore:
        Radius of the hole [m]; by default a third of the root circle's.
    pressure_angle:
        At the pitch circle [°]
    backlash:
        By which each tooth is thinner at the pitch circle [m]
    points:
        Straight pieces of a flank.
    """
    count, pieces = whole("teeth", teeth, least=FEWEST_TEETH), whole("points", points, least=2)
    size, alpha = positive("module", module), math.radians(positive("pressure_angle", pressure_angle))
    if not 5.0 <= pressure_angle <= 35.0:
        raise InputError(f"pressure_angle is {pressure_angle:g}°; it must be 5 to 35")
    if not 0.0 <= backlash < 0.5 * size:
        raise InputError(f"backlash is {backlash:g} m; it must be 0 to half the module")
    pitch = 0.5 * size * count
    base, tip, root = pitch * math.cos(alpha), pitch + size, pitch - 1.25 * size
    middle = 0.5 * math.pi / count - 0.5 * backlash / pitch + math.tan(alpha) - alpha
    start = math.sqrt(max((max(root, base) / base) ** 2 - 1.0, 0.0))
    roll = np.linspace(start, math.sqrt((tip / base) ** 2 - 1.0), pieces + 1)
    radius, half = base * np.hypot(1.0, roll), middle - (roll - np.arctan(roll))
    if half[-1] <= 0.0:
        raise InputError(
            f"teeth of {count} at a pressure angle of {pressure_angle:g}° end in a point below the "
            "tip circle; take more teeth, a smaller angle or less backlash"
        )
    if half[0] >= math.pi / count:
        raise InputError(f"teeth of {count} at a pressure angle of {pressure_angle:g}° overlap")
    if root < base:  # radial below the base circle
        radius, half = np.append(root, radius), np.append(half[0], half)
    tooth = np.column_stack(
        [np.append(radius, radius[::-1]), np.append(-half, half[::-1])]
    )
    turned = math.tau / count * np.arange(count)[:, None]
    r, angle = np.tile(tooth[:, 0], count), (tooth[:, 1] + turned).ravel()
    hole = root / 3.0 if bore is None else bore
    return prism(np.column_stack([r * np.cos(angle), r * np.sin(angle)]), bore=hole, width=width)
