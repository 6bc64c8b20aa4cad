"""Contacts and problems of a step, worlds that change in a run, steps of chosen length, sleep."""

from __future__ import annotations

import math

import numpy as np
import pytest

import amontons as am

G = 9.81
BALL = am.Sphere(0.1)
CUBE = am.Box.cube(0.2)
PRECISE = am.APGD(tolerance=1e-10, max_iterations=2000)


def stack(count=2, **options):
    """Cubes on each other on a floor."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    place = [(0.0, 0.0, 0.1 + 0.2 * i) for i in range(count)]
    world.add_bodies(CUBE, position=place, mass=2.0, **options)
    return world


# -- contacts and problems ------------------------------------------------------------------------


def test_contacts_of_bodies_at_rest_carry_their_weights():
    sim = am.Simulation(stack(), step=1e-3, solver=PRECISE)
    assert len(sim.contacts) == 0
    assert "none" in repr(sim.contacts)
    sim.run(0.05)
    contacts = sim.contacts
    floor, lower, upper = 0, 1, 2
    on_lower = contacts.force[contacts.between(floor, lower)].sum(axis=0)
    on_upper = contacts.force[contacts.between(upper, lower)].sum(axis=0)
    assert on_lower == pytest.approx([0.0, 0.0, 4.0 * G], abs=1e-4)
    assert on_upper == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-4)
    assert contacts.between(floor, upper).size == 0
    # every force on B is felt by A the other way: each body is in balance
    total = np.zeros((3, 3))
    np.add.at(total, contacts.bodies[:, 1], contacts.force)
    np.add.at(total, contacts.bodies[:, 0], -contacts.force)
    assert total[1:] == pytest.approx(np.array([[0, 0, 2.0 * G]] * 2), abs=1e-4)
    assert contacts.normal_force.sum() == pytest.approx(6.0 * G, rel=1e-5)
    assert np.abs(contacts.tangential_force).max() < 1e-4
    assert sorted(set(np.round(contacts.points[:, 2], 6).tolist())) == [0.0, 0.2]
    assert np.abs(contacts.gaps).max() < 1e-5
    assert "largest force" in repr(contacts)


def test_contacts_are_named_by_ids_also_after_removal():
    world = stack(1)
    sim = am.Simulation(world, step=1e-3)
    extra = world.add_body(CUBE, mass=2.0, position=(1.0, 0.0, 0.1))
    world.remove_bodies(1)
    sim.step()
    assert set(sim.contacts.bodies.ravel().tolist()) == {0, extra.id}


def test_the_problem_of_a_step_can_be_saved_and_solved_by_others(tmp_path):
    sim = am.Simulation(stack(), step=1e-3, solver=PRECISE)
    with pytest.raises(am.InputError, match="no step has been taken"):
        sim.problem()
    sim.run(0.005)
    problem = sim.problem()
    assert problem.name == "step 5"
    problem.save(tmp_path / "step.npz")
    loaded = am.ConeProblem.load(tmp_path / "step.npz")
    for solver in (am.GaussSeidel(tolerance=1e-9), am.SpectralGradient(tolerance=1e-9)):
        solution = solver.solve(loaded)
        assert solution.converged
        up = solution.impulses.reshape(-1, 3)[:, 2].sum()  # of both planes of contact
        assert up == pytest.approx(6.0 * G * 1e-3, rel=1e-5)


# -- worlds that change ---------------------------------------------------------------------------


def test_strangers_that_come_and_go_change_nothing():
    """Bodies that touch nothing are added and removed in a run: the others do not notice."""
    alone, visited = (am.Simulation(stack(3), step=2e-3, near=1e-3) for _ in range(2))
    for k in range(40):
        if k == 10:
            guests = visited.world.add_bodies(BALL, position=[(50.0, 0, 0), (60.0, 0, 0)], mass=1.0)
            visited.world.add_joint(am.Rope(*guests, point_a=(50, 0, 0), point_b=(60, 0, 0)))
        if k == 20:
            visited.world.remove_bodies(guests[0])
        if k == 30:
            visited.world.remove_bodies(guests[1])
        alone.step()
        report = visited.step()
        assert report.iterations <= 60
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        mine, theirs = (getattr(sim.bodies, name) for sim in (alone, visited))
        assert mine == pytest.approx(theirs, abs=1e-6), name


def test_contact_memory_survives_removal():
    """A body that goes renumbers all that follow; their impulses are remembered all the same."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    loner = world.add_body(CUBE, mass=1.0, position=(5.0, 0.0, 0.1))
    place = [(0.0, 0.0, 0.1 + 0.2 * i) for i in range(5)]
    world.add_bodies(CUBE, position=place, mass=1.0)
    sim = am.Simulation(world, step=2e-3, solver=am.APGD(tolerance=1e-5, max_iterations=2000))
    sim.run(0.1)
    world.remove_bodies(loner)
    after = [sim.step().iterations for _ in range(3)]
    sim.forget_contacts()
    cold = sim.step().iterations
    assert cold > 2 * max(after)


@pytest.mark.slow
def test_bodies_added_in_a_run_fall_and_collide():
    sim = am.Simulation(stack(1), step=2e-3)
    sim.run(0.02)
    ball = sim.world.add_body(BALL, mass=1.0, position=(0.0, 0.0, 0.31))
    sim.run(0.2)
    assert ball.position[2] == pytest.approx(0.3, abs=1e-3)
    sim.world.remove_bodies(1)  # the cube under it
    sim.run(0.6)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-3)


@pytest.mark.slow
def test_joints_added_and_removed_in_a_run():
    world = am.World()
    bob = world.add_body(BALL, mass=1.0, position=(1.0, 0.0, 0.0))
    sim = am.Simulation(world, step=1e-3, solver=PRECISE)
    hinge = world.add_joint(am.Revolute(None, bob, point=(0, 0, 0), axis=(0, 1, 0)))
    sim.run(0.1)
    assert np.linalg.norm(bob.position) == pytest.approx(1.0, abs=1e-6)
    world.remove_joint(hinge)
    before = bob.velocity.copy()
    sim.run(0.1)
    assert len(sim.joints) == 0
    assert bob.velocity == pytest.approx(before - [0, 0, 0.1 * G], abs=1e-12)
    world.add_joint(am.Spherical(None, bob, point=(0, 0, 0)))  # bound where the bob is now
    length = np.linalg.norm(bob.position)
    sim.run(0.1)
    assert np.linalg.norm(bob.position) == pytest.approx(length, abs=1e-6)


def test_gravity_may_change_in_a_run():
    """Contact rules follow gravity: as in a run that had it from the start."""
    changed = am.Simulation(stack(1, velocity=(1.0, 0.0, 0.0)), step=2e-3, solver=PRECISE)
    usual = am.Simulation(stack(1, velocity=(1.0, 0.0, 0.0)), step=2e-3, solver=PRECISE)
    changed.world.gravity = (0.0, 0.0, -1.62)
    changed.world.gravity = (0.0, 0.0, -G)
    weak = stack(1, velocity=(1.0, 0.0, 0.0))
    weak.gravity = (0.0, 0.0, -1.62)
    late = am.Simulation(weak, step=2e-3, solver=PRECISE)
    late.world.gravity = (0.0, 0.0, -G)
    for sim in (changed, usual, late):
        sim.run(0.1)
    assert np.array_equal(changed.bodies.twist, usual.bodies.twist)
    assert np.array_equal(late.bodies.twist, usual.bodies.twist)


# -- steps of chosen length -----------------------------------------------------------------------


def test_automatic_steps_follow_the_speed():
    world = am.World(gravity=(0.0, 0.0, 0.0))
    world.add_body(BALL, mass=1.0, velocity=(4.0, 0.0, 0.0))
    chooser = am.AutomaticStep(smallest=1e-3, largest=1e-2, travel=0.25)
    sim = am.Simulation(world, step=chooser)
    assert sim.step().step == pytest.approx(0.25 * 0.1 / 4.0)
    for speed, step in ((0.1, 1e-2), (1e6, 1e-3), (0.0, 1e-2)):
        world.bodies.velocity[0] = (speed, 0.0, 0.0)
        assert sim.step().step == pytest.approx(step)
    sim.run(0.1)
    assert sim.time >= 0.1


def test_automatic_steps_see_a_fall_coming():
    world = am.World(gravity=(0.0, 0.0, -1000.0))
    world.add_body(BALL, mass=1.0)
    sim = am.Simulation(world, step=am.AutomaticStep(largest=1.0), substeps=2)
    first = sim.step()
    assert 2 * first.step == pytest.approx(math.sqrt(0.25 * 0.1 / 1000.0), rel=0.5)
    assert first.notes == ()


@pytest.mark.parametrize(
    ("options", "match"),
    [({"smallest": 0.1, "largest": 0.01}, "smallest step 0.1 s is above"),
     ({"travel": 0.0}, "travel is 0"), ({"largest": math.nan}, "largest is nan")],
)  # fmt: skip
def test_bad_automatic_steps(options, match):
    with pytest.raises(am.InputError, match=match):
        am.AutomaticStep(**options)


# -- sleep ----------------------------------------------------------------------------------------


@pytest.fixture
def asleep():
    """Two cubes on a floor that have fallen asleep."""
    sim = am.Simulation(stack(), step=5e-3, sleeping=am.Sleeping(speed=1e-2, time=0.05))
    assert sim.step().awake == 2
    sim.run(0.2)
    assert sim.readings[-1].awake == 0
    assert sim.bodies.asleep.tolist() == [False, True, True]
    return sim


def test_sleepers_do_not_move_and_cost_no_contacts(asleep):
    before = asleep.bodies.position.copy()
    asleep.run(0.1)
    assert np.array_equal(before, asleep.bodies.position)
    assert asleep.readings[-1].contacts == 0
    assert not asleep.bodies.twist.any()
    assert "2 asleep" in repr(asleep.bodies)


def test_sleepers_wake_when_hit(asleep):
    asleep.world.add_body(BALL, mass=5.0, position=(0.0, 0.0, 0.6), velocity=(0, 0, -3.0))
    awake = []
    asleep.run(0.1, on_step=lambda report: awake.append(report.awake))
    assert max(awake) == 3  # the ball and, since it touched the upper one, both cubes


def test_sleepers_wake_when_pushed(asleep):
    asleep.bodies.force[2] = (30.0, 0.0, 0.0)
    asleep.run(0.05)
    assert asleep.bodies.velocity[2, 0] > 0.1


def test_sleepers_wake_when_given_a_velocity(asleep):
    asleep.bodies.velocity[2] = (0.5, 0.0, 0.0)
    asleep.step()
    assert asleep.bodies.position[2, 0] > 1e-3


def test_sleepers_wake_when_gravity_changes(asleep):
    asleep.world.gravity = (8.0, 0.0, -G)
    asleep.run(0.05)
    assert asleep.bodies.velocity[1:, 0].min() > 0.05


def test_sleepers_wake_when_their_support_is_removed(asleep):
    asleep.world.remove_bodies(1)
    asleep.run(0.1)
    assert asleep.bodies.position[1, 2] < 0.29


def test_sleepers_wake_when_moved_by_hand(asleep):
    asleep.bodies.position[2, 2] += 0.5
    asleep.run(0.1)
    assert asleep.bodies.position[2, 2] < 0.75


@pytest.mark.parametrize("what", ["push", "user", "motor", "push and a newcomer", "new gravity"])
def test_sleepers_wake_when_the_world_changes_around_them(asleep, what):
    world = asleep.world
    if what == "push":
        world.add_force(am.AppliedForce(2, (30.0, 0.0, 0.0)))
    elif what == "user":
        world.add_force(am.Force(2, lambda state: np.array([[30.0, 0, 0, 0, 0, 0]])))
    elif what == "motor":
        motor = am.SpeedMotor(speed=1.0)
        world.add_joint(am.Prismatic(None, 2, point=(0, 0, 0.3), axis=(1, 0, 0), motor=motor))
    else:
        world.add_body(BALL, mass=1.0, position=(9.0, 0.0, 0.1))  # far away
        if what == "new gravity":
            world.gravity = (9.0, 0.0, -G)
        else:
            asleep.bodies.force[2] = (30.0, 0.0, 0.0)
    asleep.run(0.05)
    assert asleep.bodies.velocity[2, 0] > 0.05


@pytest.mark.parametrize("kind", ["hinge", "rope", "two"])
def test_what_hangs_on_joints_sleeps_too(kind):
    """Rows between bodies that cannot move are no business of the solver."""
    world = am.World()
    bob = world.add_body(BALL, mass=1.0, position=(0.0, 0.0, -1.0))
    if kind == "rope":
        world.add_joint(am.Rope(None, bob, point_a=(0, 0, 0), point_b=(0, 0, -1.0)))
    else:
        world.add_joint(am.Revolute(None, bob, point=(0, 0, 0), axis=(0, 1, 0)))
    if kind == "two":
        second = world.add_body(BALL, mass=1.0, position=(0.0, 0.0, -2.0))
        world.add_joint(am.Revolute(bob, second, point=(0, 0, -1.5), axis=(0, 1, 0)))
    sim = am.Simulation(world, step=5e-3, sleeping=am.Sleeping(speed=1e-2, time=0.05))
    sim.run(0.2)
    assert sim.bodies.asleep.all()
    assert sim.readings.notes == []
    sim.bodies.velocity[0, 0] = 1.0
    sim.run(0.1)
    assert not sim.bodies.asleep.any()
    assert sim.readings.notes == []


@pytest.mark.slow
def test_a_swinging_pendulum_does_not_sleep_where_it_turns():
    world = am.World()
    bob = world.add_body(BALL, mass=1.0, position=(1.0, 0.0, 0.0))
    world.add_joint(am.Revolute(None, bob, point=(0, 0, 0), axis=(0, 1, 0)))
    sim = am.Simulation(world, step=5e-3, sleeping=am.Sleeping(speed=0.05, time=0.1))
    sim.run(1.5)
    assert not sim.bodies.asleep.any()


BAD_SLEEP = [{"speed": 0.0}, {"speed": math.nan}, {"speed": 1.0, "time": -1.0},
             {"speed": 1.0, "time": math.inf}]  # fmt: skip


@pytest.mark.parametrize("options", BAD_SLEEP)
def test_bad_sleep(options):
    with pytest.raises(am.InputError, match=r"(speed|time) is"):
        am.Sleeping(**options)
