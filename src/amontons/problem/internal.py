"""A cone problem as solvers see it: unknowns in internal order, products, sums and step lengths."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK
from amontons.algebra.cones import CONES, Metric
from amontons.algebra.sums import ALONE, Ranks
from amontons.errors import InputError
from amontons.problem import kernels
from amontons.problem.arrangement import SIZES
from amontons.problem.compliance import add_to_blocks, add_to_curvature
from amontons.problem.operators import Operator
from amontons.problem.sets import Product

Floats = NDArray[np.float64]
Reals = Floats | NDArray[np.float32]
Value = TypeVar("Value")


class computed_once(Generic[Value]):  # noqa: N801 - a decorator
    """A cached property without the lock that Python 3.11 has all instances share.

    Ranks that run as threads would deadlock in it.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        value = self.compute(instance)
        instance.__dict__[self.name] = value
        return value


class InternalProblem:
    """Minimise ½xᵀ(N + E)x + rᵀx over x ∈ Υ, rows in the order of kernels."""

    operator: Operator
    """N."""
    linear: Floats
    """r, shape (rows,) [m/s]."""
    sets: Product
    """Υ."""
    compliance: Floats | None
    """Diagonal of E about each normal, shape (rows,); None without compliance."""
    ranks: Ranks = ALONE
    """The processes that share the problem; these rows are the part of this one."""
    all_rows: float
    """Number of rows of the whole problem."""
    all_blocks: float
    """Number of blocks of the whole problem."""
    bilateral: bool
    """Whether every block of the whole problem is ℝ, so that it is a linear system."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.sets.rows

    @property
    def blocks(self) -> int:
        """Number of blocks: contacts and scalar rows."""
        return self.sets.blocks

    @property
    def has_friction(self) -> bool:
        """Whether any block of the whole problem is a friction cone."""
        return self.ranks.any(self.sets.has_friction)

    def total(self, parts: tuple[float, ...]) -> tuple[float, ...]:
        """Sums over the whole problem, from sums over these rows: see :class:`Ranks`."""
        return self.ranks.total(parts)

    def sums(self, found: tuple[float, ...], partial: Floats) -> tuple[float, ...]:
        """Sums over all blocks, from those that a kernel found and has by chunks in `partial`."""
        return self.ranks.sums(found, partial)

    def maximum(self, parts: tuple[float, ...]) -> tuple[float, ...]:
        """Largest values of the whole problem, from those of these rows: see :class:`Ranks`."""
        return self.ranks.maximum(parts)

    def inner(self, x: Floats, y: Floats) -> float:
        """xᵀy of vectors over the rows."""
        return self.ranks.inner(x, y)

    def norm(self, x: Floats) -> float:
        """‖x‖ of a vector over the rows."""
        return self.ranks.norm(x)

    def project(self, x: Floats) -> Floats:
        """x ← Π(x), the nearest point of Υ, shape (rows,); returns x."""
        kernels.project.sized(self.blocks)(self.sets.arrays, x)
        return x

    def product(self, x: Floats, out: Floats | None = None, scratch: Any = None) -> Floats:
        """(N + E) x."""
        if out is None:
            out = np.empty(self.rows)
        if scratch is None:
            scratch = self.operator.scratch()
        self.operator.apply(x, out, scratch)
        self._comply(x, out)
        return out

    def product_and_square(self, x: Floats, out: Floats, scratch: Any) -> float:
        """out ← (N + E) x; returns xᵀ(N + E)x, over bodies a by-product."""
        square = self.operator.apply(x, out, scratch)
        self._comply(x, out)
        if square is None or self.compliance is not None:
            return self.inner(x, out)
        return self.total((square,))[0]

    def product_of_velocities(self, x: Floats, velocity: Floats, out: Floats) -> None:
        """out ← (N + E) x over bodies whose velocities M⁻¹ D x are known already."""
        operator = self.operator.over_bodies
        assert operator is not None, "a product of velocities needs an operator over bodies"
        operator.from_velocities(velocity, out)
        self._comply(x, out)

    def _comply(self, x: Floats, out: Floats) -> None:
        if self.compliance is not None:
            add = kernels.add_compliance.sized(self.blocks)
            add(self.sets.arrays, self.compliance, x, out)

    def diagonal_blocks(self) -> tuple[Floats, NDArray[np.int64]]:
        """The blocks N_bb + E_bb, row by row in one flat array, and where each begins."""
        blocks, offsets = self.operator.diagonal_blocks(self.sets.arrays)
        if self.compliance is not None:
            add_to_blocks(self.sets, self.compliance, blocks, offsets)
        return blocks, offsets

    def quadratic(
        self,
        points: tuple[Floats, Floats, Floats],
        products: tuple[Floats, Floats, Floats],
        scratches: tuple[Any, Any, Any],
        beta: float,
    ) -> float:
        """dᵀ(N + E)d for d = new − old − β(old − older), given those three and their products."""
        short = self.operator.quadratic(*scratches, beta)
        if short is not None:
            short += self.compliance_square(points, beta)
        else:
            square = kernels.blended_square.sized(self.blocks)
            partial = np.empty((-(-self.rows // (4 * CHUNK)), 1))
            short = float(square(*points, *products, beta, partial))
        return self.total((short,))[0]

    def compliance_square(self, points: tuple[Reals, Reals, Reals], beta: float) -> float:
        """dᵀEd for d = new − old − β(old − older)."""
        if self.compliance is None:
            return 0.0
        sets = self.sets.arrays
        square = kernels.compliance_square.sized(self.blocks)
        return float(square(sets, self.compliance, *points, beta, np.empty((len(sets.chunks), 1))))

    @cached_property
    def curvature(self) -> Floats:
        """Mean diagonal of N + E over normal, tangential and torque rows, shape (blocks, 3)."""
        curvature = self.operator.curvatures(self.sets.arrays)
        if self.compliance is not None:
            add_to_curvature(self.sets, self.compliance, curvature)
        return curvature

    @computed_once
    def mean_steps(self) -> Floats:
        """d / trace(N_bb) of each block: the step of papers 2 to 4, and ρ of the scaled error."""
        c, rows = self.curvature, np.ones(self.blocks)
        if not self.sets.has_torque:
            kernels.mean_steps(self.sets.arrays.friction.size, c, self._largest_curvature, rows)
            return rows
        trace = c[:, 0].copy()
        for kind, first, count, _ in self.sets.arrays.groups.tolist():
            if kind in CONES:
                cones, size = slice(first, first + count), SIZES[kind]
                trace[cones] += 2.0 * c[cones, 1] + (size - 3.0) * c[cones, 2]
                rows[cones] = size
        return rows / _positive(trace, self._largest_curvature)

    @computed_once
    def _largest_curvature(self) -> float:
        return self.maximum((float(self.curvature.max(initial=0.0)),))[0] or 1.0

    def metric(self, scaling: str) -> Metric:
        """Step lengths that precondition a first-order method.

        "none" is the identity; "block" one step per block, d/trace(N_bb), as papers 1 to 4 have it;
        "split" one for the normal, one for the tangential and one for the torque rows. The cone is
        a cone in that metric too, so its projection stays exact and the step fits better.
        """
        empty = np.empty(0)
        torque = self.sets.has_torque
        if scaling == "none":
            one = np.ones(self.blocks)
            return Metric(one, one, one if torque else empty)
        if scaling == "block":
            steps = self.mean_steps
            return Metric(steps, steps, steps if torque else empty)
        if scaling == "split":
            c, top = self.curvature, self._largest_curvature
            return Metric(
                1.0 / _positive(c[:, 0], top),
                1.0 / _positive(c[:, 1], top),
                1.0 / _positive(c[:, 2], top) if torque else empty,
            )
        raise InputError(f"unknown scaling {scaling!r}; choose 'none', 'block' or 'split'")


NO_CURVATURE = 1e-100
"""Curvature that counts as zero, relative to the largest: below any ratio of masses.

A diagonal entry is a sum of squares, in which nothing cancels, so that even a tiny one is
meaningful."""


def _positive(values: Floats, fallback: float) -> Floats:
    """Values, with unusable curvatures (between immovable bodies) replaced."""
    return np.where(values > NO_CURVATURE * fallback, values, fallback)
