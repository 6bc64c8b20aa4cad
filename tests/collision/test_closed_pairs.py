"""Closed-form narrow phase against slow, obvious oracles and against coal.

The signed distance of two convex sets is the largest separation over all directions: with support
functions h, max over unit n of n·(x_B − x_A) − h_A(n) − h_B(−n). The oracle searches the sphere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from amontons import _jit
from amontons._jit import Kernel
from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.collision.body_parts import Poses
from amontons.collision.contacts import PartOwners, Rows, assemble_spheres
from amontons.collision.narrow.box_pairs import collide_boxes
from amontons.collision.narrow.capsule_pairs import collide_capsules
from amontons.collision.narrow.distances import (
    distance_to_cone,
    distance_to_ellipsoid,
)
from amontons.collision.narrow.plane_pairs import collide_plane
from amontons.collision.narrow.sphere_pairs import collide_sphere_convex
from amontons.collision.pair_contacts import ContactSlots, empty_slots
from amontons.model.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Plane,
    Shape,
    Sphere,
    build_table,
)

POSES = 200
"""Random poses a pair of kinds; all was run once with 2000."""

FAR = 1e3  # a margin [m] that reports everything

POINTS_OFF = 5e-4  # [m] sideways, where boxes of this size meet almost flat

SOME_POINTS = np.random.default_rng(7).normal(size=(24, 3)) * [0.3, 0.2, 0.25]
CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * [0.3, 0.2, 0.1]
SHAPES: dict[str, list[Shape]] = {
    "sphere": [Sphere(0.3), Sphere(0.05), Sphere(0.7)],
    "capsule": [Capsule(0.1, 0.8), Capsule(0.3, 0.2), Capsule(0.02, 1.0)],
    "box": [Box((0.5, 0.6, 0.7)), Box((1.0, 0.1, 0.3)), Box((0.4, 0.4, 0.4))],
    "cylinder": [Cylinder(0.3, 0.8), Cylinder(0.5, 0.05), Cylinder(0.05, 1.0)],
    "cone": [Cone(0.3, 0.8), Cone(0.6, 0.1), Cone(0.1, 0.9)],
    "ellipsoid": [Ellipsoid((0.3, 0.4, 0.5)), Ellipsoid((0.5, 0.5, 0.1)), Ellipsoid((1, 0.2, 0.2))],
    "hull": [ConvexHull(SOME_POINTS), ConvexHull(CUBE)],
}
CONVEX = list(SHAPES)


class SphereKernel:
    """Two spheres' kernel, which writes contacts of bodies, in the form of the other kernels."""

    def serial(self, *args):
        self.collide(assemble_spheres.serial, *args)

    def parallel(self, *args):
        self.collide(assemble_spheres.parallel, *args)

    @staticmethod
    def collide(kernel, shapes, poses, pair, margin, found):
        count, none = len(pair), np.empty(0, dtype=np.int64)
        rows = Rows(np.empty(2 * count, dtype=np.int32), np.empty(9 * count), np.empty(count),
                    np.empty(count, dtype=np.uint64))  # fmt: skip
        owners = PartOwners(pair[:0, 0], pair[:0, 0], poses.place, poses.place)
        radius = np.ascontiguousarray(shapes.size[poses.shape, 0])
        kernel(pair, none, none, owners, radius, np.inf, rows)
        contacts = rows.contact_set(none, None)
        assert np.array_equal(contacts.bodies, pair)
        place = poses.place[contacts.bodies]
        across = (place[:, 1] - place[:, 0]) + contacts.arms_b - contacts.arms_a
        assert np.allclose(across, contacts.gaps[:, None] * contacts.normals, atol=1e-12)
        found.number[:] = contacts.gaps <= margin
        found.normal[:, 0], found.point[:, 0] = contacts.normals, contacts.arms_a
        found.gap[:, 0], found.key[:, 0] = contacts.gaps, contacts.keys


collide_spheres = SphereKernel()
PAIRS: list[tuple[str, str, Kernel[..., None] | SphereKernel]] = [
    ("sphere", "sphere", collide_spheres),
    ("capsule", "capsule", collide_capsules),
    ("box", "box", collide_boxes),
    *(("sphere", other, collide_sphere_convex) for other in CONVEX[1:]),
]
TOUCHING = pytest.mark.parametrize(
    ("first", "second", "kernel"), PAIRS, ids=[f"{a}-{b}" for a, b, _ in PAIRS]
)


class Scene(NamedTuple):
    """One pair of bodies a row: shape, place and quaternion of A and B."""

    shapes: list[tuple[Shape, Shape]]
    places: np.ndarray  # (n, 2, 3)
    turns: np.ndarray  # (n, 2, 4)

    @property
    def size(self) -> int:
        return len(self.shapes)

    @property
    def swapped(self) -> Scene:
        return Scene([(b, a) for a, b in self.shapes], self.places[:, ::-1], self.turns[:, ::-1])

    def moved(self, shift: np.ndarray) -> Scene:
        """B moved by these vectors."""
        places = self.places.copy()
        places[:, 1] += shift
        return self._replace(places=places)


def run(
    kernel: Kernel[..., None], scene: Scene, margin: float = FAR, form: str = "serial"
) -> ContactSlots:
    table = build_table([shape for pair in scene.shapes for shape in pair])
    count = 2 * scene.size
    poses = Poses(
        np.ascontiguousarray(scene.places.reshape(count, 3)),
        np.ascontiguousarray(scene.turns.reshape(count, 4)),
        np.arange(count, dtype=np.int32),
    )
    found = empty_slots(scene.size)
    pair = np.arange(count, dtype=np.int32).reshape(-1, 2)
    getattr(kernel, form)(table, poses, pair, margin, found)
    for array in (found.normal, found.point, found.gap):
        assert np.isfinite(array[written(found)]).all()
    return found


def written(found: ContactSlots) -> np.ndarray:
    return np.arange(4) < found.number[:, None]


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def random_scene(first: str, second: str, count: int = POSES, seed: int = 0) -> Scene:
    rng = np.random.default_rng([seed, *map(ord, first + second)])
    shapes = [
        (SHAPES[first][i % len(SHAPES[first])], SHAPES[second][rng.integers(len(SHAPES[second]))])
        for i in range(count)
    ]
    turns = unit(rng.normal(size=(count, 2, 4)))
    right = rng.random(count) < 0.3  # at right angles: edges and faces tie
    square = rng.integers(-1, 2, size=(right.sum(), 2, 4)) + np.array([1e-300, 0, 0, 1e-9])
    turns[right] = unit(square)
    places = rng.uniform(-1, 1, size=(count, 2, 3))
    places[:, 1] = places[:, 0] + unit(rng.normal(size=(count, 3))) * rng.uniform(
        0, 1.5, size=(count, 1)
    )
    return Scene(shapes, places, turns)


# --- the oracle ---


def support(shape: Shape, n: np.ndarray) -> np.ndarray:
    """max n·p over the shape, in its own frame; n (..., 3)."""
    across = np.hypot(n[..., 0], n[..., 1])
    match shape:
        case Sphere():
            return shape.radius * np.linalg.norm(n, axis=-1)
        case Capsule():
            return shape.radius * np.linalg.norm(n, axis=-1) + 0.5 * shape.length * abs(n[..., 2])
        case Box():
            return abs(n) @ (0.5 * np.array(shape.size))
        case Cylinder():
            return shape.radius * across + 0.5 * shape.height * abs(n[..., 2])
        case Cone():
            base = shape.radius * across - 0.25 * shape.height * n[..., 2]
            return np.maximum(base, 0.75 * shape.height * n[..., 2])
        case Ellipsoid():
            return np.linalg.norm(n * shape.semi_axes, axis=-1)
        case ConvexHull():
            return (n @ shape.points.T).max(axis=-1)
    raise AssertionError(shape)


def separations(scene: Scene, n: np.ndarray) -> np.ndarray:
    """Separation of each pair along its directions n (pairs, m, 3)."""
    turns = rotation_matrices(scene.turns.reshape(-1, 4)).reshape(-1, 2, 3, 3)
    offset = np.einsum("pmk,pk->pm", n, scene.places[:, 1] - scene.places[:, 0])
    for p, (a, b) in enumerate(scene.shapes):
        offset[p] -= support(a, n[p] @ turns[p, 0]) + support(b, -n[p] @ turns[p, 1])
    return offset


def true_distance(scene: Scene) -> np.ndarray:
    """Search of the sphere of directions from its best places on, in shrinking circles."""
    rng = np.random.default_rng(1)
    k = np.arange(1500) + 0.5
    z, angle = 1 - 2 * k / 1500, np.pi * (1 + 5**0.5) * k
    grid = np.stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z], 1)
    value = separations(scene, np.tile(grid, (scene.size, 1, 1)))
    top = np.argsort(-value, axis=1)[:, :12]
    best, held = grid[top], np.take_along_axis(value, top, 1)  # (pairs, starts, 3)
    radius = 0.2
    for _ in range(60):
        step = rng.normal(size=(scene.size, 12, 12, 3)) * radius
        tried = unit(best[:, :, None] + step)
        value = separations(scene, tried.reshape(scene.size, -1, 3)).reshape(scene.size, 12, 12)
        which = value.argmax(axis=2)[..., None]
        better = np.take_along_axis(value, which, 2)[..., 0]
        direction = np.take_along_axis(tried, which[..., None], 2)[:, :, 0]
        best = np.where((better > held)[..., None], direction, best)
        held = np.maximum(held, better)
        radius *= 0.7
    return held.max(axis=1)


def assert_points_on_surfaces(scene: Scene, found: ContactSlots, tolerance: float) -> None:
    """The first contact's points touch the planes across the normal that hold both bodies."""
    turns = rotation_matrices(scene.turns.reshape(-1, 4)).reshape(-1, 2, 3, 3)
    for p, (a, b) in enumerate(scene.shapes):
        n, on_a = found.normal[p, 0], found.point[p, 0]
        on_b = on_a + found.gap[p, 0] * n + scene.places[p, 0] - scene.places[p, 1]
        assert abs(np.linalg.norm(n) - 1) < 1e-12
        assert abs(n @ on_a - support(a, n @ turns[p, 0])) < tolerance
        assert abs(n @ on_b + support(b, -n @ turns[p, 1])) < tolerance
        around = unit(np.random.default_rng(p).normal(size=(50, 3)))
        assert (around @ on_a <= support(a, around @ turns[p, 0]) + tolerance).all()
        assert (around @ on_b <= support(b, around @ turns[p, 1]) + tolerance).all()


# --- against the oracles ---


@pytest.mark.slow
@TOUCHING
def test_gap_and_normal_are_the_largest_separation(first, second, kernel):
    scene = random_scene(first, second)
    found = run(kernel, scene)
    assert (found.number > 0).all()
    gap = found.gap[:, 0]
    assert (gap[:, None] <= np.where(written(found), found.gap, np.inf) + 1e-12).all()
    # a separation along the normal, and no search of all directions finds a larger one
    along = separations(scene, found.normal[:, :1])[:, 0]
    assert np.abs(along - gap).max() < 1e-9
    assert (gap >= true_distance(scene) - 1e-9).all()
    assert_points_on_surfaces(scene, found, POINTS_OFF if first == "box" else 1e-9)


@TOUCHING
@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-3])
def test_bodies_brought_to_touch(first, second, kernel, gap):
    scene = random_scene(first, second, seed=3)
    found = run(kernel, scene)
    there = scene.moved((gap - found.gap[:, :1]) * found.normal[:, 0])
    again = run(kernel, there)
    assert np.abs(again.gap[:, 0] - gap).max() < 1e-10
    assert_points_on_surfaces(there, again, POINTS_OFF if first == "box" else 1e-9)


@TOUCHING
def test_margin_decides(first, second, kernel):
    scene = random_scene(first, second, seed=5)
    gap = run(kernel, scene).gap[:, 0]
    for margin in (0.0, 0.05):
        found = run(kernel, scene, margin)
        assert ((found.number > 0) == (gap <= margin)).all()
        some = found.number > 0
        assert np.abs(found.gap[some, 0] - gap[some]).max() < 1e-12
        assert (found.gap[written(found)] <= margin + 1e-12).all()


@pytest.mark.parametrize(
    ("kind", "kernel"),
    [("sphere", collide_spheres), ("capsule", collide_capsules), ("box", collide_boxes)],
)
def test_order_does_not_matter(kind, kernel):
    scene = random_scene(kind, kind, seed=8)
    one, other = run(kernel, scene), run(kernel, scene.swapped)
    assert np.abs(one.gap[:, 0] - other.gap[:, 0]).max() < 1e-12
    back = separations(scene, -other.normal[:, :1])[:, 0]
    assert np.abs(back - one.gap[:, 0]).max() < 1e-9
    unique = np.linalg.norm(one.normal[:, 0] + other.normal[:, 0], axis=1) < 1e-6
    assert unique.mean() > 0.85


@pytest.mark.parametrize("second", CONVEX)
def test_planes_see_the_lowest_point(second):
    scene = random_scene("sphere", second, seed=9)
    rng = np.random.default_rng(2)
    planes = [Plane(tuple(unit(rng.normal(size=3))), rng.normal()) for _ in scene.shapes]
    scene = scene._replace(
        shapes=[(plane, b) for plane, (_, b) in zip(planes, scene.shapes, strict=True)]
    )
    found = run(collide_plane, scene)
    turns = rotation_matrices(scene.turns.reshape(-1, 4)).reshape(-1, 2, 3, 3)
    for p, (plane, b) in enumerate(scene.shapes):
        n = turns[p, 0] @ np.array(plane.normal)
        apart = n @ (scene.places[p, 1] - scene.places[p, 0]) - plane.offset
        assert abs(found.gap[p, 0] - (apart - support(b, -n @ turns[p, 1]))) < 1e-12
        assert (found.gap[p, 0] <= found.gap[p, : found.number[p]]).all()
        around = unit(np.random.default_rng(p).normal(size=(50, 3)))
        for k in range(found.number[p]):
            assert np.abs(found.normal[p, k] - n).max() < 1e-14
            assert abs(n @ found.point[p, k] - plane.offset) < 1e-12
            on_b = found.point[p, k] + found.gap[p, k] * n + scene.places[p, 0] - scene.places[p, 1]
            assert (around @ on_b <= support(b, around @ turns[p, 1]) + 1e-12).all()
        assert len(set(keys_of(found, p))) == found.number[p]


def coal_shape(coal, shape):
    match shape:
        case Sphere():
            return coal.Sphere(shape.radius)
        case Capsule():
            return coal.Capsule(shape.radius, shape.length)
        case Box():
            return coal.Box(*shape.size)
        case Cylinder():
            return coal.Cylinder(shape.radius, shape.height)
        case Cone():
            return coal.Cone(shape.radius, shape.height)
        case Ellipsoid():
            return coal.Ellipsoid(*shape.semi_axes)
    points = coal.StdVec_Vec3s()
    for point in shape.points:
        points.append(point)
    return coal.ConvexBase.convexHull(points, False, "")


def coal_distance(coal, scene: Scene, p: int) -> tuple[float, np.ndarray]:
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    turns = rotation_matrices(scene.turns[p])
    frames = []
    for k, shape in enumerate(scene.shapes[p]):
        # coal's cone has its origin half way up, ours in its centre of mass
        centre = np.array([0, 0, shape.height / 4]) if isinstance(shape, Cone) else np.zeros(3)
        frames.append(coal.Transform3s(turns[k], scene.places[p, k] + turns[k] @ centre))
    a, b = (coal_shape(coal, shape) for shape in scene.shapes[p])
    coal.distance(a, frames[0], b, frames[1], request, result)
    return result.min_distance, np.array(result.normal)


@TOUCHING
def test_agrees_with_coal(first, second, kernel):
    coal = pytest.importorskip("coal")
    scene = random_scene(first, second, seed=4)
    found = run(kernel, scene)
    theirs = [coal_distance(coal, scene, p) for p in range(scene.size)]
    gap = np.array([distance for distance, _ in theirs])
    normal = np.array([n for _, n in theirs])
    # Theirs must be a separation, but may not be the largest: deep in a cylinder or an ellipsoid,
    # coal takes a longer way out than the shortest.
    along = separations(scene, normal[:, None])[:, 0]
    sound = np.abs(along - gap) < 1e-6
    assert sound.mean() > 0.97
    ours = found.gap[:, 0]
    assert (ours[sound] >= gap[sound] - 1e-8).all()
    same = sound & (np.abs(ours - gap) < 1e-6)
    assert same[gap > 0].all()
    assert same.mean() > (0.8 if second in ("cylinder", "ellipsoid") else 0.999)
    if second != "ellipsoid":  # theirs is an iteration that ends at a tolerance
        apart = np.linalg.norm(normal - found.normal[:, 0], axis=1)[same]
        assert np.quantile(apart, 0.9) < 1e-4


# --- contacts at rest ---


def keys_of(found: ContactSlots, p: int = 0) -> list[int]:
    return sorted(int(key) for key in found.key[p, : found.number[p]])


def jittered(scene: Scene, size: float, seed: int) -> Scene:
    rng = np.random.default_rng(seed)
    turn = np.concatenate([np.ones((scene.size, 1)), rng.normal(size=(scene.size, 3)) * size], 1)
    turns = scene.turns.copy()
    turns[:, 1] = quaternion_product(unit(turn), turns[:, 1])
    return scene._replace(turns=turns).moved(rng.normal(size=(scene.size, 3)) * size)


def about(axis, angle: float) -> np.ndarray:
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * unit(np.array(axis, float))])


EDGE_DOWN = {axis: about(axis, np.pi / 4) for axis in ((1, 0, 0), (0, 1, 0))}
FACES_DOWN = [
    about((1, 0, 0), 0.0),
    *(about(axis, angle) for axis in ((1, 0, 0), (0, 1, 0)) for angle in (np.pi / 2, -np.pi / 2)),
    about((1, 0, 0), np.pi),
]


def rest_on(
    floor: Shape, kernel: Kernel[..., None], shape: Shape, turns: list, yaws=(0.0,)
) -> Scene:
    """The shape touching the floor, with each of these orientations, each turned by each yaw."""
    turned = np.array([quaternion_product(about((0, 0, 1), y), q) for q in turns for y in yaws])
    count = len(turned)
    places = np.zeros((count, 2, 3))
    places[:, 1, 2] = 10.0
    both = np.stack([np.tile([1.0, 0, 0, 0], (count, 1)), turned], 1)
    scene = Scene([(floor, shape)] * count, places, both)
    down = np.where(np.arange(3) == 2, run(kernel, scene).gap[:, :1], 0.0)
    return scene.moved(-down)


def assert_keys_stay(scene: Scene, kernel: Kernel[..., None], count: int, margin=0.01) -> None:
    found = run(kernel, scene, margin)
    assert (found.number == count).all()
    for size in (1e-9, 1e-6):
        for seed in range(10):
            shaken = run(kernel, jittered(scene, size, seed), margin)
            assert [keys_of(shaken, p) for p in range(scene.size)] == [
                keys_of(found, p) for p in range(scene.size)
            ]


FLOORS = [(Plane(), collide_plane), (Box((2.0, 2.0, 1.0)), collide_boxes)]
FLOOR = pytest.mark.parametrize(("floor", "kernel"), FLOORS, ids=["plane", "box"])
BRICK = Box((0.4, 0.3, 0.2))


@FLOOR
def test_box_rests_on_every_face_and_edge(floor, kernel):
    yaws = (0.0, 0.3, np.pi / 4, np.pi / 2)
    faces = rest_on(floor, kernel, BRICK, FACES_DOWN, yaws)
    assert_keys_stay(faces, kernel, 4)
    found = run(kernel, faces, 0.01)
    assert (abs(found.point[..., :2]).max(axis=(1, 2)) > 0.09).all()
    cubes = [quaternion_product(q, f) for q in EDGE_DOWN.values() for f in FACES_DOWN]
    assert_keys_stay(rest_on(floor, kernel, Box((0.4, 0.4, 0.4)), cubes, yaws), kernel, 2)


@pytest.mark.parametrize("offset", [(0, 0), (0.2, 0), (0.2, 0.15), (0.3, 0), (0.1, -0.05)])
@pytest.mark.parametrize("yaw", [0.0, np.pi / 2, 0.2, np.pi / 4])
def test_equal_bricks_stacked_keep_their_contacts(offset, yaw):
    scene = rest_on(BRICK, collide_boxes, BRICK, FACES_DOWN[:1], (yaw,))
    scene = scene.moved(0.999 * np.array([[*offset, 0.0]]))
    for depth in (0.0, 1e-5, -1e-5):
        there = scene.moved(np.array([[0, 0, depth]]))
        found = run(collide_boxes, there, 0.01)
        assert_keys_stay(there, collide_boxes, int(found.number[0]))
        assert found.number[0] >= 3
        if depth <= 0.0:
            assert np.abs(found.gap[0, : found.number[0]] - depth).max() < 1e-12


def test_crossed_edges_are_one_contact():
    turn = quaternion_product(about((0, 0, 1), np.pi / 2), about((1, 0, 0), np.pi / 4))
    places = np.array([[[0, 0, 0], [0, 0, np.sqrt(0.5)]]])
    turns = np.array([[about((1, 0, 0), np.pi / 4), turn]])
    scene = Scene([(Box((2, 0.5, 0.5)), Box((2, 0.5, 0.5)))], places, turns)
    assert_keys_stay(scene, collide_boxes, 1)
    found = run(collide_boxes, scene)
    assert abs(found.gap[0, 0]) < 1e-12
    assert np.abs(found.normal[0, 0] - [0, 0, 1]).max() < 1e-12


def test_sticks_laid_across_meet_in_their_faces():
    for height in (0.1, 0.1005, 0.0995):
        places = np.array([[[0, 0, 0], [0.2, 0.1, height]]])
        turns = np.array([[about((0, 0, 1), 0.0), about((0, 0, 1), 1.2)]])
        scene = Scene([(Box((2, 0.1, 0.1)), Box((2, 0.1, 0.1)))], places, turns)
        assert_keys_stay(scene, collide_boxes, 4)
        found = run(collide_boxes, scene, 0.01)
        assert np.abs(found.gap - (height - 0.1)).max() < 1e-12


def test_round_shapes_stand_and_lie_on_a_plane():
    up, on_side = about((1, 0, 0), 0.0), about((1, 0, 0), np.pi / 2)
    yaws = (0.0, 0.3, 1.1)
    cylinder, cone = Cylinder(0.3, 0.8), Cone(0.3, 0.8)
    lean = np.pi / 2 + np.arctan2(0.3, 0.8)
    for shape, turn, count in (
        (cylinder, up, 4),
        (cylinder, on_side, 2),
        (Capsule(0.1, 0.5), on_side, 2),
        (cone, up, 4),
        (cone, about((1, 0, 0), np.pi), 1),
        (cone, about((1, 0, 0), lean), 2),
        (ConvexHull(CUBE), up, 4),
    ):
        scene = rest_on(Plane(), collide_plane, shape, [turn], yaws)
        assert_keys_stay(scene, collide_plane, count)


def test_many_sided_prism_keeps_four_spread_vertices():
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], 1)
    prism = ConvexHull(np.concatenate([np.c_[ring, 0 * angle], np.c_[ring, 0 * angle + 0.5]]))
    scene = rest_on(Plane(), collide_plane, prism, FACES_DOWN[:1], (0.0, 0.4))
    assert_keys_stay(scene, collide_plane, 4)
    found = run(collide_plane, scene, 0.01)
    x, y = np.moveaxis(found.point[..., :2], -1, 0)
    assert (np.ptp(x, axis=1) > 1.3).all()
    assert (np.ptp(y, axis=1) > 1.3).all()


def test_parallel_capsules_touch_twice():
    log = Capsule(0.1, 1.0)
    side = about((1, 0, 0), np.pi / 2)
    places = np.array([[[0, 0, 0], [0, 0.3, 0.2]]])
    scene = Scene([(log, log)], places, np.array([[side, side]]))
    assert_keys_stay(scene, collide_capsules, 2)
    found = run(collide_capsules, scene, 0.01)
    assert np.abs(found.gap[0, :2]).max() < 1e-12
    assert sorted(found.point[0, :2, 1]) == pytest.approx([-0.2, 0.5])


# --- bad luck ---


def test_coincident_spheres():
    scene = Scene([(Sphere(1.0), Sphere(0.5))], np.full((1, 2, 3), 3.0), np.full((1, 2, 4), 0.5))
    found = run(collide_spheres, scene)
    assert found.gap[0, 0] == -1.5
    assert found.normal[0, 0].tolist() == [0, 0, 1]


@TOUCHING
def test_centres_that_coincide(first, second, kernel):
    scene = random_scene(first, second, POSES // 4, seed=11)
    scene = scene._replace(places=np.repeat(scene.places[:, :1], 2, 1))
    found = run(kernel, scene)
    along = separations(scene, found.normal[:, :1])[:, 0]
    assert np.abs(along - found.gap[:, 0]).max() < 1e-9
    assert (found.gap[:, 0] >= true_distance(scene) - 1e-9).all()


@TOUCHING
def test_a_billion_metres_away(first, second, kernel):
    near = random_scene(first, second, seed=12)
    places = np.round(near.places * 2**20) / 2**20  # what is left of places so far out
    near = near._replace(places=places)
    far = near._replace(places=places + np.array([1e9, -1e9, 2.0**30]))
    one, other = run(kernel, near), run(kernel, far)
    for field in ("number", "gap", "normal", "point", "key"):
        a, b = getattr(one, field), getattr(other, field)
        where = slice(None) if field == "number" else written(one)
        assert (a[where] == b[where]).all()


EXTREME = {
    "box": [Box((1e-6, 1.0, 1e3)), Box((1.0, 1e-4, 1.0))],
    "capsule": [Capsule(1e-6, 10.0), Capsule(1.0, 1e-9), Capsule(5.0, 1e-3)],
    "cylinder": [Cylinder(1e-5, 1.0), Cylinder(1.0, 1e-6)],
    "cone": [Cone(1e-5, 1.0), Cone(1.0, 1e-6)],
    "ellipsoid": [Ellipsoid((1e-6, 1.0, 1.0)), Ellipsoid((1e-6, 1e-3, 1.0)), Ellipsoid((1, 1, 1))],
    "sphere": [Sphere(1e-6), Sphere(1e3)],
    "hull": [ConvexHull(CUBE * [1e-4, 1, 1]), ConvexHull(SOME_POINTS * [1e3, 1, 1])],
}


@TOUCHING
def test_extreme_shapes_give_a_separation(first, second, kernel):
    rng = np.random.default_rng(6)
    shapes = [(a, b) for a in EXTREME[first] for b in EXTREME[second] for _ in range(40)]
    places = rng.uniform(-1, 1, size=(len(shapes), 2, 3)) * 10.0 ** rng.uniform(
        -6, 0, size=(len(shapes), 1, 1)
    )
    turns = unit(rng.normal(size=(len(shapes), 2, 4)))
    scene = Scene(shapes, places, turns)
    found = run(kernel, scene, 1e9)
    assert (found.number > 0).all()
    along = separations(scene, found.normal[:, :1])[:, 0]
    scale = np.array([support(a, np.ones(3)) + support(b, np.ones(3)) for a, b in shapes])
    assert (np.abs(along - found.gap[:, 0]) < 1e-9 * scale).all()


@pytest.mark.slow
def test_points_on_symmetry_planes_and_surfaces_have_normals():
    values = [0.0, -0.0, 1e-300, 1e-20, 1e-9, 0.1, 0.3, 0.4, 0.5, 1.0, 7.0]
    for x in values:
        for y in values:
            for z in values:
                for _, normal in (
                    distance_to_ellipsoid((0.3, 0.4, 0.5), (x, y, z)),
                    distance_to_ellipsoid((0.3, 0.3, 0.3), (x, y, z)),
                    distance_to_ellipsoid((1e-3, 0.3, 0.3), (x, y, z)),
                    distance_to_cone(0.4, 0.4, (x, y, z - 0.1)),
                    distance_to_cone(0.4, 0.4, (x, y, -z)),
                ):
                    assert abs(np.linalg.norm(normal) - 1) < 1e-12


@pytest.mark.parametrize(
    ("first", "second", "kernel"), [*PAIRS[:4], ("plane", "hull", collide_plane)]
)
def test_threads_do_not_change_a_bit(first, second, kernel):
    scene = random_scene("sphere" if first == "plane" else first, second, 500, seed=13)
    if first == "plane":
        scene = scene._replace(shapes=[(Plane(), b) for _, b in scene.shapes])
    results = []
    before = _jit.get_threads()
    try:
        for threads in sorted({1, min(2, _jit.max_threads())}):
            _jit.set_threads(threads)
            results.append(run(kernel, scene, form="parallel"))
    finally:
        _jit.set_threads(before)
    mask = written(results[0])
    for other in results[1:]:
        assert (results[0].number == other.number).all()
        for field in ContactSlots._fields[1:]:
            assert (getattr(results[0], field)[mask] == getattr(other, field)[mask]).all()
    serial = run(kernel, scene)
    assert (serial.number == results[0].number).all()
    assert np.abs(serial.gap - results[0].gap)[mask].max() < 1e-12
