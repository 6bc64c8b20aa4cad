"""N of bodies in a cell whose edges move freely: that of the bodies, plus a term of low rank.

Contact c is between points that are l apart. Where space grows at the rates ε̇ along the axes, they
part at l_k ε̇_k along axis k, and an impulse x_c of the contact makes the cell grow, by the sum
F Σ_c l_c∘x_c with the flexibility F, one over an inertia. So N = DᵀM⁻¹D + GᵀFG,
where G x = Σ_c l_c∘x_c.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.algebra.cones import SetArrays
from amontons.problem.operators.base import Operator
from amontons.problem.operators.bodies import BodyOperator

Floats = NDArray[np.float64]


class CellOperator(Operator):
    """N = DᵀM⁻¹D + GᵀFG: bodies, and the rates at which their cell grows along the axes.

    Parameters
    ----------
    bodies:
        DᵀM⁻¹D.
    branches:
        l, from A to B of each contact [m], shape (contacts, 3).
    flexibility:
        F, what impulses times lengths add to the rates [1/(kg m²)], symmetric, shape (3, 3).
    """

    form: ClassVar[str] = "matrix"  # its name in files

    def __init__(self, bodies: BodyOperator, branches: Floats, flexibility: Floats) -> None:
        self.bodies, self.flexibility = bodies, flexibility
        self.rows = bodies.rows
        self._lengths = np.ascontiguousarray(branches.T)  # (3, contacts), as rows are

    def check(self, sets: SetArrays) -> None:
        self.bodies.check(sets)

    def scaled(self, factors: Floats) -> Self:
        return type(self)(self.bodies.scaled(factors), self._lengths.T, self.flexibility)

    def scratch(self) -> Any:
        return self.bodies.scratch()

    def rates(self, x: Floats) -> Floats:
        """Changes of the cell's growth rates by impulses x, shape (rows,) [1/s], (3,)."""
        return self.flexibility @ self._virial(x)

    def velocities(self, x: Floats) -> Floats:
        """Changes of the bodies' velocities by impulses x, beside the growth, shape (bodies, 6)."""
        return self.bodies.velocities(x)

    def from_velocities(self, velocity: Floats, out: Floats) -> None:
        """out ← Dᵀ v."""
        self.bodies.from_velocities(velocity, out)

    def _virial(self, x: Floats) -> Floats:
        """G x = Σ l∘x, shape (3,); summed alike on any number of threads."""
        return np.asarray((self._lengths * self._forces(x)).sum(axis=1))

    def _forces(self, x: Floats) -> Floats:
        return x[: self._lengths.size].reshape(self._lengths.shape)

    def apply(self, x: Floats, out: Floats, scratch: Any) -> float:
        square = self.bodies.apply(x, out, scratch)
        virial = self._virial(x)
        rates = self.flexibility @ virial
        self._forces(out)[:] += self._lengths * rates[:, None]
        return float(square + virial @ rates)

    def curvatures(self, sets: SetArrays) -> Floats:
        curvatures, blocks = self.bodies.curvatures(sets), self._blocks()
        count = len(blocks)
        normal = np.asarray(sets.normal)[:, :count]
        along = np.einsum("ic,cij,jc->c", normal, blocks, normal)
        curvatures[:count, 0] += along
        curvatures[:count, 1] += 0.5 * (np.trace(blocks, axis1=1, axis2=2) - along)
        return curvatures

    def diagonal_blocks(self, sets: SetArrays) -> tuple[Floats, NDArray[np.int64]]:
        flat, offsets = self.bodies.diagonal_blocks(sets)
        forces, count = self.bodies.arrays.forces, self._lengths.shape[1]
        blocks = self._blocks()
        flat[: 9 * forces].reshape(-1, 3, 3)[:] += blocks[:forces]
        turning = flat[9 * forces : 9 * forces + 36 * (count - forces)].reshape(-1, 6, 6)
        turning[:, :3, :3] += blocks[forces:]
        return flat, offsets

    def _blocks(self) -> Floats:
        """l_i F_ij l_j of each contact, shape (contacts, 3, 3)."""
        lengths = self._lengths.T
        return np.asarray(lengths[:, :, None] * self.flexibility * lengths[:, None, :])

    def _growth(self) -> sp.csr_array:
        """G as a sparse matrix, shape (3, rows)."""
        axes, contacts = self._lengths.shape
        row, column = np.repeat(np.arange(axes), contacts), np.arange(axes * contacts)
        return sp.csr_array((self._lengths.ravel(), (row, column)), shape=(axes, self.rows))

    def inverse_mass_form(self) -> tuple[sp.csr_array, sp.csr_array]:
        inverse, jacobian = self.bodies.inverse_mass_form()
        whole = sp.block_diag([inverse, sp.csr_array(self.flexibility)], format="csr")
        return sp.csr_array(whole), sp.csr_array(sp.vstack([jacobian, self._growth()]))

    @property
    def forms_rows(self) -> bool:
        return False  # every contact feels every other through the cell: N is full

    @property
    def entries(self) -> int:
        return int(2 * self._lengths.size)

    def as_matrix(self) -> sp.csr_array:
        G = self._growth()
        product = G.T @ sp.csr_array(self.flexibility) @ G
        return sp.csr_array(self.bodies.as_matrix() + (product + product.T) / 2)

    @property
    def nbytes(self) -> int:
        return self.bodies.nbytes + self._lengths.nbytes
