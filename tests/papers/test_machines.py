"""The papers' machines: their parts by themselves, and small sizes of their experiments."""

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amontons as am
from amontons.model.signals import Schedule
from amontons.scenes import Bulldozer, Gripper, Packaging, TrackedVehicle, WalkingRobot
from amontons.scenes.odd_shapes import ring
from amontons.scenes.tracks import Track
from amontons_papers import EXPERIMENTS, reproduce
from amontons_papers.machines import mass_ratio

# -- schedules ------------------------------------------------------------------------------------

VALUES = st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=6)


@given(VALUES, st.floats(-1.0, 8.0))
def test_a_schedule_goes_through_its_points_and_not_beyond_them(values, time):
    value = Schedule([(float(i), each) for i, each in enumerate(values)])
    for i, each in enumerate(values):
        assert value(float(i)) == pytest.approx(each, abs=1e-12)
    around = np.clip([np.floor(time), np.floor(time) + 1.0], 0, len(values) - 1).astype(int)
    low, high = sorted((values[around[0]], values[around[1]]))
    assert low - 1e-12 <= value(time) <= high + 1e-12


def test_a_schedule_rests_in_its_points():
    value = Schedule([(1.0, 2.0), (3.0, 5.0)])
    for time in (1.0, 3.0):
        assert (value(time + 1e-6) - value(time - 1e-6)) / 2e-6 == pytest.approx(0.0, abs=1e-5)
    assert value(2.0) == pytest.approx(3.5)


@pytest.mark.parametrize("points", [(), ((1.0, 0.0), (1.0, 2.0)), ((2.0, 0.0), (1.0, 2.0))])
def test_a_schedule_needs_times_that_rise(points):
    with pytest.raises(am.InputError, match="increasing times"):
        Schedule(points)


# -- tracks ---------------------------------------------------------------------------------------


@given(st.integers(3, 12).map(lambda half: 2 * half), st.integers(1, 30), st.floats(0.01, 1.0))
def test_pins_make_a_closed_chain_of_equal_links(teeth, straight, pitch):
    track = Track(teeth=teeth, straight=straight, pitch=pitch)
    pins = track.pins()
    assert len(pins) == track.shoes
    links = np.roll(pins, -1, axis=0) - pins
    np.testing.assert_allclose(np.linalg.norm(links, axis=1), pitch, rtol=1e-12)
    (x, z), (u, w) = links.T, np.roll(links, -1, axis=0).T
    assert (x * w - z * u < 1e-12).all()  # clockwise all the way: convex
    assert pins[:, 0].max() - pins[:, 0].min() <= track.wheelbase + 2.0 * track.radius + 1e-12


def test_one_turn_of_the_sprocket_takes_a_tooth_a_shoe():
    track = Track()
    assert track.advance(2.0 * pi) == pytest.approx(track.teeth * track.pitch)


def test_a_track_refuses_odd_teeth():
    with pytest.raises(am.InputError, match="even number"):
        Track(teeth=9)


@pytest.mark.parametrize("scene", [Bulldozer(grains=1), TrackedVehicle(slabs=0)])
def test_intended_ways_are_integrals_of_the_sprockets_speed(scene):
    time = np.linspace(0.0, 3.0, 30_001)
    speed = [scene.TRACK.advance(scene.sprocket_speed(float(each))) for each in time]
    assert scene.intended(3.0) == pytest.approx(np.trapezoid(speed, time), rel=1e-6)


def test_the_bulldozer_is_the_papers():
    world = Bulldozer(grains=1).build()
    mass = world.bodies.mass[world.bodies.dynamic]
    assert mass[:-1].sum() == pytest.approx(7300.0)
    assert len(mass) - 1 == 114
    assert mass_ratio(world) == pytest.approx(mass.max() / mass[-1])
    paper = Bulldozer(grains=1, grain=0.04).build()
    assert paper.bodies.mass[-1] == pytest.approx(0.067, rel=0.01)


# -- the robot's legs -----------------------------------------------------------------------------

LEGS = WalkingRobot().legs()


@given(
    st.sampled_from(LEGS),
    st.floats(-0.1, 0.1),
    st.floats(0.12, 0.25),
    st.floats(-0.18, -0.05),
)
def test_angles_of_a_leg_bring_its_foot_there(leg, x, out, z):
    foot = (x, leg.side * out, z)
    yaw, thigh, shin = leg.angles(foot)
    reach = leg.HIP + leg.THIGH * cos(thigh) + leg.SHIN * cos(shin)
    height = leg.THIGH * sin(thigh) + leg.SHIN * sin(shin)
    ours = (-leg.side * reach * sin(yaw), leg.side * reach * cos(yaw), height)
    np.testing.assert_allclose(ours, foot, atol=1e-12)


def test_a_foot_out_of_reach_is_refused():
    with pytest.raises(am.InputError, match="cannot reach"):
        LEGS[0].angles((0.0, LEGS[0].side * 1.0, -0.1))


def test_feet_move_without_jumps_and_as_many_legs_begin_as_follow():
    robot = WalkingRobot()
    assert sum(leg.first for leg in LEGS) == 3
    time = np.linspace(0.0, 4.0, 40_001)
    for first in (True, False):
        path = np.array([robot.swing(float(each), first) for each in time])
        assert np.abs(np.diff(path, axis=0)).max() < 2e-4
        assert (path[:, 1] >= 0.0).all()


def test_the_intended_way_is_what_feet_on_the_ground_go_back():
    robot = WalkingRobot()
    step = 1e-4
    way = 0.0
    for time in np.arange(0.0, 2.3, step):
        first = (time + 0.5 * step) % robot.period < 0.5 * robot.period
        before, after = (robot.swing(float(t), first)[0] for t in (time + 1e-9, time + step - 1e-9))
        way += before - after
    assert robot.intended(2.3) == pytest.approx(way, rel=1e-3)


# -- cams and shapes ------------------------------------------------------------------------------


@given(st.sampled_from([Packaging.FEED, Packaging.EJECT]), st.floats(-10.0, 10.0))
def test_a_flat_follower_stands_where_the_disc_reaches(cam, angle):
    middle = np.array([cam.throw * cos(cam.lead + angle), cam.throw * sin(cam.lead + angle)])
    rim = np.linspace(0.0, 2.0 * pi, 3601)
    disc = middle[0] + cam.radius * np.cos(rim)
    rest = cam.radius + cam.throw * cam.low
    assert cam.stand(angle) == pytest.approx(max(disc.max(), rest), abs=1e-9)
    assert rest <= cam.stand(angle) <= rest + cam.stroke + 1e-12


def test_the_gripper_begins_with_its_jaws_on_the_cone_and_off_the_part():
    scene = Gripper()
    sim = am.Simulation(scene.build(), step=1e-3, solver=am.APGD(tolerance=1e-6))
    sim.step()
    cone, part = sim.world.body("cone").id, sim.world.body("part").id
    for number in range(scene.jaws):
        jaw = sim.world.body(f"jaw {number + 1}").id
        (touch,) = sim.contacts.between(cone, jaw)
        assert abs(sim.contacts.gaps[touch]) < 1e-6
        assert not len(sim.contacts.between(part, jaw))


def test_a_ring_is_a_torus():
    shape = ring(0.3, 0.1, around=60, across=30)
    assert shape.volume == pytest.approx(2.0 * pi**2 * 0.3 * 0.1**2, rel=0.02)
    np.testing.assert_allclose(shape.bounds[1], [0.4, 0.4, 0.1], rtol=0.01)


# -- experiments ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["walking-robot", "packaging"])
def test_a_small_experiment_passes_all_its_bands(name, tmp_path):
    outcome = reproduce(EXPERIMENTS[name]("quick"), tmp_path)
    assert outcome.ok, outcome.failures
    assert outcome.bands >= 3
    page = (tmp_path / "page.md").read_text()
    assert "mass ratio" in page
    assert "contacts in a step" in page
    assert any(tmp_path.glob("*.png"))
