"""Bodies that overlap are told of, parted, and do not keep the speed at which they were."""

import numpy as np
import pytest

import amontons as am

G = 9.81


def overlapping(*, radius=0.1, share=1.0, gravity=0.0, restitution=0.0):
    """Two spheres that overlap by a share of their radius, on a floor if there is gravity."""
    world = am.World(gravity=(0.0, 0.0, -gravity))
    material = am.Material(friction=0.3, restitution=restitution)
    if gravity:
        world.add_body(am.Plane(), fixed=True, material=material, name="floor")
    for name, x in (("left", 0.0), ("right", (2.0 - share) * radius)):
        world.add_body(
            am.Sphere(radius), mass=1.0, position=(x, 0, radius), material=material, name=name
        )
    return world


@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("share", [1.0, 0.3, 0.02])
@pytest.mark.parametrize("radius", [0.1, 100.0])
def test_two_spheres_end_up_apart_and_at_rest(radius, share, restitution):
    world = overlapping(radius=radius, share=share, restitution=restitution)
    sim = am.Simulation(world, step=5e-3)
    readings = sim.run(1.0)
    apart = np.linalg.norm(np.diff(sim.bodies.position, axis=0))
    assert apart >= (2.0 - 1e-4) * radius
    assert apart <= (2.0 + 1e-3) * radius
    assert np.abs(sim.bodies.twist).max() < 1e-6 * radius
    assert readings.kinetic_energy.max() < 1e-12 * radius**2


def test_overlaps_are_parted_at_the_recovery_speed():
    sim = am.Simulation(overlapping(), step=5e-3, recovery_speed=0.5)
    depth = sim.run(0.1).penetration
    np.testing.assert_allclose(-np.diff(depth), 0.5 * 5e-3, rtol=1e-6)


@pytest.mark.slow
def test_a_stack_that_overlaps_rises_without_a_jump():
    """Cubes, each a quarter inside the one below: lifted to their places, and at rest there."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    for i in range(5):
        world.add_body(am.Box.cube(0.2), mass=1.0, position=(0, 0, 0.1 + 0.15 * i))
    sim = am.Simulation(world, step=5e-3)
    heights = []
    readings = sim.run(4.0, on_step=lambda _: heights.append(sim.bodies.position[1:, 2].copy()))
    np.testing.assert_allclose(heights[-1], 0.1 + 0.2 * np.arange(5), atol=1e-5)
    assert np.max(heights) < 0.9 + 1e-5  # nothing is thrown up
    assert readings.kinetic_energy[-50:].max() < 1e-8
    # while they are lifted, nothing moves faster than one step's gravity has it
    assert readings.kinetic_energy.max() < 5 * 0.5 * (G * 5e-3) ** 2


@pytest.mark.slow
def test_a_crowd_that_overlaps_settles_cold_and_does_not_sink():
    """Spheres thrown into a box, into each other: parted, and then a heap as any other."""
    rng = np.random.default_rng(3)
    world = am.World()
    material = am.Material(friction=0.3, rolling_friction=1e-3, spinning_friction=1e-3)
    world.add_body(am.Plane(), fixed=True, material=material)
    for axis in (0, 1):
        for side in (1.0, -1.0):
            normal = side * np.eye(3)[axis]
            world.add_body(am.Plane(normal), fixed=True, position=-0.25 * normal, material=material)
    place = rng.uniform((-0.15, -0.15, 0.1), (0.15, 0.15, 0.4), (16, 3))
    world.add_bodies(am.Sphere(0.1), position=place, mass=1.0, material=material)
    sim = am.Simulation(world, step=5e-3)
    readings = sim.run(3.0)
    start = readings.potential_energy[0]
    assert readings.penetration[0] > 0.05
    # all that moves was lifted first, a body at most by what the heap is high
    assert readings.kinetic_energy.max() < 0.1 * start
    assert readings.kinetic_energy[-50:].max() < 1e-4 * start
    assert readings.penetration[-50:].max() < 1e-4 * 0.1
    rise = sim.bodies.position[5:, 2]
    sim.run(1.0)
    assert np.abs(sim.bodies.position[5:, 2] - rise).max() < 1e-4


@pytest.mark.slow
def test_it_goes_on_bit_for_bit_while_bodies_are_parted(tmp_path):
    def spheres():
        return am.Simulation(overlapping(gravity=G), step=5e-3)

    whole, first, second = spheres(), spheres(), spheres()
    whole.run(1.0)
    first.run(0.3)
    assert first.readings.penetration[-1] > 0.01
    first.save(tmp_path / "state.npz")
    second.restore(tmp_path / "state.npz")
    second.run(0.7)
    np.testing.assert_array_equal(whole.bodies.position, second.bodies.position)
    np.testing.assert_array_equal(whole.bodies.twist, second.bodies.twist)
    assert [note.kind for note in whole.readings.notes] == ["first overlap"]
    assert second.readings.notes == []


# -- notes ----------------------------------------------------------------------------------------


def test_bodies_that_were_placed_into_each_other_are_named():
    (note,) = am.Simulation(overlapping(), step=5e-3).step().notes
    assert (note.kind, note.value) == ("first overlap", pytest.approx(1.0))
    assert note.bodies == ("left", "right")
    assert "1 pair of bodies overlapped from the start by up to 0.1 m, 100 % of" in str(note)
    assert "left and right" in str(note)
    assert "place them apart" in str(note)


def test_many_pairs_are_counted_and_the_first_few_named():
    world = am.World(gravity=(0, 0, 0))
    for i in range(10):
        world.add_body(am.Sphere(0.1), mass=1.0, position=(0.15 * i, 0, 0), name=f"s{i}")
    (note,) = am.Simulation(world, step=5e-3).step().notes
    assert "9 pairs of bodies overlapped" in str(note)
    assert "and 6 more" in str(note)


@pytest.mark.parametrize(("share", "notes"), [(0.009, 0), (0.011, 1)])
@pytest.mark.parametrize("radius", [0.1, 100.0])
def test_a_small_share_is_not_worth_a_note_whatever_the_units(radius, share, notes):
    sim = am.Simulation(overlapping(radius=radius, share=share), step=5e-3)
    assert len(sim.step().notes) == notes


def test_a_body_that_is_added_into_another_is_named():
    world = overlapping(share=0.0)
    sim = am.Simulation(world, step=5e-3)
    assert sim.run(0.05).notes == []
    world.add_body(am.Sphere(0.1), mass=1.0, position=(-0.15, 0, 0.1), name="late")
    sim.run(0.05)
    (note,) = sim.readings.notes
    assert (note.kind, note.step) == ("first overlap", 11)
    assert "late" in note.bodies


def test_bodies_that_come_to_overlap_deeply_are_named():
    """A vice, moved as prescribed, closes on a cube: nothing could give way."""
    world = am.World(gravity=(0.0, 0.0, 0.0))
    world.add_body(am.Box.cube(0.2), mass=1.0, name="cube")
    for side in (-1.0, 1.0):
        world.add_body(
            am.Box.cube(0.4), motion=am.Motion(velocity=(-0.2 * side, 0, 0)),
            position=(0.31 * side, 0, 0), name=f"jaw {side:+.0f}",
        )  # fmt: skip
    sim = am.Simulation(world, step=5e-3, watch="note")
    sim.run(0.3)
    notes = [note for note in sim.readings.notes if note.kind == "overlap"]
    assert notes
    assert "cube" in notes[0].bodies
    assert "take a shorter step" in str(notes[0])
    assert all(note.kind != "first overlap" for note in sim.readings.notes)


def test_soft_contacts_are_meant_to_overlap():
    world = am.World()
    soft = am.Material(compliance=5e-3)
    world.add_body(am.Plane(), fixed=True, material=soft)
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.08), material=soft)
    sim = am.Simulation(world, step=5e-3)
    readings = sim.run(0.5)
    assert readings.penetration.max() > 0.05
    assert readings.notes == []
