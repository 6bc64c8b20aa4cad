"""What falls asleep by itself, what must not, what wakes it, and what is read of it meanwhile."""

from __future__ import annotations

import math

import numpy as np
import pytest

import amontons as am
from amontons.results import Recorder, Results

G = 9.81
CUBE = am.Box.cube(0.2)
BALL = am.Sphere(0.1)
STEP = 5e-3
LONG = 11.0 * math.sqrt(2.0 * 0.1 / G)  # a little longer than bodies of this size must rest [s]


def on_floor(**options):
    """A world with a floor."""
    world = am.World(**options)
    world.add_body(am.Plane(), fixed=True, name="floor")
    return world


def sleeping(world, **options):
    return am.Simulation(world, step=STEP, sleeping=am.Sleeping(), **options)


def stack(count=3, **options):
    world = on_floor()
    place = [(0.0, 0.0, 0.1 + 0.2 * i) for i in range(count)]
    world.add_bodies(CUBE, position=place, mass=2.0, **options)
    return world


@pytest.fixture
def stacked():
    """Three cubes on each other that have fallen asleep."""
    sim = sleeping(stack())
    sim.run(LONG)
    assert sim.bodies.asleep.tolist() == [False, True, True, True]
    return sim


# -- what must not be frozen ----------------------------------------------------------------------


def on_slope(angle):
    world = am.World(gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    rough = am.Material(friction=0.5)
    world.add_body(am.Plane(), fixed=True, material=rough)
    world.add_body(am.Box((0.4, 0.4, 0.2)), mass=1.0, position=(0, 0, 0.1), material=rough)
    return world


def test_a_block_just_below_the_angle_of_friction_sleeps_and_one_just_above_slides():
    below = sleeping(on_slope(math.atan(0.5) - 1e-4))
    below.run(LONG)
    assert below.bodies.asleep[1]
    above = sleeping(on_slope(math.atan(0.5) + 1e-5))
    above.run(LONG)
    assert not above.bodies.asleep.any()
    a = G * (math.sin(math.atan(0.5) + 1e-5) - 0.5 * math.cos(math.atan(0.5) + 1e-5))
    assert above.bodies.velocity[1, 0] == pytest.approx(a * above.time, rel=0.05)


def test_a_ball_at_the_top_of_its_flight_goes_on():
    world = on_floor()
    world.add_body(BALL, mass=1.0, position=(0, 0, 1.0), velocity=(0, 0, 1e-3))
    sim = am.Simulation(world, step=1e-4, sleeping=am.Sleeping(time=0.0))
    sim.run(0.01)
    assert not sim.bodies.asleep.any()
    assert sim.bodies.velocity[1, 2] < -0.05


def test_a_pendulum_turns_back_and_a_tiny_one_swings_on():
    for swing in (0.5, 1e-7):
        world = am.World()
        bob = world.add_body(BALL, mass=1.0, position=(math.sin(swing), 0, -math.cos(swing)))
        world.add_joint(am.Revolute(None, bob, point=(0, 0, 0), axis=(0, 1, 0)))
        sim = sleeping(world)
        sim.run(LONG)
        assert not sim.bodies.asleep.any()
        assert np.abs(sim.bodies.velocity[0, 0]) > 0.01 * swing


def test_without_gravity_nothing_sleeps():
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Plane(), fixed=True)
    world.add_body(CUBE, mass=1.0, position=(0, 0, 0.1))
    world.add_body(BALL, mass=1.0, position=(1, 0, 1), velocity=(1e-9, 0, 0))
    sim = sleeping(world)
    sim.run(2.0)
    assert not sim.bodies.asleep.any()
    assert sim.bodies.position[2, 0] == pytest.approx(1.0 + 2e-9, abs=1e-15)


def test_a_shaker_of_tiny_amplitude_keeps_its_load_awake():
    world = am.World()
    shake = am.Motion(velocity=lambda t: (1e-7 * math.cos(20.0 * t), 0.0, 0.0))
    world.add_body(am.Box((2, 2, 0.2)), motion=shake, position=(0, 0, -0.1))
    world.add_body(CUBE, mass=1.0, position=(0, 0, 0.1))
    sim = sleeping(world)
    sim.run(LONG)
    assert not sim.bodies.asleep.any()
    assert sim.bodies.velocity[1, 0] == pytest.approx(1e-7 * math.cos(20.0 * sim.time), abs=2e-8)


def test_a_tower_about_to_fall_falls():
    """Its upper half leans out by a millionth of its width more than it may."""
    world = on_floor()
    world.add_body(CUBE, mass=1.0, position=(0, 0, 0.1))
    world.add_body(CUBE, mass=1.0, position=(0.1 + 1e-6, 0, 0.3))
    sim = sleeping(world)
    sim.run(2.0)
    assert sim.bodies.position[2, 2] < 0.29


def test_a_body_that_creeps_is_not_held():
    """Slower than any speed that could be told from noise, but on its way."""
    world = on_floor()
    smooth = am.Material(friction=0.0)
    world.add_body(am.Plane((0, 0, 1)), fixed=True, material=smooth, position=(0, 0, 1.0))
    world.add_body(CUBE, mass=1.0, position=(0, 0, 1.1), velocity=(3e-6, 0, 0), material=smooth)
    world.materials.rules["friction"] = "minimum"
    sim = sleeping(world)
    sim.run(2.0 * LONG)
    assert not sim.bodies.asleep.any()
    assert sim.bodies.position[2, 0] == pytest.approx(3e-6 * sim.time, rel=1e-3)


def test_a_motor_keeps_its_bodies_awake():
    world = stack(1)
    motor = am.SpeedMotor(speed=0.0)
    world.add_joint(am.Prismatic(None, 1, point=(0, 0, 0.1), axis=(1, 0, 0), motor=motor))
    sim = sleeping(world)
    sim.run(LONG)
    assert not sim.bodies.asleep.any()


def test_what_lies_on_springs_stays_awake():
    """Contacts that give way hold energy, of which the books must go on telling."""
    world = am.World()
    soft = am.Material(compliance=1e-5)
    world.add_body(am.Plane(), fixed=True, material=soft)
    world.add_body(CUBE, mass=1.0, position=(0, 0, 0.1), material=soft)
    sim = sleeping(world)
    sim.run(2.0 * LONG)
    assert not sim.bodies.asleep.any()


def test_rest_is_told_apart_in_any_unit():
    """The same stack, a thousand times as small, sleeps after the same number of its own falls."""
    awake = []
    for scale in (1.0, 1e-3):
        world = on_floor()
        for i in range(2):
            world.add_body(
                am.Box.cube(0.2 * scale), mass=1.0, position=(0, 0, (0.1 + 0.2 * i) * scale)
            )
        sim = am.Simulation(world, step=STEP * math.sqrt(scale), sleeping=am.Sleeping())
        steps = 0
        while not sim.bodies.asleep.any() and steps < 1000:
            sim.step()
            steps += 1
        awake.append(steps)
    assert abs(awake[0] - awake[1]) <= 1
    assert awake[0] < 1000


# -- what is read of sleepers ---------------------------------------------------------------------


def test_sleepers_are_no_work_and_their_forces_stay(stacked):
    work = stacked.work
    before = stacked.contacts
    assert len(before) == 12
    stacked.run(0.1)
    with pytest.raises(am.InputError, match="everybody sleeps"):
        stacked.problem()
    report = stacked.readings[-1]
    assert (report.contacts, report.iterations, report.awake) == (0, 0, 0)
    contacts = stacked.contacts
    for above, pair in ((3, (0, 1)), (2, (1, 2)), (1, (2, 3))):
        rows = contacts.between(*pair)
        weight = 2.0 * above * G
        assert contacts.force[rows].sum(axis=0) == pytest.approx([0, 0, weight], abs=1e-6 * weight)
    assert contacts.force.sum(axis=0) == pytest.approx(before.force.sum(axis=0), rel=1e-9)
    assert contacts.points[:, 2] == pytest.approx(np.round(contacts.points[:, 2], 1), abs=1e-3)
    assert stacked.work == work
    energy = report.kinetic_energy + report.potential_energy
    start = stacked.readings[0]
    assert energy - sum(stacked.work) == pytest.approx(
        start.kinetic_energy + start.potential_energy - sum(start.work), abs=1e-12
    )


def test_forces_are_read_once_in_the_step_of_falling_asleep():
    sim = sleeping(stack())
    counts = []
    while not sim.bodies.asleep.any():
        sim.step()
        counts.append((len(sim.contacts), sim.contacts.force[:, 2].sum()))
    assert {count for count, _ in counts} == {12}
    assert counts[-1][1] == pytest.approx(counts[-2][1], rel=1e-6)


def test_sleepers_are_recorded(tmp_path):
    sim = sleeping(stack())
    with Recorder(sim, tmp_path, rate=10.0, contacts=True) as recorder:
        sim.run(LONG + 0.3, on_step=recorder)
    assert sim.bodies.asleep[1:].all()
    with Results(tmp_path) as results:
        assert np.array_equal(results[-1].position, sim.bodies.position)
        carried = results[-1].contacts.force.sum(axis=0)
        assert carried[2] == pytest.approx(12.0 * G, rel=1e-6)
        assert results.readings("awake")[-1] == 0


def test_sleepers_are_not_looked_for(stacked, monkeypatch):
    asked = []
    detector = stacked.model.detector
    find = type(detector).detect_unit

    def counted(self, *given, **options):
        asked.append(options["free"])
        return find(self, *given, **options)

    monkeypatch.setattr(type(detector), "detect_unit", counted)
    stacked.step()
    assert asked == []
    stacked.world.add_body(BALL, mass=1.0, position=(5.0, 0.0, 0.1))
    report = stacked.step()
    assert [each.tolist() for each in asked] == [[False, False, False, False, True]]
    assert report.contacts == 1


def test_forces_are_remembered_when_sleepers_wake(stacked):
    """The first guess of the first step awake is that of the last before they slept."""
    stacked.bodies.force[3] = (0.0, 0.0, -1e-9)
    report = stacked.step()
    assert report.awake == 3
    assert report.iterations <= 3
    stacked.bodies.force[3] = 0.0
    stacked.run(LONG + 0.1)
    assert stacked.bodies.asleep[1:].all()


def test_a_run_with_sleepers_goes_on_bit_for_bit(stacked, tmp_path):
    stacked.save(tmp_path / "asleep.npz")
    again = sleeping(stack())
    again.restore(tmp_path / "asleep.npz")
    for sim in (stacked, again):
        sim.run(0.05)
        sim.bodies.velocity[3] = (0.3, 0.0, 0.0)
        sim.run(0.3)
    assert again.state.equals(stacked.state)
    assert stacked.bodies.position[3, 0] > 1e-3


def test_part_of_a_state_keeps_what_sleeps_in_it(stacked):
    part = stacked.state.take([0, 1], stacked.model.joints)
    assert part.rest.dormant.bodies.max() == 1
    assert part.rest.since.shape == (2, 7)


# -- what wakes them ------------------------------------------------------------------------------


def wakes(sim, row=1):
    sim.step()
    return not sim.bodies.asleep[row]


def test_a_body_laid_on_a_stack_wakes_it(stacked):
    """It does not move, but it weighs."""
    stacked.world.add_body(CUBE, mass=50.0, position=(0.0, 0.0, 0.7))
    assert wakes(stacked, 1)
    stacked.run(LONG + 0.1)
    assert stacked.bodies.asleep[1:].all()
    floor = stacked.contacts.between(0, 1)
    assert stacked.contacts.force[floor].sum(axis=0)[2] == pytest.approx(56.0 * G, rel=1e-6)


@pytest.mark.parametrize(
    "how", ["floor moved", "friction", "velocity", "force", "gravity", "place"]
)
def test_what_is_changed_by_hand_wakes_the_whole_island(stacked, how):
    if how == "floor moved":
        stacked.bodies.position[0, 2] -= 0.5
    elif how == "friction":
        usual = stacked.world.bodies.material[0]
        material = stacked.world.materials.list[usual]
        stacked.world.materials.set_pair(material, material, am.Material(friction=0.1))
    elif how == "velocity":
        stacked.bodies.velocity[3] = (1e-12, 0, 0)
    elif how == "force":
        stacked.bodies.torque[3] = (0, 0, 1e-12)
    elif how == "gravity":
        stacked.world.gravity = (1e-9, 0, -G)
    else:
        stacked.bodies.position[3, 0] += 1e-12
    stacked.step()
    assert not stacked.bodies.asleep.any()
    assert stacked.readings[-1].contacts >= (0 if how == "floor moved" else 12)


def test_a_support_that_begins_to_move_wakes_what_lies_on_it():
    """It rests for two seconds, and then it leaves."""
    world = am.World()
    start = 1.3 * LONG
    leave = am.Motion(velocity=lambda t: (0.0, 0.0, -1e-6 if t > start else 0.0))
    world.add_body(am.Box((2, 2, 0.2)), motion=leave, position=(0, 0, -0.1))
    world.add_body(CUBE, mass=1.0, position=(0, 0, 0.1))
    sim = sleeping(world)
    sim.run(until=start - 0.02)
    assert sim.bodies.asleep[1]
    sim.run(until=start + 0.1)
    assert not sim.bodies.asleep.any()
    assert sim.bodies.position[1, 2] == pytest.approx(0.1 - 1e-7, abs=2e-8)


def test_a_support_that_is_held_in_place_is_still():
    """Its place is reached but for rounding, in each step anew."""
    world = am.World()
    hold = am.Motion(position=lambda t: (0.1, 0.7, -0.1))
    world.add_body(am.Box((2, 2, 0.2)), motion=hold, position=(0.1, 0.7, -0.1))
    world.add_body(CUBE, mass=1.0, position=(0, 0, 0.1))
    sim = sleeping(world)
    sim.run(LONG)
    assert sim.bodies.asleep[1]


def test_a_kinematic_body_that_comes_wakes_whom_it_reaches(stacked):
    push = am.Motion(velocity=(0.5, 0.0, 0.0))
    stacked.world.add_body(am.Box.cube(0.1), motion=push, position=(-0.3, 0.0, 0.5))
    stacked.run(0.2)
    assert stacked.bodies.asleep[1:4].all()
    stacked.run(0.3)
    assert not stacked.bodies.asleep.any()
    assert stacked.bodies.position[3, 0] > 0.05


def test_bodies_that_begin_asleep_wake_when_touched():
    world = stack(3)
    world.bodies.asleep[1:] = True
    world.add_body(BALL, mass=1.0, position=(0.0, 0.0, 0.75))
    sim = am.Simulation(world, step=STEP)
    assert sim.step().awake == 1
    sim.run(0.2)
    assert not sim.bodies.asleep.any()


def test_sleepers_apart_are_left_alone():
    world = stack(2)
    world.add_body(CUBE, mass=1.0, position=(3.0, 0.0, 0.1))
    sim = sleeping(world)
    sim.run(LONG)
    assert sim.bodies.asleep.tolist() == [False, True, True, True]
    sim.bodies.velocity[1] = (0.0, 0.0, 0.2)
    sim.step()
    assert sim.bodies.asleep.tolist() == [False, False, False, True]
    assert len(sim.contacts.between(0, 3)) == 4
