"""Experiments on solvers: papers 1, 2 and 5, tables of paper 3, iteration studies of paper 4."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amontons as am
from amontons.generators import bilateral_network
from amontons.problem.solution import History
from amontons.scenes import PressedBed
from amontons_papers import find_experiment, reproduce
from amontons_papers.drawing import Panel, draw
from amontons_papers.drop import balls_in_a_box, pile, single
from amontons_papers.histories import iterations_to, linear_rate, reach
from amontons_papers.paper1.comparison import P_SPG_FB, advantage, error_after, race, rivals
from amontons_papers.paper2.splitting import spectral_radii, top_heights
from amontons_papers.paper3.reference_bed import ReferenceBed
from amontons_papers.paper3.slab import EDGE, OVER
from amontons_papers.paper3.sliding_ball import ROLLING, ideal_speed, relaxed
from amontons_papers.paper4.high_stacks import stand, tower
from amontons_papers.paper4.shaken_spheres import cold_step, shaking, speed_violation
from amontons_papers.paper5.redundancy import brick, feet, spring_impulses
from amontons_papers.paper5.sizes import count_iterations
from amontons_papers.paper5.warm_start import TESTS, total_iterations


def history(residual):
    residual = np.asarray(residual, dtype=float)
    return History(residual, np.zeros_like(residual), 0.1 * np.arange(residual.size))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["b1", "b3", "splitting", "ip-redundancy"])
def test_experiments_pass_in_their_quick_size(name, tmp_path):
    outcome = reproduce(find_experiment(name)("quick"), tmp_path)
    assert outcome.ok, outcome.failures
    assert outcome.bands > 0
    assert list(tmp_path.glob("*.png")) or name == "ip-redundancy"


# -- histories ------------------------------------------------------------------------------------


def test_levels_are_reached_at_the_first_iteration_below_them():
    rough = history([1.0, 0.1, 0.5, 0.01])
    assert reach(rough, 0.2) == (1, pytest.approx(0.1))
    assert iterations_to(rough, 0.05) == 3
    assert reach(rough, 1e-3) is None
    assert iterations_to(rough, 1e-3) is None


@given(rate=st.floats(0.05, 0.999), scale=st.floats(1e-3, 1e3), count=st.integers(4, 200))
def test_the_rate_of_a_geometric_sequence_is_found(rate, scale, count):
    values = scale * rate ** np.arange(count)
    assert linear_rate(values) == pytest.approx(rate, rel=1e-6)


def test_rates_end_at_the_first_value_without_a_logarithm():
    values = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.0, 9.0]
    assert linear_rate(values) == pytest.approx(0.5)
    with pytest.raises(am.InputError, match="4 positive values"):
        linear_rate([1.0, 0.5, 0.0, 1.0])


def test_figures_have_every_curve_in_their_legend():
    left = Panel("x", "y", {"a": ([1, 2], [1, 2])}, "xy")
    right = Panel("x", "y", {"b": ([1, 2], [0, 2]), "a": ([1], [1])}, "y", marked=("b",))
    figure = draw("title", left, right)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]
    assert [axis.get_xscale() for axis in figure.axes] == ["log", "linear"]


# -- paper 1 --------------------------------------------------------------------------------------


def test_a_race_counts_iterations_of_every_rival():
    problem = bilateral_network(30, 90)
    solvers = rivals(krylov=True, tolerance=1e-10, max_iterations=500)
    said = []
    solutions = race(problem, solvers, lambda text, share: said.append(share))
    assert list(solutions) == [P_SPG_FB, "MINRES", "CG", "APGD", "Gauss–Seidel", "Jacobi"]
    assert said == [i / 6 for i in range(6)]
    ours = iterations_to(solutions[P_SPG_FB].history, 1e-6)
    theirs = iterations_to(solutions["MINRES"].history, 1e-6)
    assert advantage(solutions, "MINRES", 1e-6) == theirs / ours
    assert advantage(solutions, "MINRES", 0.0) == 0.0  # ours is never there
    assert error_after(solutions["CG"], 0) == solutions["CG"].history.residual[0]
    assert error_after(solutions["CG"], 10_000) == solutions["CG"].history.residual.min()


# -- paper 2 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("balls", [3, 7])
def test_spectral_radii_of_a_pile_are_those_of_theory(balls):
    """Jacobi's is cos(π/2n) for a chain with one end fixed, Gauss–Seidel's its square."""
    found = spectral_radii(pile(balls).problem())
    assert found["Jacobi"] == pytest.approx(math.cos(math.pi / (2 * balls)), abs=1e-10)
    assert found["Gauss–Seidel"] == pytest.approx(found["Jacobi"] ** 2, abs=1e-10)
    assert found["SOR"] < found["Gauss–Seidel"]


def test_a_pile_rests_with_an_exact_solver_and_sinks_with_two_sweeps():
    exact, _ = top_heights(5, am.InteriorPoint(tolerance=1e-10), 20)
    assert np.abs(exact).max() < 1e-9
    poor, scene = top_heights(5, am.GaussSeidel(max_iterations=1, parallel=False), 20)
    assert poor.min() < -1e-3
    shown = scene.as_simulation()
    np.testing.assert_array_equal(shown.bodies.position, scene.position)


# -- paper 3 --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_reference_bed_is_at_rest_and_has_the_objective_of_rest():
    """At rest v⁺ = 0, so f = −½ Σm (g h)², whatever the slab."""
    bed = ReferenceBed(PressedBed(40, width=0.9), 0.03)
    seen = []
    bed.settle(lambda text, share: seen.append(share))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0)
    assert bed.settled.readings.penetration[-1] < 1e-2 * 0.15
    for mass in (1e2, 1e4):
        solution = am.InteriorPoint(tolerance=1e-8).solve(bed.problem(mass))
        assert solution.objective == pytest.approx(
            -0.5 * (40 + mass) * (9.81 * 0.03) ** 2, rel=0.05
        )


def test_sweeps_settle_up_to_the_edge_of_relaxation():
    """A sphere that sticks to another is a block of its own: it overshoots by ω·7·3/16 − 1."""
    world = am.World(gravity=(1.0, 0.0, -9.81))
    rough = am.Material(friction=10.0)
    for z in (0.5, 1.5):
        world.add_body(am.Sphere(0.5), mass=1.0, position=(0.0, 0.0, z), material=rough)
    world.bodies.twist[1, 0], world.bodies.twist[1, 2] = 0.1, -1.0
    simulation = am.Simulation(world, step=1e-2, solver=am.APGD())
    simulation.step()
    problem = simulation.problem()
    assert problem.blocks == 1
    curvature = np.linalg.eigvalsh(problem.diagonal_blocks()[0].reshape(3, 3)).max()
    assert EDGE * problem.mean_steps[0] * curvature == pytest.approx(2.0)
    for omega, settles in ((0.98 * EDGE, True), (OVER, False)):
        sweeps = am.GaussSeidel(parallel=False, relaxation=omega, max_iterations=400, tolerance=0.0)
        objective = sweeps.solve(problem).history.objective
        assert (np.diff(objective).max() < 1e-12) == settles, omega


@pytest.mark.slow
def test_the_relaxation_throws_a_sliding_ball_up_but_keeps_its_end():
    track = relaxed()
    assert track.height.max() > 5e-3
    assert track.speed[-1] == pytest.approx(10.0 / 7.0, abs=1e-3)
    assert track.rolling == pytest.approx(ROLLING, abs=0.02)
    np.testing.assert_allclose(ideal_speed(np.array([0.0, 10.0])), [2.0, 10.0 / 7.0])


# -- paper 4 --------------------------------------------------------------------------------------


def test_shaken_spheres_violate_less_with_more_sweeps():
    seen = []
    for count in (2, 60):
        simulation, violations = shaking(40, count), []
        for _ in range(60):
            cold_step(simulation)
            violations.append(speed_violation(simulation))
        seen.append(np.mean(violations[-30:]))  # a single step may be an easy or a hard one
    assert seen[1] < 0.2 * seen[0]


def test_a_tower_stands_with_many_sweeps():
    assert len(tower(3).bodies) == 16
    _, moved = stand(3, 200, 0.1)
    assert len(moved) == 10
    assert moved[-1] < 1e-3


# -- paper 5 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("soft", [False, True])
def test_a_brick_on_redundant_feet_carries_its_weight(soft):
    places = feet(4)
    problem, rank = brick(places, soft=soft)
    assert rank == 3
    solution = am.InteriorPoint(tolerance=1e-10).solve(problem)
    assert solution.impulses.sum() == pytest.approx(10.0 * 9.81 * 0.01, rel=1e-9)
    np.testing.assert_allclose(places.T @ solution.impulses, 0.0, atol=1e-9)  # no torque is left
    if soft:
        np.testing.assert_allclose(solution.impulses, spring_impulses(places), rtol=1e-6)


def test_iterations_of_a_box_of_balls_are_counted():
    count = count_iterations(12, steps=2, settle=25)
    assert len(count.iterations) == 2
    assert 72 < count.rows < 72 + 60
    assert all(3 <= each <= 30 for each in count.iterations)


def test_a_warm_start_saves_iterations():
    test = TESTS["single ball"]
    for as_paper in (True, False):
        none, full = (
            total_iterations(test, kind, 40, as_paper=as_paper) for kind in ("none", "full")
        )
        assert full < 0.5 * none


def test_dropped_bodies_come_to_rest():
    box = balls_in_a_box(20)
    brick_alone = single(am.Box((0.2, 0.1, 0.05)), 0.03)
    for scene in (box, brick_alone):
        for _ in range(60):
            scene.advance(am.InteriorPoint(tolerance=1e-8))
        assert np.abs(scene.velocity[:, 2]).max() < 0.2
        assert scene.position[: scene.count, 2].min() > 0.0
    assert brick_alone.position[0, 2] == pytest.approx(0.025, abs=1e-6)
