"""Parts of machines as closed triangle meshes: prisms, and involute gears.

Parts lie in the plane z = 0 with their axis along z through the origin, and have half of their
width on each side of it. A mesh is a polygon drawn out along z, so that flanks and arcs are
inscribed in the true curves: the docstrings say how far off they are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats
from amontons.checks import finite_array, positive, whole
from amontons.errors import InputError
from amontons.generators.polygons import triangles_of_polygon
from amontons.model.shapes import TriangleMesh

FEWEST_TEETH = 8
"""Teeth of a gear at least: with fewer, the tips are pointed at the usual pressure angles."""

RADIAL = 1e-9
"""Sine of the angle to the ray from the origin below which an edge runs along it."""

DRAFT = 0.05
"""Share of the gap between two teeth by which each side of a tooth is wider at the root circle than
at the base circle."""


def prism(outline: ArrayLike, *, width: float, bore: float | None = None) -> TriangleMesh:
    """A polygon drawn out along z, full or with a round hole about the origin.

    Parameters
    ----------
    outline:
        Corners [m], counter-clockwise; where there is a hole, every ray from the origin crosses the
        outline once, shape (n, 2)
    width:
        Along z [m], half of it on each side of z = 0.
    bore:
        Radius of the hole [m]; its corners are on the rays to those of the outline.
    """
    corners = finite_array("outline", outline)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
        raise InputError(f"outline must have shape (n, 2) with n ≥ 3, got {corners.shape}")
    half = 0.5 * positive("width", width)
    if bore is None:
        return _full(corners, half)
    hole = positive("bore", bore)
    after = np.roll(corners, -1, axis=0)
    turning = corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]
    radius, length = np.hypot(*corners.T), np.hypot(*(after - corners).T)
    back = ~(turning > RADIAL * radius * length)
    if back.any():
        raise InputError(
            "outline must go around the origin counter-clockwise, so that every ray from there "
            f"crosses it once; it does not from corner {int(np.argmax(back))} on"
        )
    angle = np.arctan2(turning, (corners * after).sum(axis=1))
    if not math.isclose(angle.sum(), math.tau, rel_tol=1e-6):
        turns = angle.sum() / math.tau
        raise InputError(f"outline must go once around the origin, not {turns:.3g} times")
    if hole >= radius.min():
        raise InputError(
            f"bore is {hole:g} m; the outline comes as near as {radius.min():g} m to the origin"
        )
    return _drawn_out(corners, (hole / radius)[:, None] * corners, half)


def _full(outline: Floats, half: float) -> TriangleMesh:
    """Walls and lids of a prism without a hole."""
    lid, count = triangles_of_polygon(outline), len(outline)
    low = np.arange(count)
    high, beside = low + count, np.roll(low, -1)
    walls = [
        np.column_stack([low, beside, beside + count]), np.column_stack([low, beside + count, high])
    ]  # fmt: skip
    points = [np.column_stack([outline, np.full(count, z)]) for z in (-half, half)]
    return TriangleMesh(np.concatenate(points), np.concatenate([*walls, lid + count, lid[:, ::-1]]))


def _drawn_out(outside: Floats, inside: Floats, half: float) -> TriangleMesh:
    """Walls and lids of a prism with a hole: two triangles for each of four squares per corner."""
    count = len(outside)
    rings = [
        np.column_stack([ring, np.full(count, z)])
        for ring in (outside, inside)
        for z in (-half, half)
    ]
    low, high, hole_low, hole_high = (np.arange(count) + count * k for k in range(4))
    squares = [(low, high), (high, hole_high), (hole_high, hole_low), (hole_low, low)]
    faces = []
    for near, far in squares:
        beside, across = np.roll(near, -1), np.roll(far, -1)
        faces += [np.column_stack([near, beside, across]), np.column_stack([near, across, far])]
    return TriangleMesh(np.concatenate(rings), np.concatenate(faces))


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
        How many, at least 8. Below the base circle flanks are all but radial: nothing is undercut,
        and tips of a large gear run into the roots of one with fewer than 18 teeth.
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
    size, alpha = (
        positive("module", module),
        math.radians(positive("pressure_angle", pressure_angle)),
    )
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
    if root < base:  # all but radial below the base circle
        wider = half[0] + DRAFT * (math.pi / count - half[0])
        radius, half = np.append(root, radius), np.append(wider, half)
    tooth = np.column_stack([np.append(radius, radius[::-1]), np.append(-half, half[::-1])])
    turned = math.tau / count * np.arange(count)[:, None]
    r, angle = np.tile(tooth[:, 0], count), (tooth[:, 1] + turned).ravel()
    hole = root / 3.0 if bore is None else bore
    return prism(np.column_stack([r * np.cos(angle), r * np.sin(angle)]), bore=hole, width=width)
