"""Actuators of MJCF as motors of joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from amontons.errors import InputError
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Actuator
from amontons.interchange.robots.mjcf_joints import has_one_coordinate
from amontons.interchange.robots.mjcf_names import actuator_name, joint_name
from amontons.model.joints import Motor, PositionMotor, SpeedMotor, TorqueMotor
from amontons.model.joints.checks import signal
from amontons.model.joints.constraints import Signal


class Actuated(NamedTuple):
    """Motors and controls made from the actuators of a file."""

    motors: dict[int, Motor]  # by joint
    actuators: dict[str, Actuator]  # by name


def read_motors(
    mujoco: Any, model: Any, data: Any, controls: Mapping[str, Signal], left_out: LeftOut
) -> Actuated:
    """Motors of hinges and slides; all other actuators are noted as left out."""
    names = _names(mujoco, model)
    for name, value in controls.items():
        if name not in names:
            raise InputError(
                f"there is no actuator {name!r}; the file has {', '.join(names) or 'none'}"
            )
        signal(f"control of {name!r}", value)
    motors: dict[int, Motor] = {}
    actuators: dict[str, Actuator] = {}
    for number, name in enumerate(names):
        joint = _driven(mujoco, model, number)
        if joint is None:
            left_out.add("actuators of tendons, sites, bodies, or ball and free joints", name)
        elif joint in motors:
            left_out.add("second actuators of joints", name)
        else:
            control = _clamped(model, number, controls.get(name, float(data.ctrl[number])))
            found = _motor(mujoco, model, data, number, joint, control)
            if found is None:
                left_out.add("actuators other than motors and servos of position or speed", name)
            else:
                motors[joint], (factor, offset) = found
                actuators[name] = Actuator(
                    joint_name(model, joint), factor, offset, *_control_range(model, number)
                )
    return Actuated(motors, actuators)


def _names(mujoco: Any, model: Any) -> list[str]:
    """Names of actuators; one without is called after its joint, where no other would be."""
    wanted = []
    for number in range(model.nu):
        joint = _driven(mujoco, model, number)
        own = str(model.actuator(number).name)
        wanted.append(
            own or (actuator_name(model, number) if joint is None else joint_name(model, joint))
        )
    return [
        name
        if wanted.count(name) == 1 or model.actuator(number).name
        else actuator_name(model, number)
        for number, name in enumerate(wanted)
    ]


def _control_range(model: Any, number: int) -> tuple[float, float]:
    if not model.actuator_ctrllimited[number]:
        return -math.inf, math.inf
    low, high = (float(each) for each in model.actuator_ctrlrange[number])
    return low, high


def _driven(mujoco: Any, model: Any, number: int) -> int | None:
    """The hinge or slide that an actuator drives."""
    if model.actuator_trntype[number] != mujoco.mjtTrn.mjTRN_JOINT:
        return None
    joint = int(model.actuator_trnid[number, 0])
    return joint if has_one_coordinate(mujoco, model, joint) else None


def _clamped(model: Any, number: int, control: Signal) -> Signal:
    """A control, clipped to its range."""
    low, high = _control_range(model, number)
    if callable(control):
        return lambda time: min(max(control(time), low), high)
    return min(max(control, low), high)


def _line(control: Signal, factor: float, offset: float) -> Signal:
    """factor·control + offset, at any time."""
    if callable(control):
        return lambda time: factor * control(time) + offset
    return factor * control + offset


def _motor(
    mujoco: Any, model: Any, data: Any, number: int, joint: int, control: Signal
) -> tuple[Motor, tuple[float, float]] | None:
    """Force = gain·control + b₀ + b₁ length + b₂ speed, with length = gear·position.

    The motor comes with the linear map from a control to its command.
    """
    bias = int(model.actuator_biastype[number])
    none, affine = int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)
    simple = (
        model.actuator_dyntype[number] == mujoco.mjtDyn.mjDYN_NONE
        and model.actuator_gaintype[number] == mujoco.mjtGain.mjGAIN_FIXED
        and bias in (none, affine)
    )
    if not simple:
        return None
    gear, gain = float(model.actuator_gear[number, 0]), float(model.actuator_gainprm[number, 0])
    b0, b1, b2 = model.actuator_biasprm[number, :3].tolist()
    if bias == none:
        b0 = b1 = b2 = 0.0
    limit = _limit(model, number, gear)
    if limit is None or gear == 0.0:
        return None
    if b1 == 0.0 and b2 == 0.0:
        line = gear * gain, gear * b0
        return TorqueMotor(torque=_line(control, *line), limit=limit), line
    if b1 == 0.0 and b2 < 0.0:
        # gain·control + b₀ + b₂ gear·q̇ vanishes at the commanded speed
        line = -gain / (b2 * gear), -b0 / (b2 * gear)
        speed = _line(control, *line)
        return SpeedMotor(speed=speed, damping=-b2 * gear**2, limit=limit), line
    if b1 < 0.0 and b2 <= 0.0:
        # rests where gain·control + b₀ + b₁ gear·q = 0; q counts from the start
        place = float(data.qpos[model.jnt_qposadr[joint]])
        line = -gain / (b1 * gear), -b0 / (b1 * gear) - place
        servo = PositionMotor(
            position=_line(control, *line), stiffness=-b1 * gear**2, damping=-b2 * gear**2,
            limit=limit,
        )  # fmt: skip
        return servo, line
    return None


def _limit(model: Any, number: int, gear: float) -> float | None:
    """The largest torque or force at the joint, or None where it differs by direction."""
    if not model.actuator_forcelimited[number]:
        return math.inf
    low, high = model.actuator_forcerange[number].tolist()
    return abs(gear) * high if low == -high and high > 0.0 else None
