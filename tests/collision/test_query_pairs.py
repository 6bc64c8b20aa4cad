"""Distances and overlaps against support planes, coal, and all pairs one by one."""

import numpy as np
import pytest

import amontons as am
from amontons.algebra.rotations import rotation_matrices
from helpers.query_oracles import (
    gauge,
    placed_leaves,
    points_to_triangles,
    quaternions,
    signed_mesh_distance,
    support_height,
    unit,
)
from helpers.query_scenes import (
    COMPOUND,
    CONVEX,
    MESHES,
    SHAPES,
    cube,
    cube_faces,
    scene,
    snapshot,
)


class TestDistances:
    @pytest.mark.parametrize("a", CONVEX)
    @pytest.mark.parametrize("b", CONVEX)
    def test_convex_pairs(self, a, b):
        rng = np.random.default_rng(11)
        number = 12
        shapes = [CONVEX[a]] * number + [CONVEX[b]] * number
        position = np.zeros((2 * number, 3))
        position[number:] = unit(rng.standard_normal((number, 3)))
        position[number:] *= rng.uniform(0.2, 4.0, (number, 1))
        position += [100.0, -30.0, 7.0]
        turn = quaternions(rng, 2 * number)
        pairs = np.column_stack([np.arange(number), number + np.arange(number)])
        answer = snapshot(shapes, position, turn).distances(pairs)
        normals = np.concatenate([answer.normals[:, None], random_normals(number)], axis=1)
        for i, (one, other) in enumerate(pairs):
            separation = -placed_height(shapes[one], position[one], turn[one], normals[i])
            separation -= placed_height(shapes[other], position[other], turn[other], -normals[i])
            # signed distance is the largest separation over all directions
            assert abs(separation[0] - answer.distances[i]) < 1e-6
            assert separation.max() <= answer.distances[i] + 1e-6
            for body, points in ((one, answer.points_a), (other, answer.points_b)):
                local = (points[i] - position[body]) @ rotation_matrices(turn[body])
                assert abs(gauge(shapes[body], local)) < 1e-6
        np.testing.assert_allclose(
            answer.points_b - answer.points_a,
            answer.distances[:, None] * answer.normals,
            atol=1e-9,
        )

    @pytest.mark.parametrize("name", [*CONVEX, *MESHES, "compound"])
    def test_against_a_plane(self, name):
        rng = np.random.default_rng(7)
        shape, plane = SHAPES[name], am.Plane((0.0, 0.6, 0.8), 0.3)
        position, turn = rng.uniform(-2, 2, (2, 3)), quaternions(rng, 2)
        here = snapshot([plane, shape], position, turn, fixed=[True, True])
        normal = rotation_matrices(turn[0]) @ np.array(plane.normal)
        ground = plane.offset + normal @ position[0]
        expected = -placed_height(shape, position[1], turn[1], -normal[None])[0] - ground
        forth, back = here.distances([[0, 1]]), here.distances([[1, 0]])
        for answer, on_plane, sign in ((forth, forth.points_a, 1), (back, back.points_b, -1)):
            np.testing.assert_allclose(answer.distances, expected, atol=1e-12)
            np.testing.assert_allclose(answer.normals[0], sign * normal, atol=1e-12)
            np.testing.assert_allclose(on_plane @ normal, ground, atol=1e-12)
        np.testing.assert_allclose(forth.points_a, back.points_b, atol=1e-12)

    @pytest.mark.parametrize("name", MESHES)
    def test_spheres_and_meshes(self, name):
        mesh = MESHES[name]
        rng = np.random.default_rng(12)
        centres = rng.uniform(-2.5, 2.5, (40, 3))
        shapes = [mesh, *[am.Sphere(0.1)] * 40]
        here = snapshot(shapes, np.concatenate([[[0, 0, 0]], centres]), fixed=[True] + [False] * 40)
        pairs = np.column_stack([np.arange(1, 41), np.zeros(40, dtype=int)])
        answer = here.distances(pairs)
        centre = signed_mesh_distance(mesh, centres)
        outside = centre > 0.0
        np.testing.assert_allclose(answer.distances[outside], centre[outside] - 0.1, atol=1e-9)
        assert (answer.distances[~outside] < 0).all()
        apart = answer.points_b - answer.points_a
        np.testing.assert_allclose(apart, answer.distances[:, None] * answer.normals, atol=1e-9)

    def test_boxes_and_meshes_against_coal(self):
        coal = pytest.importorskip("coal")
        mesh, box = MESHES["torus"], CONVEX["box"]
        rng = np.random.default_rng(13)
        places = 3.0 * unit(rng.standard_normal((12, 3)))
        turn = quaternions(rng, 12)
        shapes = [mesh, *[box] * 12]
        orientation = np.concatenate([[[1, 0, 0, 0]], turn])
        here = snapshot(shapes, np.concatenate([[[0, 0, 0]], places]), orientation)
        answer = here.distances(np.column_stack([np.zeros(12, dtype=int), np.arange(1, 13)]))
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.faces), len(mesh.vertices))
        for corners in mesh.vertices[mesh.faces]:
            model.addTriangle(*corners)
        model.endModel()
        for i in range(12):
            pose = coal.Transform3s(rotation_matrices(turn[i]), places[i])
            least = coal.distance(
                model, coal.Transform3s(), coal.Box(*box.size), pose,
                coal.DistanceRequest(), coal.DistanceResult(),
            )  # fmt: skip
            assert abs(answer.distances[i] - least) < 1e-6 if least > 0 else answer.distances[i] < 0

    def test_two_meshes(self):
        ring = MESHES["torus"]
        shapes = [ring, ring, am.TriangleMesh(cube() * 8, cube_faces())]
        far = snapshot(shapes[:2], [[0, 0, 0], [5, 0, 0]]).distances([[0, 1]])
        corners = ring.vertices + np.array([5, 0, 0])
        expected = points_to_triangles(ring.vertices, ring.faces, corners).min()
        assert abs(far.distances[0] - expected) < 1e-9  # vertices of both are closest here
        linked = snapshot(shapes[:2], [[0, 0, 0], [1.0, 0, 0]]).distances([[0, 1]])
        assert linked.distances[0] < 0
        within = snapshot(shapes, [[0, 0, 0], [9, 0, 0], [0, 0, 0]]).distances([[0, 2], [2, 0]])
        reach = np.abs(ring.vertices).max()
        np.testing.assert_allclose(within.distances, reach - 4.0, atol=1e-9)
        np.testing.assert_allclose(
            within.points_b - within.points_a,
            within.distances[:, None] * within.normals,
            atol=1e-9,
        )

    def test_compounds_are_as_near_as_their_nearest_parts(self):
        rng = np.random.default_rng(14)
        position, turn = np.array([[0, 0, 0], [3.0, 1.0, 0]]), quaternions(rng, 2)
        answer = snapshot([COMPOUND, COMPOUND], position, turn).distances([[0, 1]])
        parts = [list(placed_leaves(COMPOUND, position[i], turn[i])) for i in range(2)]
        best = np.inf
        for one in parts[0]:
            for other in parts[1]:
                turns = np.array([matrix_turn(one[1]), matrix_turn(other[1])])
                pair = snapshot([one[0], other[0]], np.array([one[2], other[2]]), turns)
                best = min(best, pair.distances([[0, 1]]).distances[0])
        assert abs(answer.distances[0] - best) < 1e-9

    def test_far_away_and_far_apart(self):
        shapes = [CONVEX["box"], CONVEX["cone"], CONVEX["sphere"]]
        near = np.array([[0, 0, 0], [3.0, 0, 0], [0, 4.0, 0]])
        pairs = [[0, 1], [1, 2], [0, 2]]
        here = snapshot(shapes, near).distances(pairs)
        there = snapshot(shapes, near + 1e9).distances(pairs)
        np.testing.assert_allclose(there.distances, here.distances, atol=1e-6)
        apart = snapshot(shapes, near * 1e9).distances(pairs)
        np.testing.assert_allclose(apart.distances, [3e9, 5e9, 4e9], rtol=1e-8)

    def test_coincident_centres(self):
        shapes = list(CONVEX.values())
        every = np.array([[i, j] for i in range(7) for j in range(i + 1, 7)])
        answer = snapshot(shapes, np.zeros((7, 3))).distances(every)
        assert (answer.distances < 0).all()
        for array in vars(answer).values():
            assert np.isfinite(array).all()
        same = snapshot(shapes * 2, np.zeros((14, 3))).distances([[i, i + 7] for i in range(7)])
        assert (same.distances < 0).all()


def random_normals(number):
    return unit(np.random.default_rng(0).standard_normal((number, 3000, 3)))


def placed_height(shape, position, turn, directions):
    """Largest n·p over the points p of a shape in the world."""
    local = directions @ rotation_matrices(turn)
    return support_height(shape, local) + directions @ position


def matrix_turn(rotation):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return [w, x, y, z]


class TestOverlaps:
    @pytest.mark.parametrize("name", [*CONVEX, "torus", "compound"])
    def test_scene(self, name):
        rng = np.random.default_rng(21)
        shapes, position, turn = scene(rng, 30, spread=3.0)
        places, turned = rng.uniform(-3, 3, (15, 3)), quaternions(rng, 15)
        asked = SHAPES[name]
        overlaps = snapshot(shapes, position, turn).overlaps(asked, places, turned)
        everything = snapshot(
            [*shapes, *[asked] * 15],
            np.concatenate([position, places]),
            np.concatenate([turn, turned]),
            fixed=[True] * (len(shapes) + 15),
        )
        pairs = np.array([[len(shapes) + q, b] for q in range(15) for b in range(len(shapes))])
        distance = everything.distances(pairs).distances
        expected = pairs[distance <= 0] - [len(shapes), 0]
        np.testing.assert_array_equal(np.column_stack([overlaps.places, overlaps.bodies]), expected)
        assert 0 < len(overlaps) < len(pairs)

    def test_options(self):
        here = snapshot([am.Sphere(1.0)] * 3, [[0, 0, 0], [5, 0, 0], [9, 0, 0]], groups=[1, 2, 4])
        ball = am.Sphere(1.0)
        places = [[0.5, 0, 0], [7, 0, 0], [20, 0, 0]]
        assert here.overlaps(ball, places).bodies.tolist() == [0, 1, 2]
        assert here.overlaps(ball, places).places.tolist() == [0, 1, 1]
        assert here.overlaps(ball, places, mask=6).bodies.tolist() == [1, 2]
        assert here.overlaps(ball, places, ignore=[0, 1, 2]).bodies.tolist() == [2]
        assert len(here.overlaps(ball, places, within=100.0)) == 9
        assert len(here.overlaps(ball, [])) == 0

    def test_inside_a_closed_mesh(self):
        room = am.TriangleMesh(cube() * 8, cube_faces())
        here = snapshot([room], [[0, 0, 0]])
        places = [[0, 0, 0], [3.9, 0, 0], [5, 0, 0]]
        for shape in (am.Sphere(0.5), am.Box((1, 1, 1)), MESHES["torus"].scaled(0.3)):
            assert here.overlaps(shape, places).places.tolist() == [0, 1], shape
