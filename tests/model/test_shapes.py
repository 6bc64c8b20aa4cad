"""Primitives, hulls, compounds and the table of shapes."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import amontons as am
from amontons.model.shapes import (
    Polyhedron,
    ShapeKind,
    ShapeRow,
    build_table,
    leaves,
    sphere_table,
)
from amontons.model.shapes.topology import opposite_corners
from amontons.testing import ContractError, check_shape, shape_checks

trimesh = pytest.importorskip("trimesh")

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
POINTS = np.random.default_rng(1).normal(size=(60, 3))
HEIGHTS = np.random.default_rng(2).normal(size=(6, 9))
TORUS = trimesh.creation.torus(1.0, 0.3, major_sections=16, minor_sections=8)

SHAPES = {
    "sphere": am.Sphere(0.7),
    "plane": am.Plane((1.0, -2.0, 3.0), 0.5),
    "box": am.Box((1.0, 2.0, 3.0)),
    "capsule": am.Capsule(radius=0.3, length=2.0),
    "flat capsule": am.Capsule(radius=2.0, length=1e-3),
    "cylinder": am.Cylinder(radius=0.4, height=5.0),
    "disc": am.Cylinder(radius=5.0, height=0.01),
    "cone": am.Cone(radius=1.0, height=3.0),
    "flat cone": am.Cone(radius=3.0, height=0.1),
    "ellipsoid": am.Ellipsoid((1.0, 2.0, 0.1)),
    "hull": am.ConvexHull(POINTS),
    "cube hull": am.ConvexHull(CUBE + 5.0),
    "mesh": am.TriangleMesh(TORUS.vertices, TORUS.faces),
    "open mesh": am.TriangleMesh(TORUS.vertices, TORUS.faces[:-1]),
    "one triangle": am.TriangleMesh(np.eye(3), [[0, 1, 2]]),
    "height field": am.HeightField(HEIGHTS, 0.5),
    "compound": am.Compound(
        [
            am.Part(am.Box((1.0, 2.0, 3.0)), (1.0, 0.0, 0.0), (1.0, 2.0, 3.0, 4.0)),
            am.Sphere(2.0),
            (am.Cone(1.0, 2.0), (0.0, 5.0, 0.0)),
            (am.ConvexHull(POINTS), (0.0, -5.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
        ]
    ),
}
SOLIDS = [
    name for name in SHAPES if name not in ("plane", "open mesh", "one triangle", "height field")
]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("name", SHAPES)
def test_contract(name, scale):
    check_shape(SHAPES[name].scaled(scale))


def test_contract_is_one_test_a_check():
    names = [name for name, _ in shape_checks(am.Sphere(1.0))]
    assert "mass_properties" in names
    assert len(set(names)) == len(names) >= 8


# -- mass properties ------------------------------------------------------------------------------


def test_closed_forms():
    assert am.Sphere(2.0).volume == pytest.approx(32 / 3 * math.pi)
    assert am.Sphere(2.0).inertia(3.0)[0, 0] == pytest.approx(0.4 * 32 * math.pi * 4)
    assert am.Box((1.0, 2.0, 3.0)).inertia()[2, 2] == pytest.approx(6 * (1 + 4) / 12)
    assert am.Cylinder(1.0, 2.0).inertia()[2, 2] == pytest.approx(math.pi)
    assert am.Cone(1.0, 3.0).volume == pytest.approx(math.pi)
    assert am.Ellipsoid((1.0, 2.0, 3.0)).volume == pytest.approx(8 * math.pi)
    assert am.Ellipsoid((2.0, 2.0, 2.0)).inertia() == pytest.approx(am.Sphere(2.0).inertia())
    capsule = am.Capsule(1.0, 2.0)
    assert capsule.volume == pytest.approx(2 * math.pi + 4 / 3 * math.pi)
    # between a ball and a very long one
    assert am.Capsule(1.0, 1e-9).inertia() == pytest.approx(am.Sphere(1.0).inertia())
    long = am.Capsule(1e-3, 10.0)
    assert long.inertia()[0, 0] == pytest.approx(long.volume * 100 / 12, rel=1e-3)
    assert am.Box.cube(2.0) == am.Box((2.0, 2.0, 2.0))


TRIMESH = {
    "sphere": lambda: trimesh.creation.icosphere(subdivisions=5, radius=0.7),
    "box": lambda: trimesh.creation.box((1.0, 2.0, 3.0)),
    "capsule": lambda: trimesh.creation.capsule(height=2.0, radius=0.3, count=(128, 128)),
    "cylinder": lambda: trimesh.creation.cylinder(radius=0.4, height=5.0, sections=512),
    "cone": lambda: trimesh.creation.cone(radius=1.0, height=3.0, sections=512),
    "hull": lambda: trimesh.PointCloud(POINTS).convex_hull,
    "mesh": lambda: TORUS,
}


@pytest.mark.parametrize("name", TRIMESH)
def test_mass_properties_are_those_of_trimesh(name):
    shape, oracle = SHAPES[name], TRIMESH[name]()
    oracle.density = 2500.0
    mass, centre, inertia = shape.mass_properties(2500.0)
    exact = name in ("box", "hull", "mesh")
    tolerance = 1e-9 if exact else 3e-3
    assert mass == pytest.approx(oracle.mass, rel=tolerance)
    assert np.allclose(inertia, oracle.moment_inertia, atol=tolerance * abs(inertia).max())
    if exact:
        assert np.allclose(centre, oracle.center_mass, atol=1e-9)


@pytest.mark.parametrize("name", SOLIDS)
def test_surface_mesh_is_watertight_for_trimesh(name):
    for part in leaves(SHAPES[name]):
        surface = trimesh.Trimesh(*part.shape.surface_mesh(16), process=False)
        assert surface.is_watertight
        assert surface.is_winding_consistent
        assert surface.volume > 0


length = st.floats(1e-2, 1e3)  # flatter hulls are refused


@settings(max_examples=25, deadline=None)
@given(length, length, length, st.integers(0, 1000))
def test_mass_properties_follow_a_turned_part(x, y, z, seed):
    turn = Rotation.random(rng=np.random.default_rng(seed))
    box = am.Box((x, y, z))
    turned = am.Compound([am.Part(box, (1.0, 2.0, 3.0), turn.as_quat(scalar_first=True))])
    hull = am.ConvexHull(turn.apply(box.surface_mesh()[0]) + np.array([1.0, 2.0, 3.0]))
    R = turn.as_matrix()
    expected = R @ box.inertia() @ R.T
    size = max(x, y, z)
    slack = 1e-12 + 1e-14 * (size + 3.0) / min(x, y, z)  # the vertices are rounded
    assert np.allclose(turned.inertia(), expected, atol=1e-12 * abs(expected).max())
    assert np.allclose(hull.inertia(), expected, rtol=slack, atol=slack * abs(expected).max())
    assert turned.centre == pytest.approx([1.0, 2.0, 3.0])
    assert hull.centre == pytest.approx([1.0, 2.0, 3.0], abs=1e-9 * size)
    assert hull.volume == pytest.approx(box.volume, rel=slack)


# -- bad input ------------------------------------------------------------------------------------

WRONG = (0.0, -1.0, math.nan, math.inf, 1e300, 1e-300, "one", None, [1.0])
MAKE = {
    "sphere": am.Sphere,
    "box": lambda x: am.Box((1.0, x, 1.0)),
    "capsule radius": lambda x: am.Capsule(x, 1.0),
    "capsule length": lambda x: am.Capsule(1.0, x),
    "cylinder radius": lambda x: am.Cylinder(x, 1.0),
    "cylinder height": lambda x: am.Cylinder(1.0, x),
    "cone radius": lambda x: am.Cone(x, 1.0),
    "cone height": lambda x: am.Cone(1.0, x),
    "ellipsoid": lambda x: am.Ellipsoid((x, 1.0, 1.0)),
}


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_bad_sizes_are_refused(name, wrong):
    with pytest.raises(am.InputError):
        MAKE[name](wrong)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: am.Sphere(True), "radius must be a number, got True"),
        (lambda: am.Sphere(-2.0), "radius is -2; it must be positive"),
        (lambda: am.Box((1.0, 2.0)), r"size must be 3 numbers, got an array of shape \(2,\)"),
        (lambda: am.Box((1.0, 0.0, 1.0)), "size along y is 0"),
        (lambda: am.Box("abc"), "size must be an array of numbers"),
        (lambda: am.Plane((0.0, 0.0, 0.0)), "normal.*must not be zero"),
        (lambda: am.Plane((0.0, math.nan, 1.0)), r"normal\[1\] is nan"),
        (lambda: am.Plane(offset=math.inf), "offset is inf"),
        (lambda: am.Plane().volume, "a Plane has no volume.*fixed or has a motion"),
        (lambda: am.Plane().mass_properties(1.0), "fixed or has a motion"),
        (lambda: am.Plane().support([[0.0, 0.0, 1.0]]), "a Plane has no end"),
        (lambda: am.ConvexHull(CUBE[:3]), "at least 4 points, got 3"),
        (lambda: am.ConvexHull(CUBE[:4]), "4 points of the hull are flat"),
        (lambda: am.ConvexHull(np.linspace(0, 1, 10)[:, None] * [1, 2, 3]), "are flat"),
        (lambda: am.ConvexHull(np.ones((9, 3))), "the same point"),
        (lambda: am.ConvexHull(np.full((5, 3), np.nan)), r"points\[0, 0\] is nan"),
        (lambda: am.ConvexHull(CUBE[:, :2]), r"points must have shape \(n, 3\)"),
        (lambda: am.ConvexHull([]), r"points must have shape \(n, 3\)"),
        (lambda: am.Compound([]), "at least one part"),
        (lambda: am.Compound([am.Plane()]), "a Plane has no end.*cannot be part of a compound"),
        (lambda: am.Compound([3.0]), "a part of a compound is a Part"),
        (lambda: am.Part("box"), "a part must have a shape"),
        (lambda: am.Part(am.Sphere(1.0), (0.0, math.nan, 0.0)), r"position\[1\] is nan"),
        (
            lambda: am.Part(am.Sphere(1.0), orientation=(0, 0, 0, 0)),
            "orientation.*must not be zero",
        ),
        (lambda: am.Compound([am.Sphere(1.0)]).encode(), "give those of its leaves"),
        (lambda: am.Sphere(1.0).mass_properties(0.0), "density is 0"),
        (lambda: am.Sphere(1.0).scaled(-1.0), "factor is -1"),
        (lambda: am.Sphere(1.0).surface_mesh(3), "resolution must be a whole number"),
        (lambda: am.Sphere(1.0).support([[1.0, 2.0]]), r"directions must have shape \(n, 3\)"),
        (lambda: build_table([1.0]), "a table is built of shapes"),
        (lambda: sphere_table([1.0, -1.0]), r"radii\[1\] is -1"),
        (lambda: sphere_table([[1.0]]), "one number per sphere"),
    ],
)
def test_errors_say_what_is_wrong(make, message):
    with pytest.raises(am.InputError, match=message):
        make()


def test_nothing_of_a_shape_can_be_changed():
    hull = SHAPES["hull"]
    with pytest.raises(ValueError, match="read-only"):
        hull.points[0, 0] = 1.0
    given_points = POINTS.copy()
    hull = am.ConvexHull(given_points)
    given_points[:] = 0.0
    assert hull == SHAPES["hull"]
    hull.centre[:] = 9.0
    hull.inertia()[:] = 9.0
    assert abs(hull.centre).max() < 1.0


# -- hulls ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_coplanar_triangles_are_one_face(seed):
    rng = np.random.default_rng(seed)
    turn = Rotation.random(rng=rng)
    edge_middles = (CUBE[:, None] + CUBE[None]).reshape(-1, 3) / 2  # of edges, sides, the whole
    points = np.concatenate([CUBE, rng.uniform(-1, 1, (30, 3)), edge_middles, CUBE])
    points = turn.apply(rng.permutation(points)) * 10.0 ** rng.uniform(-6, 6) + rng.normal(size=3)
    faces = am.ConvexHull(points).polygons
    assert len(faces.point) == 8
    assert np.diff(faces.face_start).tolist() == [4] * 6


def test_hull_of_known_polyhedra():
    octahedron = am.ConvexHull(np.concatenate([np.eye(3), -np.eye(3)]))
    assert octahedron.volume == pytest.approx(4 / 3)
    assert np.diff(octahedron.polygons.face_start).tolist() == [3] * 8
    prism = am.ConvexHull(am.Cylinder(1.0, 2.0).surface_mesh(100)[0])
    assert sorted(np.diff(prism.polygons.face_start)) == [4] * 100 + [100] * 2
    assert am.ConvexHull.from_mesh(SHAPES["mesh"]).volume > SHAPES["mesh"].volume


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 40), st.sampled_from([1, 2, 4]))
def test_hull_of_points_on_a_coarse_grid(seed, number, steps):
    """Points on a grid: many of them coplanar, collinear or equal."""
    points = np.random.default_rng(seed).integers(0, steps + 1, size=(number, 3)) / steps
    if np.linalg.matrix_rank(points - points[0]) < 3:
        with pytest.raises(am.InputError, match=r"flat|same point"):
            am.ConvexHull(points)
        return
    hull = am.ConvexHull(points)
    check_shape(hull)
    normals = hull.polygons.plane[:, :3]
    assert (normals @ normals.T - 2 * np.eye(len(normals)) < 1 - 1e-6).all()  # no plane twice
    oracle = trimesh.PointCloud(points).convex_hull
    assert hull.volume == pytest.approx(oracle.volume)


def test_hull_of_nearly_flat_faces():
    """Bumps on a cube's sides around the tolerance: always a sound polyhedron."""
    rng = np.random.default_rng(0)
    side = np.stack([*np.meshgrid(*2 * [np.linspace(-1, 1, 8)]), np.ones((8, 8))], -1).reshape(
        -1, 3
    )
    for height in 10.0 ** np.arange(-16.0, -4.0, 0.5):
        bumpy = side + rng.uniform(0, height, side.shape) * [0, 0, 1]
        check_shape(am.ConvexHull(np.concatenate([bumpy, -CUBE])))


def test_large_hull_prints_in_one_line():
    sphere = am.Sphere(1.0).surface_mesh(64)[0]
    text = repr(am.ConvexHull(sphere))
    assert "points" in text
    assert len(text) < 80


# -- compounds ------------------------------------------------------------------------------------


def test_compounds_within_compounds_are_taken_apart():
    turn = Rotation.from_euler("xyz", [0.3, 0.5, 0.7])
    inner = am.Compound([am.Part(am.Box((1, 2, 3)), (1, 0, 0), (1, 1, 0, 0)), am.Sphere(0.5)])
    outer = am.Compound([(inner, (0, 2, 0), turn.as_quat(scalar_first=True)), am.Capsule(1, 2)])
    flat = leaves(outer)
    assert [type(leaf.shape) for leaf in flat] == [am.Box, am.Sphere, am.Capsule]
    assert flat[0].position == pytest.approx(turn.apply([1, 0, 0]) + np.array([0, 2, 0]))
    both = turn * Rotation.from_quat([1, 1, 0, 0], scalar_first=True)
    found = Rotation.from_quat(flat[0].orientation, scalar_first=True)
    assert (both.inv() * found).magnitude() == pytest.approx(0.0, abs=1e-12)
    check_shape(outer)


def test_leaves_of_a_plain_shape():
    box = SHAPES["box"]
    assert leaves(box) == [(box, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))]


def test_compound_with_ground_has_no_volume():
    ground = am.Compound([SHAPES["height field"], am.Sphere(1.0)])
    with pytest.raises(am.InputError, match="a HeightField has no volume"):
        ground.mass_properties(1.0)
    check_shape(ground)


# -- the table ------------------------------------------------------------------------------------


def test_rows_of_the_table():
    shapes = [
        am.Plane((0, 0, 2), 0.5),
        am.Sphere(2.0),
        am.Capsule(1.0, 3.0),
        am.Box((2.0, 4.0, 6.0)),
        am.Cylinder(1.0, 3.0),
        am.Cone(1.0, 4.0),
        am.Ellipsoid((1.0, 2.0, 3.0)),
    ]
    table = build_table(shapes)
    assert table.kind.tolist() == [0, 2, 3, 4, 5, 6, 7]
    assert table.size.tolist() == [
        [0, 0, 1, 0.5],
        [2, 0, 0, 0],
        [1, 1.5, 0, 0],
        [1, 2, 3, 0],
        [1, 1.5, 0, 0],
        [1, 4, 0, 0],
        [1, 2, 3, 0],
    ]
    assert np.isinf(table.half[0]).all()
    assert table.half[2].tolist() == [1, 1, 2.5]
    assert table.middle[5].tolist() == [0, 0, 1]
    assert table.half[5].tolist() == [1, 1, 2]


def test_hulls_and_meshes_in_the_table():
    shapes = [SHAPES[n] for n in ("mesh", "hull", "box", "cube hull", "open mesh", "hull", "mesh")]
    table = build_table(shapes)
    assert np.array_equal(table.data[1], table.data[5])  # equal shapes share their vertices
    for i, shape in enumerate(shapes):
        faces = shape.encode().faces
        first_point, points, first_face, number, first_node, nodes = table.data[i].tolist()
        if faces is None:
            assert not table.data[i].any()
            continue
        assert np.array_equal(table.point[first_point : first_point + points], faces.point)
        assert np.array_equal(table.plane[first_face : first_face + number], faces.plane)
        starts = table.face_start[first_face : first_face + number + 1]
        for name in ("corner", "neighbour", "edge_kind"):
            whole = getattr(table, name)[starts[0] : starts[-1]]
            assert np.array_equal(whole, getattr(faces, name))
        assert np.array_equal(starts - starts[0], faces.face_start)
        _check_nodes(table, first_node, nodes, number)
    assert table.face_start[-1] == len(table.corner) == len(table.neighbour)


def _check_nodes(table, root, nodes, number):
    """Walking the tree through the whole table finds each of the mesh's triangles once."""
    found, waiting, visited = [], [root] * (nodes > 0), 0
    while waiting:
        node = waiting.pop()
        visited += 1
        assert root <= node < root + nodes
        first, second = table.node_link[node].tolist()
        if first >= 0:
            waiting += [first, second]
        else:
            assert 1 <= second - (-1 - first) <= 4
            found += table.node_face[-1 - first : second].tolist()
    assert visited == nodes
    assert sorted(found) == list(range(number if nodes else 0))


def test_types_of_the_table_are_always_the_same():
    empty, spheres = build_table([]), sphere_table([1.0])
    full = build_table(list(SHAPES.values())[:-1])
    for a, b, c in zip(empty, spheres, full, strict=True):
        assert a.dtype == b.dtype == c.dtype
        assert a.shape[1:] == b.shape[1:] == c.shape[1:]
        assert a.flags.c_contiguous
        assert c.flags.c_contiguous


def test_sphere_table_is_what_build_table_gives():
    radii = np.random.default_rng(0).uniform(1, 2, 1000)
    slow, fast = build_table([am.Sphere(r) for r in radii]), sphere_table(radii)
    for a, b in zip(slow, fast, strict=True):
        assert np.array_equal(a, b)


def test_opposite_corners_of_a_fan():
    """Three triangles at one edge: nothing lies beyond it. Borders have nothing beyond them."""
    corner = np.array([0, 1, 2, 1, 0, 3, 1, 0, 4], dtype=np.int32)
    start = np.array([0, 3, 6, 9], dtype=np.int32)
    assert (opposite_corners(start, corner) == -1).all()
    assert opposite_corners(start[:3], corner[:6]).tolist() == [3, -1, -1, 0, -1, -1]


# -- equality, and the contract itself ------------------------------------------------------------


def test_equal_by_value():
    assert am.Sphere(1) == am.Sphere(1.0)
    assert hash(am.Sphere(1)) == hash(am.Sphere(1.0))
    assert am.Sphere(1.0) != am.Sphere(2.0)
    assert am.Cylinder(1.0, 2.0) != am.Cone(1.0, 2.0)
    assert am.ConvexHull(CUBE) == am.ConvexHull(CUBE.tolist())
    assert len({am.ConvexHull(CUBE), am.ConvexHull(CUBE), am.ConvexHull(2 * CUBE)}) == 2
    assert am.HeightField(HEIGHTS, 1.0) != am.HeightField(HEIGHTS, 2.0)
    assert am.Plane((0, 0, 2)) == am.Plane()


@pytest.mark.parametrize("name", SHAPES)
def test_repr_of_primitives_can_be_run(name):
    shape = SHAPES[name]
    if isinstance(shape, am.ConvexHull | am.TriangleMesh | am.HeightField | am.Compound):
        assert len(repr(shape)) < 800
        return
    assert eval(repr(shape), vars(am)) == shape


def test_pickled_hull_has_its_faces():
    hull = pickle.loads(pickle.dumps(SHAPES["hull"]))
    assert hull == SHAPES["hull"]
    assert hull.volume == SHAPES["hull"].volume


BROKEN = {
    "volume": ("volume is", lambda cls: {"volume": property(lambda self: 5.0)}),
    "inertia": ("inertia is", lambda cls: {"unit_inertia": lambda self: np.eye(3)}),
    "support": (
        "reach along the axes|support reaches",
        lambda cls: {"support": lambda self, d: 1.1 * cls.support(self, d)},
    ),
    "scaled": ("scaled", lambda cls: {"scaled": lambda self, f: type(self)(self.radius * f**2)}),
    "row": (
        "another solid",
        lambda cls: {
            "encode": lambda self: ShapeRow(ShapeKind.BOX, (1, 1, 1, 0), (self.radius,) * 3)
        },
    ),
    "equality": ("not equal", lambda cls: {"__eq__": lambda self, other: False}),
    "surface": (
        "closed",
        lambda cls: {
            "surface_mesh": lambda self, resolution=32: tuple(
                part[: len(part) - i] for i, part in enumerate(cls.surface_mesh(self, resolution))
            )
        },
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_contract_finds_what_is_broken(name, monkeypatch):
    message, change = BROKEN[name]
    sphere = am.Sphere(2.0)
    originals = type("Originals", (), dict(vars(am.Sphere)))
    for attribute, value in change(originals).items():
        monkeypatch.setattr(am.Sphere, attribute, value)
    with pytest.raises(ContractError, match=message):
        check_shape(sphere)


def test_polyhedron_needs_its_points_alone():
    class Tetrahedron(Polyhedron):
        @property
        def corners(self):
            return np.concatenate([np.zeros((1, 3)), np.eye(3)])

        def scaled(self, factor):
            return self

    assert Tetrahedron().volume == pytest.approx(1 / 6)
    assert Tetrahedron().centre == pytest.approx([1 / 4] * 3)
