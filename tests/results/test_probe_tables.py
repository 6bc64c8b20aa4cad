"""Probes and cells in run files: written as read, resumed bit for bit, and back as tables."""

import csv
import dataclasses

import numpy as np
import pytest

import amontons as am
from amontons.results.exports import EXPORTS, write_tables
from amontons.results.probe_tables import probe_table
from helpers.recordings import same

PRESSURE = 5e4
SOLVER = am.APGD(tolerance=1e-3, max_iterations=200)


def cell_world():
    """27 balls in a cell that is pressed, then shortened and sheared; a probe of it from 0.02 s."""
    rng = np.random.default_rng(2)
    lattice = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)
    stages = [
        am.CellStage(0.02, strain_rate=(0, 0, -1.0), stress=(PRESSURE, PRESSURE, None)),
        am.CellStage(0.03, shear_rate=2.0),
    ]
    world = am.World(
        gravity=(0, 0, 0), cell=am.Cell((0.8, 0.8, 0.8), stress=PRESSURE, stages=stages)
    )
    world.add_spheres(rng.uniform(0.11, 0.12, 27), position=0.8 / 3 * (lattice + 0.5), density=2e3)
    names = ("size", "shear", "stress", "porosity")
    world.add_probe(am.Probe("sample", names, every=4e-3, since=0.02))
    world.add_probe(am.Probe("first", ["position", "force"], body=3))
    return world


def simulation():
    return am.Simulation(cell_world(), step=1e-3, solver=SOLVER)


def recorded(folder, until=0.05):
    sim = simulation()
    rows = []

    def look(report):
        recorder(report)
        rows.append((report.time, sim.cell.edges.copy(), am.measure.stress(sim, part="total")))

    with am.Recorder(sim, folder, rate=100.0, contacts=True) as recorder:
        sim.run(until, on_step=look)
    return sim, rows


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probes") / "run"
    return folder, *recorded(folder)


def test_rows_come_when_they_are_due_and_say_what_was_there(run):
    folder, _, rows = run
    with am.Results(folder) as results:
        assert results.probes == ["sample", "first"]
        table, units = probe_table(results, "sample")
        assert units["stress_zz"] == "Pa"
        np.testing.assert_allclose(table["time"], np.arange(0.02, 0.0501, 4e-3), atol=1e-9)
        assert len(probe_table(results, "first")[0]["time"]) == results.steps
        for i, number in enumerate(table["step"]):
            _, edges, stress = rows[number - 1]
            assert table["size_z"][i] == edges[2, 2]
            assert table["stress_zz"][i] == stress[2, 2]
            assert table["stress_xy"][i] == 0.5 * (stress[0, 1] + stress[1, 0])


def test_strains_count_from_the_first_row(run):
    folder, *_ = run
    with am.Results(folder) as results:
        table, _ = probe_table(results, "sample")
    assert table["strain_z"][0] == 0.0
    loaded = table["time"] <= 0.03
    # shortened at 1/s: logarithmic, compression positive
    np.testing.assert_allclose(
        table["strain_z"][loaded], table["time"][loaded] - 0.02, rtol=2e-3, atol=1e-12
    )
    total = table["strain_x"] + table["strain_y"] + table["strain_z"]
    np.testing.assert_allclose(table["volume_strain"], total, atol=1e-15)
    sheared = np.maximum(table["time"] - 0.03, 0.0) * 2.0
    # a row holds the rate of the step before it, so that of the change is known to one row
    np.testing.assert_allclose(table["shear_strain"], sheared, atol=2.0 * 4e-3 + 1e-9)
    assert table["shear_strain"][-1] > 0.03


def test_a_frame_of_a_file_has_its_cell_and_the_same_stress(run):
    folder, sim, rows = run
    with am.Results(folder) as results:
        np.testing.assert_allclose(results.cell(0).edges, 0.8 * np.eye(3), rtol=1e-12)
        for frame in list(results)[1:]:
            _, edges, stress = rows[frame.step - 1]
            np.testing.assert_array_equal(frame.cell.edges, edges)
            found = am.measure.stress(frame, part="total")
            np.testing.assert_allclose(found, stress, atol=1e-5 * np.abs(stress).max())
            assert am.measure.solid_fraction(frame) == pytest.approx(
                np.pi * 4 / 3 * sum(r**3 for r in radii(sim)) / np.prod(np.diag(edges))
            )
        assert results.cell(-1).volume == pytest.approx(sim.cell.volume)
        assert (results[-1].cell.corners.min(axis=0) == 0.0).all()


def radii(sim):
    return [sim.world.shapes[number].radius for number in sim.bodies.shape]


def test_a_run_in_parts_is_the_unbroken_run(run, tmp_path):
    folder, *_ = run
    for until in (0.013, 0.0295, 0.05):
        sim = simulation()
        with am.Recorder(sim, tmp_path / "p", rate=100.0, contacts=True, resume=True) as recorder:
            sim.run(until=until, on_step=recorder)
    same(folder, tmp_path / "p")
    with am.Results(folder) as one, am.Results(tmp_path / "p") as other:
        mine = [name for name in one.columns if name.startswith(("probe:", "cell:"))]
        assert len(mine) == 14 + 3 + 1 + 8 + 1 + 6
        for name in mine:
            np.testing.assert_array_equal(one.readings(name), other.readings(name), err_msg=name)


def test_other_probes_than_those_of_the_file_are_refused(run):
    folder, *_ = run
    world = cell_world()
    world.add_probe(am.Probe("more", "porosity"))
    sim = am.Simulation(world, step=1e-3, solver=SOLVER)
    with pytest.raises(am.InputError, match="other joints, sensors or probes"):
        am.Recorder(sim, folder, resume=True)


def test_tables_and_files(run, tmp_path):
    folder, *_ = run
    with am.Results(folder) as results:
        wanted, _ = probe_table(results, "sample")
        data = results.to_pandas("probe:sample")
        assert list(data.columns) == list(wanted)
        assert data.attrs["units"]["size_x"] == "m"
        assert results.to_arrow("probe:sample").num_rows == len(data)
        assert results.to_xarray("probe:sample").sizes["row"] == len(data)
        with pytest.raises(am.InputError, match=r"no probe 'other'.*there are sample, first"):
            results.to_pandas("probe:other")
        with pytest.raises(am.InputError, match="leave `frames` out"):
            results.to_pandas("probe:sample", frames=[0])
        paths = write_tables(results, tmp_path)
        assert [path.name for path in paths] == ["sample.csv", "first.csv"]
        assert set(paths) < set(EXPORTS["csv"](results, tmp_path, [0]))
    with paths[0].open() as stream:
        rows = list(csv.DictReader(stream))
    for name, values in wanted.items():  # every digit
        np.testing.assert_array_equal([float(row[name]) for row in rows], values)


def test_a_run_without_probes_says_so(tmp_path):
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    sim = am.Simulation(world, step=1e-2)
    with am.Recorder(sim, tmp_path / "r") as recorder:
        sim.run(0.05, on_step=recorder)
    with am.Results(tmp_path / "r") as results:
        assert results.probes == []
        assert results.cell(0) is None
        assert write_tables(results, tmp_path) == []
        with pytest.raises(am.InputError, match="nor any other"):
            results.to_pandas("probe:sample")


def test_stages_of_a_cell_are_those_of_cells_that_are_changed_by_hand():
    staged = simulation()
    by_hand = am.Simulation(cell_world(), step=1e-3, solver=SOLVER)
    world = by_hand.world
    full = world.cell
    world.cell = dataclasses.replace(full, stages=())
    for _ in range(45):
        if by_hand.steps in (20, 30):
            world.cell = dataclasses.replace(full.at(by_hand.time), stages=())
        staged.step()
        by_hand.step()
    assert staged.state.cell.edges.tobytes() == by_hand.state.cell.edges.tobytes()
    assert staged.bodies.position.tobytes() == by_hand.bodies.position.tobytes()
    assert full.at(0.0) is full
    for wrong, told in (
        ([0.1], "must be amontons.CellStage"),
        ([am.CellStage(0.2), am.CellStage(0.1)], "times that rise"),
        ([am.CellStage(0.1, stress=1.0, strain_rate=1.0)], "give one"),
    ):
        with pytest.raises(am.InputError, match=told):
            am.Cell((1, 1, 1), stages=wrong)
    with pytest.raises(am.InputError, match="time of a stage"):
        am.CellStage(0.0)
