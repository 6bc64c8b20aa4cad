"""Limits, friction and a motor on the free coordinate of a joint."""

from __future__ import annotations

import math
from typing import NamedTuple

from amontons.model.joints.checks import Limits
from amontons.model.joints.constraints import LOOK_AHEAD, ConstraintRow, JointConstraints, Law, Term
from amontons.model.joints.motors import Motor


class Drive(NamedTuple):
    """Everything that acts along or about the axis of a joint."""

    limits: Limits = None  # lowest and highest value [rad or m]
    friction: float = 0.0  # largest torque [N m] or force [N]
    motor: Motor | None = None
    armature: float = 0.0  # inertia of the motor's rotor as seen at the joint [kg m² or kg]
    load_friction: float = 0.0  # more friction for each newton across the axis [m or 1]


FREE = Drive()
"""Nothing."""


def add_drive(
    constraints: JointConstraints, *terms: Term, angular: bool, drive: Drive = FREE
) -> None:
    """Add a free coordinate, which appears in readings, and the rows of its drive."""
    number = constraints.coordinate(
        *terms, angular=angular, reading="angle" if angular else "travel"
    )
    if drive.limits is not None:
        low, high = drive.limits
        margin = look_ahead(low, high)
        for sign, bound in ((1.0, low), (-1.0, high)):
            if math.isfinite(bound):
                constraints.rows.append(
                    ConstraintRow(number, Law.LIMIT, bound, sign=sign, margin=margin)
                )
    if drive.friction > 0.0 or drive.load_friction > 0.0:
        constraints.rows.append(
            ConstraintRow(number, Law.SPEED, bound=drive.friction, per_load=drive.load_friction)
        )
    if drive.motor is not None:
        constraints.rows.append(drive.motor.row(number))
    if drive.armature > 0.0:
        constraints.rows.append(ConstraintRow(number, Law.INERTIA, inertia=drive.armature))


def look_ahead(low: float, high: float) -> float:
    """Distance to a limit from which it is in every problem [rad or m]."""
    finite = [abs(bound) for bound in (low, high) if math.isfinite(bound)]
    return LOOK_AHEAD * (high - low if len(finite) == 2 else sum(finite))
