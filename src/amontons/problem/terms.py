"""Optional terms of a problem beside N and r."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.problem.cohesion import checked_cohesion
from amontons.problem.compliance import checked_compliance
from amontons.problem.sets import Product
from amontons.problem.units import checked_lengths

Floats = NDArray[np.float64]


class Terms(NamedTuple):
    """Compliance, cohesion and lengths; each None if absent."""

    compliance: Floats | None = None  # in internal order, shape (rows,)
    cohesion: Floats | None = None  # c in the caller's order [N s], shape (blocks,)
    lengths: Floats | None = None  # ℓ in internal order [m], NaN for their own, shape (blocks,)

    @classmethod
    def checked(
        cls,
        sets: Product,
        compliance: ArrayLike | None,
        cohesion: ArrayLike | None,
        lengths: ArrayLike | None,
    ) -> Terms:
        """A caller's values, in the caller's order: one number for all, or one each."""
        return cls(
            checked_compliance(sets, compliance),
            checked_cohesion(sets, cohesion),
            checked_lengths(sets, lengths),
        )
