"""Checks of the properties of bodies, given one for all or one per body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import finite_array, finite_vector, unit_quaternions
from amontons.errors import InputError
from amontons.model.shapes import Shape
from amontons.model.sphere_list import SphereList

Floats = NDArray[np.float64]

TINY = float(np.finfo(np.float64).tiny)
"""Numbers below it lose digits and have no finite inverse, whatever the units."""


def rows_of_three(name: str, value: ArrayLike, count: int | None = None) -> Floats:
    """Vectors, one for all or one per body, shape (count, 3)."""
    array = finite_array(name, value)
    if array.ndim > 2 or array.shape[-1:] != (3,):
        raise InputError(f"{name} must be 3 numbers or have shape (n, 3), got {array.shape}")
    if count is None:
        return array
    return _one_each(name, array, count, (3,))


def quaternions(value: ArrayLike, count: int) -> Floats:
    """Unit quaternions, shape (count, 4)."""
    array = finite_array("orientation", value)
    if array.ndim > 2 or array.shape[-1:] != (4,):
        raise InputError(
            f"orientation must be 4 numbers (w, x, y, z) or have shape (n, 4), got {array.shape}"
        )
    return unit_quaternions("orientation", _one_each("orientation", array, count, (4,)))


def yes_or_no(name: str, value: ArrayLike, count: int) -> NDArray[np.bool_]:
    """Booleans, shape (count,)."""
    array = np.asarray(value)
    if array.dtype != np.bool_:
        raise InputError(
            f"{name} must be True or False, one for all or one per body, got {value!r}"
        )
    return np.array(_one_each(name, array, count, ()), dtype=bool)


def bits(name: str, value: ArrayLike, count: int) -> NDArray[np.uint32]:
    """Bits of groups, shape (count,)."""
    array = np.asarray(value)
    if not np.issubdtype(array.dtype, np.integer) or (array < 0).any() or (array >= 2**32).any():
        raise InputError(
            f"{name} must be whole numbers of 32 bits, one bit per group, got {value!r}"
        )
    return np.asarray(_one_each(name, array, count, ()), dtype=np.uint32)


def body_masses(
    shapes: Sequence[Shape],
    driven: NDArray[np.bool_],
    mass: ArrayLike | None,
    density: ArrayLike | None,
) -> Floats:
    """Masses [kg]; infinite for bodies that are `driven`, that is fixed or kinematic."""
    count = len(shapes)
    if driven.all():
        return np.full(count, np.inf)
    if (mass is None) == (density is None):
        raise InputError(
            "a body that moves needs either a mass or a density; "
            "say fixed=True for one that does not move"
        )
    for shape in () if isinstance(shapes, SphereList) else _moving(shapes, driven):
        if not np.isfinite(shape.bounds).all():
            raise InputError(
                f"a {type(shape).__name__} has no end, so it cannot move freely; say fixed=True, "
                "or give it a motion"
            )
        if not np.ptp(shape.bounds, axis=0).all():
            raise InputError(
                f"a flat {type(shape).__name__} has no thickness, so it cannot move freely; say "
                "fixed=True, or give it a motion"
            )
    name = "mass" if density is None else "density"
    given = finite_array(name, mass if density is None else density)  # type: ignore[arg-type]
    given = _one_each(name, given, count, ())
    wrong = (given <= 0.0) & ~driven
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(
            f"{name}[{i}] is {given[i]:g}; it must be positive, or say fixed=True for a body that "
            "does not move"
        )
    if density is not None and isinstance(shapes, SphereList):
        given = given * shapes.volume
    elif density is not None:
        volume = {id(shape): shape.volume for shape in _moving(shapes, driven)}
        given = given * np.array([volume.get(id(shape), 0.0) for shape in shapes])
    return np.where(driven, np.inf, given)


def body_inertias(
    shapes: Sequence[Shape], mass: Floats, inertia: ArrayLike | None, centre: ArrayLike | None
) -> Floats:
    """Inertias about the centres of mass [kg m²], shape (count, 3, 3); zero where mass is infinite.

    Without `inertia` they are those of uniformly filled shapes, moved to `centre` if that is given.
    """
    moving = np.isfinite(mass)
    out = np.zeros((len(shapes), 3, 3))
    if inertia is not None:
        given = finite_array("inertia", inertia)
        if given.shape == (3,):
            given = np.diag(given)
        if given.ndim > 3 or given.shape[-2:] != (3, 3):
            raise InputError(
                f"inertia must have shape (3,), (3, 3) or (n, 3, 3), got {given.shape}"
            )
        out[moving] = _check_inertias(_one_each("inertia", given, len(shapes), (3, 3))[moving])
        return out
    if isinstance(shapes, SphereList) and centre is None:
        out[moving] = _divisible(shapes.inertia(np.where(moving, mass, 0.0))[moving])
        return out
    per_kilogram: dict[int, Floats] = {}
    for shape in _moving(shapes, ~moving):
        unit = shape.unit_inertia() / shape.volume
        if centre is not None:
            d = np.array(finite_vector("centre", centre)) - shape.centre
            unit = unit + (d @ d) * np.eye(3) - np.outer(d, d)
        per_kilogram[id(shape)] = unit
    if len(per_kilogram) == 1:
        out[moving] = _divisible(next(iter(per_kilogram.values())) * mass[moving, None, None])
        return out
    for i in np.flatnonzero(moving).tolist():
        out[i] = per_kilogram[id(shapes[i])] * mass[i]
    _divisible(out[moving])
    return out


def _moving(shapes: Sequence[Shape], driven: NDArray[np.bool_]) -> list[Shape]:
    """The distinct shapes of moving bodies."""
    return list({id(s): s for s, held in zip(shapes, driven, strict=True) if not held}.values())


def inertia_fault(inertia: Floats) -> tuple[int, str] | None:
    """The first physically impossible inertia of (n, 3, 3), and what is wrong with it."""
    scale = np.abs(inertia).max(axis=(1, 2), initial=0.0)
    skew = np.abs(inertia - inertia.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0)
    even = skew <= 1e-9 * scale
    moments = np.linalg.eigvalsh(np.where(even[:, None, None], inertia, np.eye(3)))
    low, middle, high = moments.T
    sound = even & (low >= TINY) & (high <= (low + middle) * (1.0 + 1e-6))
    if sound.all():
        return None
    i = int(np.argmin(sound))
    if not even[i]:
        return i, "is not symmetric"
    if low[i] <= 0.0:
        return i, f"has a principal moment of {low[i]:g}; all must be positive"
    if low[i] < TINY:
        return i, f"has a principal moment of {low[i]:g}: too small to divide by; use other units"
    return i, (
        f"has principal moments {low[i]:g}, {middle[i]:g} and {high[i]:g}: impossible "
        "for a body, as the largest is at most the sum of the others"
    )


def _check_inertias(inertia: Floats) -> Floats:
    fault = inertia_fault(inertia)
    if fault is not None:
        raise InputError(f"inertia[{fault[0]}] {fault[1]}")
    return inertia


def _divisible(inertia: Floats) -> Floats:
    """Inertias of shapes, unless they are too small to have finite inverses."""
    least = np.einsum("bii->bi", inertia).min(axis=1, initial=np.inf)
    if (least < TINY).any():
        i = int(np.argmax(least < TINY))
        raise InputError(
            f"a body that moves has an inertia of {least[i]:g} kg m²: too small to divide by; "
            "give it more mass or size, or use other units"
        )
    return inertia


def _one_each(name: str, array: Floats, count: int, row: tuple[int, ...]) -> Floats:
    """One row per body, from one for all or one per body."""
    if array.shape == row:
        return np.broadcast_to(array, (count, *row)).copy()
    if array.shape != (count, *row):
        raise InputError(f"{name} has shape {array.shape} for {count} bodies")
    return array
