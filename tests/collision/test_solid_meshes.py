"""Closed meshes against closed meshes: true distances, upright contacts, stacks that stand."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.algebra.rotations import quaternion_product, rotation_matrices
from helpers.mesh_oracles import (
    crossing,
    drawn_out,
    least_distance,
    lumpy,
    mesh_box,
)

CUBE = mesh_box((1.0, 1.0, 1.0))
ELL = drawn_out([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], 1.0)
seeds = st.integers(0, 2**32 - 1)


def quaternions(rng, number):
    q = rng.standard_normal((number, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def turn_about(axis, angle):
    return np.append(np.cos(angle / 2), np.sin(angle / 2) * np.asarray(axis, dtype=float))


def detect(shapes, position, turn=None, margin=0.05):
    return am.CollisionDetector(shapes, margin=margin).detect(np.asarray(position), turn)


def placed(mesh, position, turn):
    return mesh.vertices @ rotation_matrices(np.asarray(turn)).T + position


def described(contacts, position):
    """Contacts as rows that do not depend on their order."""
    rows = np.column_stack([contacts.points_a(position), contacts.normals, contacts.gaps])
    return rows[np.lexsort(rows.round(7).T)]


# -- distances -----------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seeds)
def test_the_smallest_gap_is_the_least_distance_of_all_triangles(seed):
    """Of meshes that are apart, convex or not, touching at vertices, edges or faces."""
    rng = np.random.default_rng(seed)
    meshes = [(CUBE, ELL, lumpy(rng, 3), lumpy(rng, 2))[k] for k in rng.integers(0, 4, 2)]
    turn, away = quaternions(rng, 2), rng.standard_normal(3)
    away /= np.linalg.norm(away)
    position = np.array([np.zeros(3), away])
    reach = max(np.linalg.norm(m.vertices, axis=1).max() for m in meshes)
    position[1] *= rng.uniform(0.5, 2.0) * reach
    solids = [placed(m, x, q) for m, x, q in zip(meshes, position, turn, strict=True)]
    if crossing(solids[0], meshes[0].faces, solids[1], meshes[1].faces):
        return
    distance, normal = least_distance(solids[0], meshes[0].faces, solids[1], meshes[1].faces)
    margin = 0.3 * reach
    contacts = detect(meshes, position, turn, margin)
    if distance > margin:
        assert len(contacts) == 0
        return
    first = np.argmin(contacts.gaps)
    assert contacts.gaps[first] == pytest.approx(distance, abs=1e-9 * reach)
    if distance > 1e-3 * reach and len(contacts) == 1:
        assert np.abs(contacts.normals[first] - normal).max() < 1e-6


def test_the_search_meets_solids_of_all_kinds():
    """What the test above compares: it must not be that most of them are apart or cross."""
    near = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        turn, away = quaternions(rng, 2), rng.standard_normal(3)
        position = np.array([np.zeros(3), 1.3 * away / np.linalg.norm(away)])
        near += len(detect([CUBE, CUBE], position, turn, 0.5)) > 0
    assert near > 30


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_separated_cubes_are_as_boxes(seed):
    rng = np.random.default_rng(seed)
    turn, away = quaternions(rng, 2), rng.standard_normal(3)
    position = np.array([np.zeros(3), rng.uniform(0.9, 1.7) * away / np.linalg.norm(away)])
    want = detect([am.Box.cube(1.0)] * 2, position, turn, 0.2)
    if not len(want) or want.gaps.min() < 1e-6:
        return
    got = detect([CUBE, CUBE], position, turn, 0.2)
    assert got.gaps.min() == pytest.approx(want.gaps.min(), abs=1e-9)
    near, mine = np.argmin(want.gaps), np.argmin(got.gaps)
    assert np.abs(got.normals[mine] - want.normals[near]).max() < 1e-6


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_shallow_overlaps_of_cubes_are_as_of_boxes(seed):
    """A corner, an edge or a face a little within a face, or two edges within each other."""
    rng = np.random.default_rng(seed)
    turn, away = quaternions(rng, 2), rng.standard_normal(3)
    away /= np.linalg.norm(away)
    boxes = am.CollisionDetector([am.Box.cube(1.0)] * 2, margin=2.0)
    low, high = 0.5, 2.0  # bisection for a depth of 1e-3
    for _ in range(60):
        middle = 0.5 * (low + high)
        deep = boxes.detect([np.zeros(3), middle * away], turn).gaps.min() < -1e-3
        low, high = (middle, high) if deep else (low, middle)
    position = np.array([np.zeros(3), high * away])
    want, got = (
        boxes.detect(position, turn, margin=1e-3),
        detect([CUBE, CUBE], position, turn, 1e-3),
    )
    assert want.gaps.min() == pytest.approx(-1e-3, abs=1e-9)
    near, mine = np.argmin(want.gaps), np.argmin(got.gaps)
    agree = got.normals @ want.normals[near] > 1.0 - 1e-9
    assert agree.any(), "none of the contacts has the box's normal"
    assert got.gaps[agree].min() == pytest.approx(-1e-3, abs=1e-6)
    assert got.gaps[mine] > -2e-3  # other features overlap, too, but not by much more


# -- symmetries ----------------------------------------------------------------------------------


def sample_pair(rng):
    """Two solids that are near each other, but do not cross by much."""
    meshes = [CUBE, ELL][:: rng.choice([1, -1])]
    return meshes, np.array([np.zeros(3), rng.uniform(0.6, 1.4, 3)]), quaternions(rng, 2)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_swapped_solids_have_mirrored_contacts(seed):
    meshes, position, turn = sample_pair(np.random.default_rng(seed))
    one = detect(meshes, position, turn, 0.2)
    two = detect(meshes[::-1], position[::-1], turn[::-1], 0.2)
    if not len(one):
        assert not len(two)
        return
    assert two.gaps.min() == pytest.approx(one.gaps.min(), abs=1e-9)
    best, also = np.argmin(one.gaps), np.flatnonzero(two.gaps <= two.gaps.min() + 1e-9)
    assert (two.normals[also] @ -one.normals[best]).max() > 1.0 - 1e-9


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from([1e-6, 1e-3, 1.0, 1e3]))
def test_contacts_go_with_rigid_motions_and_units(seed, unit):
    rng = np.random.default_rng(seed)
    meshes, position, turn = sample_pair(rng)
    (whirl,), shift = quaternions(rng, 1), rng.uniform(-3.0, 3.0, 3)
    rotation = rotation_matrices(whirl)
    one = detect(meshes, position, turn, 0.2)
    there = unit * (position @ rotation.T + shift)
    turned = np.array([quaternion_product(whirl, q) for q in turn])
    two = detect([m.scaled(unit) for m in meshes], there, turned, unit * 0.2)
    assert len(two) == len(one)
    if not len(one):
        return
    assert np.sort(two.gaps) / unit == pytest.approx(np.sort(one.gaps), abs=1e-8)
    back = np.column_stack(
        [(two.points_a(there) / unit - shift) @ rotation, two.normals @ rotation]
    )
    here = np.column_stack([one.points_a(position), one.normals])
    apart = np.abs(here[:, None] - back).max(axis=2)
    assert apart.min(axis=0).max() < 1e-6
    assert apart.min(axis=1).max() < 1e-6


def test_keys_last_while_solids_slide_and_whoever_is_found_first():
    memory = am.ContactMemory()
    detector = am.CollisionDetector([CUBE, CUBE], margin=0.05)
    contacts = detector.detect([[0, 0, 0], [0.3, 0.2, 1.0]])
    memory.store(contacts, np.ones((len(contacts), 3)))
    moved = detector.detect([[0, 0, 0], [0.301, 0.199, 1.0 + 1e-9]])
    assert len(set(moved.keys.tolist())) == len(moved) == 4
    assert np.array_equal(memory.recall(moved), np.ones((4, 3)))


# -- flat on flat --------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.01, 1e-9, 0.0, -1e-9, -1e-6, -1e-3])
@pytest.mark.parametrize(
    "shift", [(0, 0), (1e-12, 0), (1e-7, -1e-7), (0.3, 0.2), (0.5, 0), (-0.9, 0.9)]
)
def test_faces_on_faces_have_upright_contacts_at_the_corners_of_their_overlap(gap, shift):
    position = np.array([[0, 0, 0], [*shift, 1.0 + gap]])
    contacts = detect([CUBE, CUBE], position)
    assert np.allclose(contacts.normals, [0, 0, 1], atol=1e-6)
    assert np.allclose(contacts.gaps, gap, atol=1e-12)
    corners = [
        (x, y)
        for x in (max(-0.5, shift[0] - 0.5), min(0.5, shift[0] + 0.5))
        for y in (max(-0.5, shift[1] - 0.5), min(0.5, shift[1] + 0.5))
    ]
    points = contacts.points_a(position)[:, :2]
    assert len(points) == 4
    for corner in corners:
        assert np.abs(points - corner).max(axis=1).min() < 1e-6


def test_a_cross_of_flat_bars_rests_on_the_corners_of_its_square():
    bars = [mesh_box((4.0, 1.0, 1.0)), mesh_box((1.0, 4.0, 1.0))]
    for gap in (0.01, -1e-3):
        position = np.array([[0, 0, 0], [0, 0, 1.0 + gap]])
        contacts = detect(bars, position)
        assert np.allclose(contacts.normals, [0, 0, 1])
        assert np.allclose(contacts.gaps, gap)
        points = contacts.points_a(position)
        assert sorted(map(tuple, points[:, :2].round(9))) == list(
            itertools.product((-0.5, 0.5), repeat=2)
        )


@pytest.mark.parametrize("gap", [0.02, 0.0, -1e-6, -0.1])
def test_bars_that_cross_on_edge_touch_at_one_point(gap):
    bars = [mesh_box((4.0, 1.0, 1.0)), mesh_box((1.0, 4.0, 1.0))]
    position = np.array([[0, 0, 0], [0.1, 0.2, np.sqrt(2.0) + gap]])
    turn = np.array([turn_about((1, 0, 0), np.pi / 4), turn_about((0, 1, 0), np.pi / 4)])
    contacts = detect(bars, position, turn)
    assert len(contacts) == 1
    assert contacts.normals[0] == pytest.approx([0, 0, 1])
    assert contacts.gaps[0] == pytest.approx(gap, abs=1e-12)
    assert contacts.points_a(position)[0, :2] == pytest.approx([0.1, 0.0], abs=1e-12)


def test_sliding_over_the_edge_of_a_face_meets_no_wall():
    """Over a face, and past its border: no contact may have any other normal than the face's."""
    plate = mesh_box((4.0, 4.0, 1.0))
    detector = am.CollisionDetector([plate, CUBE], margin=0.1)
    for x in np.linspace(1.2, 2.4, 121):
        for gap in (1e-9, -1e-9, 1e-6, -1e-6):
            contacts = detector.detect([[0, 0, 0], [x, 0.3, 1.0 + gap]])
            assert len(contacts) == 4
            assert np.abs(contacts.normals - [0, 0, 1]).max() < 1e-6


def test_a_leaning_cube_has_all_corners_of_its_face():
    """Not its lowest edge alone, on which it would rock."""
    for angle in (1e-9, 1e-4, 0.02):
        turn = np.array([[1, 0, 0, 0], turn_about((1, 0, 0), angle)])
        contacts = detect([mesh_box((4.0, 4.0, 1.0)), CUBE], [[0, 0, 0], [0, 0, 1.03]], turn, 0.1)
        assert len(contacts) == 4
        assert np.ptp(contacts.gaps) == pytest.approx(np.sin(angle), abs=1e-9)


# -- shapes that are not convex ------------------------------------------------------------------


def test_interlocked_ells_hold_each_other():
    """Two hooks: pushed upwards and to the right; the gaps are those of their faces."""
    position = np.array([[0.0, 0, 0], [2.02, 4.03, 0]])
    turn = np.array([[1.0, 0, 0, 0], turn_about((0, 0, 1), np.pi)])
    contacts = detect([ELL, ELL], position, turn, 0.1)
    sides = {tuple(n.round(9)): gap for n, gap in zip(contacts.normals, contacts.gaps, strict=True)}
    assert sides[0.0, 1.0, 0.0] == pytest.approx(0.03)
    assert sides[1.0, 0.0, 0.0] == pytest.approx(0.02)
    assert set(sides) == {(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)}


def square_hole(inner, outer, height):
    """A plate with a square hole."""
    from amontons.generators.machine_parts import prism

    corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) / np.sqrt(2.0)
    return prism(outer * np.sqrt(2.0) * corners, bore=inner * np.sqrt(2.0), width=height)


def test_a_peg_in_a_hole_touches_all_four_walls():
    plate, peg = square_hole(0.5, 2.0, 1.0), mesh_box((0.98, 0.98, 3.0))
    position = np.array([[0.0, 0, 0], [0.003, -0.002, 0.1]])
    contacts = detect([plate, peg], position)
    normals = contacts.normals.round(9) + 0.0
    for n, gap in {
        (-1, 0, 0): 0.007,
        (1, 0, 0): 0.013,
        (0, -1, 0): 0.012,
        (0, 1, 0): 0.008,
    }.items():
        there = (normals == n).all(axis=1)
        assert there.sum() >= 3, f"a wall with normal {n}"
        assert contacts.gaps[there] == pytest.approx(gap, abs=1e-9)
    assert len(contacts) <= 20


def test_a_solid_within_a_cavity_is_outside_the_matter():
    """A hollow box is one closed mesh with two shells; what is within touches the inner one."""
    shell, hollow = mesh_box((3.0, 3.0, 3.0)), mesh_box((2.0, 2.0, 2.0))
    box = am.TriangleMesh(
        np.concatenate([shell.vertices, hollow.vertices]),
        np.concatenate([shell.faces, hollow.faces[:, ::-1] + len(shell.vertices)]),
    )
    contacts = detect([box, CUBE], [[0, 0, 0], [0, 0, -0.49]])
    assert len(contacts) == 4
    assert np.allclose(contacts.normals, [0, 0, 1])
    assert np.allclose(contacts.gaps, 0.01)


def test_an_open_mesh_does_not_touch_a_closed_one():
    lid = am.TriangleMesh(CUBE.vertices, CUBE.faces[1:])
    detector = am.CollisionDetector([lid, CUBE], margin=0.1)
    with pytest.warns(am.errors.ProblemWarning, match=r"unless both are closed.*decompose"):
        assert len(detector.detect([[0, 0, 0], [0, 0, 1.0]])) == 0


def test_far_solids_have_no_contacts():
    assert len(detect([ELL, ELL], [[0, 0, 0], [2.2, 2.2, 0]], None, 0.1)) == 0


# -- simulations ---------------------------------------------------------------------------------


def standing(shape, count):
    world = am.World()
    world.add_body(shape, fixed=True, position=(0, 0, -0.5))
    for k in range(count):
        world.add_body(shape, density=1000.0, position=(0.03 * k, -0.02 * k, 0.5 + k))
    return am.Simulation(world, step=5e-3)


@pytest.mark.parametrize("count", [1, 5])
def test_stacks_stand_as_stacks_of_boxes_do(count):
    mesh, box = standing(CUBE, count), standing(am.Box.cube(1.0), count)
    mesh.run(1.0)
    box.run(1.0)
    assert np.abs(mesh.bodies.position - box.bodies.position).max() < 1e-9
    assert np.abs(mesh.bodies.twist).max() < 1e-8


def test_a_block_slides_down_a_slope_of_triangles():
    """s = g t² (sin α − μ cos α) / 2, and it does not turn."""
    slope, friction, time = 0.5, 0.3, 0.4
    turn = turn_about((0, 1, 0), slope)
    down, up = (
        np.array([np.cos(slope), 0, -np.sin(slope)]),
        np.array([np.sin(slope), 0, np.cos(slope)]),
    )
    world, stone = am.World(), am.Material(friction=friction)
    plane = mesh_box((4.0, 2.0, 0.2))
    world.add_body(plane, fixed=True, orientation=turn, material=stone)
    block = world.add_body(
        mesh_box((0.4, 0.3, 0.2)), density=1000.0, position=0.2 * up - 0.5 * down,
        orientation=turn, material=stone,
    )  # fmt: skip
    start = np.array(block.position)
    h = 1e-3
    am.Simulation(world, step=h, solver=am.Auto(tolerance=1e-10), friction="exact").run(time)
    way = (np.asarray(block.position) - start) @ down
    gain = 9.81 * (np.sin(slope) - friction * np.cos(slope))
    assert way == pytest.approx(0.5 * gain * time * (time + h), rel=1e-3)
    assert np.abs(np.asarray(block.angular_velocity)).max() < 1e-6


def test_a_stone_comes_to_rest_on_three_of_its_corners():
    """One of them is nearly between the others: it must not be left out in any step."""
    world = am.World()
    world.add_body(mesh_box((2.0, 2.0, 0.2)), position=(0, 0, -0.1), fixed=True)
    stone = lumpy(np.random.default_rng(0), 4).scaled(0.1)
    body = world.add_body(stone, density=1000.0, position=(0.03, 0.02, 0.15), placed_by="frame")
    sim = am.Simulation(world, step=5e-3)
    sim.run(3.0)
    assert np.abs(sim.bodies.twist[1]).max() < 1e-6
    heights = placed(stone, np.zeros(3), body.orientation)[:, 2]
    assert (heights < heights.min() + 1e-6).sum() == 3


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    meshes = [CUBE, ELL, lumpy(rng, 3)]
    position, turn = rng.uniform(-3.0, 3.0, (60, 3)), quaternions(rng, 60)
    detector = am.CollisionDetector(meshes, which=np.arange(60) % 3, margin=0.1)
    before, found = am.get_threads(), []
    try:
        for threads in (1, min(2, am.max_threads())):
            am.set_threads(threads)
            found.append(detector.detect(position, turn))
    finally:
        am.set_threads(before)
    assert len(found[0]) > 100
    for field in ("bodies", "normals", "arms_a", "arms_b", "gaps", "keys"):
        assert np.array_equal(getattr(found[0], field), getattr(found[1], field))
