"""What bodies, joints and geoms of an MJCF file are called: their names, or their numbers."""

from __future__ import annotations

from typing import Any


def body_name(model: Any, body: int) -> str:
    """The name of a body, or one made from its number."""
    return str(model.body(body).name) or f"body {body} of the file"


def joint_name(model: Any, joint: int) -> str:
    """The name of a joint, or one made from its number."""
    return str(model.joint(joint).name) or f"joint {joint} of the file"


def actuator_name(model: Any, number: int) -> str:
    """The name of an actuator, or one made from its number."""
    return str(model.actuator(number).name) or f"actuator {number} of the file"


def geom_name(model: Any, geom: int) -> str:
    """The name of a geom, or whose it is."""
    own = str(model.geom(geom).name)
    return own or f"one of {body_name(model, int(model.geom_bodyid[geom]))}"
