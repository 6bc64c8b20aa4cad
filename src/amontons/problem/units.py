"""Rows of one unit: rotations are scaled by a length, so that every row is a speed.

A torque row has another unit than a force row: a sum of squares over both, a step length for both
or a projection of both at once would depend on whether lengths are in metres or in millimetres. So
each block that turns gets a length ℓ, and solvers and residuals see the problem in the unknowns m/ℓ
[N s] and the velocities ℓω [m/s]:

    S N S y + S r,  γ = S y,  with S = diag(1 for forces, ℓ for torques).

Cones stay cones, with the coefficients ρ/ℓ and σ/ℓ, which have no unit. ℓ is the length at which
torques move a contact's bodies as easily as forces do; for a sphere on a plane that is its radius.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.cones import CONES, TURNING
from amontons.checks import as_numbers
from amontons.errors import InputError
from amontons.problem.arrangement import SIZES
from amontons.problem.sets import Product, Run

if TYPE_CHECKING:
    from amontons.problem.problem import ConeProblem

Floats = NDArray[np.float64]


class Yardstick(NamedTuple):
    """Speeds [m/s] that bound the unit of the scaled error; a simulation provides them.

    An error is measured against ‖r‖, the speeds that impulses have to change. If these are
    mere rounding, they are no scale: `least` is the smallest that counts, per block. If they are
    large somewhere, or blocks are many, errors elsewhere must not hide behind them: an error of
    `most` in any one block counts as 1, whatever ‖r‖ is.

    Most of ‖r‖ may be open gaps, Φ/h, the more so the shorter the step. With a `usual` speed, such
    as what gravity gives in a step, blocks that r opens are left out of the norm, and that speed
    per block is the least.
    """

    least: float = 0.0
    most: float = math.inf
    usual: float = 0.0

    def checked(self) -> Yardstick:
        """Itself, or an error that says what is wrong."""
        lows = self.least, self.usual
        if not (all(math.isfinite(low) and low >= 0.0 for low in lows) and self.most > 0.0):
            raise InputError(
                f"a yardstick needs 0 ≤ least, usual < ∞ and most > 0, got {self.least}, "
                f"{self.usual} and {self.most}"
            )
        return self


NO_YARDSTICK = Yardstick()
"""Errors are relative to ‖r‖ alone."""


def checked_lengths(sets: Product, lengths: ArrayLike | None) -> Floats | None:
    """A caller's lengths, in the order of internal blocks; NaN leaves the choice to the problem.

    They are for rotational scalar rows, and for contacts with torque to override the default.
    """
    if lengths is None:
        return None
    given = as_numbers("lengths", lengths)
    if given.ndim == 0:
        given = np.full(sets.blocks, float(given))
    if given.shape != (sets.blocks,):
        raise InputError(f"lengths must be one per block ({sets.blocks}), got shape {given.shape}")
    good = np.isnan(given) | ((given > 0.0) & np.isfinite(given))
    if not good.all():
        worst = int(np.argmin(good))
        raise InputError(f"lengths[{worst}] is {given[worst]}; a length is positive [m]")
    inner = np.empty(sets.blocks)
    inner[sets.block_order] = given
    return inner


def row_factors(sets: Product, curvature: Any, lengths: Floats | None) -> Floats | None:
    """Diagonal of S in internal order, shape (rows,); None where every row is a speed already.

    `curvature` is called for the mean diagonals (blocks, 3) of force and torque rows if needed.
    """
    if lengths is None and not sets.has_torque:
        return None
    factors = np.ones(sets.rows)
    if not sets.has_torque:
        assert lengths is not None
        given = lengths[sets.arrays.friction.size :]  # scalar blocks come last, a row each
        factors[sets.rows - given.size :] = np.where(np.isnan(given), 1.0, given)
        return None if (factors == 1.0).all() else factors
    own = _own_lengths(sets, curvature()) if sets.has_torque else None
    for kind, first, count, row in sets.arrays.groups.tolist():
        length = np.full(count, np.nan) if lengths is None else lengths[first : first + count]
        if kind in TURNING:
            assert own is not None
            length = np.where(np.isnan(length), own[first : first + count], length)
            turning = factors[row + 3 * count : row + SIZES[kind] * count]
            turning.reshape(-1, count)[:] = length
        elif kind not in CONES:
            factors[row : row + count] = np.where(np.isnan(length), 1.0, length)
    return None if (factors == 1.0).all() else factors


def _own_lengths(sets: Product, curvature: Floats) -> Floats:
    """√(mean curvature of force rows over that of torque rows) of each block, shape (blocks,)."""
    force = (curvature[:, 0] + 2.0 * curvature[:, 1]) / 3.0
    torque = curvature[:, 2]
    usable = (force > 0.0) & (torque > 0.0)
    ratio = np.ones(sets.blocks)
    np.divide(force, torque, out=ratio, where=usable)
    turning = np.isin(sets.block_kinds, TURNING)
    if usable.any():  # contacts whose bodies cannot turn, or not move: the mean of the others
        ratio[turning & ~usable] = np.median(ratio[turning & usable])
    return np.sqrt(ratio)


def speeds(problem: ConeProblem, given: Floats) -> Floats:
    """r with every row a speed [m/s], from what was given: in the order in which it is summed."""
    factors = problem.row_factors
    if problem.ranks.count > 1:
        given = problem.linear  # processes share rows in internal order
    elif factors is not None:
        factors = problem.sets.outward(factors)
    return given if factors is None else given * factors


def closing_norm(problem: ConeProblem, linear: Floats) -> float:
    """‖r‖ without contacts that r opens [m/s], of r in internal order.

    Zero where the problem's yardstick has no use for it.
    """
    if problem.yardstick.usual == 0.0:
        return 0.0
    return problem.norm(closing_speeds(problem, linear))


def closing_speeds(problem: ConeProblem, linear: Floats) -> Floats:
    """r in internal order, every row a speed [m/s], without contacts that r itself opens.

    They are those with u_n ≥ μ‖u_t‖, which no impulse has to stop; shape (rows,).
    """
    found = linear.copy() if problem.row_factors is None else problem.row_factors * linear
    arrays = problem.sets.arrays
    for kind, first, count, row in arrays.groups.tolist():
        if kind in CONES:
            blocks, rows = slice(first, first + count), slice(row, row + SIZES[kind] * count)
            u = found[rows].reshape(-1, count)
            normal = arrays.normal[:, blocks]
            along = (normal * u[:3]).sum(axis=0)
            across = np.sqrt(((u[:3] - along * normal) ** 2).sum(axis=0))
            u[:, along >= arrays.friction[blocks] * across] = 0.0
    return found


def even(problem: ConeProblem) -> ConeProblem:
    """The same problem in rows of one unit; itself if they already are."""
    factors = problem.row_factors
    if factors is None:
        return problem
    sets = scaled_sets(problem.sets, factors)
    other: ConeProblem = object.__new__(type(problem))
    other.__dict__.update(problem.__dict__)
    for cached in ("curvature", "mean_steps", "_largest_curvature", "even"):
        other.__dict__.pop(cached, None)
    other.operator = problem.operator.scaled(factors)
    other.sets = problem.ranks.arranged(sets)
    other.linear = factors * problem.linear
    if problem.compliance is not None:
        other.compliance = factors * factors * problem.compliance
    if problem.shift is not None:
        other.shift = problem.shift / factors
    other.row_factors = None
    return other


def scaled_sets(sets: Product, factors: Floats) -> Product:
    """The set {S⁻¹γ: γ ∈ Υ}."""
    if not any(run.measured for run in sets.runs):
        return sets
    outward = sets.outward(factors)
    runs: list[Run] = []
    row = 0
    for run in sets.runs:
        mine = outward[row : row + run.rows].reshape(run.blocks, -1)
        row += run.rows
        runs.append(run.in_units_of(mine[:, -1]))
    return Product(runs)
