"""The slider and the weld: B does not turn in A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amontons.checks.arrays import Vector
from amontons.model.joints.axis import AxisJoint
from amontons.model.joints.base import Joint
from amontons.model.joints.constraints import AXES, JointConstraints, along, perpendiculars
from amontons.model.joints.drives import add_drive


@dataclass(frozen=True, kw_only=True)
class Prismatic(AxisJoint):
    """A slider: B moves in A along an axis and does not turn. The travel is zero at the start.

    Parameters
    ----------
    point, axis:
        A point of the axis [m], and its direction.
    limits:
        Lowest and highest travel [m].
    friction:
        Largest force of dry friction [N].
    motor:
        What drives the travel.
    armature:
        Inertia of the motor's rotor, as the gears show it to the joint [kg].
    load_friction:
        Force of friction beside, for each newton across the axis: the coefficient μ.
    """

    freedom: ClassVar[int] = 1

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point, self.axis)
        constraints.hold_point(perpendiculars(self.axis), self.linear)
        constraints.hold_orientation(self.angular)
        add_drive(constraints, along(self.point, self.axis), angular=False, drive=self.drive)
        return constraints


@dataclass(frozen=True, kw_only=True)
class Fixed(Joint):
    """A weld: B stays where it is in A.

    Parameters
    ----------
    point:
        Where the reactions are given [m].
    """

    point: Vector
    freedom: ClassVar[int] = 0

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point)
        constraints.hold_point(AXES, self.linear)
        constraints.hold_orientation(self.angular)
        return constraints
