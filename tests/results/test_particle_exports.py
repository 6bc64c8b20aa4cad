"""Runs as particles and as tables, read back by others: OVITO, pyvista, pandas, xarray, Arrow."""

import numpy as np
import pytest

import amontons as am
from amontons.results import Results
from amontons.results.exports import EXPORTS

TURNED = (0.8, 0.0, 0.6, 0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A recorded run of one body of each kind, and a floor."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    shapes = [
        am.Sphere(0.1), am.Ellipsoid((0.1, 0.2, 0.3)), am.Box((0.2, 0.3, 0.4)),
        am.Cylinder(0.1, 0.5), am.Capsule(0.1, 0.4), am.Sphere(0.2),
        am.ConvexHull([(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)]),
    ]  # fmt: skip
    place = [(i, 0.0, 0.0995 if i == 0 else 1.0) for i in range(len(shapes))]
    world.add_bodies(shapes, position=place, density=10.0, orientation=TURNED)
    sim = am.Simulation(world, step=0.01)
    where = tmp_path_factory.mktemp("runs") / "kinds"
    with am.Recorder(sim, where, rate=100.0, contacts=True) as recorder:
        sim.run(0.03, on_step=recorder)
    return where


@pytest.fixture
def results(folder):
    with Results(folder) as results:
        yield results


def test_lammps_dumps_have_every_particle_of_every_frame(results, tmp_path):
    (path,) = EXPORTS["lammps"](results, tmp_path, range(results.frames))
    text = path.read_text().splitlines()
    assert text[0:2] == ["ITEM: UNITS", "si"]
    heads = [i for i, line in enumerate(text) if line.startswith("ITEM: ATOMS")]
    assert len(heads) == results.frames
    names = text[heads[-1]].split()[2:]
    rows = np.array([line.split() for line in text[heads[-1] + 1 :]], dtype=float)
    table = dict(zip(names, rows.T, strict=True))
    last = results[-1]
    np.testing.assert_array_equal(table["id"], results.bodies.id[1:] + 1)
    np.testing.assert_array_equal(table["z"], last.position[1:, 2])
    np.testing.assert_array_equal(table["quatw"], last.orientation[1:, 0])
    np.testing.assert_array_equal(table["vz"], last.twist[1:, 2])
    assert table["type"].tolist() == [1, 2, 3, 4, 5, 1, 7]
    assert table["radius"][[0, 5]].tolist() == [0.1, 0.2]
    np.testing.assert_allclose(table["shapez"][1:5], [0.6, 0.4, 0.5, 0.6])  # whole lengths


def test_extended_xyz_says_what_is_in_it(results, tmp_path):
    (path,) = EXPORTS["xyz"](results, tmp_path, [0, results.frames - 1])
    text = path.read_text().splitlines()
    count = len(results.bodies) - 1
    assert int(text[0]) == int(text[count + 2]) == count
    assert len(text) == 2 * (count + 2)
    assert f"Time={results.time[-1]:.17g}" in text[count + 3]
    row = text[-1].split()
    assert row[0] == "ConvexHull"
    np.testing.assert_array_equal(np.array(row[2:5], dtype=float), results.position[-1][-1])


@pytest.mark.parametrize("kind", ["xyz", "lammps"])
def test_ovito_reads_particles_back(results, tmp_path, kind):
    io = pytest.importorskip(
        "ovito.io", reason="OVITO's module is not installed: pip install ovito"
    )
    (path,) = EXPORTS[kind](results, tmp_path, range(results.frames))
    pipeline = io.import_file(str(path))
    assert pipeline.source.num_frames == results.frames
    found = pipeline.compute(results.frames - 1).particles
    last = results[-1]
    np.testing.assert_allclose(found["Position"], last.position[1:], atol=1e-12)
    np.testing.assert_allclose(found["Velocity"], last.velocity[1:], rtol=1e-6, atol=1e-12)
    assert np.asarray(found["Radius"])[[0, 5]] == pytest.approx([0.1, 0.2])
    # OVITO's quaternions are (x, y, z, w), its shapes half lengths
    turn = np.asarray(found["Orientation"])[2]
    np.testing.assert_allclose(turn, np.roll(last.orientation[3], -1), atol=1e-6)
    shape = np.asarray(found["Aspherical Shape"])
    np.testing.assert_allclose(shape[1:3], [[0.1, 0.2, 0.3], [0.1, 0.15, 0.2]], atol=1e-6)


def test_vtk_reads_points_back(results, tmp_path):
    pyvista = pytest.importorskip("pyvista")
    (path,) = EXPORTS["points"](results, tmp_path, range(results.frames))
    reader = pytest.importorskip("vtkmodules.vtkIOHDF").vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == results.frames
    reader.SetStep(results.frames - 1)
    reader.Update()
    mesh = pyvista.wrap(reader.GetOutputDataObject(0))
    np.testing.assert_allclose(mesh.points, results.position[-1][1:], atol=1e-6)
    np.testing.assert_allclose(mesh["velocity"], results.twist[-1][1:, :3], rtol=1e-6)
    np.testing.assert_allclose(mesh["radius"][[0, 5]], [0.1, 0.2])
    assert mesh["body"].tolist() == results.bodies.id[1:].tolist()


def test_a_run_of_walls_alone_has_no_particles(tmp_path):
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    with am.Recorder(am.Simulation(world, step=0.01), tmp_path / "walls"):
        pass
    with Results(tmp_path / "walls") as results, pytest.raises(am.InputError, match="but walls"):
        EXPORTS["xyz"](results, tmp_path, range(results.frames))


def test_pandas_has_a_row_for_each_frame_and_body(results):
    pytest.importorskip("pandas")
    data = results.to_pandas("bodies")
    assert len(data) == results.frames * len(results.bodies)
    last = data[data.frame == results.frames - 1].set_index("body")
    np.testing.assert_array_equal(last[["x", "y", "z"]], results.position[-1])
    np.testing.assert_array_equal(last[["qw", "qx", "qy", "qz"]], results.orientation[-1])
    np.testing.assert_array_equal(last[["wx", "wy", "wz"]], results.twist[-1][:, 3:])
    assert last.name.iloc[0] == "floor"
    assert last.radius.dropna().tolist() == [0.1, 0.2]
    assert data.attrs["units"]["vx"] == "m/s"
    some = results.to_pandas("bodies", frames=[-1])
    np.testing.assert_array_equal(some.x, last.x)
    steps = results.to_pandas("steps")
    np.testing.assert_array_equal(steps.kinetic_energy, results.readings("kinetic_energy"))
    assert steps.attrs["units"]["kinetic_energy"] == "J"
    contacts = results.to_pandas("contacts", frames=slice(-1, None))
    np.testing.assert_array_equal(contacts[["fx", "fy", "fz"]], results.contacts(-1).force)
    assert contacts.body_a.dtype == np.int64
    assert len(contacts)
    assert len(results.to_pandas("notes")) == len(results.notes)


def test_arrow_has_the_same_and_parquet_keeps_it(results, tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for name in ("bodies", "contacts", "steps", "notes"):
        table, data = results.to_arrow(name), results.to_pandas(name)
        assert table.column_names == list(data.columns)
        assert table.num_rows == len(data)
    table = results.to_arrow("bodies")
    parquet.write_table(table, tmp_path / "bodies.parquet")
    back = parquet.read_table(tmp_path / "bodies.parquet")
    assert back.column("z").to_pylist() == results.position[:][:, :, 2].ravel().tolist()
    assert back.schema.field("vx").metadata[b"units"] == b"m/s"


def test_xarray_has_bodies_over_time(results):
    pytest.importorskip("xarray")
    data = results.to_xarray("bodies")
    np.testing.assert_array_equal(data.position, results.position[:])
    np.testing.assert_array_equal(data.time, results.time)
    z = data.position.sel(axis="z", body=results.bodies.id[2]).isel(time=-1)
    assert float(z) == results.position[-1][2, 2]
    assert data.velocity.attrs["units"] == "m/s"
    assert data.name.to_numpy()[0] == "floor"
    steps = results.to_xarray("steps")
    np.testing.assert_array_equal(steps.residual, results.readings("residual"))
    assert results.to_xarray("contacts").sizes["contact"] == len(results.to_pandas("contacts"))


@pytest.mark.parametrize("kind", ["to_pandas", "to_arrow"])
def test_tables_that_there_are_not_say_so(results, kind):
    with pytest.raises(am.InputError, match="bodies, contacts, steps, notes"):
        getattr(results, kind)("atoms")
    with pytest.raises(am.InputError, match="joints are columns of 'steps'"):
        getattr(results, kind)("joints")
    with pytest.raises(am.InputError, match="no frame 99"):
        getattr(results, kind)("bodies", frames=[99])
    with pytest.raises(am.InputError, match="not by frames"):
        getattr(results, kind)("steps", frames=[0])
