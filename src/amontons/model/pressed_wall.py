"""`PressedWall`: a wall that presses with a given stress, as a body on a guide with a force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from amontons.checks import finite, finite_vector, positive, unit_vector
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.forces import AppliedForce
from amontons.model.joints import Prismatic
from amontons.model.joints.checks import BodyLike, body_id, signal, some_body
from amontons.model.joints.constraints import Signal
from amontons.model.signals import Components, Schedule, Wave

if TYPE_CHECKING:
    from amontons.model.world import World


@dataclass(frozen=True)
class PressedWall:
    """A wall that presses on whatever is in front of it: a body with a force, on a guide.

    The wall slides along an axis and does not turn. Once it stands still, contacts push it back
    with stress · area: there is no loop to tune. Its own weight along the axis is balanced, so that
    the stress does not depend on the mass of the wall.

    Parameters
    ----------
    body:
        The wall, which moves freely: its handle or id.
    axis:
        Where it presses to, in world axes.
    stress:
        [Pa], compression is positive; or a function of time [s] that gives it.
    area:
        On which the stress acts [m²].
    guide:
        The body along which the wall slides; by default the world.
    name:
        Of the guide and the force, for messages and readings.
    """

    body: BodyLike
    axis: Vector
    stress: Signal
    area: float = field(kw_only=True)
    guide: BodyLike = field(default=None, kw_only=True)
    name: str = field(default="pressed wall", kw_only=True)

    def __post_init__(self) -> None:
        if some_body("body", self.body) == body_id("guide", self.guide):
            raise InputError("guide is the wall itself; name the body that it slides along")
        for name, check in (("axis", unit_vector), ("stress", signal), ("area", positive)):
            object.__setattr__(self, name, check(name, getattr(self, name)))
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"name must be text, got {self.name!r}")

    def add_to(self, world: World) -> Prismatic:
        """Add the guide and the force to a world; return the guide, which measures the travel."""
        index = world.index_of(some_body("body", self.body))
        if not world.bodies.dynamic[index]:
            raise InputError(
                f"{self.name}: {world.name_of(some_body('body', self.body))} is fixed or has a "
                "motion, so no stress moves it; give it a mass instead"
            )
        guide = Prismatic(
            self.guide,
            self.body,
            point=finite_vector("position", world.bodies.position[index]),
            axis=self.axis,
            name=self.name,
        )
        world.add_joint(guide)
        world.add_force(AppliedForce(self.body, self._force(world, index), name=self.name))
        return guide

    def _force(self, world: World, index: int) -> Any:
        """stress · area along the axis, less the weight along it [N]: a vector or a signal."""
        axis = np.array(self.axis)
        weight = float(world.bodies.mass[index] * (world.gravity @ axis))
        factor, offset = self.area * axis, -weight * axis
        if not callable(self.stress):
            return tuple((self.stress * factor + offset).tolist())
        pairs = list(zip(factor.tolist(), offset.tolist(), strict=True))
        if isinstance(self.stress, Schedule | Wave):  # scene files can hold these
            return Components(tuple(_scaled(self.stress, *pair) for pair in pairs))
        return _Pressing(self.stress, self.name, tuple(pairs))


@dataclass(frozen=True)
class _Pressing:
    """The force of a stress that is any function of time."""

    stress: Callable[[float], float]
    name: str
    pairs: tuple[tuple[float, float], ...]

    def __call__(self, time: float) -> Vector:
        stress = finite(f"stress of {self.name} at {time:g} s", self.stress(time))
        x, y, z = (factor * stress + offset for factor, offset in self.pairs)
        return x, y, z


def _scaled(stress: Schedule | Wave, factor: float, offset: float) -> float | Schedule | Wave:
    """factor · stress + offset, as a signal of the same kind."""
    if factor == 0.0:
        return offset
    if isinstance(stress, Wave):
        return replace(
            stress, amplitude=factor * stress.amplitude, mean=factor * stress.mean + offset
        )
    points = [(time, factor * value + offset) for time, value in stress.points]
    return Schedule(points, smooth=stress.smooth)
