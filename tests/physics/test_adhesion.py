"""Adhesion by surface energy: pull-off that scales with R*; cohesion across a cell's borders."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am

H = 1e-4


def pulled(world, body, pull, steps=20):
    """Whether a body comes off that is pulled up with this force [N]."""
    world.body(body).force = (0.0, 0.0, pull)
    start = world.body(body).position[2]
    sim = am.Simulation(world, step=H)
    for _ in range(steps):
        sim.step()
    free = 0.5 * pull / world.body(body).mass * (steps * H) ** 2
    return world.body(body).position[2] - start > 1e-3 * free


def ball_on(flat, radius, material, **properties):
    """A ball that lies on something fixed, in no gravity."""
    world = am.World(gravity=(0, 0, 0))
    world.add_body(flat, fixed=True, material=material, **properties)
    world.add_body(
        am.Sphere(radius), mass=1.0, position=(0, 0, radius), material=material, name="ball"
    )
    return world


LAWS = [("surface_energy_jkr", 1.5), ("surface_energy_dmt", 2.0)]


@pytest.mark.parametrize(("law", "factor"), LAWS)
@pytest.mark.parametrize("radius", [1e-3, 0.1])
def test_a_ball_comes_off_a_plane_at_the_pull_of_the_law(law, factor, radius):
    """1.5 π w R (JKR) and 2 π w R (DMT): R* is R on a plane, of a ball of any size."""
    w = 0.7
    off = factor * np.pi * w * radius
    material = am.Material(**{law: w})
    assert not pulled(ball_on(am.Plane(), radius, material), "ball", 0.98 * off)
    assert pulled(ball_on(am.Plane(), radius, material), "ball", 1.02 * off)


@pytest.mark.parametrize(("law", "factor"), LAWS)
def test_two_balls_come_apart_at_the_pull_of_their_reduced_radius(law, factor):
    one, other, w = 0.1, 0.3, 2.0
    off = factor * np.pi * w * one * other / (one + other)
    for share in (0.98, 1.02):
        material = am.Material(**{law: w})
        world = am.World(gravity=(0, 0, 0))
        world.add_body(am.Sphere(other), fixed=True, material=material)
        world.add_body(
            am.Sphere(one), mass=1.0, position=(0, 0, one + other), material=material, name="ball"
        )
        assert pulled(world, "ball", share * off) == (share > 1.0)


def test_faces_are_flat_and_clumps_of_equal_balls_are_round():
    w, radius = 0.5, 0.1
    off, material = 1.5 * np.pi * w * radius, am.Material(surface_energy_jkr=w)
    slab = am.Box((1.0, 1.0, 0.2))
    for share in (0.98, 1.02):
        on_box = ball_on(slab, radius, material, position=(0, 0, -0.1))
        assert pulled(on_box, "ball", share * off) == (share > 1.0)
        clump = am.Compound([(am.Sphere(radius), (x, 0, 0)) for x in (-0.15, 0.15)])
        world = am.World(gravity=(0, 0, 0))
        world.add_body(am.Plane(), fixed=True, material=material)
        world.add_body(clump, mass=1.0, position=(0, 0, radius), material=material, name="clump")
        # a pair of bodies has one pull, however many of its points touch
        assert pulled(world, "clump", share * off) == (share > 1.0)
    box = am.World(gravity=(0, 0, 0))
    box.add_body(am.Plane(), fixed=True, material=material)
    box.add_body(am.Box.cube(0.2), mass=1.0, position=(0, 0, 0.1), material=material, name="box")
    assert pulled(box, "box", 0.01 * off)  # flat on flat: no radius, no pull


def test_pairs_have_the_geometric_mean():
    one, other = am.Material(surface_energy_jkr=0.2), am.Material(surface_energy_jkr=0.8)
    for share in (0.98, 1.02):
        world = am.World(gravity=(0, 0, 0))
        world.add_body(am.Plane(), fixed=True, material=one)
        world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), material=other, name="ball")
        assert pulled(world, "ball", share * 1.5 * np.pi * 0.4 * 0.1) == (share > 1.0)


def test_friction_feels_the_pull():
    """A ball that cannot roll is held on a wall by μ times the pull-off force."""
    w, mu, radius = 10.0, 0.5, 0.1
    off = 1.5 * np.pi * w * radius
    material = am.Material(surface_energy_jkr=w, friction=mu)
    for share in (0.95, 1.05):
        world = am.World(gravity=(share * mu * off, 0.0, 0.0))
        world.add_body(am.Plane(), fixed=True, material=material)
        clump = am.Compound([(am.Sphere(radius), (0.2 * np.cos(a), 0.2 * np.sin(a), 0.0))
                             for a in 2 * np.pi * np.arange(3) / 3])  # fmt: skip
        sled = world.add_body(clump, mass=1.0, position=(0, 0, radius), material=material)
        sim = am.Simulation(world, step=1e-3)
        sim.run(0.1)
        assert (sled.velocity[0] > 1e-3) == (share > 1.0)


@pytest.mark.slow
def test_what_parting_costs_is_booked_as_cohesion():
    w, radius = 0.7, 0.1
    off = 2.0 * np.pi * w * radius
    world = ball_on(am.Plane(), radius, am.Material(surface_energy_dmt=w))
    ball = world.body("ball")
    ball.force = (0.0, 0.0, 2.0 * off)
    sim = am.Simulation(world, step=1e-5)
    sim.run(0.05)
    size = sim.model.masses.typical_size
    way = sim.rules.of_contacts(size, world.gravity, 1e-5, exact=False).cohesion_range
    assert sim.work.cohesion == pytest.approx(-off * way, rel=0.03)
    assert sim.readings.energy[-1] == pytest.approx(sum(sim.work), rel=1e-12)


# -- bad input ------------------------------------------------------------------------------------


def test_shapes_without_a_radius_are_refused():
    material = am.Material(surface_energy_jkr=1.0)
    world = am.World()
    world.add_body(am.Plane(), fixed=True, material=material)
    world.add_body(
        am.Ellipsoid((0.1, 0.2, 0.3)), mass=1.0, position=(0, 0, 1), material=material, name="egg"
    )
    with pytest.raises(
        am.InputError, match="egg has a surface energy, but its shape, Ellipsoid, has no"
    ):
        am.Simulation(world, step=H)
    plain = am.World()
    plain.add_body(am.Plane(), fixed=True)
    plain.add_body(am.Cylinder(0.1, 0.2), mass=1.0, position=(0, 0, 1))
    sim = am.Simulation(plain, step=H)
    sim.step()
    usual = am.Material()
    plain.set_contact(usual, usual, material)
    with pytest.raises(am.InputError, match="its shape, Cylinder, has no"):
        sim.step()


def test_models_are_not_mixed():
    with pytest.raises(am.InputError, match="two models of one thing"):
        am.Material(surface_energy_jkr=1.0, surface_energy_dmt=1.0)
    with pytest.raises(am.InputError, match="surface_energy_jkr is -1"):
        am.Material(surface_energy_jkr=-1.0)


# -- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("across", [False, True])
def test_cohesion_is_shared_by_a_pairs_contacts_across_borders_too(across):
    """A pull of 40 N holds 30 N, and not 50 N, though four contacts carry it."""
    for pull, holds in ((30.0, True), (50.0, False)):
        stuff = am.Material(cohesion=40.0)
        world = am.World(
            gravity=(0, 0, 0), cell=am.Cell((2.0, 2.0, 2.0), periodic=(True, True, True))
        )
        low = 1.85 if across else 0.85
        world.add_body(am.Box((0.4, 0.4, 0.2)), fixed=True, position=(1, 1, low), material=stuff)
        box = world.add_body(
            am.Box((0.4, 0.4, 0.2)), mass=2.0, position=(1, 1, low + 0.2 - 2.0 * across),
            material=stuff,
        )  # fmt: skip
        box.force = (0.0, 0.0, pull)
        sim = am.Simulation(world, step=1e-3)
        for _ in range(10):
            sim.step()
        assert len(sim.contacts) >= (3 if holds else 0)
        assert (box.velocity[2] < 1e-4) == holds
