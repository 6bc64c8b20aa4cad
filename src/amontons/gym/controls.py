"""The range of a robot's controls, which is that of actions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from amontons.array_types import Floats
from amontons.checks import finite
from amontons.errors import InputError
from amontons.model.joints import Motor, PositionMotor, SpeedMotor, TorqueMotor
from amontons.robots import Robot

Range = tuple[float, float]


def control_ranges(robot: Robot, given: Mapping[str, Range] | Range | None) -> Floats:
    """Lowest and highest control, as the file counts them; shape (controls, 2).

    One that is given comes first, one pair for all or pairs by name; then the file's range
    (ctrlrange); then the largest effort of a motor that is told an effort, or the limits of the
    joint of one that is told a position.
    """
    if not robot.control_names:
        raise InputError(
            f"the robot {robot.name!r} has no motors, so there is nothing to act with; an MJCF "
            'file needs <actuator>, a URDF file motors="torque", "position" or "speed"'
        )
    by_name: Mapping[str, Range] = given if isinstance(given, Mapping) else {}
    for name in by_name:
        if name not in robot.control_names:
            raise InputError(
                f"action_limits names {name!r}, which is no control of the robot "
                f"{robot.name!r}; it has {', '.join(robot.control_names)}"
            )
    everywhere = None if isinstance(given, Mapping) else given
    return np.array(
        [_range(robot, name, by_name.get(name, everywhere)) for name in robot.control_names]
    )


def _range(robot: Robot, name: str, given: Range | None) -> Range:
    low, high = _own_range(robot, name) if given is None else _pair(name, given)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise InputError(
            f"the control {name!r} of the robot {robot.name!r} has no limits, and actions need "
            f"them; give action_limits={{{name!r}: (low, high)}}, or one pair for all"
        )
    return low, high


def _pair(name: str, given: Range) -> Range:
    try:
        low, high = (finite(f"action_limits of {name!r}", each) for each in given)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    if not low < high:
        raise InputError(
            f"action_limits of {name!r} must be a pair of finite numbers, the lower first, got "
            f"{given!r}"
        )
    return low, high


def _own_range(robot: Robot, name: str) -> Range:
    """By the file; infinite where it says nothing."""
    by = robot.imported.actuators[name]
    if np.isfinite([by.low, by.high]).all():
        return by.low, by.high
    joint = robot.imported.joints[by.joint]
    ends = _commands(getattr(joint, "motor", None), getattr(joint, "limits", None))
    first, second = ((end - by.offset) / by.factor for end in ends)
    low, high = min(first, second), max(first, second)
    return max(low, by.low), min(high, by.high)


def _commands(motor: Motor | None, limits: Range | None) -> Range:
    """Commands that a motor can follow, counted from the start of its joint."""
    if isinstance(motor, TorqueMotor):
        return -motor.limit, motor.limit
    if isinstance(motor, PositionMotor) and limits is not None:
        return limits
    assert motor is None or isinstance(motor, PositionMotor | SpeedMotor)
    return -np.inf, np.inf
