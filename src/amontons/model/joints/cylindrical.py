"""Joints in which B slides and turns about one axis: shafts, screws, plates on a plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from amontons.checks import finite
from amontons.errors import InputError
from amontons.model.joints.axis import AxisJoint, PlaneJoint
from amontons.model.joints.checks import Limits
from amontons.model.joints.constraints import JointConstraints, along, perpendiculars, turn
from amontons.model.joints.drives import Drive, add_drive
from amontons.model.joints.motors import Motor


@dataclass(frozen=True, kw_only=True)
class Cylindrical(AxisJoint):
    """A shaft in a sleeve: B slides along an axis of A and turns about it.

    Parameters
    ----------
    point, axis:
        A point of the axis [m], and its direction.
    limits, friction, motor:
        Of the travel: lowest and highest value [m], largest force [N], a motor.
    load_friction:
        Friction of the travel for each newton across the axis: the coefficient μ.
    angle_limits, angle_friction, angle_motor:
        Of the angle: lowest and highest value [rad], largest torque [N m], a motor.
    """

    angle_limits: Limits = None
    angle_friction: float = 0.0
    angle_motor: Motor | None = None
    freedom: ClassVar[int] = 2

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point, self.axis)
        constraints.hold_point(perpendiculars(self.axis), self.linear)
        constraints.hold_axis(self.axis, self.angular)
        angle = Drive(self.angle_limits, self.angle_friction, self.angle_motor)
        add_drive(constraints, along(self.point, self.axis), angular=False, drive=self.drive)
        add_drive(constraints, turn(self.axis), angular=True, drive=angle)
        return constraints


@dataclass(frozen=True, kw_only=True)
class Screw(AxisJoint):
    """A screw: B moves along an axis of A by its pitch in each turn.

    Parameters
    ----------
    point, axis:
        A point of the axis [m], and its direction.
    pitch:
        Travel in one turn [m]; negative for a left-handed thread.
    limits, friction, motor:
        Of the angle: lowest and highest value [rad], largest torque [N m], a motor.
    load_friction:
        Friction of the angle for each newton across the axis [m].
    """

    pitch: float
    freedom: ClassVar[int] = 1

    def check(self) -> None:
        self._check("pitch", finite)
        if self.pitch == 0.0:
            raise InputError("pitch is 0: use Revolute for what does not move along its axis")

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point, self.axis)
        constraints.hold_point(perpendiculars(self.axis), self.linear)
        constraints.hold_axis(self.axis, self.angular)
        travel, angle = along(self.point, self.axis), turn(self.axis)
        thread = turn(self.axis, weight=-self.pitch / (2.0 * math.pi))
        constraints.hold(travel, thread, softness=self.linear)
        add_drive(constraints, angle, angular=True, drive=self.drive)
        add_drive(constraints, travel, angular=False)
        return constraints


@dataclass(frozen=True, kw_only=True)
class Planar(PlaneJoint):
    """B slides in a plane of A and turns about its normal.

    Parameters
    ----------
    point, normal:
        A point of the plane [m], and its normal.
    """

    freedom: ClassVar[int] = 3

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point, self.normal)
        constraints.hold_point((self.normal,), self.linear)
        constraints.hold_axis(self.normal, self.angular)
        add_drive(constraints, turn(self.normal), angular=True)
        return constraints
