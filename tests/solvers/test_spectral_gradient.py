"""The spectral projected gradient method where rounding has the upper hand."""

import itertools

import numpy as np
import pytest

import amontons as am
from amontons.generators import packing
from amontons.solvers.base import Buffers
from amontons.solvers.gauge import Gauge
from amontons.solvers.spectral_gradient import REFRESH


def at_the_border(rng):
    """One contact whose free velocity is on the border of the dual cone: no impulse is best."""
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    slip = rng.normal(size=3)
    slip -= (slip @ n) * n
    friction = rng.uniform(0.1, 1.0)
    speed = 1e30 * (slip + friction * np.linalg.norm(slip) * n)
    return am.ConeProblem.from_contacts(
        inverse_mass=[1.0],
        inverse_inertia=2.5 * np.eye(3)[None],
        bodies_a=[-1],
        bodies_b=[0],
        normals=n[None],
        arms_a=np.zeros((1, 3)),
        arms_b=-0.1 * n[None],
        free_velocity=np.concatenate([speed, np.zeros(3)])[None],
        friction=friction,
    )


def test_directions_that_rounding_turns_uphill_end_in_no_nan():
    """The line search used to shorten such steps to nothing, and a refresh divided by them."""
    rng = np.random.default_rng(0)
    solver = am.SpectralGradient(tolerance=0.0, max_iterations=120)
    for _ in range(100):
        solution = solver.solve(at_the_border(rng))
        assert solution.status is not am.Status.INVALID, solution.message
        assert np.isfinite(solution.history.residual).all()


def test_objectives_carried_along_are_as_good_as_those_computed_anew():
    problem = packing(60, wall_friction=0.5)
    solver = am.SpectralGradient()
    start, gauge = np.zeros(problem.rows), Gauge.of(problem, "scaled")
    buffers = Buffers(problem.rows, solver.buffers, watched=False)
    iterates = solver.iterations(problem, start, gauge, buffers)
    for step in itertools.islice(iterates, 3 * REFRESH):
        anew = 0.5 * step.x @ problem.product(step.x) + problem.linear @ step.x
        assert step.objective == pytest.approx(anew, rel=1e-12)
