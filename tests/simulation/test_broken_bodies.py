"""Bodies of joints that have broken: they collide again, and nothing throws them about."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am

G = 9.81
STILL = (0.0, 0.0, 0.0)
BALL = am.Sphere(0.1)


def bonded(*, overlap=0.0, gravity=STILL, more=False, shape=BALL, **options):
    """Two bodies that touch, or overlap, and a bond that breaks at 5 N."""
    world = am.World(gravity=gravity)
    gap = 0.2 - overlap
    a = world.add_body(shape, mass=1.0, name="a")
    b = world.add_body(shape, mass=1.0, position=(gap, 0.0, 0.0), name="b")
    world.add_joint(am.Fixed(a, b, point=(gap / 2, 0, 0), name="bond", break_force=5.0))
    if more:
        world.add_joint(am.Rope(a, b, point_a=STILL, point_b=(gap, 0, 0), length=9.0))
    return am.Simulation(world, step=1e-3, **options)


def tear(sim, speed=1.0):
    """Break the bond by a pull, then send the two bodies back at each other."""
    a, b = sim.world.body("a"), sim.world.body("b")
    b.force = (50.0, 0.0, 0.0)
    sim.run(0.05)
    assert sim.joints.broken[0]
    b.force = STILL
    a.velocity, b.velocity = (speed, 0.0, 0.0), (-speed, 0.0, 0.0)


def distance(sim):
    return float(np.linalg.norm(sim.bodies.position[1] - sim.bodies.position[0]))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [am.Sphere(0.1), am.Box.cube(0.2)], ids=["balls", "cubes"])
def test_bodies_of_a_broken_joint_collide_again(shape):
    sim = bonded(shape=shape)
    tear(sim)
    sim.run(0.4)
    assert distance(sim) == pytest.approx(0.2, abs=1e-3)  # they met, and did not pass
    assert len(sim.contacts) > 0


@pytest.mark.slow
def test_another_joint_that_holds_still_keeps_them_from_colliding():
    sim = bonded(more=True)
    tear(sim)
    sim.run(0.4)
    assert sim.bodies.position[0, 0] > sim.bodies.position[1, 0]  # through each other
    sim.world.remove_joint(sim.world.joints[1])
    sim.run(0.1)
    assert sim.joints.broken.tolist() == [True]
    assert sim.joints.broken_by.tolist() == ["force"]


@pytest.mark.slow
def test_they_collide_after_a_checkpoint_bit_for_bit(tmp_path):
    sim = bonded(overlap=0.05)
    tear(sim)
    sim.save(tmp_path / "torn.npz")
    resumed = bonded(overlap=0.05)
    resumed.restore(tmp_path / "torn.npz")
    for each in (sim, resumed):
        each.run(0.4)
    assert sim.joints.broken_by.tolist() == resumed.joints.broken_by.tolist() == ["force"]
    assert distance(sim) == pytest.approx(0.2, abs=1e-3)
    for name in sim.bodies.columns.names:
        assert sim.bodies.columns[name].tobytes() == resumed.bodies.columns[name].tobytes(), name
    # and back to where the joint held
    whole = bonded(overlap=0.05)
    whole.save(tmp_path / "whole.npz")
    sim.restore(tmp_path / "whole.npz")
    sim.run(0.01)
    assert not sim.joints.broken.any()
    assert len(sim.contacts) == 0


def test_a_step_that_is_taken_back_mends_what_it_broke():
    """The bond breaks in the first half of a step; in the second half something raises."""
    sim = bonded(overlap=0.05, substeps=2)

    def fails(state):
        if state.time > 1e-4:
            raise RuntimeError("no more")
        return np.array([[50.0, 0, 0, 0, 0, 0]])

    force = sim.world.add_force(am.Force(sim.world.body("b"), fails))
    with pytest.raises(RuntimeError, match="no more"):
        sim.step()
    assert sim.time == 0.0
    assert not sim.joints.broken.any()
    sim.world.remove_force(force)
    sim.run(0.02)
    assert len(sim.contacts) == 0
    assert distance(sim) == pytest.approx(0.15, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("gravity", [STILL, (0.0, 0.0, -G)], ids=["weightless", "falling"])
@pytest.mark.parametrize("h", [1e-3, pytest.param(1e-4, marks=pytest.mark.slow)])
def test_bodies_that_overlap_when_their_joint_breaks_are_not_thrown_apart(gravity, h):
    """They part as they were pulled, and keep the overlap that they have until then."""
    sim = bonded(overlap=0.05, gravity=gravity)
    sim.step_length = h
    b = sim.world.body("b")
    b.torque = (0.0, 0.0, 3.0)  # the shear of 3 N m over 0.15 m breaks it, and pulls nothing apart
    sim.step()
    assert sim.joints.broken.all()
    b.torque = STILL
    sim.bodies.twist[:] = 0.0
    sim.run(0.02)
    apart = sim.bodies.velocity[1] - sim.bodies.velocity[0]
    assert np.abs(apart).max() < 1e-9
    assert distance(sim) == pytest.approx(0.15, abs=1e-4)
    sim.bodies.velocity[1, 0] += 0.5  # parted by hand, they meet at their surfaces
    sim.run(0.15)
    assert distance(sim) > 0.2
    sim.bodies.velocity[1, 0] -= 1.0
    sim.run(0.2)
    assert distance(sim) == pytest.approx(0.2, abs=1e-3)


def test_what_is_still_one_rigid_piece_does_not_collide_within_itself():
    """A ring of four cubes: one weld breaks, the other three hold; at two, there are two pieces."""
    world = am.World(gravity=STILL)
    corners = [(0.0, 0.0, 0.0), (0.2, 0.0, 0.0), (0.2, 0.2, 0.0), (0.0, 0.2, 0.0)]
    cubes = world.add_bodies(am.Box.cube(0.2001), position=corners, mass=1.0)  # they overlap
    for k in range(4):
        a, b = cubes[k], cubes[(k + 1) % 4]
        point = 0.5 * np.add(corners[k], corners[(k + 1) % 4])
        world.add_joint(am.Fixed(a, b, point=point))
    sim = am.Simulation(world, step=1e-3)
    sim.bodies.velocity[:] = (1.0, 2.0, 3.0)
    sim.step()
    assert len(sim.contacts) == 0  # not even of those across the corner
    sim.joints.state.broken[0] = True
    sim.run(0.02)
    assert len(sim.contacts) == 0
    assert sim.readings.converged.all()
    sim.joints.state.broken[2] = True
    sim.step()
    met = {tuple(pair) for pair in sim.contacts.bodies.tolist()}
    assert {(0, 1), (2, 3)} <= met
    assert not met & {(1, 2), (0, 3)}
    sim.run(0.02)
    assert sim.readings.converged.all()
    assert sim.bodies.velocity == pytest.approx(np.tile([1.0, 2.0, 3.0], (4, 1)), abs=1e-6)


@pytest.mark.slow
def test_sleepers_wake_when_their_joint_breaks():
    """An average may come up while its bodies sleep already."""
    world = am.World()
    bob = world.add_body(am.Sphere(0.1), mass=1.0)
    world.add_joint(am.Spherical(None, bob, point=(0, 0, 0.2), break_force=9.0, break_time=0.1))
    sim = am.Simulation(world, step=1e-3, sleeping=am.Sleeping(speed=1e-2, time=0.05))
    sim.run(0.3)
    assert bob.asleep
    sim.run(0.2)  # it breaks at −0.1 s ln(1 − 9/9.81) + 0.1 s = 0.35 s
    assert sim.joints.broken.all()
    assert not bob.asleep
    assert bob.position[2] < -0.05
