"""Impulses of a solver that failed: never worse than the guess, and never worse than none."""

import dataclasses

import numpy as np
import pytest

import amontons as am
from amontons.problem.solution import Status
from amontons.simulation.solve.fallback import no_worse


def problem():
    rng = np.random.default_rng(1)
    J = rng.normal(size=(6, 6))
    return am.ConeProblem.from_matrix(J @ J.T + np.eye(6), rng.normal(size=6) - 1.0, friction=0.4)


def failed(given, impulses):
    """What a solver that stopped at these impulses says."""
    solution = am.APGD(max_iterations=1, tolerance=1e-14).solve(given, guess=impulses)
    judged = am.residuals(given, impulses)
    return dataclasses.replace(
        solution, status=Status.STALLED, impulses=impulses, residual=judged.scaled,
        residuals=judged, velocities=given.velocities(given.unknowns(impulses)),
    )  # fmt: skip


def test_what_converged_is_taken_as_it_is():
    given = problem()
    solution = am.APGD(tolerance=1e-8).solve(given)
    assert no_worse(given, solution, np.zeros(6)) is solution


def test_a_runaway_is_replaced_by_none_or_by_the_guess():
    given = problem()
    wild = failed(given, np.full(6, 1e9))
    nothing = no_worse(given, wild, np.full(6, 1e8))
    assert not nothing.impulses.any()
    assert nothing.residual == am.residuals(given, np.zeros(6)).scaled
    assert "worse than no impulses at all" in nothing.message
    assert not nothing.converged
    good = am.APGD(tolerance=1e-8).solve(given).impulses
    guessed = no_worse(given, wild, good)
    np.testing.assert_array_equal(guessed.impulses, good)
    assert "worse than the guess" in guessed.message
    np.testing.assert_allclose(guessed.velocities, given.velocities(given.unknowns(good)))


def test_what_is_better_than_both_stays():
    given = problem()
    near = 0.9 * am.APGD(tolerance=1e-8).solve(given).impulses
    assert no_worse(given, failed(given, near), np.full(6, 5.0)).message == (
        failed(given, near).message
    )


def pile(light, heavy, shape, apart=0.0):
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(shape, mass=light, position=(0.0, 0.0, 0.5))
    world.add_body(shape, mass=heavy, position=(apart, 0.0, 0.5 if apart else 1.5))
    return world


@pytest.mark.slow
@pytest.mark.parametrize("shape", [am.Sphere(0.5), am.Box.cube(1.0)])
def test_a_heavy_body_rests_upon_a_light_one(shape):
    """1e6 kg on 1e-6 kg: no "contradiction", and no speed beyond that of a fall in one step."""
    world = pile(1e-6, 1e6, shape)
    sim = am.Simulation(world, step=5e-3)
    for _ in range(3):
        report = sim.step()
        assert not any("constraints contradict" in str(note) for note in report.notes)
        assert report.residual < 0.01
    assert np.abs(sim.bodies.velocity).max() < 0.01 * 9.81 * 5e-3
    np.testing.assert_allclose(sim.bodies.position[:, 2], [0.0, 0.5, 1.5], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1e16, 1e24])
def test_bodies_far_apart_do_not_know_of_each_others_mass(ratio):
    world = pile(ratio**-0.5, ratio**0.5, am.Box.cube(1.0), apart=5.0)
    sim = am.Simulation(world, step=5e-3)
    for _ in range(5):
        assert not sim.step().notes
    np.testing.assert_allclose(sim.bodies.position[1:, 2], 0.5, atol=1e-9)
