"""Particles of YADE, LAMMPS, LIGGGHTS and tables: read, and refused with what is wrong."""

import numpy as np
import pytest

import amontons as am
from amontons.results import Results
from amontons.results.exports import EXPORTS

PLACES, RADII = [[0.0, 0.1, 0.2], [1.0, 1.1, 1.2]], [0.01, 0.02]

YADE = "#format x_y_z_r\n# exported\n0 0.1 0.2 0.01\n1\t1.1\t1.2\t0.02\n"
CSV = "X [m], y, z, diameter, colour, rho\n0,0.1,0.2,0.02,7,2500\n1,1.1,1.2,0.04,8,2600\n"
DATA = """LAMMPS data file via write_data

2 atoms
1 atom types

0 2 xlo xhi
0 2 ylo yhi
0 2 zlo zhi

Atoms # sphere

2 1 0.04 2600 1 1.1 1.2 0 0 0
1 1 0.02 2500 0 0.1 0.2 0 0 0

Velocities

1 1.0 2.0 3.0 0 0 0
2 4.0 5.0 6.0 0 0 0
"""
DUMP = """ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
1
ITEM: BOX BOUNDS pp pp ff
0 2
0 2
0 2
ITEM: ATOMS id type x y z radius
1 1 9 9 9 9
ITEM: TIMESTEP
10
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp pp ff
0 2
0 2
-1 1
ITEM: ATOMS id type element xs ys zs radius vx vy vz
1 1 Si 0 0.05 0.6 0.01 1 2 3
2 3 Si 0.5 0.55 1.1 0.02 4 5 6
"""


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("name", "text"),
    [("grains.txt", YADE), ("grains.csv", CSV), ("data.grains", DATA), ("run.dump", DUMP)],
)
def test_each_format_is_recognised_and_read(tmp_path, name, text):
    found = am.load_particles(write(tmp_path, name, text))
    order = np.argsort(found.radius)
    np.testing.assert_allclose(found.position[order], PLACES, atol=1e-12)
    np.testing.assert_allclose(found.radius[order], RADII)
    if found.velocity is not None:
        np.testing.assert_array_equal(found.velocity[order], [[1, 2, 3], [4, 5, 6]])
    if found.density is not None:
        assert found.density[order].tolist() == [2500, 2600]
    assert (found.velocity is None) == (name.startswith("grains"))
    assert "2, diameters 0.02 to 0.04" in repr(found)


def test_millimetres_and_earlier_snapshots(tmp_path):
    found = am.load_particles(write(tmp_path, "a.txt", YADE), scale=1e-3)
    np.testing.assert_allclose(found.radius, [1e-5, 2e-5])
    first = am.load_particles(write(tmp_path, "a.dump", DUMP), frame=0)
    assert first.radius.tolist() == [9.0]
    assert first.id.tolist() == [1]


def test_particles_make_bodies(tmp_path):
    found = am.load_particles(write(tmp_path, "a.txt", YADE))
    world = am.World()
    world.add_spheres(found.radius, position=found.position, density=2500.0)
    assert world.bodies.mass[1] == pytest.approx(2500 * 4 / 3 * np.pi * 0.02**3)


def test_our_own_dumps_come_back(tmp_path):
    world = am.World()
    rng = np.random.default_rng(1)
    world.add_spheres(rng.uniform(0.1, 0.2, 7), position=rng.uniform(0, 9, (7, 3)), density=1.0,
                      velocity=rng.normal(size=(7, 3)))  # fmt: skip
    with am.Recorder(am.Simulation(world, step=0.01), tmp_path / "run"):
        pass
    with Results(tmp_path / "run") as results:
        (path,) = EXPORTS["lammps"](results, tmp_path, [0])
    found = am.load_particles(path)
    np.testing.assert_array_equal(found.position, world.bodies.position)
    np.testing.assert_array_equal(found.radius, [world.body(i).shape.radius for i in range(7)])
    np.testing.assert_allclose(found.velocity, world.bodies.velocity, rtol=1e-6)
    assert found.id.tolist() == list(range(1, 8))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", "", "no particles"),
        ("a.txt", "1 2 3\n", "line 1: 4 numbers"),
        ("a.txt", "1 2 3 r\n", "not all numbers"),
        ("a.txt", "1 2 3 -4\n", "particle 1 has a radius of -4"),
        ("a.txt", "1 nan 3 4\n", "y = nan"),
        ("a.txt", "#format id_x_y_z\n1 2 3 4\n", "YADE's format"),
        ("a.csv", "x,y,z\n1,2,3\n", "no column for radius"),
        ("a.csv", "x,y,z,r\n", "line of names"),
        ("a.csv", "x,y,z,r\n1,2,3\n", "row 2: 4 columns"),
        ("a.data", DATA.replace("# sphere", "# atomic"), "style sphere"),
        ("a.data", DATA.replace("2 4.0 5.0 6.0 0 0 0\n", ""), "without a line in Velocities"),
        ("a.data", DATA.replace("2 1 0.04 2600 1 1.1 1.2 0 0 0", "2 1 0.04"), "7 numbers"),
        ("a.dump", DUMP[: DUMP.rindex("2 3 Si")], "ends within snapshot 1"),
        ("a.dump", DUMP.replace("pp pp ff\n0 2\n0 2\n-1 1", "pp pp ff\n0 2\n0 2\nhalf 1"),
         "is not what should"),
        ("a.dump", DUMP.replace("BOX BOUNDS pp", "BOX BOUNDS xy xz yz pp"), "tilted"),
        ("a.dump", "ITEM: TIMESTEP\n0\n", "no snapshot"),
    ],
)  # fmt: skip
def test_files_that_are_wrong_say_where(tmp_path, name, text, says):
    with pytest.raises(am.FileFormatError, match=says):
        am.load_particles(write(tmp_path, name, text))


def test_calls_that_are_wrong_say_so(tmp_path):
    path = write(tmp_path, "a.dump", DUMP)
    with pytest.raises(am.InputError, match="no snapshot 7"):
        am.load_particles(path, frame=7)
    with pytest.raises(am.InputError, match="unknown format 'pdb'"):
        am.load_particles(path, format="pdb")
    with pytest.raises(am.InputError, match="no file"):
        am.load_particles(tmp_path / "nothing.txt")
    with pytest.raises(am.InputError, match="scale"):
        am.load_particles(path, scale=0.0)
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(am.FileFormatError, match="as text"):
        am.load_particles(tmp_path / "b.txt")
