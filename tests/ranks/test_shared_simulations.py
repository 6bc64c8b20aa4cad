"""One simulation by several processes: the same bits on any number, one end for all."""

import numpy as np
import pytest

import amontons as am
from amontons.ranks import Communicator, DividedAPGD, run_in_threads
from amontons.ranks.mpi import STARTED_BY_MPI
from amontons.simulation.compiled.compiled_step import Compiled
from amontons.simulation.solve.step_solution import StepSolution
from amontons.testing.shared_worlds import SHARED_WORLDS
from helpers.shared_beds import WORLDS, bed

pytestmark = pytest.mark.usefixtures("one_thread")

SOLVER = am.APGD(tolerance=1e-4, max_iterations=60)


def simulated(world, steps, **more):
    simulation = am.Simulation(world, step=2e-3, solver=SOLVER, **more)
    for _ in range(steps):
        simulation.step()
    return simulation


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WORLDS))
def test_states_are_equal_on_any_number_of_ranks(name):
    def run(ranks):
        simulation = simulated(WORLDS[name](), 6, ranks=ranks)
        assert ranks.traffic.exchanges > 6 * 10  # the work was divided, indeed
        return simulation.state.hash()

    found = {count: run_in_threads(count, run) for count in (1, 2, 4, 7)}
    assert len({state for each in found.values() for state in each}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHARED_WORLDS))
def test_states_of_many_kinds_of_worlds_are_equal(name):
    """With 30 ranks there are more of them than units: some own nothing."""
    made = SHARED_WORLDS[name]

    def run(ranks):
        simulation = am.Simulation(made.make(), step=made.step, solver=SOLVER, ranks=ranks)
        for _ in range(4):
            simulation.step()
        return simulation.state.hash(), simulation._last.share.division.units_of.count(0)

    found = {count: run_in_threads(count, run) for count in (1, 4, 30)}
    assert len({state for each in found.values() for state, _ in each}) == 1
    assert found[30][0][1] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"friction": "exact"},
        {"solver": am.SpectralGradient(max_iterations=40)},
        {"solver": am.Jacobi(max_iterations=20)},
        {"substeps": 2},
    ],
    ids=["exact friction", "SpectralGradient", "Jacobi", "substeps"],
)
@pytest.mark.parametrize("name", ["rough floor", "sticky snowball"])
def test_states_are_equal_by_other_methods(name, options):
    made = SHARED_WORLDS[name]

    def run(ranks):
        chosen = {"solver": SOLVER, "ranks": ranks} | options
        simulation = am.Simulation(made.make(), step=made.step, **chosen)
        for _ in range(4):
            simulation.step()
        assert ranks.traffic.exchanges > 4 * 10
        return simulation.state.hash()

    assert len({state for count in (1, 3) for state in run_in_threads(count, run)}) == 1


def test_contacts_of_processes_are_together_those_of_one():
    def run(ranks):
        return simulated(bed(), 1, ranks=ranks).contacts

    (alone,), parts = run_in_threads(1, run), run_in_threads(3, run)
    rows = np.concatenate([each.as_rows() for each in parts])
    rows = rows[np.lexsort(rows[:, 1::-1].T)]
    assert np.array_equal(rows, alone.as_rows())


def test_several_processes_do_not_record_contacts(tmp_path):
    def run(ranks):
        simulation = simulated(bed(1), 0, ranks=ranks)
        with pytest.raises(am.InputError, match="record without contacts"):
            am.Recorder(simulation, tmp_path / str(ranks.rank), contacts=True)

    run_in_threads(2, run)


def test_several_processes_do_not_record_probes(tmp_path):
    def run(ranks):
        world = bed(1)
        world.add_probe(am.Probe("floor", ["force"], body=world.body(world.bodies.id[0])))
        simulation = simulated(world, 0, ranks=ranks)
        with pytest.raises(am.InputError, match="record without probes"):
            am.Recorder(simulation, tmp_path / str(ranks.rank))

    run_in_threads(2, run)


def test_one_process_comes_to_nearly_the_same():
    """Without ranks sums are taken in another order: positions agree to rounding, for a while."""
    alone = simulated(bed(), 3)
    shared = run_in_threads(2, lambda ranks: simulated(bed(), 3, ranks=ranks))[0]
    moved = np.abs(alone.bodies.position - shared.bodies.position).max()
    assert moved < 1e-9 * np.abs(alone.bodies.velocity).max() * alone.time


def test_checkpoints_go_on_with_another_number_of_ranks(tmp_path):
    whole = run_in_threads(2, lambda ranks: simulated(bed(), 6, ranks=ranks).state.hash())[0]

    def first_half(ranks):
        simulation = simulated(bed(), 3, ranks=ranks)
        if ranks.leads:
            simulation.save(tmp_path / "half.npz")

    def second_half(ranks):
        simulation = simulated(bed(), 0, ranks=ranks)
        simulation.restore(tmp_path / "half.npz")
        for _ in range(3):
            simulation.step()
        return simulation.state.hash()

    run_in_threads(2, first_half)
    for count in (1, 3):
        assert set(run_in_threads(count, second_half)) == {whole}


def test_one_process_goes_on_in_compiled_steps_as_in_staged_ones(tmp_path):
    """Processes leave out columns of zeros of what contacts remember.

    Another contact's force, read in their place, would have these be parted, which overlap a bit.
    """

    def world():
        made, stone = am.World(), am.Material(friction=0.5)
        made.add_body(am.Plane(), fixed=True, material=stone)
        place = [(0.3 * i, 0.0, 0.0995 if i % 8 == 0 else 50.0) for i in range(260)]
        made.add_bodies(
            am.Sphere(0.1), position=place, mass=1.0, material=stone, velocity=[(0, -1, 0)] * 260
        )
        return made

    def begin(ranks):
        simulation = simulated(world(), 1, ranks=ranks)
        assert simulation.state.contacts.values.shape == (33, 3)
        assert simulation.state.contacts.values.any()
        if ranks.leads:
            simulation.save(tmp_path / "begun.npz")

    def go_on(compiled):
        simulation = am.Simulation(world(), step=2e-3, compiled=compiled)
        simulation.restore(tmp_path / "begun.npz")
        flying = simulation.bodies.id[simulation.bodies.position[:, 2] > 1.0]
        simulation.world.remove_bodies(flying[:100].tolist())  # it is small enough then
        simulation.step()
        assert isinstance(simulation._last, Compiled if compiled else StepSolution)
        return simulation.state.hash()

    run_in_threads(2, begin)
    assert go_on(compiled=True) == go_on(compiled=False)


def test_an_exception_in_one_process_ends_all():
    def run(ranks):
        simulation = simulated(bed(), 0, ranks=ranks)

        def on_step(_):
            if ranks.rank == 1:
                raise ValueError("only here")

        simulation.run(1.0, on_step=on_step)

    with pytest.raises(ValueError, match="only here"):
        run_in_threads(3, run)


def test_processes_that_disagree_say_so():
    """A body that flies about on its own is nowhere in what processes say to each other."""

    def run(ranks):
        world = bed(1)
        world.add_body(
            am.Sphere(0.1), position=(0.0, 0.0, 9.0), mass=1.0, velocity=(1e-3 * ranks.rank, 0, 0)
        )
        simulated(world, 2, ranks=ranks)

    with pytest.raises(am.SimulationError, match="after step 1 the 2 processes have different"):
        run_in_threads(2, run)


class Elsewhere(Communicator):
    """Processes that nobody may need: what is refused is refused before anything is said."""

    def __init__(self):
        super().__init__(0, 2)

    def _refuse(self, *_):
        raise AssertionError("nothing was to be said")

    exchange = joined = delivered = give_up = _refuse


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"solver": am.Auto()}, "cannot share Auto, only APGD, SpectralGradient and Jacobi: take"),
        ({"solver": am.InteriorPoint()}, "cannot share InteriorPoint"),
        ({"solver": am.APGD(time_limit=1.0)}, "leave out time_limit"),
        ({"sleeping": am.Sleeping()}, "leave out `ranks`, or `sleeping`"),
        ({"solver": am.APGD(time_limit=1.0), "friction": "exact"}, "leave out time_limit"),
        ({"ranks": 2}, "ranks must be those of amontons.ranks.here"),
    ],
)
def test_what_is_not_divided_is_refused_at_the_call(options, advice):
    with pytest.raises(am.InputError, match=advice):
        am.Simulation(bed(1), step=1e-3, **{"ranks": Elsewhere()} | options)


def test_cells_are_refused():
    world = am.World(cell=am.Cell((1.0, 1.0, 1.0)))
    with pytest.raises(am.InputError, match="a cell yet: leave out `ranks`, or the cell"):
        am.Simulation(world, step=1e-3, ranks=Elsewhere())


def test_bonds_break_as_in_one_process():
    """Some of them, and the same ones; bodies are where they are, to the tolerance."""
    solver = am.APGD(tolerance=1e-8, max_iterations=300)

    def run(ranks):
        simulation = am.Simulation(WORLDS["bonds"](), step=2e-3, solver=solver, ranks=ranks)
        for _ in range(3):
            simulation.step()
        return simulation.bonds.broken.copy(), simulation.bodies.position.copy()

    broken, place = run(None)
    assert 0 < broken.sum() < broken.size
    for found, where in run_in_threads(3, run):
        assert np.array_equal(found, broken)
        assert np.abs(where - place).max() < 1e-7


@pytest.mark.parametrize("friction", ["convex", "exact"])
@pytest.mark.parametrize(
    "solver", [None, am.APGD(), am.SpectralGradient(), am.APGD(min_iterations=3)]
)
def test_least_numbers_of_iterations_are_those_of_one_process(solver, friction):
    alone = am.Simulation(am.World(), step=1e-3, solver=solver, friction=friction).solvers
    chosen = {"solver": solver, "friction": friction, "ranks": Elsewhere()}
    shared = am.Simulation(am.World(), step=1e-3, **chosen).solvers
    assert alone.many.min_iterations in (20, 3)
    assert shared.many.min_iterations == alone.many.min_iterations
    assert shared.few.min_iterations == alone.few.min_iterations


def test_processes_take_at_least_as_many_iterations():
    """Where a coarse tolerance asks for few, as one process does."""

    def run(ranks, least=None):
        solver = am.APGD(tolerance=0.1, min_iterations=least)
        simulation = am.Simulation(bed(4), step=2e-3, solver=solver, ranks=ranks)
        return [simulation.step().iterations for _ in range(2)]

    assert run_in_threads(2, run)[0] == run(None)
    assert run(None)[1] == 20 > run_in_threads(2, lambda ranks: run(ranks, 0))[0][1]


def test_compiled_steps_are_not_taken_by_several():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Sphere(0.1), position=(0.0, 0.0, 0.1), mass=1.0)
    simulation = am.Simulation(world, step=1e-3, compiled=True, ranks=am.ranks.OneProcess())
    simulation.step()
    assert isinstance(simulation._last, StepSolution)


def test_a_solver_that_is_set_later_is_divided_too():
    simulation = am.Simulation(bed(1), step=1e-3, ranks=Elsewhere())
    simulation.solver = am.APGD(tolerance=1e-5)
    assert isinstance(simulation.solver, DividedAPGD)
    with pytest.raises(am.InputError, match="cannot share Auto"):
        simulation.solver = am.Auto()


def test_without_mpi_a_process_is_alone(monkeypatch):
    for name in STARTED_BY_MPI:
        monkeypatch.delenv(name, raising=False)
    am.ranks.here.cache_clear()
    ranks = am.ranks.here()
    assert (ranks.rank, ranks.count, ranks.leads) == (0, 1, True)
