"""Rays and closest points against plain numpy over all bodies; what queries refuse."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import amontons as am
from amontons import _jit
from amontons.algebra.rotations import rotation_matrices
from amontons.collision.detector import CollisionDetector
from amontons.collision.queries.scene_tree import LEAF, scene_tree
from amontons.collision.queries.snapshot import Snapshot
from amontons.model.shapes.table import PLANE, SPHERE
from helpers.query_oracles import (
    first_hits,
    gauge,
    is_mesh,
    placed_leaves,
    points_to_triangles,
    signed_convex_distance,
    signed_mesh_distance,
    support_height,
    unit,
)
from helpers.query_scenes import (
    COMPOUND,
    CONVEX,
    MESHES,
    SHAPES,
    TURN,
    alone,
    cube,
    scene,
    snapshot,
)


def assert_same_hits(hits, bodies, distances, *, doubtful=2):
    """The same, but for rays that graze something."""
    differ = (hits.bodies != bodies) | ~np.isclose(hits.distances, distances, 1e-7, 1e-7)
    assert differ.sum() <= doubtful, (hits.distances[differ], distances[differ])


class TestTree:
    @pytest.mark.parametrize("number", [0, 1, 2, 4, 5, 9, 1000])
    def test_every_part_is_in_one_leaf_and_within_its_boxes(self, number):
        rng = np.random.default_rng(number)
        box = np.concatenate([rng.normal(size=(number, 3)), rng.random((number, 3))], axis=1)
        box[: number // 2, 0] = 1.0  # many the same
        kind = np.where(rng.random(number) < 0.1, PLANE, SPHERE).astype(np.uint8)
        tree = scene_tree(kind, box)
        assert sorted(tree.entry.tolist()) == list(range(number))
        leaves = len(tree.box) // 2
        assert len(tree.start) == leaves + 2
        planes = tree.entry[tree.start[leaves] : tree.start[leaves + 1]]
        assert sorted(planes) == np.flatnonzero(kind == PLANE).tolist()
        for leaf in range(leaves):
            members = tree.entry[tree.start[leaf] : tree.start[leaf + 1]]
            assert len(members) <= LEAF
            node = leaves + leaf
            while node >= 1 and len(members):
                assert (tree.box[node, :3] <= (box[members, :3] - box[members, 3:])).all()
                assert (tree.box[node, 3:] >= (box[members, :3] + box[members, 3:])).all()
                node //= 2

    def test_a_body_out_of_the_world_spoils_no_box(self):
        rng = np.random.default_rng(7)
        box = np.concatenate([rng.random((512, 3)), np.full((512, 3), 0.01)], axis=1)
        box[17, :3] = 1e12
        tree = scene_tree(np.full(512, SPHERE, dtype=np.uint8), box)
        extent = (tree.box[len(tree.box) // 2 :, 3:] - tree.box[len(tree.box) // 2 :, :3]).max(1)
        assert np.sort(extent)[-2] < 0.6


class TestRays:
    @pytest.mark.parametrize("name", SHAPES)
    def test_first_hit_of_one_shape(self, name):
        shape = SHAPES[name]
        here, place, turn = alone(shape)
        rng = np.random.default_rng(1)
        origins = place + 4.0 * unit(rng.standard_normal((400, 3)))
        targets = place + rng.uniform(-1.0, 1.0, (400, 3))
        directions = targets - origins
        hits = here.cast_rays(origins, directions)
        expected = first_hits([shape], [place], [turn], origins, unit(directions))
        assert_same_hits(hits, *expected)
        assert hits.hit.sum() > 100
        check_hits(shape, place, turn, hits, origins, unit(directions))

    @pytest.mark.slow
    @pytest.mark.parametrize("inside", ["pass", "hit"])
    def test_scene(self, inside):
        rng = np.random.default_rng(2)
        shapes, position, turn = scene(rng, 60)
        origins = rng.uniform(-6, 6, (500, 3))
        directions = rng.standard_normal((500, 3))
        directions[:60] = np.sign(directions[:60]) * np.eye(3)[rng.integers(0, 3, 60)]
        here = snapshot(shapes, position, turn)
        hits = here.cast_rays(origins, directions, inside=inside)
        expected = first_hits(shapes, position, turn, origins, unit(directions), inside == "hit")
        # a ray may begin inside of two bodies: then either will do
        expected[0][expected[1] == 0.0] = hits.bodies[expected[1] == 0.0]
        assert_same_hits(hits, *expected)

    def test_length_mask_and_ignored_bodies(self):
        shapes = [am.Sphere(1.0)] * 3
        here = snapshot(shapes, [[5, 0, 0], [10, 0, 0], [15, 0, 0]], groups=[1, 2, 4])
        ray = [[0, 0, 0]], [[3.0, 0, 0]]
        assert here.cast_rays(*ray).bodies == 0
        assert here.cast_rays(*ray, longest=4.0).bodies == 0
        assert here.cast_rays(*ray, longest=3.99).bodies == -1
        assert here.cast_rays(*ray, mask=6).bodies == 1
        assert here.cast_rays(*ray, ignore=0).bodies == 1
        assert here.cast_rays(*ray, ignore=0, mask=5).bodies == 2
        many = here.cast_rays(
            np.zeros((3, 3)), [[1, 0, 0]] * 3, ignore=[-1, 0, 1], mask=[4, 7, 2], longest=[20, 9, 9]
        )
        assert many.bodies.tolist() == [2, 1, -1]
        assert many.distances.tolist() == [14.0, 9.0, np.inf]
        assert np.isnan(many.points[2]).all()
        assert np.isnan(many.normals[2]).all()

    @pytest.mark.parametrize("name", CONVEX)
    def test_rays_that_begin_on_the_surface(self, name):
        shape = CONVEX[name]
        here, place, turn = alone(shape)
        rotation = rotation_matrices(turn)
        vertices, triangles = shape.surface_mesh(16)
        middle = vertices[triangles].mean(axis=1)
        inner = vertices.mean(axis=0)
        low, high = np.zeros(len(middle)), np.full(len(middle), 1.5)
        for _ in range(60):  # onto the surface, which is round
            half = (low + high) / 2
            out = gauge(shape, inner + half[:, None] * (middle - inner)) > 0
            low, high = np.where(out, low, half), np.where(out, half, high)
        spots = inner + low[:, None] * (middle - inner)
        start = place + spots @ rotation.T
        inward = (inner - spots) @ rotation.T
        entering = here.cast_rays(start, inward)
        assert entering.hit.all()
        assert entering.distances.max() < 1e-9
        assert not here.cast_rays(start, -inward).hit.any()
        assert not here.cast_rays(start, -inward, inside="hit").hit.any()

    @pytest.mark.parametrize("name", CONVEX)
    def test_rays_that_begin_inside(self, name):
        rng = np.random.default_rng(7)
        here, place, _ = alone(CONVEX[name])
        directions = rng.standard_normal((50, 3))
        start = np.tile(place, (50, 1))
        assert not here.cast_rays(start, directions).hit.any()
        hits = here.cast_rays(start, directions, inside="hit")
        assert (hits.distances == 0.0).all()
        np.testing.assert_allclose(hits.normals, -unit(directions), atol=1e-12)
        np.testing.assert_array_equal(hits.points, start)

    def test_rays_that_begin_below_a_plane(self):
        here = snapshot([am.Plane()], [[0, 0, 0]])
        up, down = [[0, 0, 1.0]], [[0, 0, -1.0]]
        assert not here.cast_rays([[0, 0, -1.0]], up).hit
        assert not here.cast_rays([[0, 0, -1.0]], down).hit
        assert here.cast_rays([[0, 0, -1.0]], down, inside="hit").distances == 0.0
        assert here.cast_rays([[0, 0, 0.0]], down).distances == 0.0
        assert not here.cast_rays([[0, 0, 0.0]], up).hit
        assert not here.cast_rays([[0, 0, 1.0]], [[1.0, 0, 0]]).hit

    def test_no_ray_slips_through_edges_and_vertices_of_a_mesh(self):
        rng = np.random.default_rng(7)
        mesh = MESHES["torus"]
        here, place, turn = alone(mesh)
        rotation = rotation_matrices(turn)
        corners = mesh.vertices[mesh.faces]
        along = rng.random((len(corners), 1))
        targets = np.concatenate(
            [mesh.vertices, corners[:, 0] * along + corners[:, 1] * (1 - along)]
        )
        targets = place + targets @ rotation.T
        for origin in place + 5.0 * unit(rng.standard_normal((20, 3))):
            hits = here.cast_rays(np.tile(origin, (len(targets), 1)), targets - origin)
            assert hits.hit.all()
            assert (hits.distances <= np.linalg.norm(targets - origin, axis=1) + 1e-9).all()

    def test_rays_along_edges_and_through_corners_of_a_box(self):
        here = snapshot([am.Box((2, 2, 2)), am.ConvexHull(cube() * 2)], [[0, 0, 0], [0, 0, 9]])
        for height in (0.0, 9.0):
            origins = np.array([[-5, 1, 1], [-5, 1, 0], [-5, -5, -5], [-5, -5, 0.5]], dtype=float)
            origins[:, 2] += height
            hits = here.cast_rays(origins, [[1, 0, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0]])
            assert hits.hit.all()
            np.testing.assert_allclose(
                hits.distances, [4, 4, 4 * np.sqrt(3), 4 * np.sqrt(2)], rtol=1e-12
            )

    def test_grazing_a_sphere(self):
        here = snapshot([am.Sphere(1.0)], [[0, 0, 0]])
        heights = 1.0 + np.array([-1e-6, 0.0, 1e-6])
        origins = np.column_stack([np.full(3, -3.0), np.zeros(3), heights])
        hits = here.cast_rays(origins, [[1.0, 0, 0]] * 3)
        assert hits.bodies.tolist() == [0, 0, -1]

    def test_far_away(self):
        far = np.array([1e9, -1e9, 1e9])
        here = snapshot(list(CONVEX.values()), far + 4.0 * np.arange(7)[:, None] * [1, 0, 0])
        origins = far + 4.0 * np.arange(7)[:, None] * [1, 0, 0] + [0, 0, 3.0]
        hits = here.cast_rays(origins, [[0, 0, -1.0]] * 7)
        assert hits.bodies.tolist() == list(range(7))
        near = snapshot(list(CONVEX.values()), 4.0 * np.arange(7)[:, None] * [1, 0, 0])
        expected = near.cast_rays(origins - far, [[0, 0, -1.0]] * 7)
        np.testing.assert_allclose(hits.distances, expected.distances, atol=1e-6)
        np.testing.assert_allclose(hits.normals, expected.normals, atol=1e-6)

    def test_from_far_away(self):
        shapes = [*CONVEX.values(), MESHES["torus"]]
        position = 4.0 * np.arange(8)[:, None] * np.array([1.0, 0, 0])
        here = snapshot(shapes, position)
        start = position + np.array([0.11, 0.13, 1e9])
        start[7, 0] += 1.0
        hits = here.cast_rays(start, [[0, 0, -1.0]] * 8)
        near = here.cast_rays(start * [1, 1, 1e-8], [[0, 0, -1.0]] * 8)
        assert hits.bodies.tolist() == list(range(8))
        np.testing.assert_allclose(hits.distances - 1e9, near.distances - 10.0, atol=1e-6)
        np.testing.assert_allclose(hits.normals, near.normals, atol=1e-9)

    def test_special_lines_of_a_cone(self):
        here = snapshot([am.Cone(1.0, 4.0)], [[0, 0, 0]])  # base at z = −1, tip at z = 3
        rays = np.array(
            [
                [0, 0, 9, 0, 0, -1],  # onto the tip
                [0, 0, -9, 0, 0, 1],  # onto the middle of the base
                [0.25, 0, 5, 0, 0, -1],
                [-5, 0, 2, 1, 0, 0],
                [-0.5, 0, 4, 1, 0, -4],  # parallel to the side, within it
                [2, 0, 0, -1, 0, 4],  # parallel to the side, outside of it
            ]
        )
        hits = here.cast_rays(rays[:, :3], rays[:, 3:])
        expected = [6, 8, 3, 4.75, 0.375 * np.sqrt(17), np.inf]
        np.testing.assert_allclose(hits.distances, expected, rtol=1e-12)
        np.testing.assert_allclose(hits.normals[:2], [[0, 0, 1], [0, 0, -1]], atol=1e-12)

    @pytest.mark.parametrize("factor", [1e-9, 1e-3, 1e3, 1e9])
    def test_any_scale(self, factor):
        rng = np.random.default_rng(8)
        origins = 3.0 * unit(rng.standard_normal((60, 3)))
        directions = rng.uniform(-0.5, 0.5, (60, 3)) - origins
        place = np.array([[3.0, -2.0, 5.0]])
        for shape in [*CONVEX.values(), MESHES["torus"], COMPOUND]:
            hits = snapshot([shape], place, TURN).cast_rays(place + origins, directions)
            large = snapshot([shape.scaled(factor)], factor * place, TURN)
            large = large.cast_rays(factor * (place + origins), directions)
            np.testing.assert_array_equal(hits.bodies, large.bodies)
            np.testing.assert_allclose(large.distances, factor * hits.distances, rtol=1e-9)

    def test_sheets_are_hit_from_both_sides(self):
        field = am.HeightField(np.zeros((3, 3)), 1.0)
        here = snapshot([field], [[0, 0, 0]])
        hits = here.cast_rays([[0.2, 0.1, 1], [0.2, 0.1, -1]], [[0, 0, -1.0], [0, 0, 1.0]])
        assert hits.distances.tolist() == [1.0, 1.0]
        np.testing.assert_array_equal(hits.normals, [[0, 0, 1], [0, 0, -1]])

    @pytest.mark.slow
    @given(
        name=st.sampled_from(sorted(CONVEX)),
        origin=st.tuples(*[st.floats(-5, 5)] * 3),
        direction=st.tuples(*[st.floats(-1, 1)] * 3),
    )
    @settings(max_examples=300, deadline=None)
    def test_a_hit_is_on_the_surface(self, name, origin, direction):
        direction = np.array(direction)
        assume(direction.any())
        here, place, turn = alone(CONVEX[name])
        start = np.array([origin]) + place
        hits = here.cast_rays(start, [direction])
        if hits.hit[0]:
            local = (hits.points - place) @ rotation_matrices(turn)
            assert abs(gauge(CONVEX[name], local)[0]) < 1e-9
            assert hits.normals[0] @ unit(direction / np.abs(direction).max()) <= 1e-9
            assert abs(np.linalg.norm(hits.normals[0]) - 1.0) < 1e-9


def check_hits(shape, place, turn, hits, origins, directions):
    """Hit points are where they should be, normals unit and against the rays."""
    met = hits.hit
    along = origins[met] + hits.distances[met, None] * directions[met]
    np.testing.assert_allclose(hits.points[met], along, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(hits.normals[met], axis=1), 1.0, atol=1e-12)
    assert (np.einsum("ij,ij->i", hits.normals[met], directions[met]) <= 1e-12).all()
    step = 1e-6
    for leaf, rotation, origin in placed_leaves(shape, place, turn):
        local = (hits.points[met] - origin) @ rotation
        normal = hits.normals[met] @ rotation
        if is_mesh(leaf):
            assert points_to_triangles(*leaf.surface_mesh(), local).min(axis=1).max() < 1e-9
        elif shape is leaf:
            assert np.abs(gauge(leaf, local)).max() < 1e-9
            # outward: no other point of the shape is above the tangent plane
            if not isinstance(leaf, am.Plane):
                top = support_height(leaf, normal)
                assert np.abs(np.einsum("ij,ij->i", normal, local) - top).max() < step


class TestClosestPoints:
    @pytest.mark.parametrize("name", CONVEX)
    def test_one_convex_shape(self, name):
        rng = np.random.default_rng(7)
        shape = CONVEX[name]
        here, place, turn = alone(shape)
        rotation = rotation_matrices(turn)
        local = rng.uniform(-1.5, 1.5, (120, 3))
        local[:40] *= 0.2
        closest = here.closest_points(local @ rotation.T + place)
        assert (closest.bodies == 0).all()
        assert (closest.distances < 0).any()
        surface = (closest.points - place) @ rotation
        assert np.abs(gauge(shape, surface)).max() < 1e-9
        normal = closest.normals @ rotation
        np.testing.assert_allclose(
            np.einsum("ij,ij->i", normal, surface), support_height(shape, normal), atol=1e-9
        )
        # the plane through the closest point is one of those that the distance is the largest of
        other = signed_convex_distance(shape, local)
        assert (other <= closest.distances + 1e-9).all()
        np.testing.assert_allclose(other, closest.distances, atol=0.03)
        np.testing.assert_allclose(surface + closest.distances[:, None] * normal, local, atol=1e-9)

    @pytest.mark.parametrize("name", MESHES)
    def test_one_mesh(self, name):
        rng = np.random.default_rng(7)
        mesh = MESHES[name]
        here, place, turn = alone(mesh)
        rotation = rotation_matrices(turn)
        corners, faces = mesh.surface_mesh()
        local = np.concatenate(
            [
                rng.uniform(-2, 2, (400, 3)),
                rng.permutation(corners)[:40] * 1.01,
                rng.permutation(corners)[:40] * 0.99,
                corners[faces[::5]].mean(axis=1),
            ]
        )
        closest = here.closest_points(local @ rotation.T + place)
        expected = signed_mesh_distance(mesh, local)
        np.testing.assert_allclose(closest.distances, expected, atol=1e-12)
        surface = (closest.points - place) @ rotation
        assert points_to_triangles(corners, faces, surface).min(axis=1).max() < 1e-9
        np.testing.assert_allclose(np.linalg.norm(closest.normals, axis=1), 1.0, atol=1e-12)

    def test_signs_at_a_saddle_vertex(self):
        # spikes in and out around one vertex: the sign of any one face may mislead
        angle = 2 * np.pi * np.arange(8) / 8
        ring = np.column_stack([np.cos(angle), np.sin(angle), 0.9 * (-1.0) ** np.arange(8)])
        vertices = np.concatenate([ring, [[0, 0, 0], [0, 0, -3.0]]])
        top = [[i, (i + 1) % 8, 8] for i in range(8)]
        bottom = [[(i + 1) % 8, i, 9] for i in range(8)]
        mesh = am.TriangleMesh(vertices, top + bottom)
        assert mesh.closed
        points = np.random.default_rng(0).uniform(-0.3, 0.3, (500, 3))
        closest = snapshot([mesh], [[0, 0, 0]]).closest_points(points)
        np.testing.assert_allclose(
            closest.distances, signed_mesh_distance(mesh, points), atol=1e-12
        )

    def test_scene(self):
        rng = np.random.default_rng(5)
        shapes, position, turn = scene(rng, 40)
        points = rng.uniform(-6, 6, (60, 3))
        here = snapshot(shapes, position, turn)
        closest = here.closest_points(points)
        best, which = np.full(60, np.inf), np.full(60, -1)
        for body, shape in enumerate(shapes):
            lone = snapshot([shape], position[[body]], turn[[body]]).closest_points(points)
            which[lone.distances < best] = body
            best = np.minimum(best, lone.distances)
        np.testing.assert_array_equal(closest.distances, best)
        np.testing.assert_array_equal(closest.bodies, which)
        np.testing.assert_allclose(
            closest.points + closest.distances[:, None] * closest.normals, points, atol=1e-9
        )
        near = here.closest_points(points, within=0.5)
        assert (near.bodies == np.where(closest.distances <= 0.5, closest.bodies, -1)).all()
        assert np.isinf(near.distances[~near.found]).all()
        assert np.isnan(near.points[~near.found]).all()

    def test_mask_and_ignored_bodies(self):
        here = snapshot([am.Sphere(1.0)] * 3, [[0, 0, 0], [5, 0, 0], [9, 0, 0]], groups=[1, 2, 4])
        assert here.closest_points([[0, 0, 0]]).distances == -1.0
        assert here.closest_points([[0, 0, 0]], mask=6).bodies == 1
        assert here.closest_points([[0, 0, 0]] * 2, ignore=[0, 1]).bodies.tolist() == [1, 0]

    @pytest.mark.slow
    @given(
        point=st.tuples(*[st.floats(-6, 6)] * 3),
        other=st.tuples(*[st.floats(-6, 6)] * 3),
    )
    @settings(max_examples=200, deadline=None)
    def test_distance_changes_no_faster_than_the_point_moves(self, point, other):
        shapes, position, turn = scene(np.random.default_rng(6), 30)
        solid = [i for i, shape in enumerate(shapes) if not isinstance(shape, am.HeightField)]
        here = snapshot([shapes[i] for i in solid], position[solid], turn[solid])
        closest = here.closest_points([point, other])
        apart = np.linalg.norm(np.subtract(point, other))
        assert abs(np.diff(closest.distances)[0]) <= apart + 1e-9


class TestAll:
    def test_any_number_of_threads_gives_the_same_bits(self):
        if _jit.max_threads() < 2:
            pytest.skip("one thread is all there is")
        rng = np.random.default_rng(31)
        shapes, position, turn = scene(rng, 50)
        here = snapshot(shapes, position, turn)
        origins, directions = rng.uniform(-6, 6, (2000, 3)), rng.standard_normal((2000, 3))
        pairs = np.array([[i, j] for i in range(50) for j in range(50) if i != j])
        pairs = pairs[rng.permutation(len(pairs))[:700]]
        answers = []
        before = _jit.get_threads()
        try:
            for threads in (1, 2):
                _jit.set_threads(threads)
                answers.append(
                    [
                        here.cast_rays(origins, directions),
                        here.closest_points(origins),
                        here.distances(pairs),
                        here.overlaps(am.Sphere(0.3), origins),
                    ]
                )
        finally:
            _jit.set_threads(before)
        for one, two in zip(*answers, strict=True):
            for left, right in zip(vars(one).values(), vars(two).values(), strict=True):
                assert left.tobytes() == right.tobytes()

    def test_empty_scene_and_no_questions(self):
        nobody = snapshot([], np.empty((0, 3)))
        assert not nobody.cast_rays([[0, 0, 0]], [[1, 0, 0]]).hit.any()
        assert not nobody.closest_points([[0, 0, 0]]).found.any()
        assert len(nobody.overlaps(am.Sphere(1.0), [[0, 0, 0]])) == 0
        assert len(nobody.distances([])) == 0
        here = snapshot([am.Sphere(1.0)], [[0, 0, 0]])
        assert len(here.cast_rays([], [])) == 0
        assert len(here.closest_points(np.empty((0, 3)))) == 0
        assert len(here.distances(np.empty((0, 2), dtype=int))) == 0

    def test_answers_describe_themselves(self):
        here = snapshot([am.Sphere(1.0)] * 2, [[0, 0, 0], [3, 0, 0]])
        assert repr(here) == "<Snapshot: 2 bodies>"
        assert repr(here.cast_rays([[-5, 0, 0]], [[1, 0, 0]])) == "<RayHits: 1 of 1 rays>"
        assert repr(here.closest_points([[9, 9, 9]])) == "<ClosestPoints: 1 of 1 points>"
        assert repr(here.overlaps(am.Sphere(1.0), [[0, 0, 0]])) == "<Overlaps: 1>"
        assert repr(here.distances([[0, 1]])) == "<Distances: 1 pairs>"

    @pytest.mark.parametrize(
        ("ask", "complaint"),
        [
            (lambda s: s.cast_rays([[0, 0, np.nan]], [[1, 0, 0]]), r"origins\[0, 2\] is nan"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[0, 0, 0]]), r"directions\[0\] is zero"),
            (lambda s: s.cast_rays([0, 0, 0], [[1, 0, 0]]), r"origins must have shape \(n, 3\)"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]] * 2), "directions must have 1 rows"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]], longest=-1.0), "longest is -1"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]], longest=np.nan), "longest is nan"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]], longest="far"), "one length or 1"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]], mask=-1), "32 bits"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]], mask=0.5), "whole number"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]], ignore=3), "names body 3"),
            (lambda s: s.cast_rays([[0, 0, 0]], [[1, 0, 0]], inside="out"), "'pass' or 'hit'"),
            (lambda s: s.closest_points([[np.inf, 0, 0]]), r"points\[0, 0\] is inf"),
            (lambda s: s.closest_points([[0, 0, 0]], within=[1, 2]), "one length or 1"),
            (lambda s: s.overlaps(am.Plane(), [[0, 0, 0]]), "large Box"),
            (lambda s: s.overlaps("ball", [[0, 0, 0]]), "must be a shape"),
            (lambda s: s.overlaps(am.Sphere(1), [[0, 0, 0]], [[2, 0, 0, 0]]), "length 2"),
            (lambda s: s.overlaps(am.Sphere(1), [[0, 0, 0]], [[1, 0, 0]]), r"shape \(n, 4\)"),
            (lambda s: s.distances([[0, 3]]), r"pairs\[0\] is \[0, 3\]"),
            (lambda s: s.distances([[0.0, 1.0]]), "whole numbers"),
            (lambda s: s.distances([[1, 1]]), "body 1 twice"),
            (lambda s: s.distances([[0, 1], [1, 2]]), r"pairs\[1\] .* two planes"),
        ],
    )
    def test_bad_questions(self, ask, complaint):
        here = snapshot([am.Sphere(1.0), am.Plane(), am.Plane()], [[0, 0, 0]] * 3)
        with pytest.raises(am.InputError, match=complaint):
            ask(here)

    def test_bad_poses(self):
        detector = CollisionDetector([am.Sphere(1.0)], margin=0.0)
        with pytest.raises(am.InputError, match="position"):
            Snapshot(detector, [[0, 0]])
        with pytest.raises(am.InputError, match="unit"):
            Snapshot(detector, [[0, 0, 0]], [[1, 1, 0, 0]])
