"""What errors are measured against: the speeds that impulses have to change, not open gaps."""

import numpy as np
import pytest

import amontons as am
from amontons.algebra.cones import CONES
from amontons.problem import units
from amontons.problem.units import Yardstick

OPEN, CLOSING, SLIDING = (5.0, 1.0, 1.0), (-0.3, 0.0, 0.0), (0.1, 0.4, 0.3)
"""Rows (normal, t1, t2) of contacts: r opens the first, and not the last, though it parts them."""


def three_contacts(yardstick):
    r = np.concatenate([OPEN, CLOSING, SLIDING])
    problem = am.ConeProblem.from_matrix(np.eye(9), np.zeros(9), friction=0.5)
    return am.ConeProblem(problem.operator, r, problem.sets, yardstick=yardstick)


def test_contacts_that_open_are_no_part_of_the_unit():
    unit = three_contacts(Yardstick(usual=1e-9)).speed_unit
    assert unit == pytest.approx(np.linalg.norm(CLOSING + SLIDING), rel=1e-15)


def test_without_a_usual_speed_the_unit_is_the_norm():
    norm = np.linalg.norm(OPEN + CLOSING + SLIDING)
    assert three_contacts(Yardstick()).speed_unit == pytest.approx(norm, rel=1e-15)


def test_the_usual_speed_per_block_is_the_least():
    assert three_contacts(Yardstick(usual=2.0)).speed_unit == 2.0 * np.sqrt(3.0)


@pytest.mark.parametrize("seed", range(5))
def test_closing_speeds_block_by_block(seed):
    """The oracle asks block by block; rows that turn are lengths times rates."""
    rng = np.random.default_rng(seed)
    sets = [
        am.CoulombCone(rng.uniform(0.0, 1.0, 7)),
        am.SpinningCone(*rng.uniform(0.1, 1.0, (3, 5))),
        am.Free(4),
    ]
    rows = 3 * 7 + 6 * 5 + 4
    problem = am.ConeProblem.from_matrix(np.eye(rows), rng.standard_normal(rows), sets=sets)
    linear = problem.linear
    found = units.closing_speeds(problem, linear)
    factors = np.ones(rows) if problem.row_factors is None else problem.row_factors
    arrays = problem.sets.arrays
    left_out = 0
    for kind, first, count, row in arrays.groups.tolist():
        size = found[row:].size if kind not in CONES else (3 if kind == min(CONES) else 6) * count
        for j in range(count):
            here = np.arange(row + j, row + size, count) if kind in CONES else np.array([row + j])
            speeds = factors[here] * linear[here]
            if kind in CONES:
                n, mu = arrays.normal[:, first + j], arrays.friction[first + j]
                along = n @ speeds[:3]
                if along >= mu * np.linalg.norm(speeds[:3] - along * n):
                    speeds, left_out = 0.0 * speeds, left_out + 1
            np.testing.assert_allclose(found[here], speeds, rtol=1e-14)
    assert 0 < left_out < 12


def test_the_unit_goes_with_a_problem_into_its_file(tmp_path):
    problem = three_contacts(Yardstick(least=1e-6, most=3.0, usual=0.01))
    problem.save(tmp_path / "problem.npz")
    read = am.ConeProblem.load(tmp_path / "problem.npz")
    assert read.yardstick == problem.yardstick
    assert read.speed_unit == pytest.approx(problem.speed_unit, rel=1e-15)


def test_a_file_with_the_two_speeds_of_earlier_versions(tmp_path):
    problem = three_contacts(Yardstick(least=1e-6, most=3.0, usual=0.01))
    problem.save(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as file:
        entries = dict(file)
    np.savez(tmp_path / "old.npz", **{**entries, "yardstick": entries["yardstick"][:2]})
    read = am.ConeProblem.load(tmp_path / "old.npz")
    assert read.yardstick == Yardstick(least=1e-6, most=3.0)
    assert read.speed_unit == read.linear_norm
    np.savez(tmp_path / "odd.npz", **{**entries, "yardstick": np.ones(4)})
    with pytest.raises(am.FileFormatError, match="4 speeds; expected 2 or 3"):
        am.ConeProblem.load(tmp_path / "odd.npz")


@pytest.mark.parametrize("usual", [-1.0, np.nan, np.inf])
def test_a_usual_speed_that_is_none(usual):
    with pytest.raises(am.InputError, match="usual"):
        three_contacts(Yardstick(usual=usual))


def test_open_gaps_do_not_loosen_a_step():
    """Spheres at rest, and others that hover just above them.

    Their open gaps are metres per second in a short step, beside gravity's millimetres.
    """
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    resting = [(0.25 * i, 0.25 * j, 0.1) for i in range(9) for j in range(9)]
    world.add_bodies(am.Sphere(0.1), position=resting, mass=1.0)
    hovering = [(x, y, 0.3015) for x, y, _ in resting]
    world.add_bodies(am.Sphere(0.1), position=hovering, mass=1.0)
    h = 5e-4
    simulation = am.Simulation(world, step=h, solver=am.APGD(tolerance=1e-2))
    simulation.step()
    problem = simulation.problem()
    assert problem.blocks == 162
    assert problem.linear_norm > 1000.0 * h * 9.81
    assert problem.speed_unit == pytest.approx(h * 9.81 * np.sqrt(problem.blocks), rel=1e-12)
