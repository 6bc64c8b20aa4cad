"""Parts of a problem: together they are the whole, and products by parts are those of it."""

import numpy as np
import pytest

import amontons as am
from amontons.ranks import DividedAPGD, OneProcess, divided, run_in_threads
from amontons.ranks.divided import _Share
from amontons.ranks.division import Owners, Part
from amontons.solvers.apgd.accept import accept
from helpers.shared_beds import WORLDS

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module", params=sorted(WORLDS))
def problem(request):
    """The problem of a first step."""
    simulation = am.Simulation(WORLDS[request.param](), step=2e-3, solver=am.APGD(max_iterations=3))
    simulation.step()
    return simulation.problem().even


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_every_block_and_body_counts_once(problem, count):
    operator = problem.operator
    owners = Owners.of(problem, operator, count)
    counted, owned = [], []
    for rank in range(count):
        part = Part.of(problem, operator, owners, rank)
        for _, first, _, _, begin, end in part.sets.chunks[part.own_chunks].tolist():
            counted.extend(part.blocks[first + begin : first + end].tolist())
        owned.extend(part.own.tolist())
        assert not set(part.own) & set(part.ghosts)
        # whoever touches one of its own bodies is here
        mine = np.isin(operator.arrays.body, part.own[operator.mobile[part.own]]).any(axis=1)
        assert set(np.flatnonzero(mine)) <= set(part.blocks.tolist())
    assert sorted(counted) == list(range(problem.blocks))
    assert sorted(owned) == list(range(operator.bodies))
    if count == 9:  # fewer chunks than ranks
        assert len(set(owners.blocks) | set(owners.bodies)) < count


def bare_product(problem, x):
    """N x, without E."""
    out = np.empty_like(x)
    problem.operator.apply(x, out, problem.operator.scratch())
    return out


def test_products_by_parts_are_those_of_the_matrix(problem):
    x = np.random.default_rng(3).standard_normal(problem.rows)
    expected = problem.operator.as_matrix() @ x
    if problem.compliance is not None:  # E, which has no matrix of its own
        expected += problem.product(x) - bare_product(problem, x)

    def product(ranks):
        share = _Share(problem, ranks)
        return share.whole(share.product(x[share.part.rows]).rows)

    alone = product(OneProcess())
    assert np.abs(alone - expected).max() < 1e-12 * np.abs(expected).max()
    for count in (2, 4, 9):
        for each in run_in_threads(count, product):
            assert np.array_equal(each, alone)


@pytest.mark.parametrize("count", [1, 5])
def test_a_proposal_takes_one_exchange_and_one_reduction(problem, count, monkeypatch):
    asked = []
    monkeypatch.setattr(divided, "accept", lambda *given: asked.append(1) or accept(*given))

    def solve(ranks):
        solver = DividedAPGD(tolerance=0.0, max_iterations=40, communicator=ranks)
        return solver.solve(problem), ranks.traffic

    found = run_in_threads(count, solve)
    proposals = len(asked) // count + 1  # the last one is not asked for
    assert proposals >= 41
    for solution, traffic in found:
        assert solution.iterations == 40
        # besides: products of the start, twice, and the whole of the best point at the end
        assert traffic.exchanges == proposals + 2
        assert traffic.reductions == proposals + (1 if count > 1 else 0)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3])
def test_solutions_are_those_of_apgd(problem, count):
    expected = am.APGD(tolerance=1e-5, max_iterations=3000, precision="double").solve(problem)

    def solve(ranks):
        solver = DividedAPGD(tolerance=1e-5, max_iterations=3000, communicator=ranks)
        return solver.solve(problem)

    found = run_in_threads(count, solve)
    assert expected.converged
    for each in found:
        assert each.converged
        assert each.iterations == pytest.approx(expected.iterations, abs=2)
        assert each.objective == pytest.approx(expected.objective, rel=1e-7)
        assert np.array_equal(each.impulses, found[0].impulses)
        assert np.array_equal(each.history.residual, found[0].history.residual)


def test_small_problems_are_not_divided():
    def run(ranks):
        world = am.World()
        world.add_body(am.Plane(), fixed=True)
        world.add_body(am.Sphere(0.1), position=(0, 0, 0.1), mass=1.0)
        am.Simulation(world, step=1e-3, ranks=ranks).step()
        return ranks.traffic

    for traffic in run_in_threads(2, run):
        assert traffic.exchanges == 0
        assert traffic.reductions == 1  # whether all agree on the state
