"""Spheres in a box that shakes: the test bed of paper 4's figures on iterations and on cost."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amontons.judge import residuals
from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.shapes import Sphere
from amontons.model.world import World
from amontons.scenes.open_box import add_open_box
from amontons.scenes.placement import layers
from amontons.simulation.simulation import Simulation
from amontons.solvers import GaussSeidel, Solver

Floats = NDArray[np.float64]

RADIUS, STEEL = 0.01, 7800.0
"""Of the spheres [m, kg/m³]."""

STROKE, FREQUENCY = 0.01, 4.0
"""Of the shaking along x: amplitude [m] and frequency [Hz], 0.64 g at most."""

STEP = 1e-3
"""Time step [s]. Spheres that slide by v h around each other come closer by (v h)²/2R in it, which
no solver sees: at 2 ms that alone was 0.3 % of a diameter."""

SETTLE = 0.2
"""Time in which the spheres fall and get going [s]."""

LAYERS = 8
"""Of spheres at the start, whatever their number: the box is as wide as that takes."""


def shaker(spheres: int) -> World:
    """Loose layers of steel spheres in an open box that shakes sideways."""
    world = World()
    material = Material(friction=0.2)
    pitch = 2.2 * RADIUS
    across = max(2, round(math.sqrt(spheres / LAYERS)))
    half = 0.5 * across * pitch

    def velocity(time: float) -> tuple[float, float, float]:
        turn = 2.0 * math.pi * FREQUENCY
        return (STROKE * turn * math.cos(turn * time), 0.0, 0.0)

    add_open_box(world, half=half, material=material, motion=Motion(velocity=velocity))
    place = layers(spheres, across, pitch, bottom=1.2 * RADIUS)
    place += np.random.default_rng(0).uniform(-0.05, 0.05, place.shape) * RADIUS
    world.add_bodies(Sphere(RADIUS), position=place, density=STEEL, material=material)
    return world


def fixed_point(iterations: int) -> Solver:
    """The paper's method (its page 'the algorithm'), with so many sweeps and no test of success."""
    return GaussSeidel(tolerance=0.0, max_iterations=iterations, parallel=False)


def shaking(spheres: int, iterations: int) -> Simulation:
    """A simulation in which every step is cold started, as the paper's is."""
    return Simulation(shaker(spheres), step=STEP, solver=fixed_point(iterations))


def cold_step(simulation: Simulation) -> None:
    """A step that begins with impulses of zero."""
    simulation.forget_contacts()
    simulation.step()


def speed_violation(simulation: Simulation) -> float:
    """By how much velocities leave the dual cones in the last step, at most [m/s]."""
    problem = simulation.problem()
    impulses = (simulation.contacts.force * STEP).ravel()
    return residuals(problem, impulses).velocity_violation if impulses.size else 0.0
