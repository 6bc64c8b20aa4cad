"""Springs and dampers in all six directions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from amontons.checks import finite_array, unit_vector
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.joints.base import Connection
from amontons.model.joints.constraints import (
    AXES,
    JointConstraints,
    JointMeasure,
    Softness,
    Term,
    along,
    as_vector,
)

SQUARE = 1e-6
"""Cosine up to which two axes count as perpendicular."""


@dataclass(frozen=True, kw_only=True)
class Bushing(Connection):
    """A block of rubber: springs and dampers along and about three axes of A.

    Parameters
    ----------
    point:
        Its centre [m].
    axes:
        Three directions at right angles, by default those of the world.
    stiffness, damping:
        Along the axes [N/m, N s/m]: one number, or one per axis.
    angular_stiffness, angular_damping:
        About the axes [N m/rad, N m s/rad]: one number, or one per axis.
    """

    point: Vector
    axes: tuple[Vector, ...] = AXES
    stiffness: float | Vector = 0.0
    damping: float | Vector = 0.0
    angular_stiffness: float | Vector = 0.0
    angular_damping: float | Vector = 0.0

    def check(self) -> None:
        if np.shape(self.axes) != (3, 3):
            raise InputError(f"axes must be three directions, got {self.axes!r}")
        axes = tuple(unit_vector(f"axes[{k}]", axis) for k, axis in enumerate(self.axes))
        if np.abs(np.array(axes) @ np.transpose(axes) - np.eye(3)).max() > SQUARE:
            raise InputError(f"axes must be at right angles to each other, got {axes}")
        object.__setattr__(self, "axes", axes)
        for name in ("stiffness", "damping", "angular_stiffness", "angular_damping"):
            self._check(name, one_an_axis)
        if not self.constraints().rows:
            raise InputError(f"{self.title} has neither stiffness nor damping: it does nothing")

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point)
        for axis, softness in self._springs(self.stiffness, self.damping):
            constraints.hold(along(self.point, axis), softness=softness)
        for axis, softness in self._springs(self.angular_stiffness, self.angular_damping):
            term = Term(JointMeasure.TWIST, normal=axis)
            constraints.hold(term, softness=softness, angular=True)
        return constraints

    def _springs(
        self, stiffness: ArrayLike, damping: ArrayLike
    ) -> Iterator[tuple[Vector, Softness]]:
        """Axes along or about which it acts, with stiffness and damping."""
        k, c = np.broadcast_to(stiffness, 3).tolist(), np.broadcast_to(damping, 3).tolist()
        for axis, softness in zip(self.axes, map(Softness, k, c), strict=True):
            if softness != (0.0, 0.0):
                yield axis, softness


def one_an_axis(name: str, value: ArrayLike) -> Vector:
    """Three numbers, none negative; one stands for all."""
    array = finite_array(name, value)
    if array.shape not in ((), (3,)):
        raise InputError(f"{name} must be one number or three, got an array of shape {array.shape}")
    if (array < 0.0).any():
        raise InputError(f"{name} is {array.tolist()}; it must not be negative")
    return as_vector(np.broadcast_to(array, 3))
