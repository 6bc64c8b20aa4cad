"""The feasible set Υ of a cone problem: a product of small convex sets, described run by run.

A run is a number of consecutive blocks of one kind::

    Product([CoulombCone(friction=np.full(100, 0.5)), Free(12), Interval(lower=-2.0, upper=2.0)])

is the set of 100 frictional contacts (300 rows), 12 bilateral rows and one motor of bounded force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.cones import SetArrays, SetKind
from amontons.errors import InputError
from amontons.problem.arrangement import CONES, SIZES, arrangement

Floats = NDArray[np.float64]

TURNING = (SetKind.ROLLING, SetKind.SPINNING)
"""Kinds of blocks with rows of torque."""

MOST_ROWS = 2**31 - 1
"""Rows of a problem are numbered with 32 bits."""

NORMAL_TOLERANCE = 1e-6
"""How far a normal's length may be from 1 before it is an error; smaller errors are mended."""


LARGEST_COEFFICIENT = 1e100
"""Friction beyond this, squared, would be no finite number."""


def _numbers(name: str, value: ArrayLike) -> Floats:
    """`value` as a float64 array, whatever its entries."""
    try:
        return np.asarray(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name} must be an array of numbers: {reason}") from None


def finite_array(name: str, value: ArrayLike) -> Floats:
    """`value` as a float64 array, or an error that names the first entry that is not finite."""
    array = _numbers(name, value)
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0]
        entry = ", ".join(str(i) for i in where)
        raise InputError(
            f"{name}[{entry}] is {array[tuple(where)]}; every entry must be a finite number"
        )
    return array


def _flat(array: Floats) -> Floats:
    """A number as an array of one; arrays as they are."""
    return array if array.ndim else array.reshape(1)


def _coefficient(name: str, value: ArrayLike, blocks: int | None = None) -> Floats:
    """A finite, non-negative coefficient a block, broadcast to `blocks` where a scalar is given."""
    array = _flat(_numbers(name, value))
    if array.ndim != 1:
        raise InputError(
            f"{name} must be a number or one number a contact, got shape {array.shape}"
        )
    if not ((array >= 0.0) & (array <= LARGEST_COEFFICIENT)).all():  # NaN is neither
        finite_array(name, value)
        worst = int(np.argmin(array))
        if array[worst] < 0.0:
            raise InputError(f"{name}[{worst}] is {array[worst]}; it must not be negative")
        raise InputError(f"{name} is {array.max():g}; more than {LARGEST_COEFFICIENT:g} overflows")
    if blocks is not None and array.size != blocks:
        if array.size != 1:
            raise InputError(f"{name} has {array.size} entries for {blocks} contacts")
        array = np.full(blocks, array[0])
    return array


def unit_normals(value: ArrayLike, blocks: int) -> Floats:
    """Normals, one a block, their lengths mended; an error where they are far from 1."""
    normals = _numbers("normals", value)
    if normals.shape != (blocks, 3):
        raise InputError(f"normals must have shape ({blocks}, 3), got {normals.shape}")
    length = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    error = np.abs(length - 1.0)
    largest = error.max(initial=0.0)
    if not largest <= NORMAL_TOLERANCE:
        finite_array("normals", normals)
        worst = int(np.argmax(error > NORMAL_TOLERANCE))
        raise InputError(
            f"normals[{worst}] has length {length[worst]:.6g}; normals must be unit vectors"
        )
    # a normal that is a unit vector to the last bit or two stays as it is: files come back the same
    if largest > 4e-16:
        rough = np.flatnonzero(error > 4e-16)
        normals = normals.copy()
        normals[rough] /= length[rough, None]
    return normals


class Run:
    """A number of consecutive blocks of one kind; see the subclasses."""

    kind: ClassVar[SetKind]

    @classmethod
    def trusted(cls, **fields: Any) -> Self:
        """As the constructor, without its checks: of numbers that a time step has just made.

        Coefficients are flat arrays, one entry a block, and normals those of `unit_normals`.
        """
        run = object.__new__(cls)
        run.__dict__.update(fields)
        return run

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        raise NotImplementedError

    @property
    def rows(self) -> int:
        """Number of rows, the blocks' dimensions added up."""
        return self.blocks * SIZES[self.kind]

    def columns(self) -> dict[str, Floats]:
        """Coefficients by the names of :class:`~amontons.algebra.cones.SetArrays`."""
        return {}


@dataclass(frozen=True)
class Free(Run):
    """ℝ: bilateral constraints (joints), one row each."""

    count: int
    kind: ClassVar[SetKind] = SetKind.FREE

    def __post_init__(self) -> None:
        _check_count(self.count)

    @property
    def blocks(self) -> int:
        return self.count


@dataclass(frozen=True)
class NonNegative(Run):
    """ℝ₊: frictionless contacts and one-sided limits, one row each."""

    count: int
    kind: ClassVar[SetKind] = SetKind.NONNEGATIVE

    def __post_init__(self) -> None:
        _check_count(self.count)

    @property
    def blocks(self) -> int:
        return self.count


def _check_count(count: Any) -> None:
    if not isinstance(count, int | np.integer) or count < 0:
        raise InputError(f"the number of rows must be an integer ≥ 0, got {count!r}")


@dataclass(frozen=True, eq=False)
class Interval(Run):
    """[lower, upper]: motors and friction of bounded force, one row each; infinities allowed."""

    lower: ArrayLike
    upper: ArrayLike
    kind: ClassVar[SetKind] = SetKind.INTERVAL

    def __post_init__(self) -> None:
        lower = _flat(np.asarray(self.lower, dtype=np.float64))
        upper = _flat(np.asarray(self.upper, dtype=np.float64))
        if lower.shape != upper.shape:
            lower, upper = np.broadcast_arrays(lower, upper)
        if lower.ndim != 1:
            raise InputError("interval bounds must be numbers or flat arrays")
        good = (lower <= upper) & (lower < np.inf) & (upper > -np.inf)
        if not good.all():
            if np.isnan(lower).any() or np.isnan(upper).any():
                raise InputError("an interval bound is NaN")
            worst = int(np.argmin(good))
            raise InputError(
                f"interval {worst} is empty: lower {lower[worst]} and upper {upper[worst]}"
            )
        object.__setattr__(self, "lower", np.ascontiguousarray(lower))
        object.__setattr__(self, "upper", np.ascontiguousarray(upper))

    @property
    def blocks(self) -> int:
        return len(np.asarray(self.lower))

    def columns(self) -> dict[str, Floats]:
        return {"lower": np.asarray(self.lower), "upper": np.asarray(self.upper)}


@dataclass(frozen=True, eq=False)
class CoulombCone(Run):
    """‖x_t‖ ≤ μ x_n: frictional contacts, three rows each.

    Without `normals` a block is (normal, t1, t2); with unit `normals`, shape (contacts, 3), it is
    a force in world coordinates.
    """

    friction: ArrayLike
    normals: ArrayLike | None = None
    kind: ClassVar[SetKind] = SetKind.COULOMB

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", _coefficient("friction", self.friction))
        if self.normals is not None:
            object.__setattr__(self, "normals", unit_normals(self.normals, self.blocks))

    @property
    def blocks(self) -> int:
        return len(np.asarray(self.friction))

    def columns(self) -> dict[str, Floats]:
        columns = {"friction": np.asarray(self.friction)}
        if self.normals is not None:
            columns["normal"] = np.asarray(self.normals)
        return columns


@dataclass(frozen=True, eq=False)
class RollingCone(Run):
    """‖x_t‖ ≤ μ x_n and ‖m‖ ≤ ρ x_n, five rows each: (normal, t1, t2, m1, m2).

    `rolling` ρ is in metres. In world coordinates use :class:`SpinningCone` with `spinning=0`.
    """

    friction: ArrayLike
    rolling: ArrayLike
    kind: ClassVar[SetKind] = SetKind.ROLLING

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", _coefficient("friction", self.friction))
        object.__setattr__(self, "rolling", _coefficient("rolling", self.rolling, self.blocks))

    @property
    def blocks(self) -> int:
        return len(np.asarray(self.friction))

    def columns(self) -> dict[str, Floats]:
        return {"friction": np.asarray(self.friction), "rolling": np.asarray(self.rolling)}


@dataclass(frozen=True, eq=False)
class SpinningCone(Run):
    """The rolling cone and abs(s) ≤ σ x_n, six rows each: a force, then a torque.

    Without `normals` a block is (normal, t1, t2, spin, m1, m2); with them it is a force and a
    torque in world coordinates. `rolling` ρ and `spinning` σ are in metres.
    """

    friction: ArrayLike
    rolling: ArrayLike
    spinning: ArrayLike
    normals: ArrayLike | None = None
    kind: ClassVar[SetKind] = SetKind.SPINNING

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", _coefficient("friction", self.friction))
        object.__setattr__(self, "rolling", _coefficient("rolling", self.rolling, self.blocks))
        object.__setattr__(self, "spinning", _coefficient("spinning", self.spinning, self.blocks))
        if self.normals is not None:
            object.__setattr__(self, "normals", unit_normals(self.normals, self.blocks))

    @property
    def blocks(self) -> int:
        return len(np.asarray(self.friction))

    def columns(self) -> dict[str, Floats]:
        columns = {
            "friction": np.asarray(self.friction),
            "rolling": np.asarray(self.rolling),
            "spinning": np.asarray(self.spinning),
        }
        if self.normals is not None:
            columns["normal"] = np.asarray(self.normals)
        return columns


class Product:
    """Υ, the product of all runs' sets: what kernels, solvers and residuals work with.

    Callers see blocks in the order of the runs, a block's rows together. Kernels see them grouped
    by kind and component by component (:class:`~amontons.algebra.cones.SetArrays`);
    :meth:`inward` and :meth:`outward` lead from one order to the other.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        for run in runs:
            if not isinstance(run, Run):
                raise InputError(
                    f"sets must be given as Free, NonNegative, Interval, CoulombCone, RollingCone "
                    f"or SpinningCone, got {type(run).__name__}"
                )
        self.runs = tuple(run for run in runs if run.blocks)
        self.arranged = arrangement(tuple((int(run.kind), run.blocks) for run in self.runs))
        self.rows, self.blocks = self.arranged.rows, self.arranged.blocks
        if self.rows > MOST_ROWS:
            raise InputError(f"{self.rows} rows are more than a problem can hold (2³¹ − 1)")
        cones = [run.columns() for kind in CONES for run in self.runs if run.kind == kind]
        torque = self.has_torque
        bounded = [run.columns() for run in self.runs if run.kind == SetKind.INTERVAL]
        self.arrays = SetArrays(
            groups=self.arranged.groups,
            chunks=self.arranged.chunks,
            normal=np.ascontiguousarray(_joined(cones, "normal", (1.0, 0.0, 0.0)).T),
            friction=_joined(cones, "friction"),
            rolling=_joined(cones, "rolling") if torque else np.empty(0),
            spinning=_joined(cones, "spinning") if torque else np.empty(0),
            lower=_joined(bounded, "lower"),
            upper=_joined(bounded, "upper"),
        )

    @cached_property
    def kinds(self) -> frozenset[SetKind]:
        """The kinds of blocks present."""
        return frozenset(run.kind for run in self.runs if run.blocks)

    @property
    def bilateral(self) -> bool:
        """Whether every block is ℝ, so that the problem is a linear system."""
        return self.kinds <= {SetKind.FREE}

    @property
    def has_torque(self) -> bool:
        """Whether any block has rolling or spinning rows."""
        return not self.kinds.isdisjoint(TURNING)

    @property
    def has_friction(self) -> bool:
        """Whether any block is a friction cone."""
        return not self.kinds.isdisjoint(CONES)

    @cached_property
    def block_kinds(self) -> NDArray[np.uint8]:
        """Kind of each block, in internal order."""
        groups = self.arrays.groups
        return np.repeat(groups[:, 0].astype(np.uint8), groups[:, 2])

    @cached_property
    def block_order(self) -> NDArray[np.int64]:
        """Internal number of each of the caller's blocks, shape (blocks,)."""
        place = {int(kind): int(first) for kind, first, _, _ in self.arrays.groups}
        parts = [np.empty(0, dtype=np.int64)]
        for run in self.runs:
            parts.append(place[run.kind] + np.arange(run.blocks))
            place[run.kind] += run.blocks
        return np.concatenate(parts)

    @cached_property
    def row_order(self) -> NDArray[np.int32]:
        """Internal row of each of the caller's rows, shape (rows,)."""
        return self.arranged.outward(np.arange(self.rows, dtype=np.int32))

    def inward(self, values: Floats) -> Floats:
        """Values of all rows in internal order, from the caller's; a new array."""
        return self.arranged.inward(values)

    def outward(self, values: Floats) -> Floats:
        """Values of all rows in the caller's order, from the internal one; a new array."""
        return self.arranged.outward(values)

    def project(self, x: ArrayLike) -> Floats:
        """Euclidean projection of `x`, shape (rows,), onto the set, in the caller's order."""
        from amontons.problem import kernels

        given = finite_array("x", x)
        if given.shape != (self.rows,):
            raise InputError(f"x must have shape ({self.rows},), got {given.shape}")
        inner = self.inward(given)
        kernels.project.sized(self.blocks)(self.arrays, inner)
        return self.outward(inner)

    def __repr__(self) -> str:
        parts = ", ".join(f"{run.blocks} × {run.kind.name.lower()}" for run in self.runs)
        return f"Product({parts or 'empty'})"


def _joined(
    runs: list[dict[str, Floats]], name: str, default: float | tuple[float, ...] = 0.0
) -> Floats:
    """One coefficient of all runs, from their columns; `default` where a cone has none."""
    parts = [
        run[name] if name in run else np.full((len(run["friction"]), *np.shape(default)), default)
        for run in runs
    ]
    if not parts:
        return np.empty((0, *np.shape(default)))
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts))
