"""Joints of MJCF."""

from __future__ import annotations

from typing import Any

import numpy as np

from amontons.interchange.robots.configuration import Clamped, limits_from
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Axis, Way
from amontons.interchange.robots.mjcf_names import body_name, joint_name


def has_one_coordinate(mujoco: Any, model: Any, joint: int) -> bool:
    """Whether a joint is a hinge or a slide."""
    kinds = mujoco.mjtJoint
    return int(model.jnt_type[joint]) in (int(kinds.mjJNT_HINGE), int(kinds.mjJNT_SLIDE))


def set_configuration(mujoco: Any, model: Any, data: Any, start: Clamped) -> None:
    """Move hinges and slides to the requested values, or to where their limits allow."""
    for joint in range(model.njnt):
        if has_one_coordinate(mujoco, model, joint):
            place = int(model.jnt_qposadr[joint])
            usual = float(data.qpos[place])
            data.qpos[place] = start.value(joint_name(model, joint), usual, _limits(model, joint))


def _limits(model: Any, joint: int) -> tuple[float, float] | None:
    if not model.jnt_limited[joint]:
        return None
    low, high = model.jnt_range[joint].tolist()
    return low, high


def axes_of(
    mujoco: Any, model: Any, data: Any, body: int, motors: dict[int, Any], left_out: LeftOut
) -> tuple[list[Axis], bool]:
    """The axes of a body, in order from its parent, and whether it is free."""
    first, number = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    axes = []
    for joint in range(first, first + number):
        name = joint_name(model, joint)
        _list_missing(mujoco, model, joint, name, left_out)
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            dof = int(model.jnt_dofadr[joint])
            if model.dof_damping[dof : dof + 6].any() or model.jnt_stiffness[joint]:
                left_out.add("damping and stiffness of free joints", name)
            return [], True
        axes.append(_axis(mujoco, model, data, joint, name, motors, left_out))
    if len(axes) > 1:
        left_out.add(
            "several joints in one body: small bodies between them carry a thousandth of its mass",
            body_name(model, body),
        )
    return axes, False


def _axis(
    mujoco: Any, model: Any, data: Any, joint: int, name: str, motors: dict[int, Any],
    left_out: LeftOut,
) -> Axis:  # fmt: skip
    dof, place = int(model.jnt_dofadr[joint]), int(model.jnt_qposadr[joint])
    ball = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL
    hinge = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE
    common: dict[str, Any] = {
        "name": name,
        "point": data.xanchor[joint].copy(),
        "direction": data.xaxis[joint].copy(),
        "damping": float(np.ravel(model.dof_damping[dof])[0]),
        "stiffness": float(np.ravel(model.jnt_stiffness[joint])[0]),
    }
    if ball:
        if model.jnt_limited[joint]:
            left_out.add("limits of ball joints", name)
        if model.dof_frictionloss[dof]:
            left_out.add("dry friction of ball joints", name)
        if (
            common["stiffness"]
            and (data.qpos[place : place + 4] != model.qpos_spring[place : place + 4]).any()
        ):
            left_out.add("springs of ball joints that are not at rest at the start", name)
            common["stiffness"] = 0.0
        return Axis(way=Way.BALL, **common)
    value = float(data.qpos[place])
    return Axis(
        way=Way.HINGE if hinge else Way.SLIDE,
        limits=limits_from(_limits(model, joint), value),
        friction=float(model.dof_frictionloss[dof]),
        rest=float(model.qpos_spring[place]) - value,
        motor=motors.get(joint),
        armature=float(model.dof_armature[dof]),
        **common,
    )


def _list_missing(mujoco: Any, model: Any, joint: int, name: str, left_out: LeftOut) -> None:
    dof = int(model.jnt_dofadr[joint])
    if not has_one_coordinate(mujoco, model, joint) and model.dof_armature[dof]:
        left_out.add("armature (the inertia of rotors) of ball and free joints", name)
    if model.jnt_margin[joint]:
        left_out.add("margins of joints' limits", name)
