"""Joints of robots as joints of ours: limits, friction, springs, dampers and motors."""

from __future__ import annotations

from typing import Any

import numpy as np

from amontons.array_types import Floats
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Axis, Way
from amontons.model.bodies import Body
from amontons.model.forces import Bushing, TorsionSpring
from amontons.model.joints import (
    Connection,
    Planar,
    PositionMotor,
    Prismatic,
    Revolute,
    Spherical,
)
from amontons.model.joints.constraints import as_vector, perpendiculars
from amontons.model.world import World


def add_axis(
    world: World, axis: Axis, carrier: Body | None, body: Body, left_out: LeftOut
) -> Connection:
    """Add a joint and its springs; return it."""
    point, direction = as_vector(axis.point), as_vector(_unit(axis.direction))
    if axis.way in (Way.HINGE, Way.SLIDE):
        motor, spring = axis.motor, axis.stiffness
        if axis.way is Way.SLIDE and spring and axis.rest != 0.0:  # a bushing rests at zero
            if motor is None:
                motor = PositionMotor(position=axis.rest, stiffness=spring, damping=axis.damping)
            else:
                left_out.add("springs of slides that also have motors", axis.name)
            spring = 0.0
        kind = Revolute if axis.way is Way.HINGE else Prismatic
        joint: Connection = kind(
            carrier, body, point=point, axis=direction, name=axis.name,
            limits=axis.limits, friction=axis.friction, motor=motor, armature=axis.armature,
        )  # fmt: skip
        resisting = spring or (axis.damping and motor is axis.motor)
        if resisting:
            _add_resistance(world, axis, spring, carrier, body)
    elif axis.way is Way.PLANAR:
        joint = Planar(carrier, body, point=point, normal=direction, name=axis.name)
    else:
        joint = Spherical(carrier, body, point=point, name=axis.name)
        if axis.stiffness or axis.damping:
            rubber: dict[str, Any] = {
                "angular_stiffness": axis.stiffness, "angular_damping": axis.damping,
            }  # fmt: skip
            world.add_joint(Bushing(carrier, body, point=point, name=_spring_name(axis), **rubber))
    world.add_joint(joint)
    return joint


def _add_resistance(
    world: World, axis: Axis, stiffness: float, carrier: Body | None, body: Body
) -> None:
    """The spring and damper of a hinge or slide."""
    direction = as_vector(_unit(axis.direction))
    if axis.way is Way.HINGE:
        spring: Connection = TorsionSpring(
            carrier, body, axis=direction, stiffness=stiffness, damping=axis.damping,
            angle=axis.rest, name=_spring_name(axis),
        )  # fmt: skip
    else:
        axes = (direction, *perpendiculars(direction))
        spring = Bushing(
            carrier, body, point=as_vector(axis.point), axes=axes,
            stiffness=(stiffness, 0.0, 0.0), damping=(axis.damping, 0.0, 0.0),
            name=_spring_name(axis),
        )  # fmt: skip
    world.add_joint(spring)


def _spring_name(axis: Axis) -> str:
    return f"{axis.name} (spring)"


def _unit(direction: Floats) -> Floats:
    return np.asarray(direction / np.linalg.norm(direction))
