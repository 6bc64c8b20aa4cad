"""The feasible set Υ of a cone problem: a product of small convex sets, described run by run.

A run is a number of consecutive blocks of one kind::

    Product([CoulombCone(friction=np.full(100, 0.5)), Free(12), Interval(lower=-2.0, upper=2.0)])

is the set of 100 frictional contacts (300 rows), 12 bilateral rows and one motor of bounded force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons._jit import CHUNK
from amontons.algebra.cones import GROUP_ORDER, ROWS_OF_KIND, SetArrays, SetKind
from amontons.errors import InputError

Floats = NDArray[np.float64]
Scalar = TypeVar("Scalar", np.float64, np.int32)

SIZES: tuple[int, ...] = tuple(ROWS_OF_KIND.tolist())
"""Rows of a block, by its kind."""

MOST_ROWS = 2**31 - 1
"""Rows of a problem are numbered with 32 bits."""

NORMAL_TOLERANCE = 1e-6
"""How far a normal's length may be from 1 before it is an error; smaller errors are mended."""


LARGEST_COEFFICIENT = 1e100
"""Friction beyond this, squared, would be no finite number."""


def finite_array(name: str, value: ArrayLike) -> Floats:
    """`value` as a float64 array, or an error that names the first entry that is not finite."""
    try:
        array = np.asarray(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name} must be an array of numbers: {reason}") from None
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0]
        entry = ", ".join(str(i) for i in where)
        raise InputError(
            f"{name}[{entry}] is {array[tuple(where)]}; every entry must be a finite number"
        )
    return array


def _coefficient(name: str, value: ArrayLike, blocks: int | None = None) -> Floats:
    """A finite, non-negative coefficient a block, broadcast to `blocks` where a scalar is given."""
    array = np.atleast_1d(finite_array(name, value))
    if array.ndim != 1:
        raise InputError(
            f"{name} must be a number or one number a contact, got shape {array.shape}"
        )
    if (array < 0).any():
        worst = int(np.argmax(array < 0))
        raise InputError(f"{name}[{worst}] is {array[worst]}; it must not be negative")
    if (array > LARGEST_COEFFICIENT).any():
        raise InputError(f"{name} is {array.max():g}; more than {LARGEST_COEFFICIENT:g} overflows")
    if blocks is not None and array.size != blocks:
        if array.size != 1:
            raise InputError(f"{name} has {array.size} entries for {blocks} contacts")
        array = np.full(blocks, array[0])
    return array


def _unit_normals(value: ArrayLike, blocks: int) -> Floats:
    normals = finite_array("normals", value)
    if normals.shape != (blocks, 3):
        raise InputError(f"normals must have shape ({blocks}, 3), got {normals.shape}")
    length = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    error = np.abs(length - 1.0)
    largest = error.max(initial=0.0)
    if largest > NORMAL_TOLERANCE:
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
        lower = np.atleast_1d(np.asarray(self.lower, dtype=np.float64))
        upper = np.atleast_1d(np.asarray(self.upper, dtype=np.float64))
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
            object.__setattr__(self, "normals", _unit_normals(self.normals, self.blocks))

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
            object.__setattr__(self, "normals", _unit_normals(self.normals, self.blocks))

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


class Place(NamedTuple):
    """Where the rows of a run are: with the caller, and in the internal order."""

    given: slice  # the caller's rows, a block's together
    group: slice  # internal rows of all blocks of the run's kind, component by component
    blocks: slice  # the run's own among them
    size: int  # rows of a block

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """The run's part of values in the internal order: a view, shape (size, blocks)."""
        return values[self.group].reshape(self.size, -1)[:, self.blocks]


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
        groups = _groups(self.runs)
        self.blocks = sum(count for _, _, count, _ in groups)
        self.rows = sum(run.rows for run in self.runs)
        if self.rows > MOST_ROWS:
            raise InputError(f"{self.rows} rows are more than a problem can hold (2³¹ − 1)")
        cones = [run.columns() for kind in GROUP_ORDER[:3] for run in self.runs if run.kind == kind]
        bounded = [run.columns() for run in self.runs if run.kind == SetKind.INTERVAL]
        self.arrays = SetArrays(
            groups=np.array(groups, dtype=np.int64).reshape(-1, 4),
            chunks=_chunks(groups),
            normal=np.ascontiguousarray(_joined(cones, "normal", (1.0, 0.0, 0.0)).T),
            friction=_joined(cones, "friction"),
            rolling=_joined(cones, "rolling") if self.has_torque else np.empty(0),
            spinning=_joined(cones, "spinning") if self.has_torque else np.empty(0),
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
        return bool(self.kinds & {SetKind.ROLLING, SetKind.SPINNING})

    @property
    def has_friction(self) -> bool:
        """Whether any block is a friction cone."""
        return bool(self.kinds & {SetKind.COULOMB, SetKind.ROLLING, SetKind.SPINNING})

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
        return self.outward(np.arange(self.rows, dtype=np.int32))

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where the rows of each run are."""
        layout = {kind: (count, row) for kind, _, count, row in self.arrays.groups.tolist()}
        seen, given, places = dict.fromkeys(layout, 0), 0, []
        for run in self.runs:
            size, (count, row), first = SIZES[run.kind], layout[run.kind], seen[run.kind]
            last = seen[run.kind] = first + run.blocks
            rows = slice(given, given + size * (last - first))
            places.append(Place(rows, slice(row, row + size * count), slice(first, last), size))
            given = rows.stop
        return tuple(places)

    def inward(self, values: Floats) -> Floats:
        """Values of all rows in internal order, from the caller's; a new array."""
        out = np.empty(self.rows)
        for place in self.places:
            place.of(out)[:] = values[place.given].reshape(-1, place.size).T
        return out

    def outward(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Values of all rows in the caller's order, from the internal one; a new array."""
        out = np.empty(self.rows, dtype=values.dtype)
        for place in self.places:
            out[place.given].reshape(-1, place.size)[:] = place.of(values).T
        return out

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


def _groups(runs: Sequence[Run]) -> list[tuple[int, int, int, int]]:
    """Kind, first block, count and first row of each group that has any blocks."""
    counts = dict.fromkeys(GROUP_ORDER, 0)
    for run in runs:
        counts[run.kind] += run.blocks
    table, block, row = [], 0, 0
    for kind, count in counts.items():
        if count:
            table.append((kind, block, count, row))
            block += count
            row += count * SIZES[kind]
    return table


def _chunks(groups: list[tuple[int, int, int, int]]) -> NDArray[np.int64]:
    """Every group cut into chunks of at most CHUNK blocks: the units of parallel work."""
    table = [
        (*group, start, min(start + CHUNK, group[2]))
        for group in groups
        for start in range(0, group[2], CHUNK)
    ]
    return np.array(table, dtype=np.int64).reshape(-1, 6)
