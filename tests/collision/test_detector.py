"""Whole detection: contacts of bodies, filters, compounds, memory of contacts, bad input."""

import itertools

import numpy as np
import pytest

import amontons as am
from amontons import _jit
from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.collision.body_parts import place_parts
from amontons.collision.memory import match
from amontons.collision.narrow import narrow_phase
from amontons.collision.narrow.box_tiles import LANES
from amontons.collision.narrow.narrow_phase import KINDS, NARROW, RANK
from amontons.collision.narrow.narrow_phase import _table as narrow_table
from amontons.model.shapes.table import SPHERE

MARGIN = 0.02
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def quaternions(rng, number):
    q = rng.standard_normal((number, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def about(axis, angle):
    """Quaternion of a rotation."""
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def check_sound(contacts, position, margin):
    """What holds for every set of contacts."""
    assert (contacts.bodies[:, 0] < contacts.bodies[:, 1]).all()
    assert np.allclose(np.linalg.norm(contacts.normals, axis=1), 1.0, atol=1e-12)
    assert (contacts.gaps <= margin).all()
    between = contacts.points_b(position) - contacts.points_a(position)
    assert np.allclose(between, contacts.gaps[:, None] * contacts.normals, atol=1e-12)
    names = {(a, b, key) for (a, b), key in zip(contacts.bodies, contacts.keys, strict=True)}
    assert len(names) == len(contacts)
    assert contacts.first[-1] == len(contacts)
    for i, (low, high) in enumerate(itertools.pairwise(contacts.first)):
        assert (contacts.bodies[low:high] == i).any(axis=1).all()


def mixed_scene(rng, number=60):
    kinds = [
        am.Sphere(0.12),
        am.Box((0.2, 0.3, 0.25)),
        am.Capsule(0.08, 0.2),
        am.Cylinder(0.1, 0.3),
        am.Cone(0.15, 0.3),
        am.Ellipsoid((0.1, 0.2, 0.15)),
        am.ConvexHull(0.12 * rng.standard_normal((12, 3))),
        am.Compound([am.Part(am.Sphere(0.1)), am.Part(am.Box((0.1, 0.1, 0.4)), (0.1, 0.0, 0.0))]),
    ]
    fixed = [am.Plane(offset=-0.4), am.HeightField(0.1 * rng.random((8, 8)) - 0.5, spacing=0.2)]
    which = np.concatenate([np.arange(number) % len(kinds), [len(kinds), len(kinds) + 1]])
    position = rng.uniform(-0.5, 0.5, (number + 2, 3))
    position[number:] = 0.0
    turn = quaternions(rng, number + 2)
    turn[number:] = IDENTITY
    return kinds + fixed, which, position, turn


def test_two_spheres():
    detector = am.CollisionDetector([am.Sphere(1.0), am.Sphere(0.5)], margin=0.1)
    contacts = detector.detect([[0.0, 0.0, 0.0], [1.4, 0.0, 0.0]])
    assert contacts.bodies.tolist() == [[0, 1]]
    assert contacts.normals.tolist() == [[1.0, 0.0, 0.0]]
    assert contacts.gaps == pytest.approx([-0.1], abs=1e-15)
    assert contacts.arms_a.tolist() == [[1.0, 0.0, 0.0]]
    assert contacts.arms_b[0] == pytest.approx([-0.5, 0.0, 0.0], abs=1e-15)
    assert len(detector.detect([[0.0, 0.0, 0.0], [1.65, 0.0, 0.0]])) == 0
    assert len(detector.detect([[0.0, 0.0, 0.0], [1.599, 0.0, 0.0]])) == 1
    assert repr(contacts) == "<ContactSet: 1, gaps from -0.1 to -0.1 m>"
    assert repr(detector) == "<CollisionDetector: 2 bodies, margin 0.1 m>"


def test_normals_point_from_the_smaller_number_to_the_larger():
    """Whatever the narrow phase takes as A: a plane, a mesh or the part of lower kind."""
    shapes = [am.Box((1.0, 1.0, 1.0)), am.Plane(), am.Sphere(0.5)]
    position = np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 1.5]])
    contacts = am.CollisionDetector(shapes, margin=0.01).detect(position)
    check_sound(contacts, position, 0.01)
    below = (contacts.bodies == [0, 1]).all(axis=1)
    above = (contacts.bodies == [0, 2]).all(axis=1)
    assert (below.sum(), above.sum()) == (4, 1)
    assert np.allclose(contacts.normals[below], [0.0, 0.0, -1.0])
    assert np.allclose(contacts.normals[above], [0.0, 0.0, 1.0])


def separation(shapes, place, turn, normal):
    """Of two convex shapes along a unit normal from the first to the second."""
    R, S = rotation_matrices(turn)
    high = (shapes[0].support((R.T @ normal)[None])[0] @ R.T + place[0]) @ normal
    low = (shapes[1].support((S.T @ -normal)[None])[0] @ S.T + place[1]) @ normal
    return low - high


@pytest.mark.parametrize("seed", range(4))
def test_no_contact_of_a_pair_is_deeper_than_the_pair(seed):
    """The smallest gap is the separation along the normal, whatever else a manifold holds."""
    rng = np.random.default_rng(seed)
    hull = am.ConvexHull(rng.standard_normal((14, 3)) * (0.8, 0.4, 0.6))
    shapes = [am.Capsule(0.4, 1.2), am.Box((1.5, 0.9, 0.5)), am.Cone(0.5, 1.2), hull,
              am.Cylinder(0.4, 1.0), am.Ellipsoid((0.3, 0.5, 0.7))]  # fmt: skip
    for a, b in itertools.combinations(shapes, 2):
        detector = am.CollisionDetector([a, b], margin=0.2)
        for _ in range(25):
            turn, away = quaternions(rng, 2), rng.standard_normal(3)
            place = np.array([np.zeros(3), away / np.linalg.norm(away) * rng.uniform(0.3, 1.5)])
            contacts = detector.detect(place, turn)
            if len(contacts):
                deepest = np.argmin(contacts.gaps)
                along = separation((a, b), place, turn, contacts.normals[deepest])
                assert contacts.gaps[deepest] == pytest.approx(along, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_mixed_scenes_are_sound(seed):
    shapes, which, position, turn = mixed_scene(np.random.default_rng(seed))
    detector = am.CollisionDetector(shapes, which=which, margin=MARGIN)
    contacts = detector.detect(position, turn)
    assert len(contacts) > 50
    check_sound(contacts, position, MARGIN)
    near = {tuple(pair) for pair in detector.close_pairs(position, turn).tolist()}
    assert {tuple(pair) for pair in contacts.bodies.tolist()} <= near


def test_order_of_bodies_changes_nothing():
    rng = np.random.default_rng(7)
    shapes, which, position, turn = mixed_scene(rng)
    order = rng.permutation(len(which))
    one = am.CollisionDetector(shapes, which=which, margin=MARGIN).detect(position, turn)
    two = am.CollisionDetector(shapes, which=which[order], margin=MARGIN).detect(
        position[order], turn[order]
    )

    def deepest(contacts, name):
        least = {}
        for pair, gap in zip(contacts.bodies, contacts.gaps, strict=True):
            pair = tuple(sorted(name[i] for i in pair))
            least[pair] = min(gap, least.get(pair, np.inf))
        return least

    a, b = deepest(one, np.arange(len(which))), deepest(two, order)
    assert a.keys() == b.keys()
    assert max(abs(a[pair] - b[pair]) for pair in a) < 1e-9


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(_jit, "PARALLEL_ABOVE", 0)
    shapes, which, position, turn = mixed_scene(np.random.default_rng(3), 200)
    detector = am.CollisionDetector(shapes, which=which, margin=MARGIN)
    before = am.get_threads()
    answers = []
    try:
        for threads in range(1, am.max_threads() + 1):
            am.set_threads(threads)
            answers.append(detector.detect(position, turn))
    finally:
        am.set_threads(before)
    for answer in answers:
        for name, value in vars(answer).items():
            assert np.array_equal(value, getattr(answers[0], name)), name


def test_serial_and_parallel_forms_agree(monkeypatch):
    shapes, which, position, turn = mixed_scene(np.random.default_rng(4))
    detector = am.CollisionDetector(shapes, which=which, margin=MARGIN)
    serial = detector.detect(position, turn)
    monkeypatch.setattr(_jit, "PARALLEL_ABOVE", 0)
    parallel = detector.detect(position, turn)
    assert np.array_equal(serial.keys, parallel.keys)
    assert np.allclose(serial.gaps, parallel.gaps, rtol=0, atol=1e-12)


@pytest.mark.parametrize("tiles", [1, 4])
def test_batches_of_pairs_change_nothing(tiles, monkeypatch):
    shapes, which, position, turn = mixed_scene(np.random.default_rng(6), 200)
    detector = am.CollisionDetector(shapes, which=which, margin=MARGIN)
    whole = detector.detect(position, turn)
    monkeypatch.setattr(narrow_phase, "BATCH", tiles * LANES)
    for name, value in vars(detector.detect(position, turn)).items():
        assert np.array_equal(value, getattr(whole, name)), name


def test_a_compound_is_its_parts():
    rng = np.random.default_rng(5)
    parts = [
        am.Part(am.Sphere(0.2), (0.3, 0.0, 0.0)),
        am.Part(am.Box((0.2, 0.2, 0.2)), (-0.3, 0.1, 0.0), tuple(about((1, 2, 3), 0.7))),
    ]
    whole = am.CollisionDetector([am.Compound(parts), am.Box((2.0, 2.0, 0.2))], margin=0.05)
    singles = am.CollisionDetector(
        [p.shape for p in parts] + [am.Box((2.0, 2.0, 0.2))], margin=0.05
    )
    for _ in range(20):
        turn = quaternions(rng, 2)
        position = np.array([[0.0, 0.0, rng.uniform(0.2, 0.5)], [0.0, 0.0, 0.0]])
        R = rotation_matrices(turn[0])
        places = [position[0] + R @ np.array(p.position) for p in parts]
        turns = [turn[0], quaternion_product(turn[0], np.array(parts[1].orientation))]
        got = whole.detect(position, turn)
        apart = singles.detect([*places, position[1]], [*turns, turn[1]])
        outer = (apart.bodies[:, 1] == 2) & (apart.bodies[:, 0] < 2)
        assert np.allclose(np.sort(got.gaps), np.sort(apart.gaps[outer]), atol=1e-12)
        check_sound(got, position, 0.05)


@pytest.mark.parametrize("form", ["serial", "parallel"])
def test_poses_of_parts(form):
    rng = np.random.default_rng(9)
    bodies, parts = 12, 30
    position, orientation = rng.standard_normal((bodies, 3)), quaternions(rng, bodies)
    body = np.sort(rng.integers(0, bodies, parts)).astype(np.int32)
    offset, turn = rng.standard_normal((parts, 3)), quaternions(rng, parts)
    place, turned = np.empty((parts, 3)), np.empty((parts, 4))
    getattr(place_parts, form)(position, orientation, body, offset, turn, place, turned)
    R = rotation_matrices(orientation[body])
    assert np.allclose(place, position[body] + np.einsum("pij,pj->pi", R, offset), atol=1e-14)
    assert np.allclose(turned, quaternion_product(orientation[body], turn), atol=1e-14)


def test_every_pair_of_kinds_has_its_kernel():
    table = narrow_table()
    assert sorted(RANK) == list(range(KINDS * KINDS))
    for kinds in itertools.product(range(KINDS), repeat=2):
        rank = RANK[KINDS * kinds[0] + kinds[1]]
        answering = [narrow for narrow, first, end in NARROW if first <= rank < end]
        assert len(answering) == int(kinds in table)
        assert (rank == 0) == (kinds == (SPHERE, SPHERE))  # they need none
        if answering:
            expected = table[kinds]  # another table's: of the same kernel, or the same function
            kernel = getattr(answering[0], "kernel", answering[0])
            assert kernel is getattr(expected, "kernel", expected)


def test_position_of_the_frame_or_of_the_centre_of_mass():
    corner = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    shapes = [am.ConvexHull(corner), am.Plane()]
    frame = am.CollisionDetector(shapes, margin=0.1)
    centre = am.CollisionDetector(shapes, margin=0.1, origin="centre")
    turn = np.array([about((1, 1, 0), 0.3), IDENTITY])
    position = np.array([[0.3, 0.2, 0.1], [0.0, 0.0, 0.0]])
    middle = position.copy()
    middle[0] += rotation_matrices(turn[0]) @ [0.5, 0.5, 0.5]
    one, two = frame.detect(position, turn), centre.detect(middle, turn)
    assert np.allclose(one.gaps, two.gaps, atol=1e-12)
    assert np.allclose(one.points_a(position), two.points_a(middle), atol=1e-12)


def test_filters():
    position = np.array([[0.0, 0.0, 0.0], [0.9, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 0.9]])

    def pairs(**options):
        detector = am.CollisionDetector([am.Sphere(0.5)] * 4, margin=0.0, **options)
        return sorted(map(tuple, detector.detect(position).bodies.tolist()))

    assert pairs() == [(0, 1), (0, 2), (0, 3)]
    assert pairs(apart=[[2, 0]]) == [(0, 1), (0, 3)]
    assert pairs(fixed=np.array([True, True, False, False])) == [(0, 2), (0, 3)]
    assert pairs(groups=[1, 2, 1, 4], masks=[1, 7, 7, 7]) == [(0, 2)]


def test_fixed_by_default_are_those_without_volume():
    field = am.HeightField(np.zeros((2, 2)), spacing=1.0)
    detector = am.CollisionDetector([am.Plane(), field, am.Sphere(1.0)], margin=0.0)
    assert detector.fixed.tolist() == [True, True, False]


def test_far_from_the_origin():
    """A billion metres away contacts are as exact as the positions, 1e-7 m."""
    for shape in (am.Sphere(0.5), am.Box((1.0, 1.0, 1.0)), am.Cylinder(0.5, 1.0)):
        position = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.96875]]) + 2.0**30
        contacts = am.CollisionDetector([shape, shape], margin=0.1).detect(position)
        assert contacts.gaps.min() == pytest.approx(-0.03125, abs=1e-9)
        assert np.abs(contacts.arms_a).max() < 1.0
        assert np.abs(contacts.arms_b).max() < 1.0


# -- keys and memory ------------------------------------------------------------------------------


def share_kept(detector, position, turn, rng, noise, steps=40):
    """Share of contacts that keep their key while the bodies tremble about their places."""
    last, kept, total = detector.detect(position, turn), 0, 0
    assert len(last) > 0
    for _ in range(steps):
        shaken = turn + noise * rng.standard_normal(turn.shape)
        shaken /= np.linalg.norm(shaken, axis=1, keepdims=True)
        contacts = detector.detect(position + noise * rng.standard_normal(position.shape), shaken)
        matches = match(contacts, last)
        kept += int((matches >= 0).sum())
        total += max(len(contacts), len(last))
        last = contacts
    return kept / total


FACES = [about((1, 0, 0), k * np.pi / 2) for k in range(4)]
FACES += [about((0, 1, 0), np.pi / 2), about((0, 1, 0), -np.pi / 2)]
EDGES = [about(axis, np.pi / 4 + k * np.pi / 2) for axis in np.eye(3)[:2] for k in range(4)]


@pytest.mark.parametrize("noise", [1e-9, 1e-6])
@pytest.mark.parametrize("turn", FACES + EDGES)
def test_keys_of_a_box_on_a_plane(turn, noise):
    box = am.Box((0.4, 0.6, 0.8))
    R = rotation_matrices(turn)
    height = np.abs(R[2]) @ np.array(box.size) / 2
    detector = am.CollisionDetector([am.Plane(), box], margin=0.01)
    position, turns = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, height]]), np.stack([IDENTITY, turn])
    assert share_kept(detector, position, turns, np.random.default_rng(0), noise) >= 0.99


@pytest.mark.parametrize("noise", [1e-9, 1e-6])
@pytest.mark.parametrize("spin", [0.0, 0.3, np.pi / 4])
@pytest.mark.parametrize("turn", FACES + EDGES)
def test_keys_of_a_box_on_a_box(turn, spin, noise):
    box, slab = am.Box((0.4, 0.6, 0.8)), am.Box((2.0, 2.0, 0.5))
    turn = quaternion_product(about((0, 0, 1), spin), turn)
    height = 0.25 + np.abs(rotation_matrices(turn)[2]) @ np.array(box.size) / 2
    detector = am.CollisionDetector([slab, box], margin=0.01)
    position, turns = np.array([[0.0, 0.0, 0.0], [0.1, 0.05, height]]), np.stack([IDENTITY, turn])
    assert share_kept(detector, position, turns, np.random.default_rng(0), noise) >= 0.99


@pytest.mark.parametrize("noise", [1e-9, 1e-6])
@pytest.mark.parametrize("seed", range(3))
def test_keys_of_a_hull_on_a_height_field(seed, noise):
    rng = np.random.default_rng(seed)
    field = am.HeightField(0.02 * rng.random((12, 12)), spacing=0.1)
    hull = am.ConvexHull(0.15 * rng.standard_normal((16, 3)))
    detector = am.CollisionDetector([field, hull], margin=0.01)
    turn = np.stack([IDENTITY, quaternions(rng, 1)[0]])
    position = np.array([[0.0, 0.0, 0.0], [0.02, 0.03, 0.6]])
    for _ in range(60):  # lower it until it rests 1 mm deep
        position[1, 2] -= 0.01
        contacts = detector.detect(position, turn)
        if len(contacts):
            position[1, 2] -= contacts.gaps.min() + 0.001
            break
    assert share_kept(detector, position, turn, rng, noise) >= 0.99


def test_memory_carries_values_to_the_same_contacts():
    rng = np.random.default_rng(8)
    shapes, which, position, turn = mixed_scene(rng)
    detector = am.CollisionDetector(shapes, which=which, margin=MARGIN)
    old = detector.detect(position, turn)
    memory = am.ContactMemory()
    assert not memory.recall(old).any()
    values = rng.standard_normal((len(old), 3))
    memory.store(old, values)
    assert np.array_equal(memory.recall(old), values)
    new = detector.detect(position + 1e-3 * rng.standard_normal(position.shape), turn)
    recalled = memory.recall(new)
    names = zip(old.bodies.tolist(), old.keys.tolist(), strict=True)
    known = {(*pair, key): value for (pair, key), value in zip(names, values, strict=True)}
    for pair, key, value in zip(new.bodies.tolist(), new.keys.tolist(), recalled, strict=True):
        assert np.array_equal(value, known.get((*pair, key), np.zeros(3)))
    assert (recalled != 0).any(axis=1).mean() > 0.5
    memory.forget()
    assert not memory.recall(new).any()


def test_memory_of_a_scene_that_grew():
    rng = np.random.default_rng(9)
    position = rng.uniform(-1, 1, (300, 3))
    few = am.CollisionDetector.of_spheres(np.full(200, 0.15), margin=0.01).detect(position[:200])
    many = am.CollisionDetector.of_spheres(np.full(300, 0.15), margin=0.01).detect(position)
    matches = match(many, few)
    inner = (many.bodies < 200).all(axis=1)
    assert (matches[inner] >= 0).all()
    assert (matches[~inner] == -1).all()
    assert np.array_equal(few.bodies[matches[inner]], many.bodies[inner])
    back = match(few, many)
    assert np.array_equal(many.bodies[back], few.bodies)


def test_memory_refuses_what_does_not_fit():
    contacts = am.CollisionDetector.of_spheres([1.0, 1.0], margin=0.1).detect(np.zeros((2, 3)))
    memory = am.ContactMemory()
    with pytest.raises(am.InputError, match="one row per contact"):
        memory.store(contacts, np.zeros((3, 3)))
    memory.store(contacts, np.zeros((1, 3)))
    with pytest.raises(am.InputError, match="3 values are stored, but 6"):
        memory.recall(contacts, 6)


# -- bad input ------------------------------------------------------------------------------------

BALLS = {"shapes": [am.Sphere(1.0), am.Sphere(1.0)], "margin": 0.1}
BAD = [
    ({"margin": -1.0}, "margin must be a finite length"),
    ({"margin": np.nan}, "margin must be a finite length"),
    ({"shapes": [am.Sphere(1.0), 3]}, "must have shapes"),
    ({"which": [0, 2]}, r"which\[1\] is 2, but there are 2 shapes"),
    ({"which": [0.5]}, "whole number"),
    ({"fixed": np.array([1, 0])}, "2 booleans"),
    ({"fixed": np.array([True])}, "2 booleans"),
    ({"groups": [1]}, "groups must be 2 whole numbers"),
    ({"groups": [1, -1]}, "groups must fit into 32 bits"),
    ({"masks": [1, 2**32]}, "masks must fit into 32 bits"),
    ({"apart": [[0, 2]]}, "does not exist"),
    ({"apart": [0, 1]}, r"shape \(pairs, 2\)"),
    ({"origin": "tip"}, "'frame', 'centre' or points"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_bad_scenes(options, message):
    given = {**BALLS, **options}
    with pytest.raises(am.InputError, match=message):
        am.CollisionDetector(given.pop("shapes"), **given)


@pytest.mark.parametrize(
    ("position", "orientation", "message"),
    [
        (np.zeros((3, 3)), None, r"position must have shape \(2, 3\)"),
        (np.full((2, 3), np.nan), None, r"position\[0, 0\] is nan"),
        (np.zeros((2, 3)), np.ones((2, 4)), r"orientation\[0\] has length 2"),
        (np.zeros((2, 3)), np.zeros((2, 4)), r"orientation\[0\] has length 0"),
        (np.zeros((2, 3)), np.zeros((2, 3)), r"orientation must have shape \(2, 4\)"),
        ("nonsense", None, "position must be an array of numbers"),
    ],
)
def test_bad_places(position, orientation, message):
    detector = am.CollisionDetector(**BALLS)
    with pytest.raises(am.InputError, match=message):
        detector.detect(position, orientation)


def test_empty_scenes():
    detector = am.CollisionDetector([], margin=0.1)
    contacts = detector.detect(np.empty((0, 3)))
    assert len(contacts) == 0
    assert repr(contacts) == "<ContactSet: none>"
    assert len(am.CollisionDetector([am.Plane()], margin=0.1).detect(np.zeros((1, 3)))) == 0
