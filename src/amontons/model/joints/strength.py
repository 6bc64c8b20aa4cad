"""The strength of a joint, by kind of load."""

from __future__ import annotations

import math
from dataclasses import dataclass

from amontons.checks import positive_or_infinite, unit_vector
from amontons.checks.arrays import Vector

WAYS = ("tension", "compression", "shear", "bending", "torsion")
"""Kinds of load on a joint, distinguished by its axis."""


@dataclass(frozen=True, kw_only=True)
class Strength:
    """Largest loads of a joint, each by itself; if one is exceeded, the joint breaks.

    Parameters
    ----------
    tension, compression:
        Largest force along the axis [N]: one that pulls B away from A, and one that presses B
        against A.
    shear:
        Largest force across the axis [N].
    bending, torsion:
        Largest torque at the joint's point [N m]: across the axis, and about it.
    axis:
        Direction from A to B in world axes, as things are when the joint is added; it is fixed in B
        from then on. By default it is the axis or normal of the joint, for rods, ropes and linear
        springs the line of their ends, and else the line from A's centre of mass to B's (where one
        of the two is the world, the joint's point stands for its centre).
    """

    tension: float = math.inf
    compression: float = math.inf
    shear: float = math.inf
    bending: float = math.inf
    torsion: float = math.inf
    axis: Vector | None = None

    def __post_init__(self) -> None:
        for name in WAYS:
            object.__setattr__(self, name, positive_or_infinite(name, getattr(self, name)))
        if self.axis is not None:
            object.__setattr__(self, "axis", unit_vector("axis", self.axis))

    @property
    def limits(self) -> tuple[float, ...]:
        """Largest loads, in the order of `WAYS` [N, N m]."""
        return tuple(getattr(self, name) for name in WAYS)
