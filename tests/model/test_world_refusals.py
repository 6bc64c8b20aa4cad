"""What a world refuses, where, and what it says; and that it is the same world afterwards."""

from __future__ import annotations

import math

import numpy as np
import pytest

import amontons as am

BALL = am.Sphere(0.1)
NAN, INF = math.nan, math.inf
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)

BODIES = {
    "no mass": ({}, "needs either a mass or a density"),
    "both": ({"mass": 1.0, "density": 1.0}, "either a mass or a density"),
    "zero mass": ({"mass": 0.0}, r"mass\[0\] is 0.*say fixed=True"),
    "negative mass": ({"mass": -1.0}, r"mass\[0\] is -1"),
    "nan mass": ({"mass": NAN}, "mass.* is nan"),
    "infinite mass": ({"mass": INF}, "mass.* is inf"),
    "text mass": ({"mass": "heavy"}, "mass must be an array of numbers"),
    "zero density": ({"density": 0.0}, r"density\[0\] is 0"),
    "nan density": ({"density": NAN}, "density.* is nan"),
    "masses of two": ({"mass": [1.0, 2.0]}, r"mass has shape \(2,\) for 1 bodies"),
    "nan position": ({"mass": 1.0, "position": (0, NAN, 0)}, r"position\[1\] is nan"),
    "flat position": ({"mass": 1.0, "position": (0, 0)}, "position must be 3 numbers"),
    "positions": ({"mass": 1.0, "position": [(0, 0, 0)] * 2}, "position must be 3 numbers"),
    "no position": ({"mass": 1.0, "position": None}, "position"),
    "nan quaternion": ({"mass": 1.0, "orientation": (NAN, 0, 0, 0)}, r"orientation\[0\] is nan"),
    "long quaternion": ({"mass": 1.0, "orientation": (1, 1, 0, 0)}, r"orientation\[0\] has length"),
    "zero quaternion": ({"mass": 1.0, "orientation": (0, 0, 0, 0)}, "has length 0"),
    "3-quaternion": ({"mass": 1.0, "orientation": (1, 0, 0)}, r"\(w, x, y, z\)"),
    "nan velocity": ({"mass": 1.0, "velocity": (NAN, 0, 0)}, r"velocity\[0\] is nan"),
    "nan spin": ({"mass": 1.0, "angular_velocity": (0, 0, INF)}, r"angular_velocity\[2\] is inf"),
    "flat spin": ({"mass": 1.0, "angular_velocity": 3.0}, "angular_velocity must be 3 numbers"),
    "nan inertia": ({"mass": 1.0, "inertia": (1, 1, NAN)}, r"inertia\[2\] is nan"),
    "zero inertia": ({"mass": 1.0, "inertia": (1, 1, 0)}, "principal moment of 0"),
    "impossible inertia": ({"mass": 1.0, "inertia": (1, 1, 3)}, "impossible for a body"),
    "skew inertia": (
        {"mass": 1.0, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, "is not symmetric"),
    "two moments": ({"mass": 1.0, "inertia": (1.0, 1.0)}, "inertia must have shape"),
    "rows of moments": ({"mass": 1.0, "inertia": [(1.0, 1.0, 1.0)]}, "inertia must have shape"),
    "nan centre": ({"mass": 1.0, "centre": (0, NAN, 0)}, r"centre\[1\] is nan"),
    "centres": ({"mass": 1.0, "centre": [(0, 0, 0)]}, "centre must be 3 numbers"),
    "placed nowhere": ({"mass": 1.0, "placed_by": "corner"}, "placed_by must be"),
    "fixed by a number": ({"fixed": 1}, "fixed must be True or False"),
    "fixed but moving": ({"fixed": True, "velocity": X}, "a fixed body has no velocity"),
    "fixed but turning": ({"fixed": True, "angular_velocity": X}, "a fixed body has no velocity"),
    "fixed and driven": ({"fixed": True, "motion": am.Motion()}, "not both"),
    "no motion": ({"motion": X}, "motion must be an amontons.Motion"),
    "no material": ({"mass": 1.0, "material": 0.5}, "material must be an amontons.Material"),
    "negative group": ({"mass": 1.0, "group": -1}, "group must be whole numbers of 32 bits"),
    "wide mask": ({"mass": 1.0, "mask": 2**32}, "mask must be whole numbers of 32 bits"),
    "mask of floats": ({"mass": 1.0, "mask": 1.0}, "mask must be whole numbers"),
    "number as a name": ({"mass": 1.0, "name": 3}, "name must be text"),
    "list as a name": ({"mass": 1.0, "name": ["a"]}, "name must be text"),
    "name twice": ({"mass": 1.0, "name": "there"}, "already a body called 'there'"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "match"), BODIES.values(), ids=BODIES.keys())
def test_bad_bodies_are_refused_and_leave_no_trace(options, match):
    world = am.World()
    world.add_body(BALL, mass=1.0, name="there")
    counts = len(world.shapes), len(world.motions), len(world.bodies), world.next_id, world.version
    with pytest.raises(am.InputError, match=match):
        world.add_body(am.Box.cube(1.0), **options)
    assert counts == (
        len(world.shapes), len(world.motions), len(world.bodies), world.next_id, world.version
    )  # fmt: skip
    am.Simulation(world, step=1e-3).step()


def test_bad_shapes():
    world = am.World()
    for shape in (None, "ball", am.Sphere, [BALL]):
        with pytest.raises(am.InputError, match="a body needs a shape"):
            world.add_body(shape, mass=1.0)
    with pytest.raises(am.InputError, match=r"shape\[1\] must be a shape"):
        world.add_bodies([BALL, 3], position=np.zeros((2, 3)), mass=1.0)
    with pytest.raises(am.InputError, match="1 shapes for 2 positions"):
        world.add_bodies([BALL], position=np.zeros((2, 3)), mass=1.0)
    with pytest.raises(am.InputError, match=r"position must be 3 numbers or have shape"):
        world.add_bodies(BALL, position=np.zeros((2, 2)), mass=1.0)
    with pytest.raises(am.InputError, match=r"velocity has shape \(3, 3\) for 2 bodies"):
        world.add_bodies(BALL, position=np.zeros((2, 3)), velocity=np.zeros((3, 3)), mass=1.0)


def test_a_plane_cannot_move_freely():
    world = am.World()
    for options in ({"density": 1.0}, {"mass": 1.0}, {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}):
        with pytest.raises(am.InputError, match="a Plane has no end, so it cannot move freely"):
            world.add_body(am.Plane(), **options)
    world.add_body(am.Plane(), motion=am.Motion(velocity=X))


@pytest.mark.parametrize("gravity", [(0, 0), (0, 0, NAN), "down", 9.81, (0, 0, INF)])
def test_bad_gravity(gravity):
    with pytest.raises(am.InputError, match="gravity"):
        am.World(gravity=gravity)
    world = am.World()
    with pytest.raises(am.InputError, match="gravity"):
        world.gravity = gravity
    assert world.gravity.tolist() == [0.0, 0.0, -9.81]


@pytest.mark.parametrize("unknown", [7, -1, True, 1.0, None, "nobody", object()])
def test_unknown_bodies(unknown):
    world = am.World()
    world.add_body(BALL, mass=1.0)
    for ask in (world.body, world.id_of, lambda body: world.remove_bodies([body])):
        with pytest.raises(am.InputError, match=r"no body|named by its handle"):
            ask(unknown)
    assert len(world.bodies) == 1


def test_removal_is_all_or_nothing():
    world = am.World()
    world.add_bodies(BALL, position=np.zeros((3, 3)), mass=1.0)
    with pytest.raises(am.InputError, match="no body 9"):
        world.remove_bodies([0, 9])
    assert len(world.bodies) == 3


def test_bodies_of_other_worlds_are_refused_everywhere():
    world, other = am.World(), am.World()
    mine, theirs = (w.add_body(BALL, mass=1.0) for w in (world, other))
    second = world.add_body(BALL, mass=1.0, position=X)
    makers = {
        "joint": lambda: world.add_joint(am.Spherical(theirs, second, point=ORIGIN)),
        "spring": lambda: world.add_force(am.TorsionSpring(second, theirs, axis=X, stiffness=1.0)),
        "force": lambda: world.add_force(am.AppliedForce(theirs, X)),
        "torque": lambda: world.add_force(am.AppliedTorque(theirs, X)),
        "drag": lambda: world.add_force(am.Drag([second, theirs], linear=1.0)),
        "function": lambda: world.add_force(am.Force(theirs, lambda state: np.zeros((1, 6)))),
        "removal": lambda: world.remove_bodies([mine, theirs]),
        "body": lambda: world.body(theirs),
    }
    for what, make in makers.items():
        with pytest.raises(am.InputError, match="body 0 belongs to another world"):
            make()
        assert (len(world.joints), len(world.forces), len(world.bodies)) == (0, 0, 2), what


@pytest.fixture
def few():
    """A world with a floor (0), a carousel (1) and a ball (2)."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Box.cube(1.0), motion=am.Motion(angular_velocity=Z))
    world.add_body(BALL, mass=1.0, position=(0.0, 0.0, 2.0))
    return world


def test_joints_that_hold_nothing_that_moves(few):
    for ends in ((0, 1), (None, 0), (1, None)):
        with pytest.raises(am.InputError, match=r"Fixed 'weld' .*neither of its ends can move"):
            few.add_joint(am.Fixed(*ends, point=ORIGIN, name="weld"))
    few.add_joint(am.Fixed(1, 2, point=ORIGIN))


def test_joints_of_unknown_bodies(few):
    with pytest.raises(am.InputError, match="Fixed 'weld' cannot be added: there is no body 9"):
        few.add_joint(am.Fixed(2, 9, point=ORIGIN, name="weld"))
    gone = few.add_body(BALL, mass=1.0, position=(3.0, 0.0, 2.0))
    few.remove_bodies(gone)
    with pytest.raises(am.InputError, match=f"there is no body {gone.id} in this world"):
        few.add_joint(am.Fixed(2, gone, point=ORIGIN))
    with pytest.raises(am.InputError, match="to itself"):
        few.add_joint(am.Fixed(2, few.body(2), point=ORIGIN))
    assert few.joints == []


def test_things_that_are_no_joints_and_no_loads(few):
    with pytest.raises(am.InputError, match=r"such as amontons\.Revolute"):
        few.add_joint("weld")
    with pytest.raises(am.InputError, match=r"such as amontons\.AppliedForce"):
        few.add_force((0.0, 0.0, 1.0))
    with pytest.raises(am.InputError, match="no body 9"):
        few.add_force(am.AppliedForce(9, X, name="push"))


def test_nothing_is_in_a_world_twice(few):
    joint = few.add_joint(am.Spherical(None, 2, point=ORIGIN, name="hook"))
    force = few.add_force(am.AppliedForce(2, X, name="push"))
    for add, thing in ((few.add_joint, joint), (few.add_force, force)):
        with pytest.raises(am.InputError, match=r"(hook|push)' is already in this world"):
            add(thing)
    few.add_joint(am.Spherical(None, 2, point=ORIGIN, name="hook"))  # one like it may be
    few.remove_joint(joint)
    with pytest.raises(am.InputError, match="no such joint"):
        few.remove_joint(joint)
    assert len(few.joints) == 1


def test_handles_refuse_bad_states(few):
    ball = few.body(2)
    for name, value in (
        ("position", (NAN, 0, 0)), ("velocity", (0, 0)), ("angular_velocity", (0, INF, 0)),
        ("orientation", (0, 0, 0, 0)),
    ):  # fmt: skip
        with pytest.raises(am.InputError, match=name):
            setattr(ball, name, value)
    assert ball.position.tolist() == [0.0, 0.0, 2.0]
    with pytest.raises(am.InputError, match="local"):
        ball.point((0.0, NAN, 0.0))
