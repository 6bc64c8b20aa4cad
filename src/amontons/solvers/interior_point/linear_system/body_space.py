"""1 + Bᵀ (Θ + soft)⁻¹ B over the bodies, where N = B Bᵀ: 6 × 6 blocks on the contact graph.

B = Dᵀ M^(−½) has two blocks of six columns a constraint. By Woodbury's identity

    (N + T⁻¹)⁻¹ = T − T B (1 + Bᵀ T B)⁻¹ Bᵀ T,      T = (Θ + soft)⁻¹,

so nothing larger than the bodies is factorised, and immovable bodies have no unknowns at all.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from amontons._jit import kernel, prange
from amontons.array_types import Floats, Longs
from amontons.problem.operators import BodyOperator, MassForm
from amontons.problem.operators.bodies import cross_matrix
from amontons.solvers.interior_point.blocks import (
    hessian_blocks,
    joined_blocks,
    multiply_blocks,
)
from amontons.solvers.interior_point.lift import Lift
from amontons.solvers.interior_point.linear_system.base import Hessian, LinearSystem
from amontons.solvers.interior_point.linear_system.block_pattern import (
    BlockPattern,
    block_pattern,
    write_block,
)
from amontons.solvers.interior_point.linear_system.cost import (
    factor_cost,
    require_memory,
    require_memory_for,
    touching_bodies,
)
from amontons.solvers.interior_point.linear_system.factorisation import Pattern, factorisation_of


class WoodburySystem(LinearSystem):
    """What both forms share: T, and the identity."""

    B: sp.csr_array  # (rows, unknowns of bodies)
    Bt: sp.csr_array

    def __init__(self, lift: Lift, offsets: Longs) -> None:
        self.lift, self.offsets = lift, offsets
        self._T, self._Q, self._inner = (np.empty(int(offsets[-1])) for _ in range(3))

    def _invert(self, hessian: Hessian, soft: Floats) -> None:
        blocks, lift, offsets = self.lift.row.size, self.lift, self.offsets
        hessian_blocks.sized(blocks)(lift, *hessian, soft, offsets, True, self._Q, self._inner)
        joined_blocks.sized(blocks)(lift, offsets, self._Q, self._inner, self._T)

    def _times_T(self, x: Floats) -> Floats:
        out = np.empty(x.size)
        multiply = multiply_blocks.sized(self.lift.row.size)
        multiply(self.lift, self.offsets, self._Q, self._inner, x, out)
        return out

    def solve(self, b: Floats) -> Floats:
        Tb = self._times_T(b)
        v = self.factorisation.solve(self.Bt @ Tb)
        # T (b − B v): one rounding less than T b − T B v
        return self._times_T(b - self.B @ v)


class BodySpace(WoodburySystem):
    """Over rigid bodies, assembled block by block."""

    def __init__(self, operator: BodyOperator, lift: Lift, offsets: Longs, library: str) -> None:
        super().__init__(lift, offsets)
        number, unknowns = touching_bodies(operator)
        self._first_row = np.concatenate([[0], np.cumsum(lift.size)])
        self._J = _scaled_jacobian(operator)
        self.B = _as_matrix(self._J, lift, self._first_row, number, 6 * unknowns)
        self.Bt = self.B.T.tocsr()
        self._pattern, indices, self._start, self._item = _incidences(number, unknowns)
        require_memory_for(self._pattern)
        self._data = np.empty(indices.size)
        pattern = Pattern(self._pattern.column_start, indices)
        self.factorisation = factorisation_of(pattern, library)

    def factorise(self, hessian: Hessian, soft: Floats) -> None:
        self._invert(hessian, soft)
        assemble_bodies.sized(self.lift.row.size)(
            self._pattern,
            self._J,
            self._first_row,
            self._T,
            self.offsets,
            self._start,
            self._item,
            self._data,
        )
        self.factorisation.factorise(self._data)


class MassSpace(WoodburySystem):
    """Over any mass matrix: M + H T Hᵀ, by sparse products; finite elements come this way."""

    def __init__(self, form: MassForm, lift: Lift, offsets: Longs, library: str) -> None:
        super().__init__(lift, offsets)
        self._mass, self.Bt, self.B = form
        self._row, self._column, self._entry = _block_entries(lift, offsets)
        lower = self._assembled(np.ones(int(offsets[-1])), magnitudes=True)
        pattern = Pattern(lower.indptr.astype(np.int64), lower.indices.astype(np.int64))
        require_memory(factor_cost(pattern.indices, pattern.columns, np.ones(pattern.size, int)))
        self._key = pattern.columns * pattern.size + pattern.indices
        self.factorisation = factorisation_of(pattern, library)

    def _assembled(self, T: Floats, magnitudes: bool = False) -> sp.csc_array:
        """The lower triangle; with `magnitudes` nothing cancels, so that every entry is there."""
        rows = self.lift.size.sum()
        middle = sp.csr_array((T[self._entry], (self._row, self._column)), shape=(rows, rows))
        mass = abs(self._mass) if magnitudes else self._mass
        H = abs(self.Bt) if magnitudes else self.Bt
        lower = sp.csc_array(sp.tril(mass + H @ middle @ H.T))
        lower.sort_indices()
        return lower

    def factorise(self, hessian: Hessian, soft: Floats) -> None:
        self._invert(hessian, soft)
        lower = self._assembled(self._T)
        size = self._mass.shape[0]
        key = np.repeat(np.arange(size), np.diff(lower.indptr)) * size + lower.indices
        data = np.zeros(self._key.size)
        data[np.searchsorted(self._key, key)] = lower.data
        self.factorisation.factorise(data)


def _block_entries(lift: Lift, offsets: Longs) -> tuple[Longs, Longs, Longs]:
    """Row, column and place in the flat array of each entry of all diagonal blocks."""
    rows, columns, places = [], [], []
    for size in np.unique(lift.size):
        mine = np.flatnonzero(lift.size == size)
        index = lift.row[mine][:, None] + lift.stride[mine][:, None] * np.arange(size)
        rows.append(np.repeat(index, size, axis=1).ravel())
        columns.append(np.tile(index, (1, size)).ravel())
        places.append((offsets[mine][:, None] + np.arange(size * size)).ravel())
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(places)


# -- bodies ---------------------------------------------------------------------------------------


def _roots(inverse_inertia: Floats) -> Floats:
    """R with R Rᵀ = I⁻¹ of each body, for singular ones too, shape (bodies, 3, 3)."""
    value, vector = np.linalg.eigh(inverse_inertia)
    return np.asarray(vector * np.sqrt(np.maximum(value, 0.0))[:, None, :])


def _scaled_jacobian(operator: BodyOperator) -> Floats:
    """Rows of Dᵀ M^(−½) on A and on B, block after block, shape (rows, 2, 6)."""
    arrays = operator.arrays
    forces, contacts = arrays.forces, arrays.forces + arrays.wrenches
    root_mass = np.sqrt(arrays.inverse_mass)
    root_inertia = _roots(operator.inverse_inertia())
    scalars = arrays.jacobian.shape[0]
    out = np.zeros((operator.rows, 2, 6))
    for side, sign in ((0, -1.0), (1, 1.0)):
        body = arrays.body[:, side]
        mass, turn = root_mass[body], root_inertia[body]
        lever = -sign * cross_matrix(arrays.arms[side::2]) @ turn[:contacts]
        push = sign * mass[:contacts, None, None] * np.eye(3)
        force = np.concatenate([push, lever], axis=2)
        out[: 3 * forces, side] = force[:forces].reshape(-1, 6)
        wrench = np.zeros((arrays.wrenches, 6, 6))
        wrench[:, :3] = force[forces:]
        wrench[:, 3:, 3:] = sign * arrays.lengths[:, None, None] * turn[forces:contacts]
        at = 3 * forces + 6 * arrays.wrenches
        out[3 * forces : at, side] = wrench.reshape(-1, 6)
        J = arrays.jacobian[:, 6 * side : 6 * side + 6]
        out[at:, side, :3] = J[:, :3] * mass[contacts:, None]
        out[at:, side, 3:] = np.einsum("ci,cij->cj", J[:, 3:], turn[contacts:])
        assert scalars == out.shape[0] - at
        out[np.repeat(body, _sizes(arrays, scalars)) < 0, side] = 0.0
    return out


def _sizes(arrays: object, scalars: int) -> Longs:
    """Rows of each constraint."""
    forces, wrenches = arrays.forces, arrays.wrenches  # type: ignore[attr-defined]
    return np.repeat([3, 6, 1], [forces, wrenches, scalars])


def _as_matrix(J: Floats, lift: Lift, first: Longs, number: Longs, columns: int) -> sp.csr_array:
    """B in the problem's order of rows."""
    block = np.repeat(np.arange(lift.size.size), lift.size)
    row = lift.row[block] + lift.stride[block] * (np.arange(block.size) - first[block])
    here = number[block] >= 0  # (rows, 2)
    column = 6 * number[block][:, :, None] + np.arange(6)
    place = np.broadcast_to(row[:, None, None], J.shape)
    triplets = (J[here].ravel(), (place[here].ravel(), column[here].ravel()))
    return sp.csr_array(triplets, shape=(block.size, columns))


def _incidences(number: Longs, unknowns: int) -> tuple[BlockPattern, Longs, Longs, Longs]:
    """Pattern over the bodies, rows of its CSC form, and what adds to each block.

    An item is 4·constraint + 2·(side of the row) + (side of the column); a block's items begin at
    `start`.
    """
    constraint = np.arange(number.shape[0])
    rows, columns, items = [], [], []
    for i, j in ((0, 0), (1, 1), (0, 1), (1, 0)):
        mine = (number[:, i] >= 0) & (number[:, j] >= 0)
        if i != j:  # a body that touches itself adds both mixed products to its diagonal block
            mine &= number[:, i] >= number[:, j]
        rows.append(number[mine, i])
        columns.append(number[mine, j])
        items.append(4 * constraint[mine] + 2 * i + j)
    key = np.concatenate(columns) * max(unknowns, 1) + np.concatenate(rows)
    order = np.argsort(key, kind="stable")
    blocks, start = np.unique(key[order], return_index=True)
    column, row = np.divmod(blocks, max(unknowns, 1))
    pattern, indices = block_pattern(row, column, np.full(unknowns, 6))
    return pattern, indices, np.append(start, order.size), np.concatenate(items)[order]


@kernel
def assemble_bodies(pattern, J, first_row, T, offsets, start, item, data):
    """data ← lower triangle of 1 + Bᵀ T B; every 6 × 6 block gathers its own constraints."""
    for block in prange(pattern.row.size):
        A, V = np.zeros((6, 6)), np.empty((6, 6))
        if pattern.row[block] == pattern.column[block]:
            for a in range(6):
                A[a, a] = 1.0
        for p in range(start[block], start[block + 1]):
            code = item[p]
            c, i, j = code >> 2, (code >> 1) & 1, code & 1
            row, at = first_row[c], offsets[c]
            size = first_row[c + 1] - row
            for k in range(size):
                for q in range(6):
                    total = 0.0
                    for m in range(size):
                        total += T[at + k * size + m] * J[row + m, j, q]
                    V[k, q] = total
            for a in range(6):
                for q in range(6):
                    total = 0.0
                    for k in range(size):
                        total += J[row + k, i, a] * V[k, q]
                    A[a, q] += total
        write_block(pattern, block, A, data)
