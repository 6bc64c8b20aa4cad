"""`SphereList`: spheres of many sizes as one array of radii, turned into shapes on demand.

A hundred thousand grains have as many radii: their masses and inertias are computed as arrays, not
shape by shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import LARGEST, SMALLEST, finite_array
from amontons.errors import InputError
from amontons.model.shapes import Shape, Sphere

Floats = NDArray[np.float64]


class SphereList(Sequence[Shape]):
    """Spheres with these radii [m], shape (n,)."""

    def __init__(self, radius: ArrayLike, count: int) -> None:
        given = finite_array("radius", radius)
        if given.ndim == 0:
            given = np.full(count, float(given))
        if given.shape != (count,):
            raise InputError(f"radius has shape {given.shape} for {count} positions")
        wrong = ~((given >= SMALLEST) & (given <= LARGEST))
        if wrong.any():
            i = int(np.argmax(wrong))
            raise InputError(
                f"radius[{i}] is {given[i]:g}; it must be positive, from {SMALLEST:g} to "
                f"{LARGEST:g}"
            )
        self.radius: Floats = given

    def __len__(self) -> int:
        return len(self.radius)

    @overload
    def __getitem__(self, number: int) -> Shape: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Shape]: ...

    def __getitem__(self, number: int | slice) -> Shape | Sequence[Shape]:
        if isinstance(number, slice):
            chosen = self.radius[number]
            return SphereList(chosen, len(chosen))
        return sphere(float(self.radius[number]))

    @property
    def volume(self) -> Floats:
        """4/3 π r³ [m³], shape (n,)."""
        return np.asarray(4.0 / 3.0 * np.pi * self.radius**3)

    def inertia(self, mass: Floats) -> Floats:
        """2/5 m r² about all axes [kg m²], shape (n, 3, 3)."""
        return np.asarray((0.4 * mass * self.radius**2)[:, None, None] * np.eye(3))

    def distinct(self) -> tuple[list[Shape], NDArray[np.int64]]:
        """Its distinct spheres, in the order of their radii, and which of them each one is."""
        sizes, which = np.unique(self.radius, return_inverse=True)
        return [sphere(radius) for radius in sizes.tolist()], which.ravel()


def sphere(radius: float) -> Sphere:
    """A sphere whose radius has been checked."""
    made = object.__new__(Sphere)
    object.__setattr__(made, "radius", radius)
    return made


def one_shape_each(shape: Shape | Sequence[Shape], count: int) -> Sequence[Shape]:
    """The shapes of `count` bodies, given one for all or one per body."""
    if isinstance(shape, Shape):
        return [shape] * count
    if isinstance(shape, SphereList) and len(shape) == count:
        return shape
    shapes = list(shape)
    for i, each in enumerate(shapes):
        if not isinstance(each, Shape):
            raise InputError(f"shape[{i}] must be a shape such as amontons.Sphere, got {each!r}")
    if len(shapes) != count:
        raise InputError(f"{len(shapes)} shapes for {count} positions")
    return shapes
