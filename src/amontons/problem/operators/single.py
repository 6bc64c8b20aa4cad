"""N over bodies with its data in single precision: half the memory of a product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK
from amontons.problem.operators.bodies import BodyOperator
from amontons.problem.operators.body_kernels import (
    BodyArrays,
    body_quadratic,
    body_velocities,
    velocity_product,
)

Singles = NDArray[np.float32]


class SingleBodies:
    """The product of a `BodyOperator`, as two separate halves, on float32 copies of its data.

    Arms, masses and inertias are rounded, so this is N of bodies that differ from the given ones in
    the eighth digit: symmetric and positive semi-definite as that is. Body numbers are shared.
    """

    def __init__(self, operator: BodyOperator) -> None:
        given = operator.arrays
        self.arrays: BodyArrays = given._replace(
            arms=_single(given.arms),  # type: ignore[arg-type]
            lengths=_single(given.lengths),  # type: ignore[arg-type]
            jacobian=_single(given.jacobian),  # type: ignore[arg-type]
            inverse_mass=_single(given.inverse_mass),  # type: ignore[arg-type]
            inverse_inertia=_single(given.inverse_inertia),  # type: ignore[arg-type]
            levers=_single(given.levers),  # type: ignore[arg-type]
        )
        self.masses = _single(operator.masses)
        self.bodies = operator.bodies
        constraints = given.body.shape[0]
        self._gather = body_velocities.sized(constraints)
        self._spread = velocity_product.sized(constraints)
        self._quadratic = body_quadratic.sized(constraints)
        self._partial = np.empty((-(-self.bodies // CHUNK), 1))

    def scratch(self) -> Singles:
        """Memory for the bodies' velocities, shape (bodies, 6)."""
        return np.zeros((self.bodies, 6), dtype=np.float32)

    def gather(self, x: Singles, velocity: Singles) -> None:
        """velocity ← M⁻¹ D x: the first half of a product, x of shape (rows,)."""
        self._gather(self.arrays, x, velocity)

    def spread(self, velocity: Singles, out: Singles) -> None:
        """out ← Dᵀ velocity: the second half, `out` of shape (rows,)."""
        self._spread(self.arrays, velocity, out)

    def quadratic(self, new: Singles, old: Singles, older: Singles, beta: float) -> float:
        """dᵀNd for d = new − old − β(old − older), from the velocities that those three give."""
        return float(self._quadratic(self.masses, new, old, older, beta, self._partial))


def _single(values: NDArray[np.float64]) -> Singles:
    return values.astype(np.float32)
