"""The hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amontons.model.joints.axis import AxisJoint
from amontons.model.joints.constraints import AXES, JointConstraints, turn
from amontons.model.joints.drives import add_drive


@dataclass(frozen=True, kw_only=True)
class Revolute(AxisJoint):
    """A hinge: B turns in A about an axis. The angle is zero where the joint is added.

    Parameters
    ----------
    point, axis:
        A point of the axis [m], and its direction.
    limits:
        Lowest and highest angle [rad], counted over full turns.
    friction:
        Largest torque of dry friction [N m].
    motor:
        What drives the angle.
    armature:
        Inertia of the motor's rotor, as the gears show it to the joint [kg m²].
    load_friction:
        Torque of friction beside, for each newton across the axis [m]: μ times the pin's radius.
    """

    freedom: ClassVar[int] = 1

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point, self.axis)
        constraints.hold_point(AXES, self.linear)
        constraints.hold_axis(self.axis, self.angular)
        add_drive(constraints, turn(self.axis), angular=True, drive=self.drive)
        return constraints
