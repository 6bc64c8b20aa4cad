"""What a simulation is told, and what it finds before each step."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from amontons.checks import finite, positive
from amontons.dynamics.contact_laws import ContactRules
from amontons.dynamics.soundness import UNIT, first_unsound
from amontons.errors import InputError, SimulationError
from amontons.model.world import World
from amontons.problem.units import Yardstick
from amontons.solvers import Auto, ExactCoulomb, Solver

Floats = NDArray[np.float64]

FINE_BELOW = 256
"""Contacts and joint rows up to which the default solver is asked for :data:`FINE`."""

COARSE, FINE = 1e-3, 1e-8
"""Tolerances of the default solver: in a small scene a fine one costs next to nothing."""

MOST_ITERATIONS = 10_000
"""Of the default solver: beds of 10 000 spheres at rest need some 500."""

LEAST_SPEED = 1e-6
"""Speed, in half thicknesses a step, below which bodies count as at rest: errors are not measured
against less."""


def solver_for(solver: Solver | None, friction: str) -> Solver:
    """The solver of every step."""
    if solver is not None and not isinstance(solver, Solver):
        raise InputError(f"solver must be one such as amontons.APGD(), got {solver!r}")
    if friction not in ("convex", "exact"):
        raise InputError(f"friction must be 'convex' or 'exact', got {friction!r}")
    inner = solver or Auto(tolerance=COARSE, max_iterations=MOST_ITERATIONS, budget=0.5)
    if friction == "convex" or inner.exact:
        return inner
    return ExactCoulomb(inner=inner, tolerance=inner.tolerance)


def finer(solver: Solver) -> Solver:
    """The default solver as it is used on small problems."""
    if isinstance(solver, ExactCoulomb):
        return dataclasses.replace(solver, inner=finer(solver.inner), tolerance=FINE)
    return dataclasses.replace(solver, tolerance=FINE)


class GivenRules(NamedTuple):
    """What a user says of contacts; None leaves it to the bodies' size and gravity."""

    near: float | None  # [m]
    recovery_speed: float | None  # [m/s]
    bounce_speed: float | None  # [m/s]

    def checked(self) -> GivenRules:
        """The same as plain floats, or an error that names what is wrong."""
        given = {name: finite(name, v) for name, v in self._asdict().items() if v is not None}
        for name, value in given.items():
            if value < 0.0:
                raise InputError(f"{name} is {value:g}; it must not be negative")
        if self.near is not None:
            positive("near", self.near)
        return self._replace(**given)


@lru_cache(maxsize=8)  # most steps are as long as the last
def contact_rules(
    size: float, g: float, step: float, given: GivenRules, exact: bool
) -> ContactRules:
    """Lengths and speeds of contact, by default from a typical body's size [m] and g [m/s²]."""
    near = 0.02 * size if given.near is None else given.near
    fall = math.sqrt(2.0 * g * size) or size / step
    return ContactRules(
        near=near,
        recovery_speed=0.1 * fall if given.recovery_speed is None else given.recovery_speed,
        bounce_speed=2.0 * g * step if given.bounce_speed is None else given.bounce_speed,
        lift_speed=math.inf if exact else g * step,
        slip_speed=1e-3 * fall,
        cohesion_range=0.25 * near,
        yardstick=Yardstick(least=LEAST_SPEED * size / step, most=min(fall, size / step)),
    )


def check_bodies(world: World) -> Floats:
    """Raise where a body's state is not finite, or a quaternion not unit: names the body.

    Returns the orientations with what is left of rounding scaled away, shape (bodies, 4).
    """
    bodies, turn = world.bodies, world.bodies.orientation
    if not len(bodies):
        raise InputError("the world is empty: add a body before the first step")
    gravity = world.gravity.tolist()
    if not all(map(math.isfinite, gravity)):
        raise InputError(f"gravity is {gravity}; it must be finite")
    if first_unsound(bodies.position, turn, bodies.twist, bodies.force, bodies.torque) >= 0:
        _explain(world)
    length = np.sqrt(np.einsum("ij,ij->i", turn, turn))
    return np.asarray(turn / length[:, None])


def _explain(world: World) -> NoReturn:
    """Raise an error that names the first body whose state is unsound, and says why."""
    bodies = world.bodies
    for name in ("position", "orientation", "twist", "force", "torque"):
        array = bodies.columns[name]
        if np.isfinite(array).all():
            continue
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        what = "velocity" if name == "twist" else name
        raise InputError(
            f"the {what} of {world.name_of(int(bodies.id[row]))} is {array[row].tolist()}; "
            "it must be finite: nothing was changed in this step"
        )
    length = np.sqrt(np.einsum("ij,ij->i", bodies.orientation, bodies.orientation))
    row = int(np.argmax(np.abs(length - 1.0) > UNIT))
    raise InputError(
        f"the orientation of {world.name_of(int(bodies.id[row]))} has length "
        f"{length[row]:g}; quaternions must be unit: divide by the length"
    )


def check_velocities(world: World, velocity: Floats) -> None:
    """Raise where a step gave a body a velocity that is not finite; nothing has changed so far."""
    if np.isfinite(velocity).all():
        return
    row = int(np.argwhere(~np.isfinite(velocity))[0, 0])
    raise SimulationError(
        f"the step gave {world.name_of(int(world.bodies.id[row]))} the velocity "
        f"{velocity[row].tolist()}: forces, masses or joints are beyond what numbers can hold; "
        "nothing was changed in this step"
    )
