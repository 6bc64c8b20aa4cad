"""The general convex method against coal, against its own definition, and against bad luck."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from amontons._jit import get_threads, max_threads, set_threads
from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.collision.body_parts import Poses
from amontons.collision.narrow.convex_pairs import collide_convex
from amontons.collision.narrow.manifold import POINT_KEY
from amontons.collision.pair_contacts import empty_slots
from amontons.model.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Sphere,
    build_table,
)
from amontons.model.shapes.table import TRIANGLE

coal = pytest.importorskip("coal")

POSES = 200
"""Random poses for each pair of kinds; 2000 for a thorough run."""

MARGIN = 0.05


def ball_points(count, seed=5):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


SHAPES = {
    "sphere": Sphere(0.5),
    "capsule": Capsule(0.3, 1.0),
    "box": Box((1.0, 0.7, 0.5)),
    "cylinder": Cylinder(0.5, 0.8),
    "cone": Cone(0.5, 1.0),
    "ellipsoid": Ellipsoid((0.5, 0.4, 0.3)),
    "hull": ConvexHull(ball_points(20) * [0.5, 0.4, 0.6]),
}
PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))


def random_turns(rng, count):
    turns = rng.normal(size=(count, 4))
    return turns / np.linalg.norm(turns, axis=1)[:, None]


def collide_table(table, place, turn_a, turn_b, margin, origin=0.0):
    """Contacts of shape 0 at the origin and shape 1 at each place."""
    count = len(place)
    places = np.full((2 * count, 3), origin)
    places[1::2] += place
    turns = np.empty((2 * count, 4))
    turns[0::2], turns[1::2] = turn_a, turn_b
    shape = np.tile(np.array([0, 1], dtype=np.int32), count)
    pair = np.arange(2 * count, dtype=np.int32).reshape(count, 2)
    found = empty_slots(count)
    collide_convex.sized(count)(table, Poses(places, turns, shape), pair, margin, found)
    return found


def collide(shape_a, shape_b, place, turn_a, turn_b, margin, origin=0.0):
    """Contacts of A at the origin and B at each place."""
    table = build_table([shape_a, shape_b])
    return collide_table(table, place, turn_a, turn_b, margin, origin)


def heights(shape_a, shape_b, place, turn_a, turn_b, normals):
    """h_A(n) + h_B(−n) for one normal a pose, by the shapes' own support points."""
    r_a, r_b = rotation_matrices(turn_a), rotation_matrices(turn_b)
    in_a = np.einsum("pji,pj->pi", r_a, normals)
    in_b = np.einsum("pji,pj->pi", r_b, normals)
    h_a = np.einsum("pi,pi->p", shape_a.support(in_a), in_a)
    h_b = np.einsum("pi,pi->p", shape_b.support(-in_b), -in_b)
    return h_a + h_b - np.einsum("pi,pi->p", place, normals)


def random_poses(shape_a, shape_b, count, seed):
    """Poses of four sorts in turn: deep, shallow, touching, apart within the margin."""
    rng = np.random.default_rng(seed)
    turn_a, turn_b = random_turns(rng, count), random_turns(rng, count)
    reach = sum(np.linalg.norm(np.ptp(s.bounds, axis=0)) / 2 for s in (shape_a, shape_b))
    place = rng.normal(size=(count, 3))
    place *= (reach * rng.uniform(0.05, 0.9, count) / np.linalg.norm(place, axis=1))[:, None]
    wanted = rng.uniform(0.0, 1.0, count) * np.resize([-0.3, -0.02, 0.0, MARGIN], count)
    for _ in range(3):
        found = collide(shape_a, shape_b, place, turn_a, turn_b, 10.0)
        deep = (np.arange(count) % 4 == 0) & (found.gap[:, 0] < 0.0)
        move = np.where(deep, 0.0, wanted - found.gap[:, 0])
        place = place + move[:, None] * found.normal[:, 0]
    return place, turn_a, turn_b


def coal_shape(shape):
    """The same shape for coal, and where its origin is in ours."""
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius), 0.0
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length), 0.0
    if isinstance(shape, Box):
        return coal.Box(*shape.size), 0.0
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.height), 0.0
    if isinstance(shape, Cone):
        return coal.Cone(shape.radius, shape.height), shape.height / 4
    if isinstance(shape, Ellipsoid):
        return coal.Ellipsoid(*shape.semi_axes), 0.0
    points = coal.StdVec_Vec3s()
    points.extend(list(build_table([shape]).point))
    return coal.Convex.convexHull(points, False, ""), 0.0


def coal_distances(shape_a, shape_b, place, turn_a, turn_b):
    """Signed distances and normals from A to B by coal, its tolerances tightened."""
    geometry_a, lift_a = coal_shape(shape_a)
    geometry_b, lift_b = coal_shape(shape_b)
    r_a, r_b = rotation_matrices(turn_a), rotation_matrices(turn_b)
    gap, normal = np.empty(len(place)), np.empty((len(place), 3))
    request = coal.DistanceRequest(True)
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    for i in range(len(place)):
        result = coal.DistanceResult()
        gap[i] = coal.distance(
            geometry_a,
            coal.Transform3s(r_a[i], r_a[i][:, 2] * lift_a),
            geometry_b,
            coal.Transform3s(r_b[i], place[i] + r_b[i][:, 2] * lift_b),
            request,
            result,
        )
        normal[i] = result.normal
    return gap, normal


def best_by_definition(shape_a, shape_b, place, turn_a, turn_b, starts):
    """Signed distance of one pose: −min over n of h_A(n) + h_B(−n), from many directions."""

    def height(n):
        n = np.asarray(n) / np.linalg.norm(n)
        return heights(
            shape_a, shape_b, place[None], turn_a[None], turn_b[None], np.reshape(n, (1, 3))
        )[0]

    many = len(starts)
    values = heights(
        shape_a,
        shape_b,
        np.repeat(place[None], many, 0),
        np.repeat(turn_a[None], many, 0),
        np.repeat(turn_b[None], many, 0),
        starts,
    )
    best = np.inf
    for i in np.argsort(values)[:3]:
        options = {"xatol": 1e-11, "fatol": 1e-13, "maxiter": 2000}
        best = min(best, minimize(height, starts[i], method="Nelder-Mead", options=options).fun)
    return -best


def check_against_coal(name_a, name_b, count, seed):
    """(gap errors, normal errors) against coal, or the definition where coal is off."""
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    place, turn_a, turn_b = random_poses(shape_a, shape_b, count, seed)
    found = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN)
    assert np.all(found.number >= 1)
    gap, normal = found.gap[:, 0], found.normal[:, 0]
    assert np.max(np.abs(np.linalg.norm(normal, axis=1) - 1.0)) < 1e-12
    # our answer is one that can be had: never deeper than the truth, never farther apart
    assert np.max(np.abs(gap + heights(shape_a, shape_b, place, turn_a, turn_b, normal))) < 1e-10
    theirs, their_normal = coal_distances(shape_a, shape_b, place, turn_a, turn_b)
    their_normal = np.where(np.isfinite(their_normal), their_normal, normal)
    # so where coal says less (more apart, less deep), ours is beaten; where more, coal is off
    coal_height = heights(shape_a, shape_b, place, turn_a, turn_b, their_normal)
    error = np.maximum(-coal_height - gap, 0.0)
    turned = np.linalg.norm(normal - their_normal, axis=1)
    for i in np.flatnonzero(np.abs(theirs - gap) > 1e-6):
        starts = np.vstack([ball_points(500), normal[i], their_normal[i]])
        best = best_by_definition(shape_a, shape_b, place[i], turn_a[i], turn_b[i], starts)
        error[i] = max(error[i], best - gap[i])
    # where they touch at a corner, or coal has not quite converged, normals are not unique
    unique = (np.abs(coal_height + gap) < 1e-11) & (np.abs(gap) > 1e-4)
    return error, np.where(unique, turned, 0.0)


def rise_around(shape_a, shape_b, place, turn_a, turn_b, normal, angle):
    """Least rise of h_A(n) + h_B(−n) from n to a ring about it: positive, a minimum is inside."""
    here = heights(shape_a, shape_b, place, turn_a, turn_b, normal)
    helper = np.where(np.abs(normal[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    u = np.cross(normal, helper)
    u /= np.linalg.norm(u, axis=1)[:, None]
    v = np.cross(normal, u)
    least = np.full(len(normal), np.inf)
    for t in 2 * np.pi * np.arange(24) / 24:
        ring = np.cos(angle) * normal + np.sin(angle) * (np.cos(t) * u + np.sin(t) * v)
        there = heights(shape_a, shape_b, place, turn_a, turn_b, ring)
        least = np.minimum(least, there - here)
    return least


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_normals_are_where_the_definition_has_its_minimum(name_a, name_b):
    # coal's own normals of round shapes are off by up to 1e-3: this needs no coal, for any pose
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    poses = random_poses(shape_a, shape_b, POSES, 13)
    found = collide(shape_a, shape_b, *poses, MARGIN)
    rise = rise_around(shape_a, shape_b, *poses, found.normal[:, 0], 1e-4)
    # corners that touch and no more have many normals
    assert np.all((rise > 0.0) | (np.abs(found.gap[:, 0]) < 1e-9))


@pytest.mark.slow
@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_agrees_with_coal(name_a, name_b):
    error, turned = check_against_coal(name_a, name_b, POSES, 1)
    assert error.max() < 1e-7
    assert turned.max() < 1e-4


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_order_of_the_two_does_not_matter(name_a, name_b):
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    place, turn_a, turn_b = random_poses(shape_a, shape_b, 100, 2)
    one = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN)
    two = collide(shape_b, shape_a, -place, turn_b, turn_a, MARGIN)
    np.testing.assert_allclose(one.gap[:, 0], two.gap[:, 0], atol=1e-9)
    apart = np.abs(one.gap[:, 0]) > 1e-4
    turned = np.linalg.norm(one.normal[:, 0] + two.normal[:, 0], axis=1)
    assert np.all(turned[apart] < 1e-6)


def depth_in(shape, points, turn):
    """How far points are inside a shape at the origin: a tiny ball tells."""
    ball = Sphere(1e-9)
    count = len(points)
    turns = np.repeat(turn[None], count, 0)
    return -collide(shape, ball, points, turns, turns, 10.0).gap[:, 0] - 1e-9


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_points_are_on_both_surfaces(name_a, name_b):
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    place, turn_a, turn_b = random_poses(shape_a, shape_b, 100, 3)
    found = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN)
    for i in range(100):
        number = found.number[i]
        on_a = found.point[i, :number]
        on_b = on_a + found.gap[i, :number, None] * found.normal[i, :number] - place[i]
        # corners of overlaps may be off by what counts as on an edge
        near = 1e-7 if found.key[i, 0] == POINT_KEY and number == 1 else 5e-5
        assert np.all(np.abs(depth_in(shape_a, on_a, turn_a[i])) < near)
        assert np.all(np.abs(depth_in(shape_b, on_b, turn_b[i])) < near)
        assert np.all(found.gap[i, 1:number] >= found.gap[i, 0])
        assert np.all(found.gap[i, :number] <= MARGIN)


def small_turns(rng, count, size):
    turns = np.concatenate([np.ones((count, 1)), size * rng.normal(size=(count, 3))], axis=1)
    return turns / np.linalg.norm(turns, axis=1)[:, None]


QUARTER_TURNS = [
    np.array(q) / np.linalg.norm(q)
    for q in ([1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [1, 0, -1, 0], [1, -1, 0, 0])
]


def resting(shape_a, shape_b, yaw, face_a, face_b, height, shift=(0.0, 0.0)):
    """B on top of A, a face on a face, turned by an angle about the vertical."""
    spin = np.array([np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])
    return np.array([*shift, height]), face_a, quaternion_product(spin, face_b)


@pytest.mark.parametrize("noise", [1e-9, 1e-6])
@pytest.mark.parametrize("yaw", [0.0, 0.3, np.pi / 4, 1.0, np.pi / 2])
def test_box_on_box_keeps_its_four_contacts(yaw, noise):
    rng = np.random.default_rng(4)
    box = Box.cube(1.0)
    for face_a, face_b in itertools.product(QUARTER_TURNS, repeat=2):
        for shift in ((0.0, 0.0), (0.3, 0.1), (0.5, 0.0)):
            place, turn_a, turn_b = resting(box, box, yaw, face_a, face_b, 1.0, shift)
            count = 20
            places = place + noise * rng.normal(size=(count, 3))
            places[0] = place
            turns_b = quaternion_product(small_turns(rng, count, noise), turn_b[None])
            found = collide(box, box, places, np.repeat(turn_a[None], count, 0), turns_b, 0.01)
            assert np.all(found.number == 4)
            keys = np.sort(found.key, axis=1)
            assert len(np.unique(keys[0])) == 4
            assert np.all(keys == keys[0])
            assert np.max(np.abs(found.gap)) < 10 * noise
            spread = found.point[:, :, :2]
            spread = spread - spread.mean(axis=1, keepdims=True)
            assert np.all(np.linalg.eigvalsh(np.einsum("nki,nkj->nij", spread, spread)) > 0.02)


@pytest.mark.parametrize("noise", [1e-9, 1e-6])
@pytest.mark.parametrize("name", ["cylinder", "cone", "hull"])
def test_flat_ends_keep_their_contacts_on_a_box(name, noise):
    rng = np.random.default_rng(5)
    floor = Box((4.0, 4.0, 1.0))
    shape = {
        "cylinder": Cylinder(0.5, 0.8),
        "cone": Cone(0.5, 0.8),
        "hull": ConvexHull([(x, y, z) for x, y in RIM for z in (-0.2, 0.2)]),
    }[name]
    lift = {"cylinder": 0.4, "cone": 0.2, "hull": 0.2}[name]
    count = 50
    places = np.array([0.1, 0.2, 0.5 + lift]) + noise * rng.normal(size=(count, 3))
    turns = small_turns(rng, count, noise)
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    found = collide(floor, shape, places, upright, turns, 0.01)
    assert np.all(found.number == 4)
    keys = np.sort(found.key, axis=1)
    assert np.all(keys == keys[0])
    assert np.all(np.abs(found.gap) < 10 * noise)
    assert np.all(np.ptp(found.point[:, :, :2], axis=1) > 0.6)


RIM = [(0.5 * np.cos(t), 0.5 * np.sin(t)) for t in 2 * np.pi * np.arange(7) / 7]


@pytest.mark.parametrize("angle", np.radians([5.0, 20.0, 45.0]))
def test_tilted_box_touches_with_an_edge_or_a_corner(angle):
    floor, box = Box((4.0, 4.0, 1.0)), Box.cube(1.0)
    upright = np.array([[1.0, 0.0, 0.0, 0.0]])
    tilt = np.array([[np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]])
    height = 0.5 + (np.cos(angle) + np.sin(angle)) / 2
    found = collide(floor, box, np.array([[0.0, 0.0, height]]), upright, tilt, 0.01)
    assert found.number[0] == 2
    np.testing.assert_allclose(found.gap[0, :2], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.sort(found.point[0, :2, 0]), [-0.5, 0.5], atol=1e-9)
    turned = np.array([[np.cos(0.3), 0.0, np.sin(0.3), 0.0]])
    corner = quaternion_product(turned, tilt)
    lowest = Box.cube(1.0).support(-rotation_matrices(corner)[0][2][None])[0]
    height = 0.5 - (rotation_matrices(corner)[0] @ lowest)[2]
    found = collide(floor, box, np.array([[0.0, 0.0, height]]), upright, corner, 0.01)
    assert found.number[0] == 1
    np.testing.assert_allclose(found.gap[0, 0], 0.0, atol=1e-12)


@pytest.mark.parametrize("other", ["box", "cylinder", "capsule", "cone"])
def test_a_side_that_lies_touches_along_its_line(other):
    floor = Box((4.0, 4.0, 1.0))
    shape = SHAPES[other]
    lean = np.arctan(0.5) if other == "cone" else 0.0  # half angle of the cone's tip
    angle = np.pi / 2 + lean
    turn = np.array([[np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]])
    upright = np.array([[1.0, 0.0, 0.0, 0.0]])
    down = -rotation_matrices(turn)[0][2]
    lowest = shape.support(down[None])[0] @ down
    place = np.array([[0.0, 0.0, 0.5 + lowest]])
    found = collide(floor, shape, place, upright, turn, 0.01)
    assert found.number[0] == (4 if other == "box" else 2)
    np.testing.assert_allclose(found.gap[0, : found.number[0]], 0.0, atol=1e-9)
    assert np.ptp(found.point[0, : found.number[0], 0]) > 0.4


class Flat:
    """A triangle as the oracle sees it."""

    def __init__(self, corners):
        self.corners = corners

    def support(self, directions):
        return self.corners[np.argmax(np.asarray(directions) @ self.corners.T, axis=1)]


def triangle_and(corners, shape):
    """A table of a triangle, which no table of a world has, and a shape."""
    table = build_table([shape, shape])
    kind, data, half = table.kind.copy(), table.data.copy(), table.half.copy()
    first = len(table.point)
    kind[0], data[0], half[0] = TRIANGLE, [first, 3, 0, 0, 0, 0], np.abs(corners).max(axis=0)
    points = np.vstack([table.point, corners])
    return table._replace(kind=kind, data=data, half=half, point=points)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_triangles(name):
    rng = np.random.default_rng(6)
    corners = np.array([[0.8, 0.0, 0.0], [-0.3, 0.6, 0.1], [-0.5, -0.7, 0.0]])
    flat, shape, count = Flat(corners), SHAPES[name], 10
    place = rng.normal(size=(count, 3)) * 0.4
    turn = random_turns(rng, count)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    found = collide_table(triangle_and(corners, shape), place, still, turn, 10.0)
    assert np.all(found.number >= 1)
    normal = found.normal[:, 0]
    reached = -heights(flat, shape, place, still, turn, normal)
    np.testing.assert_allclose(found.gap[:, 0], reached, atol=1e-10)
    starts = ball_points(300)
    for i in range(count):
        best = best_by_definition(
            flat, shape, place[i], still[i], turn[i], np.vstack([starts, normal[i]])
        )
        assert best - found.gap[i, 0] < 1e-9


def test_box_lies_on_a_triangle_with_four_points():
    corners = np.array([[3.0, 0.0, 0.0], [-2.0, 3.0, 0.0], [-2.0, -3.0, 0.0]])
    table = triangle_and(corners, Box.cube(1.0))
    still = np.array([[1.0, 0.0, 0.0, 0.0]])
    found = collide_table(table, np.array([[0.0, 0.0, 0.499]]), still, still, 0.01)
    assert found.number[0] == 4
    np.testing.assert_allclose(found.normal[0], np.tile([0.0, 0.0, 1.0], (4, 1)), atol=1e-12)
    np.testing.assert_allclose(found.gap[0], -0.001, atol=1e-12)


def sound(found, margin):
    """No contact holds anything but finite numbers within the margin."""
    for i, number in enumerate(found.number):
        assert 0 <= number <= 4
        assert np.all(np.isfinite(found.gap[i, :number]))
        assert np.all(found.gap[i, :number] <= margin)
        assert np.all(np.isfinite(found.point[i, :number]))
        assert np.all(np.abs(np.linalg.norm(found.normal[i, :number], axis=1) - 1.0) < 1e-9)


ODD = {
    "needle": Box((1.0, 1e-3, 1e-3)),
    "plate": Box((1.0, 1.0, 1e-3)),
    "coin": Cylinder(0.5, 1e-3),
    "wire": Cylinder(1e-3, 1.0),
    "spike": Cone(1e-3, 1.0),
    "hat": Cone(1.0, 1e-3),
    "lens": Ellipsoid((1.0, 1.0, 1e-3)),
    "thorn": Ellipsoid((1.0, 1e-3, 1e-3)),
    "hair": Capsule(1e-3, 1.0),
}


@pytest.mark.parametrize(
    ("name_a", "name_b"), list(itertools.combinations_with_replacement([*ODD, *SHAPES], 2))
)
def test_thin_shapes(name_a, name_b):
    both = ODD | SHAPES
    shape_a, shape_b = both[name_a], both[name_b]
    rng = np.random.default_rng(7)
    count = 40
    turn_a, turn_b = random_turns(rng, count), random_turns(rng, count)
    place = rng.normal(size=(count, 3)) * 0.3
    place[0], place[1] = 0.0, 1e-12
    turn_a[0] = turn_b[0] = turn_a[2] = turn_b[2] = [1.0, 0.0, 0.0, 0.0]
    found = collide(shape_a, shape_b, place, turn_a, turn_b, 10.0)
    sound(found, 10.0)
    assert np.all(found.number >= 1)
    gap, normal = found.gap[:, 0], found.normal[:, 0]
    reached = -heights(shape_a, shape_b, place, turn_a, turn_b, normal)
    assert np.max(np.abs(gap - reached)) < 1e-9
    # no direction of many, nor any close to ours, does better
    tries = 500
    close = 10.0 ** rng.uniform(-9, -1, (tries, 1, 1)) * rng.normal(size=(tries, count, 3))
    anywhere = np.repeat(ball_points(tries)[:, None], count, 1)
    others = np.concatenate([normal + close, anywhere]).reshape(-1, 3)
    others /= np.linalg.norm(others, axis=1)[:, None]
    poses = (np.tile(each, (2 * tries, 1)) for each in (place, turn_a, turn_b))
    better = -heights(shape_a, shape_b, *poses, others).reshape(-1, count) - gap
    assert better.max() < 1e-6


@pytest.mark.parametrize("scale", [1e-4, 1e4])
@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_scale_does_not_matter(name_a, name_b, scale):
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    place, turn_a, turn_b = random_poses(shape_a, shape_b, 50, 8)
    one = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN)
    scaled_a, scaled_b = shape_a.scaled(scale), shape_b.scaled(scale)
    other = collide(scaled_a, scaled_b, scale * place, turn_a, turn_b, scale * MARGIN)
    np.testing.assert_allclose(other.gap[:, 0] / scale, one.gap[:, 0], atol=1e-9)


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_far_from_the_origin(name_a, name_b):
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    place, turn_a, turn_b = random_poses(shape_a, shape_b, 50, 9)
    place = np.round(place * 2.0**20) / 2.0**20  # these survive being added to 2³⁰ m
    near = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN)
    far = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN, origin=2.0**30)
    np.testing.assert_array_equal(near.number, far.number)
    np.testing.assert_array_equal(near.gap[:, 0], far.gap[:, 0])


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_no_contact_is_missed_or_made_up(name_a, name_b):
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    rng = np.random.default_rng(10)
    turn_a, turn_b = random_turns(rng, POSES), random_turns(rng, POSES)
    place = rng.normal(size=(POSES, 3)) * 0.7
    found = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN)
    sound(found, MARGIN)
    gap, _ = coal_distances(shape_a, shape_b, place, turn_a, turn_b)
    assert np.all(found.number[gap <= MARGIN - 1e-6] > 0)
    assert np.all(found.number[gap > MARGIN + 1e-6] == 0)


@pytest.mark.parametrize("name", SHAPES)
def test_same_place_and_same_pose(name):
    shape = SHAPES[name]
    turn = random_turns(np.random.default_rng(11), 5)
    found = collide(shape, shape, np.zeros((5, 3)), turn, turn, MARGIN)
    sound(found, MARGIN)
    assert np.all(found.number >= 1)
    starts = ball_points(2000)
    still = np.zeros((2000, 3))
    for i in range(5):
        turns = np.repeat(turn[i][None], 2000, 0)
        least = heights(shape, shape, still, turns, turns, starts).min()
        assert -found.gap[i, 0] <= least + 1e-9


def test_threads_change_nothing():
    shape_a, shape_b = SHAPES["cylinder"], SHAPES["hull"]
    place, turn_a, turn_b = random_poses(shape_a, shape_b, 300, 12)
    before = get_threads()
    results = []
    for threads in (1, max_threads()):
        set_threads(threads)
        results.append(collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN))
    set_threads(before)
    one, many = results
    np.testing.assert_array_equal(one.number, many.number)
    for i, number in enumerate(one.number):
        for here, there in zip(one[1:], many[1:], strict=True):
            np.testing.assert_array_equal(here[i, :number], there[i, :number])
