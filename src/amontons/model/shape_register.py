"""Shapes of a world in one list without duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import finite_vector
from amontons.errors import InputError
from amontons.model.shapes import Shape
from amontons.model.sphere_list import SphereList

Origin = tuple[float, float, float]


class ShapeRegister:
    """The list of shapes, with the bodies' centres of mass in their frames."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: list[Shape] = []
        self.origins: list[Origin] = []
        """Centre of mass of the bodies that have each shape, in its frame [m]."""
        self._shape_number: dict[tuple[Any, Origin], int] = {}

    def register(
        self, shapes: Sequence[Shape], centre: ArrayLike | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Numbers of shapes in the list, to which new ones are added, and their centres."""
        given = None if centre is None else finite_vector("centre", centre)
        if isinstance(shapes, SphereList):
            different, which = shapes.distinct()
            number = self.register(different, centre)[0][which]
            return number, np.array(self.origins).reshape(-1, 3)[number]
        numbers: dict[int, int] = {}
        for shape in {id(shape): shape for shape in shapes}.values():
            origin = _centre(shape) if given is None else given
            key = (_identity(shape), origin)
            if key not in self._shape_number:
                self._shape_number[key] = len(self.shapes)
                self.shapes.append(shape)
                self.origins.append(origin)
            numbers[id(shape)] = self._shape_number[key]
        number = np.array([numbers[id(shape)] for shape in shapes], dtype=np.int32)
        return number, np.array(self.origins).reshape(-1, 3)[number]

    def put_shapes(self, shapes: list[Shape], origins: list[Origin]) -> None:
        """Replace the list by that of a checkpoint; no body may have another shape."""
        self.shapes, self.origins = list(shapes), list(origins)
        keys = ((_identity(s), o) for s, o in zip(shapes, origins, strict=True))
        self._shape_number = {key: number for number, key in enumerate(keys)}


def _identity(shape: Shape) -> Any:
    """What identifies a shape: its value if it is hashable, else the object itself."""
    try:
        hash(shape)
    except TypeError:
        return id(shape)
    return shape


def _centre(shape: Shape) -> Origin:
    try:
        x, y, z = shape.centre.tolist()
    except InputError:  # planes and open meshes have none
        return 0.0, 0.0, 0.0
    return x, y, z
