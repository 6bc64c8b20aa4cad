"""Liquid bridges: their force over the distance, their rupture, the work that it takes."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am

GAMMA, R, V = 0.072, 1e-3, 4e-13  # water between grains of 2 mm: V/R³ = 4e-4
WET = am.Material(friction=0.3, surface_tension=GAMMA, bridge_volume=V)


def force_at(s, *, radius=R, volume=V, angle=0.0):
    """Willett et al. 2000 [N]."""
    x = s * np.sqrt(radius / volume)
    return 2 * np.pi * radius * GAMMA * np.cos(angle) / (1 + 1.05 * x + 2.5 * x**2)


def work_to(s, *, radius=R, volume=V, angle=0.0):
    """Its integral from touch to s [J], in closed form."""
    x, root = s * np.sqrt(radius / volume), np.sqrt(4 * 2.5 - 1.05**2)
    area = 2 / root * (np.arctan((5 * x + 1.05) / root) - np.arctan(1.05 / root))
    return 2 * np.pi * radius * GAMMA * np.cos(angle) * area * np.sqrt(volume / radius)


def rupture(volume=V, angle=0.0):
    """Lian et al. 1993 [m]."""
    return (1 + angle / 2) * volume ** (1 / 3)


MASS, H = 1e-5, 1e-5


def hung(apart, *, material=WET, radius=R, other=R):
    """The pull [N] that a free ball feels at this distance from a fixed one that it had touched."""
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Sphere(other), fixed=True, material=material)
    ball = world.add_body(
        am.Sphere(radius), mass=MASS, position=(0, 0, radius + other), material=material
    )
    sim = am.Simulation(world, step=H)
    sim.step()
    ball.position, ball.velocity = (0, 0, radius + other + apart), (0, 0, 0)
    sim.step()
    return -MASS * ball.velocity[2] / H


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.98])
def test_the_pull_falls_with_the_distance(share):
    s = share * rupture()
    assert hung(s) == pytest.approx(force_at(s), rel=1e-4)


def test_a_bridge_ruptures_and_stays_so():
    assert hung(1.02 * rupture()) == 0.0
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Sphere(R), fixed=True, material=WET)
    ball = world.add_body(am.Sphere(R), mass=MASS, position=(0, 0, 2 * R), material=WET)
    sim = am.Simulation(world, step=H)
    sim.step()
    for apart, holds in ((0.9, True), (1.1, False), (0.5, False), (0.0, True), (0.5, True)):
        ball.position, ball.velocity = (0, 0, 2 * R + apart * rupture()), (0, 0, 0)
        sim.step()
        assert (ball.velocity[2] < 0.0 or apart == 0.0) == holds, apart


def test_no_bridge_without_a_touch():
    """Hysteresis: the same place, with and without one."""
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Sphere(R), fixed=True, material=WET)
    ball = world.add_body(
        am.Sphere(R), mass=1e-5, position=(0, 0, 2 * R + 0.3 * rupture()), material=WET
    )
    sim = am.Simulation(world, step=1e-5)
    sim.run(1e-3)
    assert ball.velocity[2] == 0.0


@pytest.mark.parametrize("other", [2 * R, 5 * R])
def test_unequal_balls_have_their_harmonic_mean(other):
    mean, s = 2 / (1 / R + 1 / other), 0.4 * rupture()
    assert hung(s, other=other) == pytest.approx(force_at(s, radius=mean), rel=1e-4)


def test_a_flat_face_counts_as_twice_the_radius():
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Plane(), fixed=True, material=WET)
    ball = world.add_body(am.Sphere(R), mass=MASS, position=(0, 0, R), material=WET)
    sim = am.Simulation(world, step=H)
    sim.step()
    s = 0.4 * rupture()
    ball.position, ball.velocity = (0, 0, R + s), (0, 0, 0)
    sim.step()
    assert -MASS * ball.velocity[2] / H == pytest.approx(force_at(s, radius=2 * R), rel=1e-4)


def test_the_volume_may_grow_with_the_grains():
    ratio, angle = 5e-4, 0.6
    material = am.Material(surface_tension=GAMMA, contact_angle=angle, bridge_ratio=ratio)
    for radius in (R, 10 * R):
        volume = ratio * radius**3
        far = rupture(volume, angle)
        wanted = force_at(0.5 * far, radius=radius, volume=volume, angle=angle)
        found = hung(0.5 * far, material=material, radius=radius, other=radius)
        assert found == pytest.approx(wanted, rel=1e-4)
        assert hung(1.01 * far, material=material, radius=radius, other=radius) == 0.0


def test_parting_takes_the_work_under_the_curve():
    """A driven ball is pulled off a fixed one; and in the books it is cohesion's."""
    speed, step = 1e-3, 2e-4
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Sphere(R), fixed=True, material=WET)
    ball = world.add_body(am.Sphere(R), mass=1e-4, position=(0, 0, 2 * R), material=WET)
    winch = world.add_body(
        am.Sphere(R), position=(0, 0, 10 * R), motion=am.Motion(velocity=(0, 0, speed)),
        material=am.Material(),
    )  # fmt: skip
    world.add_joint(am.Fixed(ball, winch, point=(0, 0, 5 * R)))
    sim = am.Simulation(world, step=step)
    sim.run(1.3 * rupture() / speed)
    # from the first distance at which it acts, F(s) is taken at the start of each step
    assert sim.work.cohesion == pytest.approx(-work_to(rupture()), rel=0.02)
    held = 0.5 * ball.mass * ball.velocity[2] ** 2
    assert sum(sim.work) == pytest.approx(held, abs=1e-12 * work_to(rupture()))


@pytest.mark.slow
def test_a_ball_flies_off_only_if_it_is_faster_than_the_work_of_parting():
    mass = 1e-5
    escape = np.sqrt(2 * work_to(rupture()) / mass)
    for share in (0.95, 1.05):
        world = am.World(gravity=(0, 0, 0))
        world.add_body(am.Sphere(R), fixed=True, material=WET)
        ball = world.add_body(
            am.Sphere(R), mass=mass, position=(0, 0, 2 * R), velocity=(0, 0, share * escape),
            material=WET,
        )  # fmt: skip
        sim = am.Simulation(world, step=5e-6)
        sim.run(5 * rupture() / escape)
        assert (ball.position[2] - 2 * R > rupture()) == (share > 1.0)
        if share > 1.0:
            left = 0.5 * mass * (share * escape) ** 2 - work_to(rupture())
            assert 0.5 * mass * ball.velocity[2] ** 2 == pytest.approx(left, rel=0.15)


@pytest.mark.slow
def test_bounces_form_bridges_too():
    """An impact within a step is a touch."""
    wet = am.Material(surface_tension=GAMMA, bridge_volume=V, restitution=1.0)
    world = am.World(gravity=(0, 0, 0))
    world.add_body(am.Sphere(R), fixed=True, material=wet)
    speed = 0.2
    ball = world.add_body(
        am.Sphere(R), mass=1e-5, position=(0, 0, 2.5 * R), velocity=(0, 0, -speed), material=wet
    )
    sim = am.Simulation(world, step=1e-6)
    sim.run(4e-3)
    lost = 0.5 * 1e-5 * (speed**2 - ball.velocity[2] ** 2)
    assert ball.velocity[2] > 0.0
    assert lost == pytest.approx(work_to(rupture()), rel=0.03)


def test_across_the_border_of_a_cell():
    for inside in (True, False):
        side = 20 * R
        world = am.World(gravity=(0, 0, 0), cell=am.Cell((side, side, side)))
        x = 5 * R if inside else side - R
        world.add_body(am.Sphere(R), fixed=True, position=(x, 0, 0), material=WET)
        ball = world.add_body(
            am.Sphere(R), mass=MASS, position=((x + 2 * R) % side, 0, 0), material=WET
        )
        sim = am.Simulation(world, step=H)
        sim.step()
        s = 0.6 * rupture()
        ball.position, ball.velocity = ((x + 2 * R + s) % side, 0, 0), (0, 0, 0)
        sim.step()
        assert -MASS * ball.velocity[0] / H == pytest.approx(force_at(s), rel=1e-4)


def test_checkpoints_hold_bridges(tmp_path):
    def made():
        world = am.World(gravity=(0, 0, 0))
        world.add_body(am.Sphere(R), fixed=True, material=WET)
        world.add_body(
            am.Sphere(R), mass=1e-5, position=(0, 0, 2 * R), velocity=(0.0, 1e-3, 0.05),
            material=WET,
        )  # fmt: skip
        return am.Simulation(world, step=2e-5)

    sim = made()
    sim.run(4e-4)
    assert (sim.contacts.gaps > 0.01 * R).all()
    assert sim.contacts.normal_force[0] < 0.0
    sim.save(tmp_path / "wet.npz")
    again = made()
    again.restore(tmp_path / "wet.npz")
    for each in (sim, again):
        each.run(1e-3)
    assert sim.state.hash() == again.state.hash()


def test_units_do_not_matter():
    """Lengths in millimetres, masses in grams: the same numbers in the end."""
    found = []
    for metre, kilogram in ((1.0, 1.0), (1e3, 1e3)):
        wet = am.Material(
            surface_tension=GAMMA * kilogram, contact_angle=0.2, bridge_volume=V * metre**3
        )
        world = am.World(gravity=(0, 0, 0))
        world.add_body(am.Sphere(R * metre), fixed=True, material=wet)
        ball = world.add_body(
            am.Sphere(R * metre), mass=1e-5 * kilogram, position=(0, 0, 2 * R * metre),
            velocity=(0, 0, 0.05 * metre), material=wet,
        )  # fmt: skip
        sim = am.Simulation(world, step=1e-5)
        sim.run(2e-3)
        found.append(ball.position[2] / metre)
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@pytest.mark.slow
def test_a_wet_heap_is_steeper_than_a_dry_one():
    """A column of grains on a rough plane slumps less if it is wet."""
    angle = {}
    for name, tension in (("dry", 0.0), ("wet", GAMMA)):
        size = {"bridge_ratio": 1e-3} if tension else {}
        grain = am.Material(friction=0.4, surface_tension=tension, **size)
        world, d = am.World(), 1e-3
        world.add_body(am.Plane(), fixed=True, material=am.Material(friction=1.0))
        rng = np.random.default_rng(3)
        place = np.array([(x, y, z) for z in range(8) for x in range(5) for y in range(5)], float)
        place += rng.uniform(-0.02, 0.02, place.shape)
        world.add_spheres(
            0.5 * d, position=d * (1.05 * place + (0, 0, 0.6)), density=2500.0, material=grain
        )
        sim = am.Simulation(world, step=2e-4, solver=am.APGD(tolerance=1e-3, max_iterations=200))
        sim.run(0.08)
        angle[name] = am.measure.repose_angle(sim)
    assert angle["dry"] < 30.0
    assert angle["wet"] > angle["dry"] + 10.0


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"surface_tension": -1.0, "bridge_ratio": 1.0}, "surface_tension is -1"),
        ({"surface_tension": 0.07}, "needs a surface tension and one of the other two"),
        ({"bridge_ratio": 0.07}, "needs a surface tension and one of the other two"),
        ({"surface_tension": 0.07, "bridge_ratio": 1e-3, "bridge_volume": 1e-9}, "give one"),
        ({"surface_tension": 0.07, "bridge_ratio": 1e-3, "contact_angle": 30.0}, "below π/2"),
        ({"surface_tension": 0.07, "bridge_ratio": float("nan")}, "bridge_ratio"),
    ],
)
def test_liquids_that_make_no_bridge_are_refused(given, message):
    with pytest.raises(am.InputError, match=message):
        am.Material(**given)


def test_wet_bodies_need_a_radius_and_do_not_sleep():
    world = am.World()
    world.add_body(am.Plane(), fixed=True, material=WET)
    world.add_body(am.Cylinder(R, R), position=(0, 0, R), mass=1.0, material=WET, name="tin")
    with pytest.raises(am.InputError, match="tin has a surface tension, but its shape, Cylinder"):
        am.Simulation(world, step=1e-3)
    world.remove_bodies([world.body("tin").id])
    world.add_body(am.Sphere(R), position=(0, 0, R), mass=1.0, material=WET)
    sim = am.Simulation(world, step=1e-3, sleeping=am.Sleeping())
    with pytest.raises(am.InputError, match="wet bodies do not fall asleep"):
        sim.step()
