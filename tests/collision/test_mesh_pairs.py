"""Meshes and height fields against convex shapes: exact distances, and no bumps at inner edges."""

import itertools

import numpy as np
import pytest

import amontons as am
from amontons.algebra.rotations import quaternion_product, rotation_matrices

MARGIN = 0.05
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def quaternions(rng, number):
    q = rng.standard_normal((number, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def cube_mesh(size):
    faces = [t for a, b, c, d in SQUARES for t in ((a, b, c), (a, c, d))]
    return am.TriangleMesh(CUBE * size, faces)


def flat_mesh(rng, number=40):
    """A flat, irregular mesh of the square from −1 to 1, facing up."""
    from scipy.spatial import Delaunay

    corner = np.array(list(itertools.product((-1.0, 1.0), repeat=2)))
    points = np.concatenate([corner, rng.uniform(-0.95, 0.95, (number, 2))])
    faces = Delaunay(points).simplices
    e, f = points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]]
    down = e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0] < 0
    faces[down] = faces[down][:, ::-1]
    return am.TriangleMesh(np.column_stack([points, np.zeros(len(points))]), faces)


def point_to_triangles(p, corners):
    """Distance of a point to each triangle (n, 3, 3), the plain way: faces, edges, corners."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    best = np.full(len(corners), np.inf)
    for u, v in ((a, b), (b, c), (c, a)):
        t = np.clip(((p - u) * (v - u)).sum(1) / ((v - u) ** 2).sum(1), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(p - u - t[:, None] * (v - u), axis=1))
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    over = np.ones(len(corners), dtype=bool)
    for u, v in ((a, b), (b, c), (c, a)):
        over &= (np.cross(v - u, p - u) * n).sum(1) >= 0
    return np.where(over, np.abs(((p - a) * n).sum(1)), best)


def convex_shapes(rng):
    return [
        am.Sphere(0.2),
        am.Capsule(0.1, 0.3),
        am.Box((0.2, 0.3, 0.4)),
        am.Cylinder(0.15, 0.3),
        am.Cone(0.2, 0.3),
        am.Ellipsoid((0.1, 0.2, 0.3)),
        am.ConvexHull(0.15 * rng.standard_normal((14, 3))),
    ]


@pytest.mark.parametrize("number", range(7))
def test_a_cube_of_triangles_is_a_box(number):
    """Separated: the same smallest gap, and normal where it is unique, as with a solid box."""
    rng = np.random.default_rng(number)
    shape, size = convex_shapes(rng)[number], np.array([0.7, 0.9, 1.1])
    mesh = am.CollisionDetector([cube_mesh(size), shape], margin=MARGIN)
    box = am.CollisionDetector([am.Box(size), shape], margin=MARGIN)
    compared = 0
    for _ in range(150):
        turn = quaternions(rng, 2)
        away = rng.standard_normal(3)
        position = np.array([np.zeros(3), away / np.linalg.norm(away) * rng.uniform(0.4, 1.0)])
        want, got = box.detect(position, turn), mesh.detect(position, turn)
        if not len(want):
            assert not len(got)
            continue
        deepest = np.argmin(want.gaps)
        if want.gaps[deepest] <= 1e-6:
            continue
        compared += 1
        mine = np.argmin(got.gaps)
        assert got.gaps[mine] == pytest.approx(want.gaps[deepest], abs=1e-9)
        assert np.abs(got.normals[mine] - want.normals[deepest]).max() < 1e-6
    assert compared > 3


@pytest.mark.parametrize("number", range(7))
def test_shallow_overlaps_are_pushed_out_of_the_nearest_face(number):
    """Over the middle of a face, a little too deep: as with a solid box."""
    rng = np.random.default_rng(number)
    shape = convex_shapes(rng)[number]
    mesh = am.CollisionDetector([cube_mesh(np.full(3, 4.0)), shape], margin=MARGIN)
    box = am.CollisionDetector([am.Box((4.0, 4.0, 4.0)), shape], margin=MARGIN)
    for _ in range(25):
        turn = np.stack([IDENTITY, quaternions(rng, 1)[0]])
        position = np.array([np.zeros(3), [*rng.uniform(-1, 1, 2), 2.5]])
        down = rotation_matrices(turn[1]).T @ [0.0, 0.0, -1.0]
        lowest = shape.support(down[None])[0] @ -down
        position[1, 2] = 2.0 - lowest - rng.uniform(0.0, 0.04)
        want, got = box.detect(position, turn), mesh.detect(position, turn)
        assert got.gaps.min() == pytest.approx(want.gaps.min(), abs=1e-9)
        assert np.allclose(got.normals, [0.0, 0.0, 1.0], atol=1e-6)


@pytest.mark.parametrize("number", range(7))
def test_no_bumps_on_a_flat_mesh(number):
    """Whatever slides over inner edges, gaps and normals are those of the plane."""
    rng = np.random.default_rng(number)
    shape = convex_shapes(rng)[number]
    detector = am.CollisionDetector([flat_mesh(rng), shape], margin=MARGIN)
    for height in (0.02, 0.0, -0.003):
        for _ in range(25):
            turn = np.stack([IDENTITY, quaternions(rng, 1)[0]])
            down = rotation_matrices(turn[1]).T @ [0.0, 0.0, -1.0]
            lowest = shape.support(down[None])[0] @ -down
            position = np.array([np.zeros(3), [*rng.uniform(-0.6, 0.6, 2), height - lowest]])
            contacts = detector.detect(position, turn)
            assert len(contacts) >= 1
            assert np.abs(contacts.normals - [0.0, 0.0, 1.0]).max() < 1e-6
            assert contacts.gaps.min() == pytest.approx(height, abs=1e-9)


def test_a_sphere_over_rough_ground():
    """The gap is the distance to the nearest triangle, found by trying them all."""
    rng = np.random.default_rng(0)
    field = am.HeightField(0.3 * rng.random((9, 9)), spacing=0.25)
    vertices, faces = field.surface_mesh()
    radius = 0.2
    detector = am.CollisionDetector([field, am.Sphere(radius)], margin=0.3)
    touched = 0
    for _ in range(150):
        centre = np.array([*rng.uniform(-0.8, 0.8, 2), rng.uniform(0.3, 0.7)])
        distance = point_to_triangles(centre, vertices[faces]).min() - radius
        contacts = detector.detect([[0.0, 0.0, 0.0], centre])
        if distance > 0.3:
            assert len(contacts) == 0
            continue
        touched += 1
        assert contacts.gaps.min() == pytest.approx(distance, abs=1e-9)
    assert touched > 50


def test_a_ridge_acts_along_its_bisector():
    roof = am.TriangleMesh(
        [[-1, -1, -1], [-1, 1, -1], [0, -1, 0], [0, 1, 0], [1, -1, -1], [1, 1, -1]],
        [[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]],
    )
    detector = am.CollisionDetector([roof, am.Sphere(0.5)], margin=0.1)
    contacts = detector.detect([[0.0, 0.0, 0.0], [0.0, 0.3, 0.55]])
    assert len(contacts) == 1
    assert contacts.normals[0] == pytest.approx([0.0, 0.0, 1.0])
    assert contacts.gaps[0] == pytest.approx(0.05)


def test_triangles_have_one_side():
    field = am.HeightField(np.zeros((5, 5)), spacing=0.5)
    detector = am.CollisionDetector([field, am.Sphere(0.1)], margin=0.05)
    heights = {0.12: 1, 0.05: 1, -0.05: 1, -0.11: 0, -0.2: 0}
    for height, number in heights.items():
        contacts = detector.detect([[0.0, 0.0, 0.0], [0.1, 0.07, height]])
        assert len(contacts) == number
        if number:
            assert contacts.normals[0] == pytest.approx([0.0, 0.0, 1.0])
            assert contacts.gaps[0] == pytest.approx(height - 0.1)


def test_a_box_on_fine_triangles_has_four_contacts():
    field = am.HeightField(np.zeros((41, 41)), spacing=0.05)
    detector = am.CollisionDetector([field, am.Box((0.5, 0.7, 0.2))], margin=0.01)
    contacts = detector.detect([[0.0, 0.0, 0.0], [0.013, 0.021, 0.099]])
    assert len(contacts) == 4
    corners = {(x, y) for x in (-0.25, 0.25) for y in (-0.35, 0.35)}
    assert {tuple(arm.round(9)) for arm in contacts.arms_b[:, :2]} == corners
    assert np.allclose(contacts.gaps, -0.001)


def test_turning_the_whole_scene_turns_the_contacts():
    rng = np.random.default_rng(2)
    field = am.HeightField(0.2 * rng.random((7, 7)), spacing=0.2)
    detector = am.CollisionDetector([field, am.Box((0.4, 0.3, 0.2))], margin=0.05)
    position = np.array([[0.0, 0.0, 0.0], [0.05, 0.1, 0.2]])
    turn = np.stack([IDENTITY, quaternions(rng, 1)[0]])
    still = detector.detect(position, turn)
    assert len(still) > 0
    whole = quaternions(rng, 1)[0]
    R = rotation_matrices(whole)
    turned = detector.detect(position @ R.T + [3.0, 2.0, 1.0], quaternion_product(whole, turn))
    one, two = np.argmin(still.gaps), np.argmin(turned.gaps)
    assert still.keys[one] == turned.keys[two]
    assert still.gaps[one] == pytest.approx(turned.gaps[two], abs=1e-9)
    assert still.normals[one] @ R.T == pytest.approx(turned.normals[two], abs=1e-7)
    assert still.arms_b[one] @ R.T == pytest.approx(turned.arms_b[two], abs=1e-7)


def test_a_mesh_may_move():
    """A dynamic mesh meets convex bodies and planes."""
    shapes = [cube_mesh(np.ones(3)), am.Sphere(0.5), am.Plane()]
    detector = am.CollisionDetector(shapes, margin=0.1)
    assert detector.fixed.tolist() == [False, False, True]
    contacts = detector.detect([[0, 0, 1.0], [0, 0, 2.0], [0, 0, 0.5]])
    assert {tuple(pair) for pair in contacts.bodies.tolist()} == {(0, 1), (0, 2)}


def test_a_mesh_on_a_plane_stands_on_its_vertices():
    """As the box does that it is the surface of, whichever way it is turned."""
    rng = np.random.default_rng(7)
    half = np.array([0.5, 0.3, 0.2])
    for turn in [*quaternions(rng, 20), [1.0, 0.0, 0.0, 0.0]]:
        lowest = np.abs(rotation_matrices(np.asarray(turn))[2]) @ half
        position = np.array([[0.1, -0.2, lowest - 0.01], [0.0, 0.0, 0.0]])
        both = [
            am.CollisionDetector([shape, am.Plane()], margin=0.02).detect(
                position, [turn, [1.0, 0.0, 0.0, 0.0]]
            )
            for shape in (cube_mesh(2.0 * half), am.Box(tuple(2.0 * half)))
        ]
        mesh, box = ({(*np.round(p, 9),) for p in c.points_a(position)} for c in both)
        assert mesh == box
        assert both[0].gaps.min() == pytest.approx(-0.01, abs=1e-12)
        assert np.all(both[0].normals == [0.0, 0.0, -1.0])


@pytest.mark.parametrize("margin", [0.001, 0.01, 0.1])
@pytest.mark.parametrize("kind", ["mesh", "hull"])
def test_a_torus_stands_on_its_lowest_ring(kind, margin):
    """However far up its sides the margin reaches: higher points would let it rock."""
    import trimesh

    torus = trimesh.creation.torus(0.3, 0.1)
    hull = am.ConvexHull(torus.vertices)
    shape = am.TriangleMesh(torus.vertices, torus.faces) if kind == "mesh" else hull
    detector = am.CollisionDetector([am.Plane(), shape], margin=margin)
    contacts = detector.detect(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.1005]]))
    assert len(contacts) == 4
    assert contacts.gaps == pytest.approx(np.full(4, 0.0005), abs=1e-12)
    assert np.ptp(contacts.arms_b[:, :2], axis=0) == pytest.approx([0.6, 0.6], abs=1e-3)


@pytest.mark.parametrize("tilt", [0.0, 0.02, 0.1])
def test_what_comes_down_on_other_triangles_is_in_sight(tilt):
    """A box whose lower end is near one triangle meets those below its upper end, too."""
    floor = am.HeightField(np.zeros((9, 9)), (0.125, 0.125))
    turn = np.array([np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0])
    place = [0.013, 0.021, 0.05 * np.cos(tilt) + 0.2 * np.sin(tilt) + 0.002]
    found = [
        am.CollisionDetector([base, am.Box((0.4, 0.3, 0.1))], margin=0.06).detect(
            np.array([[0.0, 0.0, 0.0], place]), np.array([IDENTITY, turn])
        )
        for base in (floor, am.Plane())
    ]
    for contacts in found:
        assert contacts.gaps.min() == pytest.approx(0.002, abs=1e-9)
        assert contacts.gaps.max() == pytest.approx(0.002 + 0.4 * np.sin(tilt), abs=1e-9)
    low, high = ([f(c.arms_b, axis=0) for c in found] for f in (np.min, np.max))
    assert low[0] == pytest.approx(low[1], abs=1e-9)
    assert high[0] == pytest.approx(high[1], abs=1e-9)


@pytest.mark.slow
def test_a_torus_on_a_box_comes_to_rest():
    """Its contacts are with many triangles: those of its lowest ring hold it."""
    import trimesh

    torus = trimesh.creation.torus(0.12, 0.05)
    world = am.World()
    world.add_body(am.Box((2.0, 2.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    mesh = am.TriangleMesh(torus.vertices, torus.faces)
    world.add_body(mesh, density=1000.0, position=(0.03, 0.02, 0.06))
    sim = am.Simulation(world, step=0.005)
    sim.run(1.0)
    assert np.abs(sim.bodies.twist[1]).max() < 1e-3
    assert sim.bodies.position[1, 2] == pytest.approx(0.05, abs=1e-4)


def test_open_meshes_that_come_near_each_other_are_warned_of():
    lid = cube_mesh(np.ones(3))
    lid = am.TriangleMesh(lid.vertices, lid.faces[1:])
    detector = am.CollisionDetector([lid], which=[0, 0, 0], fixed=[False] * 3, margin=0.1)
    far = [[0, 0, 0.0], [0, 0, 5.0], [0, 0, 10.0]]
    assert len(detector.detect(far)) == 0
    near = [[0, 0, 0.0], [0, 0, 5.0], [0, 0, 6.05]]
    with pytest.warns(am.errors.ProblemWarning, match="bodies 1 and 2 .*decompose"):
        assert len(detector.detect(near)) == 0
    detector.detect(near)  # says it once


SHEET = am.TriangleMesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)])


@pytest.mark.slow
def test_an_open_mesh_can_follow_a_motion():
    """A ball on a sheet that moves on: it ends up rolling, at 2/7 of the sheet's speed."""
    assert not SHEET.closed
    world = am.World()
    sheet = world.add_body(SHEET, motion=am.Motion(velocity=(0.2, 0, 0)))
    ball = world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    am.Simulation(world, step=2e-3).run(1.0)
    assert sheet.position == pytest.approx((0.2, 0, 0))
    assert ball.velocity == pytest.approx((0.2 * 2 / 7, 0, 0), abs=1e-6)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-4)


def test_an_open_or_flat_mesh_does_not_move_freely():
    world = am.World()
    roof = am.TriangleMesh([(-1, 0, 0), (1, 0, 0), (0, 1, 1), (0, -1, 1)], [(0, 1, 2), (1, 0, 3)])
    with pytest.raises(am.InputError, match=r"not closed.*fixed or has a motion can have it"):
        world.add_body(roof, mass=1.0)
    with pytest.raises(am.InputError, match=r"a flat TriangleMesh .*fixed=True, or give it a mot"):
        world.add_body(SHEET, mass=1.0, inertia=(0.3, 0.3, 0.6), centre=(0, 0, 0))
