"""Exported runs, read back by others: csv by numpy, VTKHDF by VTK itself, glTF by trimesh."""

import numpy as np
import pytest

import amontons as am
from amontons.algebra.rotations import rotation_matrices
from amontons.results import Results, begin
from amontons.results.exports import EXPORTS
from amontons.results.exports.meshes import Meshes
from amontons.scenes import BouncingBalls, Drum


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A small run with contacts, and one of a turning drum without."""
    folder = tmp_path_factory.mktemp("runs")
    for scene in (BouncingBalls(8, height=0.02, restitution=0.0), Drum(5, width=0.2)):
        run = begin(scene, folder / scene.name, rate=50.0, contacts=scene.name != "drum")
        with run.recorder:
            run.simulation.run(0.2, on_step=run.recorder)
    return folder


@pytest.fixture(params=["bouncing_balls", "drum"])
def results(request, recorded):
    with Results(recorded / request.param) as results:
        yield results


@pytest.mark.slow
def test_meshes_are_placed_like_every_body_by_itself(results):
    meshes, frame = Meshes.of(results), results[-1]
    points = meshes.placed(frame.position, frame.orientation)
    for row, shape in enumerate(results.bodies.shape):
        turn = rotation_matrices(frame.orientation[row][None])[0]
        expected = results.shapes[shape].vertices @ turn.T + frame.position[row]
        np.testing.assert_allclose(points[meshes.owner == row], expected, atol=1e-6)
    assert meshes.triangles.max() == len(points) - 1


def test_csv(results, tmp_path):
    paths = EXPORTS["csv"](results, tmp_path, range(0, results.frames, 2))
    table = np.genfromtxt(paths[0], delimiter=",", names=True)
    count = len(results.bodies)
    assert table.size == count * len(range(0, results.frames, 2))
    np.testing.assert_array_equal(table["z"][count : 2 * count], results.position[2][:, 2])
    np.testing.assert_array_equal(table["wy"][-count:], results.twist[-1][:, 4])
    steps = np.genfromtxt(paths[1], delimiter=",", names=True)
    np.testing.assert_array_equal(steps["kinetic_energy"], results.readings("kinetic_energy"))
    tables = {path.stem: path for path in paths}
    assert ("contacts" in tables) == results.has_contacts
    if results.has_contacts:
        contacts = np.genfromtxt(tables["contacts"], delimiter=",", names=True)
        last = contacts["time"] == results.time[-1]
        np.testing.assert_array_equal(contacts["fz"][last], results.contacts(-1).force[:, 2])


def read_vtkhdf(path, step):
    """What VTK finds at a step of a file, and the number of steps."""
    pyvista = pytest.importorskip("pyvista")
    hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    reader = hdf.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    reader.SetStep(step)
    reader.Update()
    return pyvista.wrap(reader.GetOutputDataObject(0)), reader


def test_vtk_reads_the_same_positions_and_velocities(results, tmp_path):
    path = EXPORTS["vtkhdf"](results, tmp_path, range(results.frames))[0]
    meshes = Meshes.of(results)
    for number in (0, 4, results.frames - 1):
        mesh, reader = read_vtkhdf(path, number)
        frame = results[number]
        assert reader.GetNumberOfSteps() == results.frames
        assert reader.GetTimeValue() == frame.time
        placed = meshes.placed(frame.position, frame.orientation)
        np.testing.assert_allclose(mesh.points, placed, atol=1e-6)
        np.testing.assert_allclose(mesh["velocity"], frame.velocity[meshes.owner], atol=1e-6)
        np.testing.assert_array_equal(mesh["body"], results.bodies.id[meshes.owner])
        np.testing.assert_array_equal(mesh.faces.reshape(-1, 4)[:, 1:], meshes.triangles)


def test_vtk_reads_the_same_forces(recorded, tmp_path):
    with Results(recorded / "bouncing_balls") as results:
        path = EXPORTS["vtkhdf"](results, tmp_path, range(results.frames))[1]
        counts = [len(results.contacts(number)) for number in range(results.frames)]
        assert 0 in counts
        assert max(counts) > 3
        for number, count in enumerate(counts):
            points, _ = read_vtkhdf(path, number)
            assert points.n_points == points.n_cells == count
            if count:
                found = results.contacts(number)
                np.testing.assert_array_equal(points.points, found.points)
                np.testing.assert_array_equal(points["force"], found.force)
                np.testing.assert_array_equal(points["bodies"], found.bodies)


@pytest.mark.slow
def test_gltf_shows_the_first_frame_where_it_is(results, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (path,) = EXPORTS["gltf"](results, tmp_path, range(results.frames))
    scene = trimesh.load_scene(path)
    frame = results[0]
    names = results.bodies.names
    for row in np.flatnonzero(results.bodies.dynamic):
        place = scene.graph.get(names[row])[0][:3, 3]
        x, y, z = frame.position[row]
        np.testing.assert_allclose(place, [x, z, -y], atol=1e-6)  # y is up in glTF


def test_gltf_keys_are_the_frames(recorded, tmp_path):
    import json
    import struct

    with Results(recorded / "drum") as results:
        (path,) = EXPORTS["gltf"](results, tmp_path, range(results.frames))
        content = path.read_bytes()
        length = struct.unpack("<I", content[12:16])[0]
        document = json.loads(content[20 : 20 + length])
        binary = content[28 + length :]
        (animation,) = document["animations"]
        for channel in animation["channels"]:
            keys = document["accessors"][animation["samplers"][channel["sampler"]]["output"]]
            view = document["bufferViews"][keys["bufferView"]]
            width = {"VEC3": 3, "VEC4": 4}[keys["type"]]
            numbers = np.frombuffer(
                binary, "<f4", count=keys["count"] * width, offset=view["byteOffset"]
            )
            row = channel["target"]["node"]
            if channel["target"]["path"] == "translation":
                expected = results.position[:, row]
            else:
                expected = np.roll(results.orientation[:, row], -1, axis=1)
            np.testing.assert_allclose(numbers.reshape(-1, width), expected, atol=1e-6)


def test_an_empty_run_is_refused(recorded, tmp_path):
    with Results(recorded / "drum") as results, pytest.raises(am.InputError, match="no frames"):
        EXPORTS["gltf"](results, tmp_path, range(0))
