"""Cells that repeat themselves: motion across borders, shear, compression, stress that is held."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import amontons as am
from amontons import measure

Floats = NDArray[np.float64]

PRESSED = 5.0e4
"""A pressure [Pa] at which grains come together in some hundredths of a second."""


def grains(cell: am.Cell, *, edge: int = 3, friction: float = 0.3, seed: int = 0) -> am.World:
    """Spheres of radius 0.09 to 0.11 in a cell of one metre, in motion."""
    rng = np.random.default_rng(seed)
    lattice = np.stack(np.meshgrid(*[np.arange(edge)] * 3, indexing="ij"), -1).reshape(-1, 3)
    place = (lattice + 0.5 + rng.uniform(-0.1, 0.1, lattice.shape)) / edge
    world = am.World(gravity=(0, 0, 0), cell=cell)
    world.add_spheres(
        rng.uniform(0.3, 0.36, edge**3) / edge, position=place, density=1000.0,
        velocity=0.5 * rng.normal(size=place.shape), material=am.Material(friction=friction),
    )  # fmt: skip
    return world


def cube(**how: object) -> am.Cell:
    return am.Cell((1.0, 1.0, 1.0), **how)  # type: ignore[arg-type]


def momentum(world: am.World) -> Floats:
    return np.asarray(world.bodies.mass @ world.bodies.velocity)


def test_a_ball_comes_back_on_the_other_side() -> None:
    world = am.World(gravity=(0, 0, 0), cell=cube(origin=(-0.5, -0.5, -0.5)))
    ball = world.add_body(am.Sphere(0.1), position=(0.45, 0.0, 0.0), velocity=(1, 0, 0), mass=1.0)
    sim = am.Simulation(world, step=0.01)
    sim.run(0.2)
    np.testing.assert_allclose(ball.position, [-0.35, 0.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(sim.cell.images, [[1, 0, 0]])


def test_balls_collide_across_a_border() -> None:
    """Equal balls, one at rest: without restitution both go on at half the speed."""
    world = am.World(gravity=(0, 0, 0), cell=cube())
    first = world.add_body(am.Sphere(0.1), position=(0.8, 0.5, 0.5), velocity=(1, 0, 0), mass=1.0)
    second = world.add_body(am.Sphere(0.1), position=(0.15, 0.5, 0.5), mass=1.0)
    sim = am.Simulation(world, step=0.01)
    sim.run(0.4)
    np.testing.assert_allclose(first.velocity, [0.5, 0, 0], atol=1e-6)
    np.testing.assert_allclose(second.velocity, [0.5, 0, 0], atol=1e-6)
    touching = sim.contacts
    np.testing.assert_allclose(touching.gaps, 0.0, atol=1e-3)


def test_motion_does_not_depend_on_where_the_borders_are() -> None:
    """All bodies shifted, in a cell at rest and in one that is sheared: the same relative motion.

    In shear a shift along y is a motion along x, too.
    """
    shift = np.array([0.37, 0.81, -0.23])
    for shear in (0.0, 0.8):
        ends = []
        for moved in (False, True):
            world = grains(cube(), friction=0.2)
            if moved:
                world.bodies.position[:] += shift
            sim = am.Simulation(world, step=5e-3, solver=am.APGD(tolerance=1e-12))
            sim.step()  # bodies are in the cell now
            world.cell = dataclasses.replace(world.cell, shear_rate=shear)  # type: ignore[type-var]
            sim.run(0.1)
            velocity = world.bodies.velocity.copy()
            velocity[:, 0] -= shear * world.bodies.position[:, 1]
            ends.append((velocity - velocity.mean(axis=0), len(sim.contacts)))
        assert ends[0][1] == ends[1][1] > 5
        np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-7)


@pytest.mark.parametrize("how", [{}, {"strain_rate": -0.1}, {"stress": 100.0}])
def test_momentum_is_kept_and_the_books_of_energy_close(how: dict[str, float]) -> None:
    world = grains(cube())
    world.bodies.velocity[:] -= momentum(world) / world.bodies.mass.sum()
    sim = am.Simulation(world, step=5e-3)
    sim.step()
    world.cell = cube(**how)
    for _ in range(20):
        sim.step()
        held = sim.state.energy.held
        kinetic = 0.5 * float(world.bodies.mass @ (world.bodies.velocity**2).sum(axis=1))
        assert held >= kinetic * (1.0 - 1e-12)
        np.testing.assert_allclose(sim.work.total, held, rtol=1e-10)
    assert len(sim.contacts) > 5
    if how != {"strain_rate": -0.1}:  # there images come in at another speed
        speed = np.abs(world.bodies.velocity).max()
        np.testing.assert_allclose(
            momentum(world), 0.0, atol=1e-12 * world.bodies.mass.sum() * speed
        )


def test_a_single_ball_in_shear_follows_space() -> None:
    world = am.World(gravity=(0, 0, 0), cell=cube(shear_rate=2.0))
    ball = world.add_body(am.Sphere(0.1), position=(0.5, 0.75, 0.5), mass=1.0)
    sim = am.Simulation(world, step=1e-2)
    sim.step()
    np.testing.assert_allclose(ball.velocity, [0.0, 0.0, 0.0], atol=1e-14)  # γ̇ (y − c)
    ball.velocity = (0.0, 1.0, 0.0)
    sim.run(0.4)  # over the border along y: beyond it space moves at γ̇ L faster
    np.testing.assert_allclose(ball.velocity, [-2.0, 1.0, 0.0], atol=1e-12)
    tilt = 2.0 * 0.41
    np.testing.assert_allclose(sim.cell.tilt, tilt - round(tilt), atol=1e-12)


@pytest.mark.slow
def test_two_balls_pressed_through_a_shrinking_cell_hold_its_stress() -> None:
    """A column of two balls across the cell: σ_yy V = f L, so f = σ L_x L_z."""
    cell = am.Cell((1.0, 0.5, 1.0), stress=(None, 30.0, None))
    world = am.World(gravity=(0, 0, 0), cell=cell)
    for y in (0.125, 0.375):
        world.add_body(am.Sphere(0.1), position=(0.5, y, 0.5), mass=1.0)
    sim = am.Simulation(world, step=1e-3)
    sim.run(0.2)
    np.testing.assert_allclose(sim.cell.lengths, [1.0, 0.4, 1.0], atol=1e-4)
    np.testing.assert_allclose(sim.contacts.normal_force, [30.0, 30.0], rtol=1e-3)
    stress = measure.stress(sim)
    np.testing.assert_allclose(stress[1, 1], 30.0, rtol=1e-3)
    np.testing.assert_allclose(np.delete(stress.ravel(), 4), 0.0, atol=1e-6)


def test_the_pressure_that_is_held_is_that_of_the_bodies_and_the_edges() -> None:
    """Over a time T the edges gain W Δε̇ = ∫ (tr σ − 3p) V dt, with W = M L²/4."""
    world = grains(cube(stress=PRESSED), friction=0.0)
    sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-6, max_iterations=2000))
    sim.run(0.05)
    rate, pressures = sim.state.cell.gradient[0, 0], []
    for _ in range(50):
        sim.step()
        pressures.append(np.trace(measure.stress(sim, part="total")) / 3.0)
    gained = world.bodies.mass.sum() * sim.cell.lengths[0] ** 2 / 4.0
    gained *= sim.state.cell.gradient[0, 0] - rate
    mean = PRESSED + gained / (3.0 * sim.cell.volume * 0.05)
    np.testing.assert_allclose(np.mean(pressures), mean, rtol=0.03)
    np.testing.assert_allclose(sim.cell.lengths, sim.cell.lengths[0], rtol=1e-12)


def test_a_lattice_of_spheres_in_contact_fills_as_much_as_it_should() -> None:
    """Face-centred cubic: π/√18 of space, twelve neighbours, whatever borders cut."""
    basis = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    place = np.concatenate([basis + shift for shift in np.ndindex(2, 2, 2)])
    world = am.World(gravity=(0, 0, 0), cell=am.Cell((2.0, 2.0, 2.0)))
    world.add_spheres(np.sqrt(0.125), position=place + 0.1, density=1.0)
    np.testing.assert_allclose(measure.solid_fraction(world), np.pi / np.sqrt(18.0), rtol=1e-12)
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    assert len(sim.contacts) == 32 * 6


def test_a_run_resumes_bit_for_bit_on_any_number_of_threads(tmp_path: Path) -> None:
    how = {"shear_rate": 0.5, "stress": (None, 200.0, None)}
    path = tmp_path / "half.npz"
    sim = am.Simulation(grains(cube(**how)), step=5e-3)
    sim.run(0.1)
    sim.save(path)
    sim.run(0.1)
    before = am.get_threads()
    try:
        am.set_threads(1)
        again = am.Simulation(grains(cube(**how)), step=5e-3)
        again.restore(path)
        again.run(0.1)
    finally:
        am.set_threads(before)
    assert again.state.equals(sim.state)
    assert again.cell.images.any()


def test_cells_may_be_given_later_and_taken_away() -> None:
    world = grains(cube())
    sim = am.Simulation(world, step=5e-3)
    sim.run(0.05)
    world.cell = dataclasses.replace(world.cell, strain_rate=-0.5)  # type: ignore[type-var]
    sim.run(0.05)
    np.testing.assert_allclose(sim.cell.lengths, (1.0 - 0.5 * 5e-3) ** 10, rtol=1e-12)
    gone = int(world.bodies.id[3])
    images = np.delete(sim.cell.images.copy(), 3, axis=0)
    world.remove_bodies(gone)
    np.testing.assert_array_equal(sim.state.cell.images, images)
    world.cell = None
    sim.run(0.05)
    assert sim.cell.lengths.size == 0


def test_what_a_cell_cannot_hold_is_refused() -> None:
    for wrong, reason in (
        ({"lengths": (1.0, 0.0, 1.0)}, "positive"),
        ({"periodic": (False, False, False)}, "along some axis"),
        ({"periodic": (True, True)}, "three booleans"),
        (
            {"periodic": (True, True, False), "strain_rate": (0, 0, -1.0)},
            "PressedWall|press a wall",
        ),
        ({"periodic": (True, False, True), "shear_rate": 1.0}, "repeat along x and y"),
        ({"stress": 1.0, "strain_rate": -1.0}, "give one"),
        ({"stress": (1.0, 2.0)}, "three"),
    ):
        with pytest.raises(am.InputError, match=reason):
            am.Cell(**{"lengths": (1.0, 1.0, 1.0), **wrong})  # type: ignore[arg-type]
    with pytest.raises(am.InputError, match=r"must be an amontons\.Cell"):
        am.World(cell=(1.0, 1.0, 1.0))  # type: ignore[arg-type]
    world = am.World(cell=cube())
    world.add_body(am.Sphere(0.6), mass=1.0, name="boulder")
    with pytest.raises(am.InputError, match=r"boulder may need 1\.2 m"):
        am.Simulation(world, step=1e-3)
    world = am.World(cell=cube())
    world.add_body(am.Sphere(0.1), mass=1.0)
    world.add_body(am.Plane(), fixed=True, name="floor")
    with pytest.raises(am.InputError, match="floor is a plane across z"):
        am.Simulation(world, step=1e-3)
    world = grains(cube())
    world.add_joint(am.Fixed(0, 1, point=(0.5, 0.5, 0.5)))
    with pytest.raises(am.InputError, match="do not reach across"):
        am.Simulation(world, step=1e-3)
    with pytest.raises(am.InputError, match="do not fall asleep"):
        am.Simulation(grains(cube()), step=1e-3, sleeping=am.Sleeping()).step()


def test_a_cell_that_shrinks_below_its_bodies_stops_the_run() -> None:
    world = am.World(gravity=(0, 0, 0), cell=cube(strain_rate=-10.0))
    world.add_body(am.Sphere(0.4), position=(0.5, 0.5, 0.5), mass=1.0)
    sim = am.Simulation(world, step=1e-2)
    with pytest.raises(am.InputError, match="touch its own image"):
        sim.run(0.1)


@pytest.mark.slow
def test_a_bed_rests_on_a_plane_through_the_cell() -> None:
    """Two axes repeat: the floor carries the weight of all."""
    cell = am.Cell((1.0, 1.0, 2.0), periodic=(True, True, False))
    world = grains(cell)
    world.gravity = (0.0, 0.0, -9.81)
    floor = world.add_body(am.Plane(), fixed=True)
    sim = am.Simulation(world, step=2e-3)
    sim.run(1.2)
    carried = np.mean([_carried(sim, floor) for _ in range(20)])
    mobile = np.isfinite(world.bodies.mass)
    np.testing.assert_allclose(carried, -9.81 * world.bodies.mass[mobile].sum(), rtol=0.02)


def _carried(sim: am.Simulation, floor: am.Body) -> float:
    sim.step()
    return float(sim.contacts.on(floor).force[2])


@pytest.mark.parametrize("along", [0.0, 0.97, 1.5])
@pytest.mark.parametrize("weight", [0.97, 1.03])
def test_a_pair_that_sticks_across_a_border_has_one_cohesion(along: float, weight: float) -> None:
    """A block hangs from a plate by four contacts, which share 20 N, wherever the borders are."""
    glue = am.Material(cohesion=20.0)
    world = am.World(cell=am.Cell((3.0, 3.0, 4.0), periodic=(True, True, False)))
    x = np.mod((1.5 + along, 1.9 + along), 3.0)
    world.add_body(am.Box((2.0, 2.0, 0.2)), fixed=True, position=(x[0], 1.5, 0.1), material=glue)
    block = world.add_body(
        am.Box((1.0, 1.0, 0.3)), mass=weight * 20.0 / 9.81, position=(x[1], 1.5, -0.15),
        material=glue,
    )  # fmt: skip
    sim = am.Simulation(world, step=2e-3)
    sim.run(0.3)
    if weight < 1.0:
        assert len(sim.contacts) == 4
        assert abs(block.position[2] + 0.15) < 1e-6
        assert sim.contacts.normal_force.sum() == pytest.approx(-weight * 20.0, rel=1e-6)
    else:
        assert block.position[2] < -0.16
