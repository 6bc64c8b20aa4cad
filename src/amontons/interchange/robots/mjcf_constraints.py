"""Equality constraints and contact exclusions of MJCF."""

from __future__ import annotations

from typing import Any

import numpy as np

from amontons.errors import InputError
from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Pose
from amontons.interchange.robots.mjcf_names import body_name
from amontons.model.bodies import Body
from amontons.model.joints import Connection, Fixed, Spherical
from amontons.model.joints.constraints import as_vector

CLOSE = 1e-6
"""Largest error of a constraint at the start [m or 1]."""


def excluded_pairs(mujoco: Any, model: Any) -> list[tuple[str, str]]:
    """Names of bodies that `<exclude>` keeps from colliding."""
    pairs = []
    for signature in model.exclude_signature[: model.nexclude].tolist():
        pairs.append((body_name(model, signature >> 16), body_name(model, signature & 0xFFFF)))
    return pairs


def add_constraints(
    mujoco: Any, model: Any, data: Any, imported: Imported, place: Pose, left_out: LeftOut
) -> None:
    """Add `connect` and `weld` as joints; note all others."""
    for number in range(model.neq):
        name = str(model.equality(number).name) or f"equality {number} of the file"
        if not model.eq_active0[number]:
            left_out.add("equality constraints that are not active", name)
            continue
        joint = _joint(mujoco, model, data, number, name, imported, place)
        if joint is None:
            left_out.add(
                "equality constraints other than connect and weld that hold at the start", name
            )
            continue
        try:
            imported.world.add_joint(joint)
        except InputError:
            left_out.add("equality constraints between bodies that cannot move", name)
            continue
        imported.joints[name] = joint


def _joint(
    mujoco: Any, model: Any, data: Any, number: int, name: str, imported: Imported, place: Pose
) -> Connection | None:
    kinds, kind = mujoco.mjtEq, model.eq_type[number]
    if model.eq_objtype[number] != mujoco.mjtObj.mjOBJ_BODY:
        return None
    one, other = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    a, b = (_body(model, imported, body) for body in (one, other))
    if a == b:
        return None
    values = model.eq_data[number]
    if kind == kinds.mjEQ_CONNECT:
        here, there = (
            data.xmat[body].reshape(3, 3) @ values[3 * i : 3 * i + 3] + data.xpos[body]
            for i, body in enumerate((one, other))
        )
        if np.linalg.norm(here - there) > CLOSE:
            return None
        return Spherical(a, b, point=as_vector(place.point(here)), name=name)
    if kind == kinds.mjEQ_WELD:
        return _weld(mujoco, model, data, values, (one, other), (a, b), name, place)
    return None


def _weld(
    mujoco: Any, model: Any, data: Any, values: Any, numbers: tuple[int, int],
    ends: tuple[Body | None, Body | None], name: str, place: Pose,
) -> Connection | None:  # fmt: skip
    """A weld, if the second body's anchor is where the first requires it."""
    one, other = numbers
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, values[6:10])
    wanted = data.xmat[one].reshape(3, 3) @ turn.reshape(3, 3)
    here = data.xmat[one].reshape(3, 3) @ values[3:6] + data.xpos[one]
    there = data.xmat[other].reshape(3, 3) @ values[0:3] + data.xpos[other]
    turned = np.abs(wanted - data.xmat[other].reshape(3, 3)).max()
    if np.linalg.norm(here - there) > CLOSE or turned > CLOSE:
        return None
    return Fixed(*ends, point=as_vector(place.point(there)), name=name)


def _body(model: Any, imported: Imported, body: int) -> Body | None:
    return imported.bodies.get(body_name(model, body)) if body else None
