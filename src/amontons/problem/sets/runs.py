"""The kinds of sets: a run is a number of consecutive blocks of one kind.

Each class is one row of the table :data:`RUNS`: it names its kind and its coefficients, from which
products, rows of one unit and files derive. What kernels do with a kind, that is how many rows it
has and how to project onto it, is in :mod:`amontons.algebra.cones` and, for many blocks at once, in
:mod:`amontons.algebra.tiles`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.cones import SetKind
from amontons.checks import whole
from amontons.errors import InputError
from amontons.problem.arrangement import SIZES
from amontons.problem.sets.coefficients import coefficient, flat, unit_normals

Floats = NDArray[np.float64]


class Run:
    """A number of consecutive blocks of one kind; see the subclasses."""

    kind: ClassVar[SetKind]
    coefficients: ClassVar[tuple[str, ...]] = ()
    """Names of the coefficients, one number for each block: fields here, in `SetArrays` and in
    files, and arguments of the constructor in this order."""
    measured: ClassVar[tuple[str, ...]] = ()
    """Coefficients with the unit of the block's last row over that of a force."""
    world: ClassVar[bool] = False
    """Whether blocks may be in world coordinates, with `normals` as the last argument."""

    @classmethod
    def trusted(cls, **fields: Any) -> Self:
        """As the constructor, without its checks, for numbers made by a time step.

        Coefficients are flat arrays, one entry for each block, and normals those of `unit_normals`.
        """
        run = object.__new__(cls)
        run.__dict__.update(fields)
        return run

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(getattr(self, self.coefficients[0]))

    @property
    def rows(self) -> int:
        """Number of rows, the blocks' dimensions added up."""
        return self.blocks * SIZES[self.kind]

    def columns(self) -> dict[str, Floats]:
        """Coefficients by the names of :class:`~amontons.algebra.cones.SetArrays`."""
        columns = {name: getattr(self, name) for name in self.coefficients}
        normals = getattr(self, "normals", None)
        return columns if normals is None else columns | {"normal": normals}

    def in_units_of(self, lengths: Floats) -> Self:
        """The same sets for rows that count in `lengths` [m], one for each block."""
        scaled = {name: getattr(self, name) / lengths for name in self.measured}
        return type(self).trusted(**self.__dict__ | scaled)

    def _hold(self, **fields: Floats) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Free(Run):
    """ℝ: bilateral constraints (joints), one row each."""

    count: int
    kind: ClassVar[SetKind] = SetKind.FREE

    def __post_init__(self) -> None:
        whole("the number of rows", self.count)

    @property
    def blocks(self) -> int:
        return self.count


@dataclass(frozen=True)
class NonNegative(Run):
    """ℝ₊: frictionless contacts and one-sided limits, one row each."""

    count: int
    kind: ClassVar[SetKind] = SetKind.NONNEGATIVE

    def __post_init__(self) -> None:
        whole("the number of rows", self.count)

    @property
    def blocks(self) -> int:
        return self.count


@dataclass(frozen=True, eq=False)
class Interval(Run):
    """[lower, upper]: motors and friction of bounded force, one row each; infinities allowed."""

    lower: ArrayLike
    upper: ArrayLike
    kind: ClassVar[SetKind] = SetKind.INTERVAL
    coefficients: ClassVar[tuple[str, ...]] = ("lower", "upper")
    measured: ClassVar[tuple[str, ...]] = ("lower", "upper")

    def __post_init__(self) -> None:
        lower = flat(np.asarray(self.lower, dtype=np.float64))
        upper = flat(np.asarray(self.upper, dtype=np.float64))
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
        self._hold(lower=np.ascontiguousarray(lower), upper=np.ascontiguousarray(upper))


class _Cone(Run):
    """Base of all friction cones: coefficients, friction first, and optional normals."""

    def __post_init__(self) -> None:
        first, *others = self.coefficients
        self._hold(**{first: coefficient(first, getattr(self, first))})
        for name in others:
            self._hold(**{name: coefficient(name, getattr(self, name), self.blocks)})
        normals = getattr(self, "normals", None)
        if normals is not None:
            self._hold(normals=unit_normals(normals, self.blocks))


@dataclass(frozen=True, eq=False)
class CoulombCone(_Cone):
    """‖x_t‖ ≤ μ x_n: frictional contacts, three rows each.

    Without `normals` a block is (normal, t1, t2); with unit `normals`, shape (contacts, 3), it is
    a force in world coordinates.
    """

    friction: ArrayLike
    normals: ArrayLike | None = None
    kind: ClassVar[SetKind] = SetKind.COULOMB
    coefficients: ClassVar[tuple[str, ...]] = ("friction",)
    world: ClassVar[bool] = True


@dataclass(frozen=True, eq=False)
class RollingCone(_Cone):
    """‖x_t‖ ≤ μ x_n and ‖m‖ ≤ ρ x_n, five rows each: (normal, t1, t2, m1, m2).

    `rolling` ρ is in metres. In world coordinates use :class:`SpinningCone` with `spinning=0`.
    """

    friction: ArrayLike
    rolling: ArrayLike
    kind: ClassVar[SetKind] = SetKind.ROLLING
    coefficients: ClassVar[tuple[str, ...]] = ("friction", "rolling")
    measured: ClassVar[tuple[str, ...]] = ("rolling",)


@dataclass(frozen=True, eq=False)
class SpinningCone(_Cone):
    """The rolling cone and abs(s) ≤ σ x_n, six rows each: a force, then a torque.

    Without `normals` a block is (normal, t1, t2, spin, m1, m2); with them it is a force and a
    torque in world coordinates. `rolling` ρ and `spinning` σ are in metres.
    """

    friction: ArrayLike
    rolling: ArrayLike
    spinning: ArrayLike
    normals: ArrayLike | None = None
    kind: ClassVar[SetKind] = SetKind.SPINNING
    coefficients: ClassVar[tuple[str, ...]] = ("friction", "rolling", "spinning")
    measured: ClassVar[tuple[str, ...]] = ("rolling", "spinning")
    world: ClassVar[bool] = True


RUNS: dict[SetKind, type[Run]] = {
    run.kind: run for run in (Free, NonNegative, Interval, CoulombCone, RollingCone, SpinningCone)
}
"""The table of sets, by kind."""

COEFFICIENTS = tuple(dict.fromkeys(name for run in RUNS.values() for name in run.coefficients))
"""Names of all coefficients."""
