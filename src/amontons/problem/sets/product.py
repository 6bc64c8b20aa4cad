"""Υ, the product of all runs' sets, in the caller's order and in that of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.cones import CONES, SECOND_ORDER, TURNING, SetArrays, SetKind
from amontons.checks import as_finite
from amontons.errors import InputError
from amontons.problem import kernels
from amontons.problem.arrangement import arrangement
from amontons.problem.sets.runs import COEFFICIENTS, RUNS, Run

Floats = NDArray[np.float64]

MOST_ROWS = 2**31 - 1
"""Rows of a problem are numbered with 32 bits."""

PLAIN = (1.0, 0.0, 0.0)
"""Normal of a block in contact coordinates."""

OF_CONES = {name for run in RUNS.values() if run.kind in CONES for name in run.coefficients}
"""Names of the coefficients of cones; the others are those of scalar rows."""

NOTHING = np.empty(0)
"""A coefficient that no block has."""

CONVEX, EXACT = np.zeros(1), np.ones(1)
"""The factor of De Saxcé's term: see `SetArrays`."""


class Product:
    """Υ, the product of all runs' sets, for kernels, solvers and residuals.

    Callers see blocks in the order of the runs, a block's rows together. Kernels see them grouped
    by kind and component by component (:class:`~amontons.algebra.cones.SetArrays`);
    :meth:`inward` and :meth:`outward` lead from one order to the other.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        for run in runs:
            if not isinstance(run, Run):
                *names, last = (each.__name__ for each in RUNS.values())
                raise InputError(
                    f"sets must be given as {', '.join(names)} or {last}, got {type(run).__name__}"
                )
        self.runs = tuple(run for run in runs if run.blocks)
        self.arranged = arrangement(tuple((int(run.kind), run.blocks) for run in self.runs))
        self.rows, self.blocks = self.arranged.rows, self.arranged.blocks
        if self.rows > MOST_ROWS:
            raise InputError(f"{self.rows} rows are more than a problem can hold (2³¹ − 1)")
        self.arrays = SetArrays(
            groups=self.arranged.groups,
            chunks=self.arranged.chunks,
            **_joined(self.runs),
            exact=CONVEX,
        )

    @classmethod
    def trusted(cls, runs: Sequence[Run], **coefficients: Floats) -> Product:
        """As the constructor, without its checks, for data made by a time step.

        Coefficients and normals, shape (3, cones), are those of `SetArrays`, empty if no block has
        them.
        """
        product = cls.__new__(cls)
        product.runs = tuple(run for run in runs if run.blocks)
        product.arranged = arrangement(tuple((int(run.kind), run.blocks) for run in product.runs))
        product.rows, product.blocks = product.arranged.rows, product.arranged.blocks
        product.arrays = SetArrays(
            groups=product.arranged.groups,
            chunks=product.arranged.chunks,
            exact=CONVEX,
            **coefficients,
        )
        return product

    def with_exact_friction(self) -> Product:
        """The same sets, on which kernels add De Saxcé's term to the velocities of contacts."""
        other = copy(self)
        other.arrays = self.arrays._replace(exact=EXACT)
        return other

    def in_chunks(self, chunks: NDArray[np.int64]) -> Product:
        """The same sets, over which kernels go and sum in these chunks, shape (chunks, 6)."""
        other = copy(self)
        other.arrays = self.arrays._replace(chunks=chunks)
        return other

    @cached_property
    def kinds(self) -> frozenset[SetKind]:
        """The kinds of blocks present."""
        return frozenset(run.kind for run in self.runs if run.blocks)

    @property
    def exact(self) -> bool:
        """Whether kernels add De Saxcé's term to the velocities of contacts."""
        return self.arrays.exact is EXACT

    @property
    def bilateral(self) -> bool:
        """Whether every block is ℝ, so that the problem is a linear system."""
        return self.kinds <= {SetKind.FREE}

    @property
    def has_torque(self) -> bool:
        """Whether any block has rolling or spinning rows."""
        return not self.kinds.isdisjoint(TURNING)

    @property
    def second_order(self) -> bool:
        """Whether every block is an intersection of second-order cones, or of half-lines.

        Interior point and Newton's methods split blocks into these; first-order methods project.
        """
        return self.kinds <= SECOND_ORDER

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
        given = as_finite("x", x)
        if given.shape != (self.rows,):
            raise InputError(f"x must have shape ({self.rows},), got {given.shape}")
        inner = self.inward(given)
        kernels.project.sized(self.blocks)(self.arrays, inner)
        return self.outward(inner)

    def __repr__(self) -> str:
        parts = ", ".join(f"{run.blocks} × {run.kind.name.lower()}" for run in self.runs)
        return f"Product({parts or 'empty'})"


def _joined(runs: Sequence[Run]) -> dict[str, Floats]:
    """Normals and coefficients of all runs, by name; of cones in the order of their groups.

    A coefficient that only some cones have is zero for the others; one that none has is empty.
    """
    cones = [run.columns() for kind in CONES for run in runs if run.kind == kind]
    scalars = [run.columns() for run in runs if run.kind not in CONES and run.coefficients]
    joined = {name: _column(cones if name in OF_CONES else scalars, name) for name in COEFFICIENTS}
    normals = [_normals(columns) for columns in cones] or [np.empty((0, 3))]
    together = normals[0] if len(normals) == 1 else np.concatenate(normals)
    joined["normal"] = np.ascontiguousarray(together.T)
    return joined


def _column(runs: list[dict[str, Floats]], name: str) -> Floats:
    if len(runs) == 1:  # as in most problems
        return np.ascontiguousarray(runs[0].get(name, NOTHING))
    if not any(name in columns for columns in runs):
        return NOTHING
    parts = [columns[name] if name in columns else np.zeros(_blocks(columns)) for columns in runs]
    return np.concatenate(parts)


def _normals(columns: dict[str, Floats]) -> Floats:
    return columns["normal"] if "normal" in columns else np.tile(PLAIN, (_blocks(columns), 1))


def _blocks(columns: dict[str, Floats]) -> int:
    return len(next(iter(columns.values())))
