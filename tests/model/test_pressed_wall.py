"""`PressedWall`: at rest the sample pushes back with the stress that was asked for."""

import numpy as np
import pytest

import amontons as am
from amontons.model.signals import Schedule, Wave

SIDE = 0.06


def oedometer(stress, *, gravity=(0.0, 0.0, 0.0), lid_mass=0.5):
    """Spheres in a smooth box under a lid that is pressed; the lid meets only the grains."""
    world = am.World(gravity=gravity)
    smooth, rough = am.Material(friction=0.0), am.Material(friction=0.5)
    half = 0.5 * SIDE
    walls = {
        "floor": ((0, 0, 1), 0.0),
        "left": ((1, 0, 0), -half),
        "right": ((-1, 0, 0), -half),
        "front": ((0, 1, 0), -half),
        "back": ((0, -1, 0), -half),
    }
    for name, (normal, offset) in walls.items():
        world.add_body(
            am.Plane(normal, offset), fixed=True, material=smooth, name=name, group=2, mask=1
        )
    grains = am.pack(
        ((-half, -half, 0.0), (half, half, SIDE)), am.Sizes.uniform(0.013, 0.017), fraction=0.36
    )
    world.add_spheres(grains.radius, position=grains.position, density=2500.0, material=rough)
    lid = world.add_body(
        am.Box((SIDE, SIDE, 0.01)), mass=lid_mass, position=(0, 0, SIDE + 0.0051),
        material=smooth, name="lid", group=2, mask=1,
    )  # fmt: skip
    guide = am.PressedWall(lid, (0, 0, -1), stress, area=SIDE**2, name="lid").add_to(world)
    return world, lid, guide


def settled(world, until=0.6):
    sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-6, max_iterations=3000))
    sim.run(until)
    return sim


@pytest.mark.slow
@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.0, 0.0, -9.81)])
def test_at_rest_the_sample_pushes_back_with_the_stress(gravity):
    """Whatever the lid weighs."""
    world, lid, _ = oedometer(2e3, gravity=gravity, lid_mass=3.0)
    sim = settled(world)
    assert abs(lid.velocity[2]) < 1e-3
    assert sim.contacts.on(lid).force[2] == pytest.approx(2e3 * SIDE**2, rel=1e-2)


@pytest.mark.slow
def test_stress_of_the_sample_is_that_of_its_walls():
    """V σ = Σ f ⊗ x over the forces of the walls on the grains, without weight."""
    world, lid, _ = oedometer(2e3)
    sim = settled(world)
    inside = ((-0.5 * SIDE, -0.5 * SIDE, 0.0), (0.5 * SIDE, 0.5 * SIDE, lid.position[2] - 0.005))
    volume = SIDE**2 * (lid.position[2] - 0.005)
    contacts = sim.contacts
    walls = [world.body(name).id for name in ("floor", "left", "right", "front", "back", "lid")]
    first = np.isin(contacts.bodies[:, 0], walls)  # the force is on body B
    outer = np.einsum("ci,cj->ij", contacts.force[first], contacts.points[first])
    second = np.isin(contacts.bodies[:, 1], walls)
    outer -= np.einsum("ci,cj->ij", contacts.force[second], contacts.points[second])
    measured = am.measure.stress(sim, inside)
    np.testing.assert_allclose(measured, -outer / volume, atol=2e-2 * 2e3)
    assert first.sum() + second.sum() > 20
    assert measured[2, 2] == pytest.approx(2e3, rel=2e-2)


@pytest.mark.parametrize(
    "stress",
    [
        Schedule([(0.0, 100.0), (0.2, 300.0)]),
        Wave(amplitude=50.0, rate=10.0, mean=200.0),
        lambda time: 100.0 + 1e3 * time,
    ],
    ids=["schedule", "wave", "function"],
)
def test_a_free_wall_is_moved_by_the_stress_over_time(stress):
    """m v = A ∫ σ dt along the axis, whatever its direction; gravity does not show along it."""
    world = am.World()
    wall = world.add_body(am.Box((1.0, 1.0, 0.1)), mass=4.0, position=(0, 0, 0))
    axis = np.array([0.6, 0.0, -0.8])
    am.PressedWall(wall, axis, stress, area=0.5).add_to(world)
    sim = am.Simulation(world, step=1e-3)
    sim.run(0.2)
    times = np.linspace(0.0, 0.2, 4001)
    impulse = 0.5 * np.trapezoid([stress(time) for time in times], times)
    np.testing.assert_allclose(wall.velocity, impulse / 4.0 * axis, rtol=1e-2, atol=1e-6)


def test_a_wall_slides_along_the_body_that_guides_it():
    world = am.World(gravity=(0, 0, 0))
    cart = world.add_body(
        am.Box.cube(0.2), position=(0, 0, 0), motion=am.Motion(velocity=(1.0, 0.0, 0.0))
    )
    wall = world.add_body(am.Box.cube(0.1), mass=1.0, position=(0, 0, 0.5))
    am.PressedWall(wall, (0, 0, 1), 10.0, area=0.1, guide=cart).add_to(world)
    am.Simulation(world, step=1e-3).run(0.5)
    assert wall.position[0] == pytest.approx(0.5, abs=1e-2)
    assert wall.velocity[2] == pytest.approx(0.5, rel=1e-3)  # F t / m


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"body": None}, "body must be a body"),
        ({"axis": (0, 0, 0)}, "axis"),
        ({"stress": float("nan")}, "stress"),
        ({"area": 0.0}, "area"),
        ({"name": ""}, "name must be text"),
        ({"guide": 0}, "guide is the wall itself"),
    ],
)
def test_bad_walls_are_refused(changes, complaint):
    good = {"body": 0, "axis": (0, 0, -1), "stress": 1e3, "area": 0.1}
    with pytest.raises(am.InputError, match=complaint):
        am.PressedWall(**good | changes)


def test_walls_that_cannot_be_pressed_are_refused_and_nothing_is_added():
    world = am.World()
    floor = world.add_body(am.Plane(), fixed=True, name="floor")
    with pytest.raises(am.InputError, match="floor is fixed or has a motion"):
        am.PressedWall(floor, (0, 0, -1), 1e3, area=0.1).add_to(world)
    with pytest.raises(am.InputError):
        am.PressedWall(7, (0, 0, -1), 1e3, area=0.1).add_to(world)
    assert not world.joints
    assert not world.forces


def test_a_stress_that_is_no_number_is_named_when_it_is_asked_for():
    world, _, _ = oedometer(lambda time: float("nan"))
    with pytest.raises(am.InputError, match="stress of lid at"):
        am.Simulation(world, step=1e-3).step()
