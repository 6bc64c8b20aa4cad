"""The broad phase against brute force over all pairs, on random scenes of every sort."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons import _jit
from amontons.algebra.rotations import rotation_matrices
from amontons.collision.body_parts import parts_of
from amontons.collision.broad.broad_phase import BroadPhase
from amontons.collision.broad.search import KEPT

MARGIN = 0.03


def quaternions(rng, number):
    q = rng.standard_normal((number, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def world_box(shape, position, turn):
    """Low and high corners of the box around a shape's bounding box, turned."""
    low, high = shape.bounds
    if isinstance(shape, am.Sphere):
        return low + position, high + position
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    placed = corners @ rotation_matrices(turn).T + position
    return placed.min(axis=0), placed.max(axis=0)


def ball(shape, box, margin):
    """Centre and radius of the ball around a box that is widened by half the margin."""
    middle, half = (box[0] + box[1]) / 2, (box[1] - box[0]) / 2 + margin / 2
    return middle, half[0] if isinstance(shape, am.Sphere) else np.linalg.norm(half)


def brute_force(shapes, position, turn, margin, may_meet):
    """Pairs (i, j), i < j, as the broad phase should find them, and those too near to call."""
    sure, doubtful = set(), set()
    planes = [isinstance(shape, am.Plane) for shape in shapes]
    boxes = [
        None if plane else world_box(shape, x, q)
        for shape, plane, x, q in zip(shapes, planes, position, turn, strict=True)
    ]
    for i, j in itertools.combinations(range(len(shapes)), 2):
        if not may_meet(i, j) or (planes[i] and planes[j]):
            continue
        if planes[i] or planes[j]:
            p, b = (i, j) if planes[i] else (j, i)
            normal = rotation_matrices(turn[p]) @ shapes[p].normal
            height = shapes[p].offset + normal @ position[p]
            if isinstance(shapes[b], am.Sphere):
                away = normal @ position[b] - shapes[b].radius - height
            else:
                middle, half = (boxes[b][0] + boxes[b][1]) / 2, (boxes[b][1] - boxes[b][0]) / 2
                away = normal @ middle - np.abs(normal) @ half - height
        elif isinstance(shapes[i], am.Sphere) and isinstance(shapes[j], am.Sphere):
            apart = np.linalg.norm(position[i] - position[j])
            away = apart - shapes[i].radius - shapes[j].radius
        else:
            away = np.maximum(boxes[i][0] - boxes[j][1], boxes[j][0] - boxes[i][1]).max()
            (c, r), (d, s) = (ball(shapes[k], boxes[k], margin) for k in (i, j))
            away = max(away, np.linalg.norm(c - d) - r - s + margin)
        scale = 1e-12 * (1.0 + np.abs(position[[i, j]]).max())
        if abs(away - margin) <= scale:
            doubtful.add((i, j))
        elif away < margin:
            sure.add((i, j))
    return sure, doubtful


def broad_phase(shapes, *, fixed=None, group=None, mask=None, apart=()):
    parts = parts_of(shapes, None, "frame")
    n = len(shapes)
    return BroadPhase(
        parts.shapes,
        parts.shape,
        body=parts.body,
        free=np.ones(n, dtype=bool) if fixed is None else ~np.asarray(fixed),
        group=np.ones(n, dtype=np.uint32) if group is None else group,
        mask=np.full(n, 2**32 - 1, dtype=np.uint32) if mask is None else mask,
        apart=np.array(apart, dtype=np.int64).reshape(-1, 2),
    ), parts


def check(shapes, position, turn, margin=MARGIN, **filters):
    found, parts = broad_phase(shapes, **filters)
    pairs = found.find(parts.poses(position, turn), margin).pairs
    got = {tuple(sorted(pair)) for pair in pairs.tolist()}
    assert len(got) == len(pairs)  # nobody is found twice
    assert (np.diff(pairs[:, 0]) >= 0).all()  # grouped by finder, partners sorted
    same = np.diff(pairs[:, 0]) == 0
    assert (np.diff(pairs[:, 1])[same] > 0).all()
    fixed = filters.get("fixed", np.zeros(len(shapes), dtype=bool))
    group = filters.get("group", np.ones(len(shapes), dtype=np.uint32))
    mask = filters.get("mask", np.full(len(shapes), 2**32 - 1, dtype=np.uint32))
    apart = {tuple(sorted(pair)) for pair in filters.get("apart", ())}

    def may_meet(i, j):
        if fixed[i] and fixed[j]:
            return False
        return bool(group[i] & mask[j]) and bool(group[j] & mask[i]) and (i, j) not in apart

    sure, doubtful = brute_force(shapes, position, turn, margin, may_meet)
    assert got - doubtful == sure - doubtful
    return pairs


def any_shape(rng, size):
    a, b, c = size * rng.uniform(0.2, 1.0, 3)
    return [
        lambda: am.Sphere(a),
        lambda: am.Box((a, b, c)),
        lambda: am.Capsule(a, b),
        lambda: am.Cylinder(a, b),
        lambda: am.Cone(a, b),
        lambda: am.Ellipsoid((a, b, c)),
        lambda: am.ConvexHull(a * rng.standard_normal((8, 3)) + b),
    ][rng.integers(7)]()


@pytest.mark.parametrize("seed", range(8))
def test_spheres_of_one_size(seed):
    rng = np.random.default_rng(seed)
    stretch = [(1, 1, 1), (40, 1, 0.1), (0, 0, 3), (1e-3, 1, 1)][seed % 4]
    position = rng.uniform(-1, 1, (250, 3)) * stretch
    pairs = check([am.Sphere(0.12)] * 250, position, quaternions(rng, 250))
    assert len(pairs) > 10


@pytest.mark.parametrize("ratio", [3.0, 100.0, 1e4])
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_spheres_of_all_sizes(seed, ratio):
    rng = np.random.default_rng(seed)
    radii = 0.5 * ratio ** rng.uniform(-1, 0, 300)
    position = rng.uniform(-1, 1, (300, 3))
    pairs = check([am.Sphere(r) for r in radii], position, quaternions(rng, 300), margin=1e-4)
    assert len(pairs) > 10


@pytest.mark.parametrize("seed", range(6))
def test_mixed_shapes_and_planes(seed):
    rng = np.random.default_rng(seed)
    sizes = 0.4 * 30.0 ** rng.uniform(-1, 0, 120)
    shapes = [any_shape(rng, size) for size in sizes]
    shapes += [am.Plane(rng.standard_normal(3), 0.1), am.Plane(), am.Box((40.0, 40.0, 0.2))]
    position = np.concatenate([rng.uniform(-1, 1, (120, 3)), 0.3 * rng.standard_normal((3, 3))])
    order = rng.permutation(123)
    fixed = rng.random(123) < 0.2
    shapes = [shapes[i] for i in order]
    check(shapes, position[order], quaternions(rng, 123), fixed=fixed)


@pytest.mark.parametrize("seed", range(4))
def test_filters(seed):
    rng = np.random.default_rng(seed)
    n = 80
    shapes = [am.Sphere(0.3)] * 40 + [am.Box((0.4, 0.5, 0.6))] * 38 + [am.Plane()] * 2
    bodies = rng.integers(0, n, (60, 2))
    bodies = bodies[bodies[:, 0] != bodies[:, 1]]
    check(
        shapes,
        rng.uniform(-1, 1, (n, 3)),
        quaternions(rng, n),
        group=rng.integers(0, 8, n).astype(np.uint32),
        mask=rng.integers(0, 8, n).astype(np.uint32),
        apart=bodies.tolist(),
        fixed=rng.random(n) < 0.5,
    )


def test_more_partners_than_fit():
    """A heap at one place: everybody meets everybody, far more than the first pass keeps."""
    rng = np.random.default_rng(0)
    n = 6 * KEPT
    position = 0.01 * rng.standard_normal((n, 3))
    pairs = check([am.Sphere(0.5)] * n, position, quaternions(rng, n))
    assert len(pairs) == n * (n - 1) // 2
    check([am.Sphere(0.5)] * n, np.zeros((n, 3)), quaternions(rng, n))


@pytest.mark.slow
def test_beads_on_a_slab():
    """0.5 mm beads on a 3 m slab: each bead finds the slab, and its neighbours."""
    rng = np.random.default_rng(1)
    n = 400
    position = np.column_stack([rng.uniform(-0.005, 0.005, (n, 2)), np.full(n, 0.00025)])
    shapes = [am.Box((3.0, 3.0, 0.1)), *[am.Sphere(0.00025)] * n]
    position = np.concatenate([[[0.0, 0.0, -0.05]], position])
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (n + 1, 1))
    pairs = check(shapes, position, turn, margin=1e-5)
    assert (pairs[:, 1] == 0).sum() == n
    assert (pairs[:, 0] == 0).sum() == 0  # the slab itself searches for nothing


@pytest.mark.parametrize("away", [1e3, 1e9])
def test_far_from_the_origin(away):
    rng = np.random.default_rng(3)
    position = np.round(rng.uniform(-1, 1, (150, 3)) * 2**20) / 2**20 + away
    check([am.Sphere(0.2)] * 150, position, quaternions(rng, 150))


def test_outliers_cost_nothing():
    rng = np.random.default_rng(4)
    position = rng.uniform(-1, 1, (100, 3))
    position[:3] *= 1e12
    check([am.Sphere(0.2)] * 100, position, quaternions(rng, 100))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_hardly_any(number):
    rng = np.random.default_rng(5)
    check([am.Sphere(1.0)] * number, np.zeros((number, 3)), quaternions(rng, number))
    check([am.Plane()] * number, np.zeros((number, 3)), quaternions(rng, number))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(-8, 8), st.integers(-8, 8), st.integers(-8, 8), st.sampled_from([1, 2, 5])
        ),
        min_size=1,
        max_size=25,
    )
)
def test_lattices(places):
    """Touching exactly, on the borders of cells: within rounding either answer is right."""
    position = np.array([place[:3] for place in places], dtype=float) / 4
    shapes = [am.Sphere(place[3] / 8) for place in places]
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1))
    check(shapes, position, turn, margin=0.25)


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(_jit, "PARALLEL_ABOVE", 0)
    rng = np.random.default_rng(6)
    radii = 0.05 * 20.0 ** rng.uniform(-1, 0, 3000)
    found, parts = broad_phase([am.Sphere(r) for r in radii])
    poses = parts.poses(rng.uniform(-0.4, 0.4, (3000, 3)), quaternions(rng, 3000))
    before = am.get_threads()
    answers = []
    try:
        for threads in range(1, am.max_threads() + 1):
            am.set_threads(threads)
            answers.append(found.find(poses, 0.005).pairs)
    finally:
        am.set_threads(before)
    assert all((answer == answers[0]).all() for answer in answers)
