"""Net force and torque of contacts on a body."""

import numpy as np
import pytest

import amontons as am


def resting(substeps=1):
    world = am.World()
    floor = world.add_body(am.Plane(), fixed=True)
    box = world.add_body(am.Box((0.4, 0.4, 0.2)), mass=2.0, position=(1.0, 0.5, 0.1))
    sim = am.Simulation(world, step=1e-3, substeps=substeps)
    for _ in range(3):
        sim.step()
    return sim, floor, box


def test_contacts_carry_the_weight_of_what_rests():
    sim, floor, box = resting()
    load = sim.contacts.on(box, about=box.position)
    np.testing.assert_allclose(load.force, [0, 0, 2 * 9.81], atol=1e-6)
    np.testing.assert_allclose(load.torque, 0, atol=1e-5)
    assert load.contacts == len(sim.contacts)
    back = sim.contacts.on(floor.id)
    np.testing.assert_allclose(back.force, -load.force, atol=1e-12)
    # about the origin: x × f
    np.testing.assert_allclose(back.torque, np.cross(box.position, back.force), atol=1e-5)


def test_the_load_of_an_impact_is_the_mean_over_substeps():
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Plane(), fixed=True)
    ball = world.add_body(am.Sphere(0.1), mass=3.0, position=(0, 0, 0.103), velocity=(0, 0, -2.0))
    sim = am.Simulation(world, step=4e-3, substeps=4)
    before = ball.velocity.copy()
    sim.step()
    contacts = sim.contacts
    assert len(contacts.earlier) == 3
    change = 3.0 * (ball.velocity - before) / 4e-3
    np.testing.assert_allclose(contacts.on(ball).force, change, rtol=1e-9)
    assert contacts.step == pytest.approx(1e-3)


def test_contacts_keep_their_bodies_when_others_go():
    world = am.World()
    floor = world.add_body(am.Plane(), fixed=True)
    gone = world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    ball = world.add_body(am.Sphere(0.1), mass=1.0, position=(1, 0, 0.1))
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    world.remove_bodies(gone)
    assert sim.state.bodies.id.tolist() == [floor.id, ball.id]
    left = sim.contacts.among(world.bodies.id)
    assert left.bodies.tolist() == [[floor.id, ball.id]]
    assert sim.contacts.on(ball).force[2] == pytest.approx(9.81)


def test_bodies_are_given_by_handle_or_id():
    sim, _, _ = resting()
    with pytest.raises(am.InputError, match="handle or its id"):
        sim.contacts.on("box")
    with pytest.raises(am.InputError, match="about"):
        sim.contacts.on(0, about=(0, 0))
    assert sim.contacts.on(99).contacts == 0
