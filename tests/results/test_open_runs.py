"""Runs in which bodies come and go: what the file holds, and who reads it."""

import json

import numpy as np
import pytest

import amontons as am
from amontons.measure import coordination
from amontons.results import Recorder, Results
from amontons.results.exports import EXPORTS
from amontons.viewer import write_page
from amontons.viewer.packing import STATE, Packing
from helpers.pages import unpack


def scene():
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    world.add_body(am.Sphere(0.1), position=(0.0, 0.0, 0.11), density=1000.0, name="first")
    return am.Simulation(world, step=0.01)


def changes(sim, report):
    """Bodies come with shapes and materials of their own, and go."""
    world = sim.world
    if report.number == 5:
        rough = am.Material(friction=0.9)
        world.add_body(
            am.Box.cube(0.2), position=(1, 0, 0.15), mass=2.0, name="box", material=rough
        )
        hull = am.ConvexHull([(0, 0, 0), (0.2, 0, 0), (0, 0.2, 0), (0, 0, 0.2)])
        world.add_body(hull, position=(2, 0, 0.2), mass=1.0)
    if report.number == 12:
        world.remove_bodies("first")
    if report.number == 15:
        world.add_spheres([0.05, 0.06], position=[(0, 1, 0.1), (0, 2, 0.1)], density=1000.0)
    if report.number == 18:
        world.remove_bodies("box")


def recorded(folder, steps=20, sim=None, **options):
    """Each frame as it was when it was written: id, position."""
    sim, seen = sim or scene(), []
    with Recorder(sim, folder, rate=100.0, contacts=True, **options) as recorder:
        if not sim.steps:
            seen.append((sim.bodies.id.copy(), sim.bodies.position.copy()))
        while sim.steps < steps:
            report = sim.step()
            changes(sim, report)
            recorder(report)
            seen.append((sim.bodies.id.copy(), sim.bodies.position.copy()))
    return sim, seen


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("open") / "run"
    sim, seen = recorded(folder)
    return folder, sim, seen


def test_every_frame_has_the_bodies_that_there_were(run):
    folder, _, seen = run
    with Results(folder) as results:
        assert results.come_and_go
        assert results.frames == len(seen) == 21
        assert results.bodies.id.tolist() == [0, 1, 2, 3, 4, 5]
        assert results.bodies.names[:3] == ["floor", "first", "box"]
        assert [shape.kind for shape in results.shapes] == [
            "Plane", "Sphere", "Box", "ConvexHull", "Sphere", "Sphere"
        ]  # fmt: skip
        assert len(results.shapes[3].triangles) == 4
        assert results.materials[results.bodies.material[2]].friction == 0.9
        for frame, (ids, position) in zip(results, seen, strict=True):
            assert frame.id.tolist() == ids.tolist() == frame.bodies.id.tolist()
            assert np.array_equal(frame.position, position)
            whole = results.position[frame.number]
            assert np.isnan(whole).any(axis=1).sum() == 6 - len(ids)
            assert np.array_equal(whole[frame.row], position) or frame.row is None
            assert np.isin(frame.contacts.bodies, ids).all()
        assert coordination(results[-1]).mean >= 0.0


def test_tables_and_exports_follow(run, tmp_path):
    folder, _, seen = run
    with Results(folder) as results:
        table = results.to_pandas("bodies")
        assert len(table) == sum(len(ids) for ids, _ in seen)
        assert np.isfinite(table[["x", "y", "z", "qw", "vx"]]).all().all()
        assert table[table.name == "box"].frame.tolist() == list(range(5, 18))
        grid = results.to_xarray("bodies")
        assert np.isnan(grid.position.sel(body=2)[0]).all()
        for write in EXPORTS.values():
            write(results, tmp_path, range(results.frames))
        rows = (tmp_path / "bodies.csv").read_text().splitlines()
        assert len(rows) == 1 + len(table)
        counts = [int(n) for n in _after(tmp_path / "run.dump", "ITEM: NUMBER OF ATOMS")]
        assert counts == [len(ids) - 1 for ids, _ in seen]  # the floor is a wall


def read_vtkhdf(path, step):
    """What VTK finds at a step of a file, and the number of steps."""
    pyvista = pytest.importorskip("pyvista")
    reader = pytest.importorskip("vtkmodules.vtkIOHDF").vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    reader.SetStep(step)
    reader.Update()
    return pyvista.wrap(reader.GetOutputDataObject(0)), reader.GetNumberOfSteps()


def _after(path, title):
    lines = path.read_text().splitlines()
    return [lines[i + 1] for i, line in enumerate(lines) if line == title]


def test_paraviews_reader_has_the_bodies_of_each_frame(run, tmp_path):
    folder, _, seen = run
    with Results(folder) as results:
        for name in ("points", "vtkhdf"):
            EXPORTS[name](results, tmp_path, range(results.frames))
    for name, walls in (("points", 1), ("bodies", 0)):
        for number in (0, 7, 13, 20):
            mesh, steps = read_vtkhdf(tmp_path / f"{name}.vtkhdf", number)
            assert steps == 21
            assert np.unique(mesh["body"]).tolist() == seen[number][0][walls:].tolist()


def test_a_body_is_drawn_only_while_it_is_there(run, tmp_path):
    folder, _, seen = run
    with Results(folder) as results:
        write_page(results, tmp_path / "page.html")
        data = json.loads(json.dumps(Packing(results).page()))
        states = unpack(data["states"], STATE).reshape(results.frames, data["moving"])
        rows = np.array(data["rows"][: data["moving"]])
        for state, (ids, _) in zip(states, seen, strict=True):
            drawn = (state["turn"] != 0).any(axis=1)
            assert sorted(results.bodies.id[rows[drawn]]) == [i for i in ids if i != 0]
        early, late = (am.render(results, time=t, size=(160, 100)).pixels for t in (0.0, 0.2))
        assert (early != late).any()


@pytest.mark.parametrize("stop", [3, 9, 17])
def test_a_run_goes_on_where_it_was_killed(run, tmp_path, stop):
    """The file is that of an unbroken run, whoever had come or gone by then."""
    folder, sim, _ = run
    begun = scene()
    recorder = Recorder(begun, tmp_path, rate=100.0, contacts=True)
    while begun.steps < 20:
        report = begun.step()
        changes(begun, report)
        recorder(report)
        if begun.steps == stop:
            recorder.checkpoint()
    recorder.abandon()  # as a process that is killed leaves it
    again, _ = recorded(tmp_path, resume=True)
    assert again.state.hash() == sim.state.hash()
    with Results(folder) as one, Results(tmp_path) as other:
        assert one.frames == other.frames
        assert np.array_equal(one.position[:], other.position[:], equal_nan=True)
        assert one.bodies.names == other.bodies.names
        assert one.bodies.material.tolist() == other.bodies.material.tolist()
        assert [str(each) for each in one.shapes] == [str(each) for each in other.shapes]
