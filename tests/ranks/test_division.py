"""Parts of a step: together they are the whole, and products by parts are those of it."""

import dataclasses

import numpy as np
import pytest

import amontons as am
from amontons.ranks import run_in_threads
from amontons.ranks.division import LANES, Division
from amontons.simulation.sharing.share import DividedShare
from amontons.testing.shared_worlds import SHARED_WORLDS
from helpers.shared_beds import WORLDS, bed

pytestmark = pytest.mark.usefixtures("one_thread")

SOLVER = am.APGD(tolerance=0.0, max_iterations=2)
MANY = pytest.param(9, marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=sorted(WORLDS))
def make(request):
    """A world with enough contacts."""
    return WORLDS[request.param]


def stepped(world, **more):
    """A simulation after a step, whose problem and contacts it still has."""
    simulation = am.Simulation(world, step=2e-3, **{"solver": SOLVER} | more)
    simulation.step()
    return simulation


def named(contacts):
    """A name for each contact: its bodies and which of their features touch."""
    rows = np.column_stack([contacts.bodies.astype(np.int64), contacts.keys.astype(np.int64)])
    return [tuple(row) for row in rows.tolist()]


@pytest.mark.parametrize("count", [1, 2, 3, MANY])
def test_every_contact_and_body_counts_once(make, count):
    def run(ranks):
        solved = stepped(make(), ranks=ranks)._last
        contacts, division = solved.terms.contacts, solved.share.division
        own = solved.share.own_contacts(contacts)
        touching = division.pushed[contacts.bodies].any(axis=1)
        assert touching.all()  # nobody has what is not its own
        names = named(contacts)
        return names, [names[k] for k in own], np.flatnonzero(division.own)

    parts = run_in_threads(count, run)
    everything = [name for _, own, _ in parts for name in own]
    alone = stepped(make())._last.terms.contacts
    assert sorted(everything) == sorted(named(alone))
    bodies = np.concatenate([own for _, _, own in parts])
    assert sorted(bodies.tolist()) == list(range(len(make().bodies)))
    mobile = make().bodies.mass < np.inf
    for here, _, own in parts:  # whoever touches one of its own bodies is here
        mine = set(own.tolist()) & set(np.flatnonzero(mobile).tolist())
        assert set(here) == {name for name in everything if set(name[:2]) & mine}


@pytest.mark.parametrize("count", [2, 4, MANY])
def test_products_by_parts_are_those_of_the_matrix(make, count):
    """In the even problem of one process: rows that turn as speeds, too."""
    alone = stepped(make())._last
    problem, contacts, width = alone.problem, alone.terms.contacts, alone.terms.width
    given = np.random.default_rng(3).standard_normal((len(contacts), width))
    impulses = np.zeros(problem.rows)  # none on rows of joints
    impulses[: given.size] = given.ravel()
    of_contact = dict(zip(named(contacts), given, strict=True))
    speeds = problem.velocities(problem.unknowns(impulses)) - problem.given_linear
    expected = dict(zip(named(contacts), speeds[: given.size].reshape(given.shape), strict=True))

    def run(ranks):
        solved = stepped(make(), ranks=ranks)._last
        mine, of = solved.problem, solved.terms.contacts
        rows = np.array([of_contact[name] for name in named(of)]).ravel()
        joints = np.zeros(mine.rows - width * solved.share._filled.entries)
        x = mine.unknowns(solved.share.guess(np.concatenate([rows, joints]), width))
        found = mine.velocities(x) - mine.given_linear
        found = solved.share._filled.of_contacts(found, width)[: rows.size].reshape(-1, width)
        own, names = solved.share.own_contacts(of), named(of)
        return [names[k] for k in own], found[own]

    largest = max(np.abs(value).max() for value in expected.values())
    seen = 0
    for names, found in run_in_threads(count, run):
        for name, value in zip(names, found, strict=True):
            assert np.abs(value - expected[name]).max() < 1e-11 * largest
            seen += 1
    assert seen == len(contacts)


@pytest.mark.parametrize("count", [1, 5])
def test_a_proposal_takes_one_exchange_and_one_reduction(make, count):
    def solved(ranks, iterations):
        """How many proposals so many iterations are, and what they take."""
        simulation = stepped(make(), ranks=ranks)
        solver = dataclasses.replace(simulation.solver, max_iterations=iterations)
        problem, before = simulation.problem(), dataclasses.replace(ranks.traffic)
        solver.solve(problem)
        return [
            getattr(ranks.traffic, name) - getattr(before, name)
            for name in ("proposals", "exchanges", "reductions")
        ]

    short = run_in_threads(count, lambda ranks: solved(ranks, 20))
    long = run_in_threads(count, lambda ranks: solved(ranks, 60))
    for fewer, more in zip(short, long, strict=True):
        proposals, exchanges, reductions = np.subtract(more, fewer)
        assert proposals == exchanges == reductions >= 40


def test_columns_of_zeros_are_not_sent():
    """Each process has rows of its own; one of them has none."""

    def divided(ranks):
        return Division(ranks, None, np.ones(300, dtype=bool), np.ones(300, dtype=np.int64))

    def run(ranks):
        rows = np.arange(2.0 * ranks.rank)
        before = ranks.traffic.bytes
        total, told = divided(ranks).columns([rows + 1.0, 0.0 * rows, -0.0 * rows - 0.0])
        return total, told, ranks.traffic.bytes - before, rows

    parts = run_in_threads(3, run)
    together = np.concatenate([rows for *_, rows in parts])
    for total, told, sent, rows in parts:
        assert total == 6
        assert sorted(told) == [0, 2]  # the bits of -0.0 are not all zero
        assert np.array_equal(told[0], together + 1.0)
        assert np.signbit(told[2]).all()
        assert sent == 8 * (4 + 2 * rows.size)
    nobody = run_in_threads(2, lambda ranks: divided(ranks).columns([np.empty(0)] * 2))
    assert nobody == [(0, {})] * 2


@pytest.mark.slow
def test_solutions_are_those_of_apgd(make):
    solver = am.APGD(tolerance=1e-5, max_iterations=3000, precision="double")
    alone = stepped(make(), solver=solver)._last.solution

    def run(ranks):
        return stepped(make(), solver=solver, ranks=ranks)._last

    assert alone.converged
    for solved in run_in_threads(3, run):
        assert solved.solution.converged
        assert solved.solution.iterations == pytest.approx(alone.iterations, abs=2)
        assert solved.solution.objective == pytest.approx(alone.objective, rel=1e-7)


class Nobody:
    """Processes that say nothing."""

    def __init__(self, rank, count):
        self.rank, self.count = rank, count


def test_what_fixed_bodies_found_is_listed_by_the_others():
    """Bodies on a floor of fixed ones: the finder of a contact may be either."""
    made = SHARED_WORLDS["rough floor"]
    simulation = am.Simulation(made.make(), step=made.step)
    for _ in range(3):  # nobody is near the floor at first
        simulation.step()
    contacts, mobile = simulation._last.detected, simulation.model.mobile[:-1]
    finder = np.repeat(np.arange(mobile.size), np.diff(contacts.first))
    assert not mobile[finder].all()
    division = Division(Nobody(0, 1), None, mobile, np.ones(mobile.size, dtype=np.int64))
    listed = division.listed_by_owner(contacts)
    assert sorted(named(listed)) == sorted(named(contacts))
    owner = np.repeat(np.arange(mobile.size), np.diff(listed.first))
    assert mobile[owner].all()
    assert (listed.bodies == owner[:, None]).any(axis=1).all()
    gaps = dict(zip(named(contacts), contacts.gaps, strict=True))
    assert [gaps[name] for name in named(listed)] == listed.gaps.tolist()


def test_contacts_of_a_unit_fill_whole_lanes():
    simulation = stepped(bed())
    contacts, mobile = simulation._last.terms.contacts, simulation.model.mobile[:-1]
    order = contacts.order
    load = np.ones(mobile.size, dtype=np.int64)
    for rank in range(3):
        division = Division(Nobody(rank, 3), order, mobile, load)
        filled = division.filled(contacts)
        assert not (filled.begin % LANES).any()
        assert filled.entries % LANES == 0
        values = np.arange(1.0, 1.0 + len(contacts))
        list_of = filled.take(values)
        assert np.array_equal(filled.of_contacts(list_of, 1), values)
        for (low, high), (first, last) in zip(
            np.lib.stride_tricks.sliding_window_view(division.units_in(contacts), 2),
            np.lib.stride_tricks.sliding_window_view(filled.begin, 2),
            strict=True,
        ):
            assert np.array_equal(list_of[first:last][list_of[first:last] > 0], values[low:high])


def test_work_is_dealt_out_by_contacts():
    """Half of the bodies have all the contacts: they are shared evenly, whole units at a time."""
    mobile, load = np.ones(6000, dtype=bool), np.zeros(6000, dtype=np.int64)
    load[:3000] = 12
    divisions = [Division(Nobody(rank, 4), None, mobile, load) for rank in range(4)]
    work = [int((2 + load)[each.own].sum()) for each in divisions]
    assert sum(work) == int((2 + load).sum())
    assert max(work) < 1.05 * np.mean(work)
    assert sum(each.units for each in divisions) == -(-6000 // 24)


def test_small_worlds_are_not_divided():
    def run(ranks):
        world = am.World()
        world.add_body(am.Plane(), fixed=True)
        world.add_body(am.Sphere(0.1), position=(0, 0, 0.1), mass=1.0)
        am.Simulation(world, step=1e-3, ranks=ranks).step()
        return ranks.traffic

    for traffic in run_in_threads(2, run):
        assert traffic.exchanges == 0
        assert traffic.reductions == 1  # whether all agree on the state


def test_only_those_who_are_many_share(one_thread):
    none = np.zeros((0, 2), dtype=np.int32)
    remembered = am.Simulation(am.World(), step=1.0).state.contacts._replace(bodies=none)
    mobile = np.ones(255, dtype=bool)
    assert not DividedShare.of(Nobody(0, 1), None, mobile, remembered).divided
    assert not DividedShare.of(None, None, np.ones(999, dtype=bool), remembered).divided
