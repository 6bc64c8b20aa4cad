"""Fields on a grid by coarse graining (I. Goldhirsch, Granular Matter 12, 239, 2010).

A body is spread over space by a Gaussian W of a given width, and a contact's stress along the line
from the body's centre to the contact, for which the integral of W is a closed form. Mass and
momentum are then balanced at every point of space, whatever the width: ∂ρ/∂t = −∇·(ρ V), and
∇·σ is the weight less the acceleration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree
from scipy.special import erf

from amontons.checks import finite_array, positive
from amontons.errors import InputError
from amontons.measure.sample import Sample, Source, sample_of
from amontons.model.between import Between
from amontons.model.regions import Region, region_part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AXES = "xyz"

CUT = 5.0
"""Widths beyond which a Gaussian is taken for nothing: 1.5e-5 of it, in three dimensions."""

CHUNK = 2000
"""Points of the grid that are looked at together."""

UNITS = {
    "number_density": "1/m³", "density": "kg/m³", "solid_fraction": "1", "velocity": "m/s",
    "temperature": "m²/s²", "stress": "Pa", "kinetic_stress": "Pa",
}  # fmt: skip


class Lines(NamedTuple):
    """Lines from centres of bodies to contacts, along the axes of the grid."""

    start: Floats  # [m], (lines, axes)
    along: Floats  # [m], (lines, axes)
    stress: Floats  # f ⊗ (x_body − x_contact) [N m], (lines, 9)


def fields(
    source: Source,
    grid: Mapping[str, ArrayLike],
    width: float,
    *,
    region: Region | Between | None = None,
) -> Any:
    """Density, velocity, stress and so on at the points of a grid, as an `xarray.Dataset`.

    The variables: `number_density` [1/m³], `density` of mass per volume of space [kg/m³],
    `solid_fraction`, `velocity` [m/s], `temperature` [m²/s²], the `stress` by contacts and the
    `kinetic_stress` of fluctuations [Pa]; compression is positive. Components are along the
    dimensions `i` and `j`. Where there is nothing, velocity and temperature are NaN.

    Parameters
    ----------
    grid:
        Coordinates along each axis [m], such as ``{"x": xs, "z": zs}``. Fields are averaged over
        axes that it leaves out.
    width:
        Standard deviation of the Gaussian [m]: a diameter gives smooth fields, a quarter of it
        shows layers.
    region:
        A box that holds all bodies, for the lengths of axes that are averaged over; by default the
        one that just holds them.
    """
    xarray = _xarray()
    width = positive("width", width)
    axes, coordinates = _grid(grid)
    sample = sample_of(source, region)
    depth = _averaged(sample, axes, region)
    mesh = np.meshgrid(*coordinates, indexing="ij")
    points = np.stack([each.ravel() for each in mesh], axis=1)
    held = _at_points(sample, points, axes, width)
    shape = mesh[0].shape
    names = [AXES[axis] for axis in axes]
    variables = {
        name: ((*names, *"ij"[: values.ndim - 1]), values.reshape(*shape, *values.shape[1:]))
        for name, values in _fields(held, depth).items()
    }
    data = xarray.Dataset(
        variables,
        coords={
            **dict(zip(names, coordinates, strict=True)),
            "i": list(AXES), "j": list(AXES), "time": sample.time,
        },
        attrs={"width": width},
    )  # fmt: skip
    for name, unit in UNITS.items():
        data[name].attrs["units"] = unit
    for name in names:
        data[name].attrs["units"] = "m"
    return data


class Sums(NamedTuple):
    """What bodies and contacts add up to at points, not yet divided by averaged lengths."""

    weight: Floats  # Σ W, (points,)
    mass: Floats  # Σ m W, (points,)
    volume: Floats  # Σ V W, (points,)
    momentum: Floats  # Σ m v W, (points, 3)
    square: Floats  # Σ m v ⊗ v W, (points, 3, 3)
    stress: Floats  # Σ f ⊗ l ∫ W, (points, 3, 3)


def _at_points(sample: Sample, points: Floats, axes: list[int], width: float) -> Sums:
    """Sums over all that is near each point."""
    mass, velocity = sample.mass, sample.velocity
    volume = sample.volume
    columns = np.column_stack(
        [
            np.ones_like(mass), mass, volume, mass[:, None] * velocity,
            (mass[:, None, None] * velocity[:, :, None] * velocity[:, None]).reshape(-1, 9),
        ]
    )  # fmt: skip
    place = np.ascontiguousarray(sample.position[:, axes])
    lines = _lines(sample, axes)
    middle, half = lines.start + 0.5 * lines.along, 0.5 * np.linalg.norm(lines.along, axis=1)
    bodies = cKDTree(place) if len(place) else None
    contacts = cKDTree(middle) if len(middle) else None
    summed = np.zeros((len(points), 15))
    stress = np.zeros((len(points), 9))
    for first in range(0, len(points), CHUNK):
        some = points[first : first + CHUNK]
        rows = slice(first, first + len(some))
        if bodies is not None:
            spot, body = _near(bodies, some, CUT * width)
            apart = some[spot] - place[body]
            weight = gaussian(np.einsum("pi,pi->p", apart, apart), width, len(axes))
            summed[rows] = _add(spot, weight[:, None] * columns[body], len(some))
        if contacts is not None:
            spot, line = _near(contacts, some, CUT * width + float(half.max()))
            weight = along_line(some[spot] - lines.start[line], lines.along[line], width)
            stress[rows] = _add(spot, weight[:, None] * lines.stress[line], len(some))
    return Sums(
        summed[:, 0], summed[:, 1], summed[:, 2], summed[:, 3:6],
        summed[:, 6:].reshape(-1, 3, 3), stress.reshape(-1, 3, 3),
    )  # fmt: skip


def _fields(sums: Sums, depth: float) -> dict[str, Floats]:
    """The fields of UNITS, from sums at points and the product of averaged lengths [m]."""
    there = sums.mass > 0.0
    mass = np.where(there, sums.mass, np.nan)
    velocity = sums.momentum / mass[:, None]
    # Σ m (v − V) ⊗ (v − V) W = Σ m v ⊗ v W − ρ V ⊗ V
    kinetic = sums.square - mass[:, None, None] * velocity[:, :, None] * velocity[:, None]
    return {
        "number_density": sums.weight / depth,
        "density": sums.mass / depth,
        "solid_fraction": sums.volume / depth,
        "velocity": velocity,
        "temperature": np.maximum(np.trace(kinetic, axis1=1, axis2=2), 0.0) / (3.0 * mass),
        "stress": sums.stress / depth,
        "kinetic_stress": np.where(there[:, None, None], kinetic, 0.0) / depth,
    }


def gaussian(square: Floats, width: float, dimensions: int) -> Floats:
    """W at the square of a distance [m²], in so many dimensions [1/m to their power]."""
    return np.asarray(
        np.exp(-0.5 * square / width**2) / (np.sqrt(2.0 * np.pi) * width) ** dimensions
    )


def along_line(apart: Floats, along: Floats, width: float) -> Floats:
    """∫₀¹ W(apart − s·along) ds, with rows of vectors from a line's start; shape (rows,)."""
    dimensions = along.shape[1]
    length = np.linalg.norm(along, axis=1)
    short = length < 1e-4 * width  # then W at its middle is as good
    safe = np.where(short, 1.0, length)
    ahead = np.einsum("pi,pi->p", apart, along) / safe
    square = np.einsum("pi,pi->p", apart, apart)
    beside = np.maximum(square - ahead**2, 0.0)
    scale = 1.0 / (np.sqrt(2.0) * width)
    passed = 0.5 * (erf(scale * ahead) - erf(scale * (ahead - length))) / safe
    middle = apart - 0.5 * along
    point = gaussian(np.einsum("pi,pi->p", middle, middle), width, dimensions)
    return np.where(short, point, gaussian(beside, width, dimensions - 1) * passed)


def _lines(sample: Sample, axes: list[int]) -> Lines:
    if sample.touching is None:
        none = np.empty((0, len(axes)))
        return Lines(none, none, np.empty((0, 9)))
    _, centre, point, force = sample.arms()
    along = point - centre
    stress = -(force[:, :, None] * along[:, None]).reshape(-1, 9)
    return Lines(centre[:, axes], along[:, axes], stress)


def _near(tree: cKDTree, points: Floats, reach: float) -> tuple[Ints, Ints]:
    """Numbers of points, and of what is within reach of each."""
    found = tree.query_ball_point(points, reach)
    counts = np.array([len(each) for each in found])
    near = np.concatenate([np.empty(0, dtype=np.int64), *map(np.asarray, found)])
    return np.repeat(np.arange(len(points)), counts), near.astype(np.int64)


def _add(spot: Ints, values: Floats, points: int) -> Floats:
    return np.stack([np.bincount(spot, column, points) for column in values.T], axis=1)


def _grid(grid: Mapping[str, ArrayLike]) -> tuple[list[int], list[Floats]]:
    """Numbers of the axes of a grid, and coordinates along each [m]."""
    if not isinstance(grid, Mapping) or not grid:
        raise InputError(
            'grid must give coordinates by axis, such as {"x": xs, "z": zs}, got '
            f"{type(grid).__name__}"
        )
    wrong = [name for name in grid if name not in tuple(AXES)]
    if wrong:
        raise InputError(f"grid has an axis {wrong[0]!r}; there are x, y and z")
    axes = [axis for axis, name in enumerate(AXES) if name in grid]
    coordinates = [np.atleast_1d(finite_array(f"grid {AXES[a]}", grid[AXES[a]])) for a in axes]
    for axis, each in zip(axes, coordinates, strict=True):
        if each.ndim != 1 or not each.size:
            raise InputError(f"grid {AXES[axis]} must be a row of numbers, got shape {each.shape}")
    return axes, coordinates


def _averaged(sample: Sample, axes: list[int], region: Region | Between | None) -> float:
    """Product of the lengths that fields are averaged over [m to the power of their number]."""
    rest = [axis for axis in range(3) if axis not in axes]
    if not rest:
        return 1.0
    low, high = sample.bounds()
    if isinstance(region, Between):
        region = sample.borders(region)
    if region is not None:
        part = region_part(region)
        if not np.array_equal(part.rotation, np.eye(3)):
            raise InputError("the region must be a box along the axes: give its two corners")
        low, high = (np.array(part.position) + each for each in part.shape.bounds)
        outside = ((sample.position < low) | (sample.position > high))[:, rest]
        if outside.any():
            axis = AXES[rest[int(np.argwhere(outside)[0, 1])]]
            raise InputError(
                f"there are bodies beyond the region along {axis}, over which fields are averaged: "
                f"give one that holds them all, or coordinates along {axis}"
            )
    return float((high - low)[rest].prod())


def _xarray() -> Any:
    try:
        import xarray
    except ImportError:
        raise InputError("fields need xarray: pip install 'amontons[lab]'") from None
    return xarray
