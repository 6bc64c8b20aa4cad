"""What is checked before and after a step: that every number of the bodies is a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.soundness import UNIT, first_unsound, scale_to_unit
from amontons.errors import InputError, SimulationError
from amontons.model.world import World
from amontons.simulation.model import Model, body_state
from amontons.simulation.state import BodyState

Floats = NDArray[np.float64]


def check_world(world: World) -> None:
    """Raise unless every number of a world's bodies is finite."""
    ids = world.bodies.id
    check_bodies(body_state(world.bodies), world.gravity, lambda row: world.name_of(int(ids[row])))


def check_bodies(bodies: BodyState, gravity: Floats, name_of: Callable[[int], str]) -> None:
    """Raise where a body's state is not finite, or a quaternion not unit: names the body.

    `name_of` says what the body in a row is called.
    """
    turn = bodies.orientation
    if not bodies.id.size:
        raise InputError("the world is empty: add a body before the first step")
    if not all(map(math.isfinite, gravity.tolist())):
        raise InputError(f"gravity is {gravity.tolist()}; it must be finite")
    unsound = first_unsound(bodies.position, turn, bodies.twist, bodies.force, bodies.torque) >= 0
    if unsound or not np.isfinite(bodies.surface_velocity).all():
        _explain(bodies, name_of)


def unit(turn: Floats) -> Floats:
    """Quaternions with what is left of rounding scaled away, shape (bodies, 4)."""
    scaled = np.empty_like(turn)
    scale_to_unit(turn, scaled)
    return scaled


def _explain(bodies: BodyState, name_of: Callable[[int], str]) -> NoReturn:
    """Raise an error that names the first body whose state is unsound, and says why."""
    for name in ("position", "orientation", "twist", "force", "torque", "surface_velocity"):
        array = getattr(bodies, name)
        if np.isfinite(array).all():
            continue
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        what = "velocity" if name == "twist" else name.replace("_", " ")
        raise InputError(
            f"the {what} of {name_of(row)} is {array[row].tolist()}; "
            "it must be finite: nothing was changed in this step"
        )
    length = np.sqrt(np.einsum("ij,ij->i", bodies.orientation, bodies.orientation))
    row = int(np.argmax(np.abs(length - 1.0) > UNIT))
    raise InputError(
        f"the orientation of {name_of(row)} has length "
        f"{length[row]:g}; quaternions must be unit: divide by the length"
    )


def check_velocities(model: Model, velocity: Floats) -> None:
    """Raise where a step gave a body a velocity that is not finite; nothing has changed so far."""
    if np.isfinite(velocity).all():
        return
    row = int(np.argwhere(~np.isfinite(velocity))[0, 0])
    raise SimulationError(
        f"the step gave {model.name_of(row)} the velocity "
        f"{velocity[row].tolist()}: forces, masses or joints are beyond what numbers can hold; "
        "nothing was changed in this step"
    )
