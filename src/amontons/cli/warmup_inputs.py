"""Tiny problems of every form and with every kind of set, for `amontons warmup`."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.collision.detector import CollisionDetector
from amontons.model.bonds import BeamBond
from amontons.model.forces import Drag
from amontons.model.joints import Revolute, SpeedMotor
from amontons.model.materials import Material
from amontons.model.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightField,
    Plane,
    Sphere,
)
from amontons.model.world import World
from amontons.problem import sets
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem

Floats = NDArray[np.float64]

UP = (0.0, 0.0, 1.0)


def sample_problems() -> dict[str, ConeProblem]:
    """A problem for each form of the operator, with and without compliance."""
    return {
        "a matrix": _matrix(_every_set()),
        "a compliant matrix": _matrix(_every_set(), compliance=0.1),
        "bilateral constraints": _matrix([sets.Free(4)]),
        "bodies": _stack(),
        "compliant bodies": _stack(compliance=0.1),
        "bodies with torques and joints": _jointed_bodies(),
        "a factored mass matrix": _factored(),
    }


def sample_scene() -> tuple[CollisionDetector, Floats]:
    """Two bodies of every kind of shape, all in one place, and their positions [m]."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    shapes = [
        Plane(),
        HeightField(np.zeros((3, 3)), spacing=1.0),
        Sphere(0.5),
        Capsule(0.4, 0.5),
        Box((1.0, 1.0, 1.0)),
        Cylinder(0.5, 1.0),
        Cone(0.5, 1.0),
        Ellipsoid((0.5, 0.6, 0.7)),
        ConvexHull(corners - 0.25),
    ]
    which = np.repeat(np.arange(len(shapes)), 2)
    position = 0.01 * np.arange(3.0 * len(which)).reshape(-1, 3)
    return CollisionDetector(shapes, which=which, margin=0.1), position


def sample_world(*, torques: bool) -> World:
    """A box and a ball on a floor, hinged to each other; with rolling friction or without.

    And three balls in the air: one so fast that contacts are searched from afar, and two so close
    to each other that theirs is found and left out. And two that are bonded.
    """
    rolling = 1e-3 if torques else 0.0
    material = Material(rolling_friction=rolling, cohesion=0.1, restitution=0.5)
    world = World()
    world.add_body(Plane(), fixed=True, material=material)
    box = world.add_body(Box((1.0, 1.0, 1.0)), mass=1.0, position=(0, 0, 0.5), material=material)
    ball = world.add_body(Sphere(0.5), mass=1.0, position=(2.0, 0.0, 0.5), material=material)
    motor = SpeedMotor(speed=1.0, limit=1.0)
    world.add_joint(
        Revolute(box, ball, point=(1.0, 0.0, 0.5), axis=UP, limits=(-1, 1), motor=motor)
    )
    world.add_force(Drag(linear=0.1, angular=0.1))
    glue = BeamBond(young=1e6, shear=4e5, radius=0.1)
    ends = [(-4, 0, 9), (-6, 0, 9)]
    world.add_bonds([world.add_bodies(Sphere(0.5), mass=1.0, position=ends)], glue)
    places, speeds = [(0, 0, 9), (1.03, 0, 9), (0, 9, 9)], [(0, 0, 0), (0, 0, 0), (0, 0, 40)]
    world.add_bodies(Sphere(0.5), mass=1.0, position=places, velocity=speeds, material=material)
    return world


def small_world() -> World:
    """A box on a floor, and a ball on a hinge that a motor turns."""
    world = World()
    world.add_body(Plane(), fixed=True)
    world.add_body(Box((1.0, 1.0, 1.0)), mass=1.0, position=(0.0, 0.0, 0.5))
    ball = world.add_body(Sphere(0.5), mass=1.0, position=(3.0, 0.0, 2.0))
    motor = SpeedMotor(speed=1.0, limit=1.0)
    world.add_joint(Revolute(None, ball, point=(4.0, 0.0, 2.0), axis=(0, 1, 0), motor=motor))
    return world


def _every_set() -> list[sets.Run]:
    return [
        sets.Free(1),
        sets.NonNegative(1),
        sets.Interval(-1.0, 1.0),
        sets.CoulombCone([0.5, 0.0]),
        sets.RollingCone([0.5], [0.1]),
        sets.SpinningCone([0.5], [0.1], [0.1]),
    ]


def _matrix(runs: list[sets.Run], **options: Any) -> ConeProblem:
    rows = sum(run.rows for run in runs)
    W = 2.0 * np.eye(rows) - 0.5 * np.eye(rows, k=1) - 0.5 * np.eye(rows, k=-1)
    return ConeProblem.from_matrix(W, np.linspace(-1.0, 0.5, rows), sets=runs, **options)


def _stack(**options: Any) -> ConeProblem:
    """Two balls on each other, and on the world."""
    return ConeProblem.from_contacts(
        inverse_mass=[1.0, 1.0],
        inverse_inertia=np.stack([np.eye(3), np.eye(3)]),
        bodies_a=[-1, 0],
        bodies_b=[0, 1],
        normals=[UP, UP],
        arms_a=[(0.0, 0.0, 0.0), UP],
        arms_b=[(0.0, 0.0, -1.0), (0.0, 0.0, -1.0)],
        free_velocity=[(0.1, 0.0, -1.0, 0.0, 0.0, 0.0)] * 2,
        friction=0.5,
        **options,
    )


def _jointed_bodies() -> ConeProblem:
    """The two balls with rolling friction at one contact, and a scalar row of each kind."""
    rows = np.zeros((3, 12))
    rows[:, :3] = -np.eye(3)
    rows[:, 6:9] = np.eye(3)
    operator = BodyOperator(
        inverse_mass=[1.0, 1.0],
        inverse_inertia=np.stack([np.eye(3), np.eye(3)]),
        bodies_a=[-1, 0, 0, 0, 0],
        bodies_b=[0, 1, 1, 1, 1],
        arms_a=[(0.0, 0.0, 0.0), UP],
        arms_b=[(0.0, 0.0, -1.0), (0.0, 0.0, -1.0)],
        wrenches=1,
        jacobian=rows,
    )
    runs = [
        sets.CoulombCone([0.5], [UP]),
        sets.SpinningCone([0.5], [0.1], [0.1], [UP]),
        sets.Free(1),
        sets.NonNegative(1),
        sets.Interval(-1.0, 1.0),
    ]
    return ConeProblem(operator, np.linspace(-1.0, 0.5, operator.rows), runs)


def _factored() -> ConeProblem:
    H = sp.eye_array(6, format="csc")
    return ConeProblem.from_bodies(
        sp.eye_array(6, format="csc"), H, np.linspace(-1.0, 0.5, 6), friction=0.5, form="factored"
    )
