"""Worlds: bodies one by one and in bulk, their ids, names and handles, motions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import amontons as am
from amontons.model.motion import rotation_vector

QUARTER = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
"""A quarter turn about z."""
BALL = am.Sphere(0.1)


@pytest.fixture
def world():
    return am.World()


@pytest.fixture
def pair(world):
    """Two balls, of which the second has a name."""
    first = world.add_body(BALL, mass=1.0)
    return first, world.add_body(BALL, mass=2.0, position=(1.0, 0.0, 0.0), name="second")


# -- adding ---------------------------------------------------------------------------------------


def test_bodies_one_by_one_and_in_bulk_are_the_same(world):
    place = np.arange(12.0).reshape(4, 3)
    speed = place[::-1].copy()
    density = np.array([1e3, 2e3, 3e3, 4e3])
    ids = world.add_bodies(
        am.Box((1.0, 2.0, 3.0)), position=place, velocity=speed, density=density,
        orientation=QUARTER, angular_velocity=(1.0, 2.0, 3.0), group=2, mask=5,
    )  # fmt: skip
    other = am.World()
    for i in range(4):
        body = other.add_body(
            am.Box((1.0, 2.0, 3.0)), position=place[i], velocity=speed[i], density=density[i],
            orientation=QUARTER, angular_velocity=(1.0, 2.0, 3.0), group=2, mask=5,
        )  # fmt: skip
        assert body.id == ids[i]
    for name in world.bodies.columns.names:
        assert np.array_equal(world.bodies.columns[name], other.bodies.columns[name]), name
    assert world.bodies.mass == pytest.approx(6.0 * density)
    assert len(world.shapes) == len(other.shapes) == 1  # equal shapes are kept once


def test_each_body_has_its_own_shape_where_shapes_are_listed(world):
    shapes = [BALL, am.Box.cube(0.2), BALL]
    world.add_bodies(shapes, position=np.zeros((3, 3)), mass=[1.0, 2.0, 3.0])
    assert [world.body(i).shape for i in range(3)] == shapes
    assert world.bodies.shape.tolist() == [0, 1, 0]
    for i, shape in enumerate(shapes):
        inertia = (i + 1.0) * shape.unit_inertia() / shape.volume
        assert world.bodies.inertia[i] == pytest.approx(inertia)


def test_fixed_and_moving_bodies_in_one_call(world):
    world.add_bodies(BALL, position=np.zeros((3, 3)), mass=1.0, fixed=[False, True, False])
    assert world.bodies.dynamic.tolist() == [True, False, True]
    assert world.bodies.mass.tolist() == [1.0, math.inf, 1.0]
    assert not world.bodies.inertia[1].any()


def test_no_bodies_at_all_may_be_added(world):
    assert world.add_bodies(BALL, position=np.zeros((0, 3)), mass=1.0).size == 0
    assert len(world.bodies) == 0


def test_views_are_arrays_that_write_through(world, pair):
    world.bodies.velocity[:, 1] = 3.0
    world.bodies.angular_velocity[1] = (1.0, 2.0, 3.0)
    assert pair[0].velocity.tolist() == [0.0, 3.0, 0.0]
    assert pair[1].angular_velocity.tolist() == [1.0, 2.0, 3.0]
    pair[0].position = (7.0, 8.0, 9.0)
    pair[0].velocity = (1.0, 0.0, 0.0)
    pair[0].angular_velocity = (0.0, 1.0, 0.0)
    pair[0].orientation = (0.0, 3.0, 0.0, 0.0)  # made unit
    assert world.bodies.position[0].tolist() == [7.0, 8.0, 9.0]
    assert world.bodies.twist[0].tolist() == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    assert pair[0].orientation.tolist() == [0.0, 1.0, 0.0, 0.0]


def test_a_body_tells_what_it_is_and_takes_forces(world):
    steel = am.Material(friction=0.2)
    body = world.add_body(BALL, mass=2.0, material=steel)
    wall = world.add_body(am.Box.cube(1.0), fixed=True, position=(3.0, 0.0, 0.0))
    assert body.material == steel
    assert (body.fixed, wall.fixed, body.asleep) == (False, True, False)
    assert body.inertia == pytest.approx(2.0 * BALL.unit_inertia() / BALL.volume)
    body.force, body.torque = (1.0, 2.0, 3.0), (0.0, 0.0, 4.0)
    assert world.bodies.force[0].tolist() == body.force.tolist() == [1.0, 2.0, 3.0]
    assert world.bodies.torque[0].tolist() == body.torque.tolist() == [0.0, 0.0, 4.0]
    for name in ("force", "torque"):
        with pytest.raises(am.InputError, match=name):
            setattr(body, name, (np.nan, 0.0, 0.0))


def test_nearly_unit_quaternions_are_made_unit(world):
    body = world.add_body(BALL, mass=1.0, orientation=(1.0 + 1e-8, 0.0, 0.0, 0.0))
    assert body.orientation.tolist() == [1.0, 0.0, 0.0, 0.0]


# -- centres and inertias -------------------------------------------------------------------------


@pytest.fixture
def bent():
    """A compound whose centre of mass is not at its origin."""
    parts = [am.Part(BALL, (0.5, 0.0, 0.0)), am.Part(BALL, (1.5, 1.0, 0.0))]
    return am.Compound(parts)


def test_position_is_the_centre_or_the_frame(world, bent):
    centre = bent.centre
    by_centre = world.add_body(bent, mass=1.0, position=(1.0, 2.0, 3.0), orientation=QUARTER)
    by_frame = world.add_body(
        bent, mass=1.0, position=(1.0, 2.0, 3.0), orientation=QUARTER, placed_by="frame"
    )
    assert by_centre.position == pytest.approx([1.0, 2.0, 3.0])
    assert by_frame.position == pytest.approx([1.0 - centre[1], 2.0 + centre[0], 3.0])
    # the origin of the frame, seen from the centre of mass
    assert by_frame.point(-centre) == pytest.approx([1.0, 2.0, 3.0])


def test_both_placements_touch_where_the_shape_is(bent):
    for placed_by, place in (("frame", (0.0, 0.0, 0.1)), ("centre", (*bent.centre[:2], 0.1))):
        world = am.World()
        world.add_body(am.Plane(), fixed=True)
        world.add_body(bent, mass=1.0, position=place, placed_by=placed_by)
        sim = am.Simulation(world, step=1e-3)
        sim.step()
        assert sim.contacts.points[:, 0] == pytest.approx([0.5, 1.5])
        assert sim.contacts.gaps == pytest.approx([0.0, 0.0], abs=1e-12)


def test_another_centre_moves_the_inertia_by_steiner(world):
    box = am.Box((1.0, 2.0, 3.0))
    d = np.array([0.1, -0.2, 0.3])
    body = world.add_body(box, mass=4.0, centre=d)
    steiner = 4.0 * ((d @ d) * np.eye(3) - np.outer(d, d))
    assert world.bodies.inertia[0] == pytest.approx(4.0 * box.unit_inertia() / 6.0 + steiner)
    world.add_body(box, mass=4.0)
    assert world.origins == [tuple(d), (0.0, 0.0, 0.0)]  # two kinds: same shape, other centres
    assert body.shape is world.shapes[0]


def test_a_loaded_die_rests_with_its_weight_under_its_own_centre():
    """A sphere with a low centre of mass rights itself: what it touches with is its shape."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    centre = (0.0, 0.0, -0.05)
    tumbler = world.add_body(
        BALL, mass=1.0, centre=centre, position=(0.0, 0.0, 0.05), orientation=(1.0, 0.0, 0.0, 0.0)
    )
    lying = (math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)
    tilted = world.add_body(
        BALL, mass=1.0, centre=centre, position=(1.05, 0.0, 0.1), orientation=lying
    )
    sim = am.Simulation(world, step=2e-3)
    sim.run(0.1)
    assert tumbler.position == pytest.approx([0.0, 0.0, 0.05], abs=1e-6)
    assert np.abs(tumbler.angular_velocity).max() < 1e-6
    # the weight, 5 cm to the side of where it touches, turns it upright: about +y × −x offset
    assert tilted.angular_velocity[1] > 0.1


@pytest.mark.parametrize(
    "given", [(1.0, 2.0, 2.5), np.diag([1.0, 2.0, 2.5])], ids=["(3,)", "(3,3)"]
)
def test_custom_inertia(world, given):
    world.add_bodies(BALL, position=np.zeros((2, 3)), mass=1.0, inertia=given)
    assert world.bodies.inertia == pytest.approx(np.stack([np.diag([1.0, 2.0, 2.5])] * 2))


def test_custom_inertia_each(world):
    each = np.array([s * np.diag([1.0, 2.0, 2.5]) for s in (1.0, 2.0, 3.0)])
    world.add_bodies(BALL, position=np.zeros((3, 3)), mass=1.0, inertia=each)
    assert np.array_equal(world.bodies.inertia, each)


# -- ids, names, handles, removal -----------------------------------------------------------------


def test_handles_names_and_ids_find_the_same_body(world, pair):
    first, second = pair
    assert world.body("second") == world.body(1) == world.body(second) == second
    assert first != second
    assert len({first, world.body(0)}) == 1
    assert (first.name, second.name) == ("body 0", "second")
    assert (first.mass, second.mass) == (1.0, 2.0)
    assert "second" in repr(second)
    assert "2 dynamic" in repr(world.bodies)


def test_ids_are_for_life_and_never_used_again(world, pair):
    first, second = pair
    third = world.add_body(BALL, mass=3.0, position=(2.0, 0.0, 0.0))
    world.remove_bodies(first)
    assert world.bodies.id.tolist() == [1, 2]
    assert (second.index, third.index) == (0, 1)
    assert third.position.tolist() == [2.0, 0.0, 0.0]
    world.remove_bodies([third])
    assert world.add_body(BALL, mass=1.0).id == 3


@pytest.mark.parametrize(
    "which",
    [lambda w: "second", lambda w: 1, lambda w: np.int64(1), lambda w: [w.body(1)],
     lambda w: np.array([1]), lambda w: iter(["second", 1])],
    ids=["name", "id", "numpy id", "handles", "array", "twice"],
)  # fmt: skip
def test_removal_by_any_name(world, pair, which):
    world.remove_bodies(which(world))
    assert world.bodies.id.tolist() == [0]
    with pytest.raises(am.InputError, match="there is no body called 'second'"):
        world.body("second")
    assert world.add_body(BALL, mass=1.0, name="second").id == 2  # the name is free again


def test_nothing_may_be_removed(world, pair):
    before = world.version
    world.remove_bodies([])
    assert world.version == before
    assert len(world.bodies) == 2


def test_handles_of_removed_bodies_say_so(world, pair):
    first, second = pair
    world.remove_bodies(second)
    for ask in (lambda: second.position, lambda: second.mass, lambda: second.shape,
                lambda: world.remove_bodies(second), lambda: world.body(second)):  # fmt: skip
        with pytest.raises(am.InputError, match="no body 1 in this world"):
            ask()
    with pytest.raises(am.InputError, match="no body 1"):
        second.velocity = (0.0, 0.0, 0.0)
    assert "no longer" in repr(second)
    assert first.position.tolist() == [0.0, 0.0, 0.0]


def test_joints_and_forces_go_with_their_bodies(world, pair):
    first, second = pair
    third = world.add_body(BALL, mass=1.0, position=(2.0, 0.0, 0.0))
    rope = world.add_joint(am.Rope(first, second, point_a=(0, 0, 0), point_b=(1, 0, 0)))
    kept = world.add_joint(am.Spherical(second, third, point=(1.5, 0.0, 0.0)))
    push = world.add_force(am.AppliedForce(first, (1.0, 0.0, 0.0)))
    drag = world.add_force(am.Drag(linear=0.1))  # of all: it stays
    world.remove_bodies(first)
    assert world.joints == [kept]
    assert world.forces == [drag]
    for gone in (rope, push):
        with pytest.raises(am.InputError, match="no such"):
            (world.remove_joint if gone is rope else world.remove_force)(gone)


def test_springs_are_forces_and_joints_alike(world, pair):
    spring = am.LinearSpring(*pair, point_a=(0, 0, 0), point_b=(1, 0, 0), stiffness=10.0)
    assert world.add_force(spring) is spring
    assert world.joints == [spring]
    world.remove_force(spring)
    assert world.joints == []


def test_a_copy_is_a_world_of_its_own(world, pair):
    world.add_joint(am.Rope(*pair, point_a=(0, 0, 0), point_b=(1, 0, 0)))
    twin = world.copy()
    twin.body("second").position = (5.0, 0.0, 0.0)
    assert pair[1].position.tolist() == [1.0, 0.0, 0.0]
    am.Simulation(twin, step=1e-3).step()  # its joints name its own bodies
    assert world.bodies.velocity[0].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(am.InputError, match="another world"):
        twin.body(pair[0])


def test_version_rises_with_every_change(world, pair):
    joint = am.Spherical(*pair, point=(0.5, 0.0, 0.0))
    force = am.AppliedForce(pair[0], (1.0, 0.0, 0.0))
    seen = [world.version]
    for change in (
        lambda: world.add_joint(joint), lambda: world.remove_joint(joint),
        lambda: world.add_force(force), lambda: world.remove_force(force),
        lambda: world.add_body(BALL, mass=1.0), lambda: world.remove_bodies(2),
    ):  # fmt: skip
        change()
        seen.append(world.version)
    assert sorted(set(seen)) == seen


# -- motions --------------------------------------------------------------------------------------


def test_motion_meets_the_pose_that_it_is_told():
    motion = am.Motion(
        position=lambda t: (t * t, 0.0, 1.0),
        orientation=lambda t: (math.cos(t), math.sin(t), 0.0, 0.0),
    )
    here = np.array([0.0, 0.0, 1.0])
    twist = motion.twist(here, np.array([1.0, 0.0, 0.0, 0.0]), 0.0, 0.1)
    assert twist == pytest.approx([0.1, 0.0, 0.0, 2.0, 0.0, 0.0])
    still = am.Motion().twist(here, np.array([1.0, 0.0, 0.0, 0.0]), 0.0, 0.1)
    assert not still.any()
    wave = am.Motion(velocity=lambda t: (t, 0, 0), angular_velocity=(0, 0, 2))
    assert wave.twist(here, np.array([1.0, 0, 0, 0]), 1.0, 0.1) == pytest.approx(
        [1.05, 0, 0, 0, 0, 2]
    )


@pytest.mark.parametrize("angle", [0.0, 1e-14, 1e-6, 1.0, math.pi - 1e-9, 4.0, 6.0])
def test_rotation_vector_goes_the_short_way(angle):
    short = (angle + math.pi) % (2.0 * math.pi) - math.pi
    vector = rotation_vector(np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]))
    assert vector == pytest.approx([0.0, short, 0.0], abs=1e-9)


def test_motions_that_cannot_be():
    for match, options in {
        "position or a velocity": {"position": lambda t: (0, 0, 0), "velocity": (1, 0, 0)},
        "orientation or a angular_velocity|orientation or an angular_velocity": {
            "orientation": lambda t: (1, 0, 0, 0), "angular_velocity": (1, 0, 0)},
        "position of a motion must be a function": {"position": (0, 0, 0)},
        r"velocity\[1\] is nan": {"velocity": (0, math.nan, 0)},
        "angular_velocity must be 3 numbers": {"angular_velocity": (0, 0)},
    }.items():  # fmt: skip
        with pytest.raises(am.InputError, match=match):
            am.Motion(**options)
