"""Gears, prisms and Geneva drives: closed, of the right size, refused where they make no sense."""

import math

import numpy as np
import pytest

import amontons as am
from amontons.generators.geneva import geneva_drive
from amontons.generators.machine_parts import involute_gear, prism
from amontons.generators.polygons import triangles_of_polygon

SLOW = pytest.mark.slow
ELL = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]


def test_a_prism_has_the_volume_of_its_outline():
    assert prism(ELL, width=2.0).volume == pytest.approx(10.0)
    square = [(1, -1), (1, 1), (-1, 1), (-1, -1)]
    hollow = prism(square, width=0.5, bore=0.5 * math.sqrt(2.0))
    assert hollow.closed
    assert hollow.volume == pytest.approx(0.5 * (4.0 - 1.0))
    low, high = hollow.bounds
    assert low == pytest.approx([-1, -1, -0.25])
    assert high == pytest.approx([1, 1, 0.25])


def test_ears_fill_a_polygon_that_is_not_convex():
    corners = np.array(ELL, dtype=float)
    triangles = corners[triangles_of_polygon(corners)]
    u, v = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    areas = 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    assert len(triangles) == 4
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(5.0)


@pytest.mark.parametrize(("outline", "bore", "message"), [
    ([(1, 0), (0, 1)], None, "n ≥ 3"),
    (ELL[::-1], None, "counter-clockwise"),
    ([(1, 1), (-1, 1), (-1, -1), (1, -1)][::-1], 0.1, "counter-clockwise.*from corner 0"),
    ([(1, -1), (1, 1), (-1, 1), (-1, -1)], 1.5, "comes as near as 1.41421 m"),
    ([(2, -1), (2, 1), (1, 1), (1, -1)], 0.1, "every ray"),
])  # fmt: skip
def test_outlines_that_make_no_prism(outline, bore, message):
    with pytest.raises(am.InputError, match=message):
        prism(outline, width=1.0, bore=bore)


@pytest.mark.parametrize("teeth", [8, 17, 30, 60])
def test_gears_have_involute_flanks(teeth):
    """Every flank point is on an involute: half the tooth's angle is that at the pitch circle less
    inv(α_r) − inv(α), where cos α_r = r_b / r."""
    module, alpha = 2e-3, math.radians(20.0)
    gear = involute_gear(teeth, module, width=0.01)
    pitch = 0.5 * module * teeth
    base = pitch * math.cos(alpha)
    assert gear.closed
    radius = np.hypot(*gear.vertices[:, :2].T)
    assert radius.max() == pytest.approx(pitch + module)
    angle = np.arctan2(gear.vertices[:, 1], gear.vertices[:, 0])
    first = (np.abs(angle) < math.pi / teeth) & (radius > base * (1.0 + 1e-9))
    assert first.sum() >= 40  # two flanks at both lids
    roll = np.sqrt((radius[first] / base) ** 2 - 1.0)
    half = 0.5 * math.pi / teeth + math.tan(alpha) - alpha - (roll - np.arctan(roll))
    assert np.abs(angle[first]) == pytest.approx(half, abs=1e-9)


def test_backlash_thins_teeth_by_what_is_asked_for():
    thick, thin = (involute_gear(30, 1.0, width=1.0, backlash=b, points=40) for b in (0.0, 0.1))
    tops = [np.abs(np.arctan2(g.vertices[:, 1], g.vertices[:, 0]))[
        np.hypot(*g.vertices[:, :2].T) > 15.99].min() for g in (thick, thin)]  # fmt: skip
    assert 2.0 * 15.0 * (tops[0] - tops[1]) == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"teeth": 7}, "teeth"),
    ({"pressure_angle": 40.0}, "5 to 35"),
    ({"backlash": 1.0}, "half the module"),
    ({"teeth": 8, "pressure_angle": 35.0}, "end in a point"),
])  # fmt: skip
def test_gears_that_cannot_be(arguments, message):
    with pytest.raises(am.InputError, match=message):
        involute_gear(**{"teeth": 20, "module": 1.0, "width": 1.0} | arguments)


@pytest.mark.parametrize("slots", [3, *(pytest.param(n, marks=SLOW) for n in (4, 6, 8)), 12])
def test_geneva_parts_clear_each_other_all_the_way_round(slots):
    """Where the wheel follows the closed form, disc and pin keep off it; and they are near it."""
    drive = geneva_drive(slots, 1.0, width=0.1)
    assert all(part.closed for part in (drive.wheel, drive.disc, drive.pin))
    driver = am.Compound([am.Part(drive.disc), am.Part(drive.pin)])
    detector = am.CollisionDetector([driver, drive.wheel], margin=0.01)
    least = []
    for theta in np.linspace(-1.0, 1.0, 41) * (math.pi / 2 - math.pi / slots):
        angles = theta, drive.wheel_angle(theta)
        turns = [(math.cos(t / 2), 0, 0, math.sin(t / 2)) for t in angles]
        contacts = detector.detect([[0, 0, 0], [1.0, 0, 0]], turns)
        least.append(contacts.gaps.min(initial=np.inf))
    assert min(least) > 0.0
    assert max(least) < 0.01


def test_the_wheel_turns_by_a_slot_for_each_turn_of_the_crank():
    drive = geneva_drive(4, 1.0, width=0.1)
    assert drive.wheel_angle(0.0) == 0.0
    assert drive.wheel_angle(-math.pi / 4) == pytest.approx(math.pi / 4)
    assert drive.wheel_angle(math.pi) == pytest.approx(-math.pi / 4)
    for theta in (-2.0, 0.1, 0.7, 3.0):
        step = drive.wheel_angle(theta + math.tau) - drive.wheel_angle(theta)
        assert step == pytest.approx(-math.pi / 2)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"slots": 2}, "slots"),
    ({"slots": 13}, "3 to 12"),
    ({"pin": 0.3}, "too thick"),
    ({"clearance": 0.05}, "a fifth of the pin"),
])  # fmt: skip
def test_geneva_drives_that_cannot_be(arguments, message):
    with pytest.raises(am.InputError, match=message):
        geneva_drive(**{"slots": 4, "distance": 1.0, "width": 0.1} | arguments)
