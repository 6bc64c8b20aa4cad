"""Belts: surfaces that run over bodies which stay where they are, against closed forms."""

import numpy as np
import pytest

import amontons as am

G, MU, BELT = 9.81, 0.4, 0.6


def belt_and_box(surface=(BELT, 0.0, 0.0), friction="exact", **belt):
    """A box that was put down on a belt, and its simulation."""
    stuff = am.Material(friction=MU)
    world = am.World(gravity=(0.0, 0.0, -G))
    world.add_body(am.Box((4.0, 1.0, 0.2)), fixed=True, material=stuff, name="belt",
                   position=(0.0, 0.0, -0.1), surface_velocity=surface, **belt)  # fmt: skip
    box = world.add_body(am.Box((0.4, 0.4, 0.1)), mass=2.0, position=(0.0, 0.0, 0.05),
                         material=stuff)  # fmt: skip
    return box, am.Simulation(world, step=1e-3, friction=friction)


@pytest.mark.slow
@pytest.mark.parametrize("friction", ["exact", "convex"])
def test_a_box_gets_to_the_speed_of_the_belt_as_mu_g_t(friction):
    box, sim = belt_and_box(friction=friction)
    for _ in range(100):
        sim.step()
    assert box.velocity[0] == pytest.approx(MU * G * sim.time, rel=0.01)
    for _ in range(200):
        sim.step()
    assert box.velocity[0] == pytest.approx(BELT, rel=1e-3)
    assert abs(box.velocity[1]) < 1e-6 * BELT
    # the belt gives twice what the box gets: F v t = 2 · ½mv²; friction takes the other half
    work = sim.state.energy.by_cause
    assert work.drives == pytest.approx(2.0 * BELT * BELT, rel=0.02)
    assert work.friction == pytest.approx(-BELT * BELT, rel=0.02)
    held = sim.state.energy.held
    assert work.total == pytest.approx(held, abs=1e-9 * abs(work.drives) + 1e-9 * abs(held))


def test_the_velocity_is_along_the_axes_of_the_body():
    quarter = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # x of the body is y of the world
    box, sim = belt_and_box(orientation=quarter)
    for _ in range(50):
        sim.step()
    assert box.velocity[1] == pytest.approx(MU * G * sim.time, rel=0.02)
    assert abs(box.velocity[0]) < 1e-3 * box.velocity[1]


def test_what_points_out_of_the_surface_does_nothing():
    box, sim = belt_and_box(surface=(0.0, 0.0, BELT))
    for _ in range(20):
        sim.step()
    assert np.abs(box.velocity).max() < 1e-6 * BELT


def test_a_belt_on_a_body_that_moves_keeps_the_momentum_of_both():
    stuff = am.Material(friction=MU)
    world = am.World(gravity=(0.0, 0.0, -G))
    world.add_body(am.Plane(), fixed=True, material=am.Material(friction=0.0))
    cart = world.add_body(am.Box((2.0, 1.0, 0.2)), mass=6.0, position=(0.0, 0.0, 0.1),
                          material=stuff, surface_velocity=(BELT, 0.0, 0.0))  # fmt: skip
    box = world.add_body(am.Box((0.4, 0.4, 0.1)), mass=2.0, position=(0.0, 0.0, 0.25),
                         material=stuff)  # fmt: skip
    sim = am.Simulation(world, step=1e-3, friction="exact")
    for _ in range(250):
        sim.step()
    assert 2.0 * box.velocity[0] + 6.0 * cart.velocity[0] == pytest.approx(0.0, abs=1e-6 * BELT)
    assert box.velocity[0] - cart.velocity[0] == pytest.approx(BELT, rel=1e-3)
    work, held = sim.state.energy.by_cause, sim.state.energy.held
    assert work.total == pytest.approx(held, abs=1e-9 * abs(held))
    assert work.drives > 0.0 > work.friction


def test_a_belt_is_started_by_hand_and_wakes_who_sleeps_on_it():
    box, sim = belt_and_box(surface=(0.0, 0.0, 0.0))
    sim = am.Simulation(sim.world, step=1e-3, sleeping=am.Sleeping(time=0.02))
    for _ in range(60):
        sim.step()
    assert box.asleep
    sim.world.body("belt").surface_velocity = (BELT, 0.0, 0.0)
    for _ in range(50):
        sim.step()
    assert box.velocity[0] == pytest.approx(MU * G * 0.05, rel=0.05)


def test_cohesion_on_a_belt_is_still_shared_by_a_pairs_contacts():
    """A pull of 40 N holds 30 N, and not 50 N, though four contacts carry it."""
    for pull, holds in ((30.0, True), (50.0, False)):
        stuff = am.Material(friction=MU, cohesion=40.0)
        world = am.World(gravity=(0.0, 0.0, 0.0))
        world.add_body(am.Plane(), fixed=True, material=stuff, surface_velocity=(0.1, 0, 0))
        box = world.add_body(
            am.Box((0.4, 0.4, 0.1)), mass=2.0, position=(0, 0, 0.05), material=stuff
        )
        box.force = (0.0, 0.0, pull)
        sim = am.Simulation(world, step=1e-3, friction="exact")
        for _ in range(10):
            sim.step()
        assert (box.velocity[2] < 1e-4) == holds


def test_a_checkpoint_has_it(tmp_path):
    _, sim = belt_and_box()
    sim.step()
    sim.world.body("belt").surface_velocity = (2.0 * BELT, 0.0, 0.0)
    sim.save(tmp_path / "state.npz")
    _, other = belt_and_box()
    other.restore(tmp_path / "state.npz")
    assert other.world.body("belt").surface_velocity.tolist() == [2.0 * BELT, 0.0, 0.0]
    sim.step()
    other.step()
    assert other.state.equals(sim.state)


@pytest.mark.parametrize("bad", ["fast", (1.0, 2.0), (np.nan, 0.0, 0.0)])
def test_what_is_no_velocity_is_refused(bad):
    world = am.World()
    with pytest.raises(am.InputError, match="surface_velocity"):
        world.add_body(am.Plane(), fixed=True, surface_velocity=bad)
    belt = world.add_body(am.Plane(), fixed=True)
    with pytest.raises(am.InputError, match="surface_velocity"):
        belt.surface_velocity = bad
    assert not belt.surface_velocity.any()


def test_a_number_lost_in_the_arrays_is_found_before_the_step():
    _, sim = belt_and_box()
    sim.world.bodies.surface_velocity[0, 0] = np.nan
    with pytest.raises(am.InputError, match="surface velocity of belt"):
        sim.step()


def test_scene_files_hold_it(tmp_path):
    _, sim = belt_and_box()
    am.save_scene(sim.world, tmp_path / "belt.yaml")
    assert "surface_velocity" in (tmp_path / "belt.yaml").read_text(encoding="utf-8")
    back = am.load_scene(tmp_path / "belt.yaml").world
    np.testing.assert_array_equal(back.bodies.surface_velocity, sim.world.bodies.surface_velocity)
