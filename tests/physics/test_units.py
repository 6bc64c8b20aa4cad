"""Nothing depends on whether lengths are in metres or millimetres, masses in grams, times in hours.

Whole scenes are built in several systems of units: the same iterations, the same answers but for
the units. In units that are powers of two of SI's, every rounding is the same, too.
"""

import itertools
import math

import numpy as np
import pytest

import amontons as am
from helpers import unit_scenes
from helpers.unit_scenes import Units, run

pytestmark = pytest.mark.usefixtures("one_thread")

SOLVERS = {
    "default": None,
    "apgd": am.APGD(tolerance=1e-5),
    "spectral": am.SpectralGradient(tolerance=1e-5),
    "gauss-seidel": am.GaussSeidel(tolerance=1e-4),
    "jacobi": am.Jacobi(tolerance=1e-3),
    "interior": am.InteriorPoint(tolerance=1e-8),
    "exact": am.ExactCoulomb(inner=am.APGD(tolerance=1e-6), tolerance=1e-5),
}


def powers_of_two(rng):
    """Those of mass are powers of four: some methods take its root."""
    return Units(*(2.0 ** (rng.integers(-6, 7, 3) * [2, 2, 2])))


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_units_that_are_powers_of_two_change_no_bit(solver):
    rng = np.random.default_rng(1)
    for seed in range(8):
        si = run(seed, Units(), solver=SOLVERS[solver], steps=12)
        other = run(seed, powers_of_two(rng), solver=SOLVERS[solver], steps=12)
        assert (other.iterations == si.iterations).all()
        assert (other.position == si.position).all()
        assert (other.velocity == si.velocity).all()
        assert (other.spin == si.spin).all()
        assert (other.residual == si.residual).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_any_units_give_the_same_iterations_and_answers(seed):
    rng = np.random.default_rng(100 + seed)
    si = run(seed, Units())
    assert si.converged.all()
    for _ in range(2):
        other = run(seed, Units.random(rng))
        assert other.converged.all()
        assert other.iterations.sum() == pytest.approx(si.iterations.sum(), rel=0.02, abs=2)
        size = max(1.0, np.abs(si.position).max())
        np.testing.assert_allclose(other.position, si.position, rtol=0, atol=1e-6 * size)
        speed = max(1.0, np.abs(si.velocity).max())
        np.testing.assert_allclose(other.velocity, si.velocity, rtol=0, atol=1e-6 * speed)


def grains(radius, step, solver, *, count=20, **material):
    """Spheres dropped on a plane, one above the other."""
    world = am.World()
    stuff = am.Material(friction=0.8, rolling_friction=0.05 * radius, **material)
    world.add_body(am.Plane(), fixed=True, material=stuff)
    rng = np.random.default_rng(0)
    place = np.column_stack([rng.uniform(-4.0, 4.0, (count, 2)), 1.5 + 2.2 * np.arange(count)])
    world.add_bodies(am.Sphere(radius), position=radius * place, density=2500.0, material=stuff)
    return am.Simulation(world, step=step, solver=solver)


@pytest.mark.slow
@pytest.mark.parametrize("radius", [0.5, 0.005])
def test_no_grain_falls_through_the_floor_in_steps_that_converged(radius):
    """20 spheres of 5 mm with rolling friction: 16 of them once fell through, all converged."""
    sim = grains(radius, 2e-3, am.APGD(tolerance=1e-2))
    for _ in range(300):
        report = sim.step()
        assert report.converged
        assert report.penetration <= 0.02 * radius
    assert (sim.bodies.position[1:, 2] > 0.97 * radius).all()


def test_one_rolling_sphere_needs_as_many_iterations_at_any_size():
    """It took 13, 84, 239 and 405 of them for 0.5, 0.05, 0.005 and 0.0005 m."""
    counts = []
    for radius in (0.5, 0.05, 0.005, 0.0005):
        speed = math.sqrt(9.81 * radius)
        sim = grains(radius, 2e-3 * radius / speed, am.APGD(tolerance=1e-6), count=1)
        sim.bodies.position[1] = [0.0, 0.0, radius]
        sim.bodies.velocity[1] = [speed, 0.0, 0.0]
        sim.bodies.angular_velocity[1] = [0.0, 0.5 * speed / radius, 0.3 * speed / radius]
        sim.step()
        counts.append(am.APGD(tolerance=1e-6).solve(sim.problem()).iterations)
    assert min(counts) > 0
    assert max(counts) == min(counts)


def test_an_error_of_one_contact_does_not_hide_behind_many_others():
    """What is called converged bounds every single contact, however many there are."""
    world = am.World()
    stuff = am.Material(friction=0.0)
    world.add_body(am.Plane(), fixed=True, material=stuff)
    spots = np.column_stack([*np.divmod(np.arange(4000), 64), np.ones(4000)]) * [3.0, 3.0, 1.0]
    falling = {"density": 1.0, "velocity": (0.0, 0.0, -2.0)}  # so that ‖r‖ is large
    world.add_bodies(am.Sphere(1.0), position=spots, material=stuff, **falling)
    sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-2))
    sim.step()
    problem = sim.problem()
    impulses = am.APGD(tolerance=1e-10).solve(problem).impulses
    good = am.residuals(problem, impulses)
    assert good.scaled <= 1e-9
    fall = math.sqrt(2.0 * 9.81)  # of half a thickness
    mass = float(sim.bodies.mass[1])
    impulses.reshape(-1, 3)[7, 2] += 0.5 * fall * mass  # one sphere is thrown up
    assert am.residuals(problem, impulses).scaled == pytest.approx(0.05, rel=1e-3)  # of ten falls


def test_a_step_at_rest_without_gravity_converges():
    """What is relative to nothing but rounding never would."""
    world = am.World(gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(3)
    bodies = [
        world.add_body(am.Box.cube(1.0), mass=1.0, position=(1.0 * i, 0, 0)) for i in range(6)
    ]
    for one, other in itertools.pairwise(bodies):
        for _ in range(2):  # twice, so that rows depend on each other
            world.add_joint(am.Fixed(one, other, point=tuple(rng.uniform(0.0, 5.0, 3))))
    world.bodies.velocity[:] = 1e-16 * rng.standard_normal((6, 3))
    sim = am.Simulation(world, step=1e-3)
    for _ in range(5):
        report = sim.step()
        assert report.converged
        assert report.iterations <= 20


def test_scenes_have_every_kind_of_joint_and_material():
    """The generator makes what it claims to: nothing of the list is left out."""
    kinds, traits = set(), set()
    for seed in range(120):
        world, _ = unit_scenes.SCENES[seed % 3](Units(), np.random.default_rng(seed))
        kinds |= {type(joint).__name__ for joint in world.joints}
        kinds |= {type(load).__name__ for load in world.forces}
        motors = [getattr(joint, "motor", None) for joint in world.joints]
        kinds |= {type(motor).__name__ for motor in motors if motor is not None}
        table = world.materials.table
        for name in ("rolling_friction", "spinning_friction", "cohesion", "restitution"):
            if getattr(table, name).any():
                traits.add(name)
        if table.compliance.any():
            traits.add("compliance")
    assert kinds >= {
        "Spherical", "Universal", "Revolute", "Prismatic", "Cylindrical", "Screw", "Planar",
        "Fixed", "PointOnLine", "PointOnPlane", "Distance", "Rope", "TorsionSpring",
        "LinearSpring", "AppliedForce", "Drag", "SpeedMotor", "PositionMotor", "TorqueMotor",
        "Gear", "RackAndPinion", "Bushing",
    }  # fmt: skip
    assert traits == {
        "rolling_friction", "spinning_friction", "cohesion", "restitution", "compliance",
    }  # fmt: skip
