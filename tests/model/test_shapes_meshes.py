"""Triangle meshes and height fields: what is mended, what is refused, files, decomposition."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.model.shapes import leaves
from amontons.model.shapes.crossing import first_crossing
from amontons.model.shapes.mesh_repair import without_thin_triangles
from amontons.model.shapes.tree import median_tree, overlapping_entries
from amontons.testing import check_shape

trimesh = pytest.importorskip("trimesh")

BOX = trimesh.creation.box((2.0, 2.0, 2.0))
SMALL = trimesh.creation.box((1.0, 1.0, 1.0))
TORUS = trimesh.creation.torus(1.0, 0.3, major_sections=24, minor_sections=12)
BALL = trimesh.creation.icosphere(subdivisions=3)


def joined(*meshes):
    """Vertices and faces of several trimeshes, end to end."""
    whole = trimesh.util.concatenate(meshes)
    return np.array(whole.vertices), np.array(whole.faces)


def flipped(faces, which):
    faces = np.array(faces)
    faces[which] = faces[which][:, ::-1]
    return faces


# -- orientation ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mesh", [BOX, TORUS, BALL], ids=["box", "torus", "ball"])
def test_flipped_triangles_are_turned_round(mesh):
    right = am.TriangleMesh(mesh.vertices, mesh.faces)
    assert right.volume == pytest.approx(mesh.volume)
    rng = np.random.default_rng(0)
    for share in (0.1, 0.5, 0.9, 1.0):
        faces = flipped(mesh.faces, rng.random(len(mesh.faces)) <= share)
        mended = am.TriangleMesh(mesh.vertices, faces)
        assert mended.volume == pytest.approx(mesh.volume)
        assert np.allclose(mended.encode().faces.plane, right.encode().faces.plane)


@pytest.mark.parametrize("outer", [1, -1])
@pytest.mark.parametrize("inner", [1, -1])
def test_part_within_another_is_a_cavity(outer, inner):
    vertices, faces = joined(BOX, SMALL)
    faces[:12] = faces[:12, ::outer]
    faces[12:] = faces[12:, ::inner]
    mesh = am.TriangleMesh(vertices, faces)
    assert mesh.volume == pytest.approx(8.0 - 1.0)
    check_shape(mesh)


def test_parts_side_by_side_all_face_outwards():
    beside = SMALL.copy().apply_translation([5.0, 0.0, 0.0])
    vertices, faces = joined(BOX, beside)
    assert am.TriangleMesh(vertices, flipped(faces, slice(12, None))).volume == pytest.approx(9.0)


def test_open_surface_faces_where_most_of_it_does():
    field = am.HeightField(np.zeros((5, 5)), 1.0)
    vertices, faces = field.surface_mesh()
    rng = np.random.default_rng(0)
    some = np.zeros(len(faces), dtype=bool)
    some[rng.choice(len(faces), 12, replace=False)] = True
    assert (am.TriangleMesh(vertices, flipped(faces, some)).encode().faces.plane[:, 2] == 1).all()
    assert (am.TriangleMesh(vertices, flipped(faces, ~some)).encode().faces.plane[:, 2] == -1).all()


def test_moebius_strip_is_refused():
    turns = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    across = np.stack(
        [np.cos(turns / 2) * np.cos(turns), np.cos(turns / 2) * np.sin(turns), np.sin(turns / 2)], 1
    )
    ring = np.stack([np.cos(turns), np.sin(turns), 0 * turns], 1)
    vertices = np.concatenate([ring - 0.2 * across, ring + 0.2 * across])
    faces = []
    for i in range(20):
        here, there = (i, i + 20), (i + 1, i + 21) if i < 19 else (20, 0)
        faces += [[here[0], there[0], here[1]], [here[1], there[0], there[1]]]
    with pytest.raises(am.InputError, match="only one side"):
        am.TriangleMesh(vertices, faces)


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: am.TriangleMesh(np.eye(3), []), r"faces must have shape \(m, 3\)"),
        (lambda: am.TriangleMesh(np.eye(3), [[0, 1]]), r"faces must have shape \(m, 3\)"),
        (lambda: am.TriangleMesh(np.eye(3), [[0, 1, 3]]), r"faces\[0\] is \[0, 1, 3\]"),
        (lambda: am.TriangleMesh(np.eye(3), [[0, 1, -1]]), "vertices count from 0 to 2"),
        (lambda: am.TriangleMesh(np.eye(3), [[0, 1, 1]]), "its corners lie on one line"),
        (lambda: am.TriangleMesh(np.eye(3), [[0, 1, 2.5]]), "faces must be whole numbers"),
        (lambda: am.TriangleMesh([[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 1, 2]]), "on one line"),
        (lambda: am.TriangleMesh([[0, 0, np.nan]] * 3, [[0, 1, 2]]), r"vertices\[0, 2\] is nan"),
        (lambda: am.TriangleMesh(np.zeros((3, 3)), [[0, 1, 2]]), "on one line"),
        (lambda: am.TriangleMesh(np.zeros((0, 3)), [[0, 1, 2]]), "vertices count from 0"),
        (lambda: am.HeightField([1.0, 2.0], 1.0), "heights must have shape"),
        (lambda: am.HeightField([[1.0, 2.0]], 1.0), "at least 2 × 2"),
        (lambda: am.HeightField([[1.0, np.nan]] * 2, 1.0), r"heights\[0, 1\] is nan"),
        (lambda: am.HeightField(np.eye(2), 0.0), "spacing along x is 0"),
        (lambda: am.HeightField(np.eye(2), (1.0, -1.0)), "spacing along y is -1"),
        (lambda: am.HeightField(np.eye(2), (1.0, 1.0, 1.0)), "one number or two"),
        (lambda: am.HeightField(np.eye(2)), "either the spacing of the grid or its extent"),
        (lambda: am.HeightField(np.eye(2), 1.0, extent=1.0), "either the spacing"),
        (lambda: am.HeightField(np.eye(2), 1.0).volume, "a HeightField has no volume"),
        (lambda: am.TriangleMesh(BOX.vertices, BOX.faces[1:]).volume, "the mesh is not closed"),
        (lambda: am.TriangleMesh(BOX.vertices, BOX.faces[1:]).inertia(), "3 edges"),
        (
            lambda: am.TriangleMesh(BOX.vertices, [*BOX.faces, BOX.faces[0]]).volume,
            "belong to 3 triangles, not 2",
        ),
    ],
)
def test_errors_say_what_is_wrong(make, message):
    with pytest.raises(am.InputError, match=message):
        make()


def test_mesh_that_crosses_itself_has_no_volume():
    other = SMALL.copy().apply_translation([1.0, 0.1, 0.2])
    mesh = am.TriangleMesh(*joined(BOX, other))
    assert mesh.encode().faces is not None  # it may still be a fixed obstacle
    with pytest.raises(am.InputError, match="crosses itself: triangle"):
        mesh.mass_properties(1000.0)
    pulled_through = np.array(BALL.vertices)
    pulled_through[0] *= -2.0
    with pytest.raises(am.InputError, match="crosses itself"):
        am.TriangleMesh(pulled_through, BALL.faces).volume  # noqa: B018


def crossing_by_rays(vertices, faces):
    """Whether any edge meets the inside of any triangle: slow, by solving for the place."""
    edges = {tuple(sorted(pair)) for face in faces.tolist() for pair in combinations(face, 2)}
    for a, b in edges:
        for face in faces.tolist():
            if a in face or b in face:
                continue
            p, q, r = vertices[face]
            system = np.stack([vertices[b] - vertices[a], p - q, p - r], axis=1)
            if abs(np.linalg.det(system)) < 1e-12:
                continue
            t, u, v = np.linalg.solve(system, p - vertices[a])
            if 0 < t < 1 and u > 0 and v > 0 and u + v < 1:
                return True
    return False


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_crossings_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(rng.integers(5, 30), 3))
    faces = np.array(
        [rng.choice(len(vertices), 3, replace=False) for _ in range(rng.integers(1, 6))]
    )
    corners = vertices[faces]
    tree = median_tree(corners.min(axis=1), corners.max(axis=1))
    found = first_crossing(vertices, faces.astype(np.int32), tree)
    assert (found is not None) == crossing_by_rays(vertices, faces)


# -- the tree -------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 4, 5, 9, 100, 1000])
def test_overlapping_entries_are_those_of_brute_force(number):
    rng = np.random.default_rng(number)
    low = rng.uniform(size=(number, 3)) * number ** (1 / 3)
    high = low + rng.uniform(0, 0.8, size=(number, 3))
    tree = median_tree(low, high)
    assert sorted(tree.entry) == list(range(number))
    found = overlapping_entries(tree)
    ordered = [tuple(sorted(pair)) for pair in found.tolist()]
    assert len(set(ordered)) == len(ordered)
    meet = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    brute = {(i, j) for i, j in np.argwhere(meet).tolist() if i < j}
    assert brute <= set(ordered)


def test_tree_is_shallow_and_the_same_every_time():
    mesh = am.TriangleMesh(BALL.vertices, BALL.faces)
    again = am.TriangleMesh(BALL.vertices, BALL.faces)
    one, other = mesh.encode().faces, again.encode().faces
    for a, b in zip(one, other, strict=True):
        assert np.array_equal(a, b)
    depth = np.zeros(len(one.node_box), dtype=int)
    for node, (first, second) in enumerate(one.node_link.tolist()):
        if first >= 0:
            depth[[first, second]] = depth[node] + 1
    assert depth.max() <= np.ceil(np.log2(len(mesh.faces) / 4)) + 1


# -- faces and edges ------------------------------------------------------------------------------


def test_edges_of_a_box_stick_out_and_diagonals_do_not():
    faces = am.TriangleMesh(BOX.vertices, BOX.faces).encode().faces
    corner = faces.corner.reshape(-1, 3)
    vector = faces.point[np.roll(corner, -1, axis=1)] - faces.point[corner]
    diagonal = (np.abs(vector) > 0).sum(axis=2) == 2
    assert np.array_equal(faces.edge_kind.reshape(-1, 3) == 0, diagonal)


@pytest.mark.parametrize(
    ("fall", "kind"), [(0.5, 1), (0.02, 1), (0.015, 0), (0.0, 0), (-0.02, 0), (-0.5, 0)]
)
def test_edges_of_a_roof(fall, kind):
    """Two slopes of one metre each from a ridge at height 0; the sum of both angles counts."""
    heights = -fall / 2 * np.abs([[-1.0], [0.0], [1.0]]) * np.ones((1, 2))
    faces = am.HeightField(heights, 1.0).encode().faces
    corner = faces.corner.reshape(-1, 3)
    here, there = faces.point[corner], faces.point[np.roll(corner, -1, axis=1)]
    ridge = (here[..., 0] == 0) & (there[..., 0] == 0)
    assert ridge.sum() == 2
    assert (faces.edge_kind.reshape(-1, 3)[ridge] == kind).all()
    assert (faces.edge_kind[faces.neighbour < 0] == 1).all()
    assert (faces.neighbour < 0).sum() == 6


def test_vertices_at_the_same_place_are_merged():
    soup = BOX.vertices[BOX.faces].reshape(-1, 3)
    mesh = am.TriangleMesh(soup, np.arange(36).reshape(12, 3))
    assert len(mesh.vertices) == 8
    assert mesh.closed
    unused = am.TriangleMesh([*BOX.vertices, [99.0, 99.0, 99.0]], BOX.faces)
    assert unused == am.TriangleMesh(BOX.vertices, BOX.faces)


def test_height_field():
    heights = np.random.default_rng(0).normal(size=(4, 7))
    field = am.HeightField(heights, extent=(3.0, 12.0))
    assert field.spacing == (1.0, 2.0)
    assert field == am.HeightField(heights, (1.0, 2.0))
    faces = field.encode().faces
    assert len(faces.plane) == 2 * 3 * 6
    assert (faces.plane[:, 2] > 0).all()
    low, high = field.bounds
    assert low.tolist() == [-1.5, -6.0, heights.min()]
    assert high.tolist() == [1.5, 6.0, heights.max()]
    vertices, _ = field.surface_mesh()
    assert vertices.reshape(4, 7, 3)[2, 5].tolist() == [0.5, 4.0, heights[2, 5]]
    assert repr(field) == "HeightField(4 × 7 points, spacing 1 × 2 m)"


# -- files and decomposition ----------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off", "glb"])
def test_files_of_trimesh_are_read(suffix, tmp_path):
    path = tmp_path / f"torus.{suffix}"
    TORUS.export(path)
    mesh = am.TriangleMesh.load(path)
    assert mesh.closed
    assert len(mesh.faces) == len(TORUS.faces)
    assert mesh.volume == pytest.approx(TORUS.volume, rel=1e-5)  # some formats have four digits
    small = am.TriangleMesh.load(str(path), scale=1e-3)
    assert small.volume == pytest.approx(1e-9 * mesh.volume)


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(am.InputError, match="there is no mesh file"):
        am.TriangleMesh.load(tmp_path / "missing.stl")
    unknown = tmp_path / "mesh.xyzzy"
    unknown.write_text("what is this?")
    with pytest.raises(am.FileFormatError, match="trimesh cannot read"):
        am.TriangleMesh.load(unknown)
    for suffix in ("stl", "ply", "obj", "off"):
        for content in (b"", b"\x00\xff" * 100, b"solid\nfacet normal 0 0 1\nouter"):
            broken = tmp_path / f"broken.{suffix}"
            broken.write_bytes(content)
            with pytest.raises(am.FileFormatError):
                am.TriangleMesh.load(broken)


def test_triangles_without_area_in_files_leave_no_hole(tmp_path):
    """A corner within an edge, and a triangle without area that closes the slit."""
    vertices, faces = np.array(BOX.vertices), np.array(BOX.faces)
    start, end, tip = faces[0]
    middle = len(vertices)
    vertices = np.concatenate([vertices, [(vertices[start] + vertices[end]) / 2]])
    cut = [[start, middle, tip], [middle, end, tip], [start, end, middle]]
    faces = np.concatenate([faces[1:], cut])
    with pytest.raises(am.InputError, match="on one line"):
        am.TriangleMesh(vertices, faces)
    path = tmp_path / "slit.ply"
    trimesh.Trimesh(vertices, faces, process=False).export(path)
    mesh = am.TriangleMesh.load(path)
    assert mesh.closed
    assert mesh.volume == pytest.approx(8.0)
    assert without_thin_triangles(vertices, np.array(cut[2:]))[1].shape == (0, 3)


def test_missing_extras_are_named(monkeypatch, tmp_path):
    path = tmp_path / "box.stl"
    BOX.export(path)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(am.InputError, match=r"pip install 'amontons\[meshes\]'"):
        am.TriangleMesh.load(path)
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(am.InputError, match=r"pip install 'amontons\[meshes\]'"):
        am.TriangleMesh(BOX.vertices, BOX.faces).decompose()


@pytest.mark.slow
def test_decomposition():
    pytest.importorskip("coacd")
    mesh = am.TriangleMesh(BOX.vertices, BOX.faces)
    assert len(leaves(mesh.decompose())) == 1
    corner = am.TriangleMesh(*_corner_piece())
    assert corner.volume == pytest.approx(3.0)
    parts = corner.decompose(threshold=0.05, mcts_iterations=20, mcts_nodes=10)
    assert all(isinstance(leaf.shape, am.ConvexHull) for leaf in leaves(parts))
    assert 2 <= len(leaves(parts)) <= 6
    assert parts.volume == pytest.approx(3.0, rel=0.05)
    assert parts.centre == pytest.approx(corner.centre, abs=0.05)
    assert len(leaves(corner.decompose(most_parts=1))) == 1
    for wrong in ({"threshold": 0.0}, {"threshold": np.nan}, {"most_parts": 0}):
        with pytest.raises(am.InputError):
            corner.decompose(**wrong)


def _corner_piece():
    """Three unit cubes in the shape of an L, one metre thick."""
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    vertices = [(x, y, z) for z in (0.0, 1.0) for x, y in outline]
    top = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    faces = [[a, c, b] for a, b, c in top] + [[a + 6, b + 6, c + 6] for a, b, c in top]
    for i in range(6):
        j = (i + 1) % 6
        faces += [[i, j, j + 6], [i, j + 6, i + 6]]
    return vertices, faces


# -- anything at all ------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
@example(seed=28407)  # two sides of one triangle
def test_hostile_input_gives_a_shape_or_an_error_that_says_why(seed):
    """Grids, needles, films, giants, dwarfs, far away, NaN and infinity; warnings are errors."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rng.integers(2, 30), 3))
    if rng.random() < 0.5:
        points = np.round(points * rng.integers(1, 4)) / 3
    points = points * 10.0 ** rng.choice([rng.uniform(-9, 3, 3), np.zeros(3)])
    points = points * 10.0 ** rng.choice([0, rng.integers(-35, 35)])
    points = points + rng.normal(size=3) * 10.0 ** rng.choice([-9, 0, 9])
    if rng.random() < 0.1:
        place = rng.integers(len(points)), rng.integers(3)
        points[place] = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e30, 1e-320])
    faces = rng.integers(0, len(points), size=(rng.integers(1, 12), 3))
    for make in (
        lambda: am.ConvexHull(points),
        lambda: am.TriangleMesh(points, faces),
        lambda: am.HeightField(points, 10.0 ** rng.uniform(-32, 32)),
    ):
        try:
            shape = make()
            assert np.isfinite(shape.encode().half).all()
            assert np.isfinite(shape.encode().faces.plane).all()
            assert shape.mass_properties(1.0).mass > 0.0
        except am.InputError as reason:
            assert len(str(reason)) > 20  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n", "three finite numbers"),
        ("v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "no triangles"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "x.obj"),
        ("v 0 0 0\n", "no triangles"),
    ],
)
def test_mesh_files_with_odd_vertices_get_a_clear_error(text, said, tmp_path):
    (tmp_path / "x.obj").write_text(text)
    with pytest.raises(am.FileFormatError, match=said):
        am.TriangleMesh.load(tmp_path / "x.obj")
