"""Regions of space as users give them: corners of a box, a shape, or a shape with a pose."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from amontons.checks import finite_array
from amontons.errors import InputError
from amontons.model.shapes import Box, Part, Shape

Region = Part | Shape | ArrayLike
"""Two opposite corners of a box [m]; a shape in the frame of the world; or a `Part`, which puts a
shape elsewhere and turns it."""


def region_part(region: Region, name: str = "region") -> Part:
    """A region as a shape with a pose."""
    if isinstance(region, Part):
        return region
    if isinstance(region, Shape):
        return Part(region)
    corners = finite_array(name, region)
    if corners.shape != (2, 3):
        raise InputError(
            f"{name} must be two corners of a box, ((x, y, z), (x, y, z)), a shape such as "
            f"amontons.Cylinder, or an amontons.Part; got an array of shape {corners.shape}"
        )
    low, high = corners
    flat = np.flatnonzero(high <= low)
    if flat.size:
        axis = int(flat[0])
        raise InputError(
            f"{name} has no volume: it extends from {low[axis]:g} to {high[axis]:g} m along "
            f"{'xyz'[axis]}; give its low corner first, then its high one"
        )
    x, y, z = (0.5 * (low + high)).tolist()
    return Part(Box(tuple((high - low).tolist())), (x, y, z))
