"""Stresses in bonds, and which of them these break.

With the force F and the moment M of a beam's load at its middle, along it N and T and across it V
and M, the greatest stresses are at the surface of one of its ends:

    σ = N/A + |M ± (L/2) e × V| r/I in tension,  τ = |V|/A + |T| r/J in shear.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons.array_types import Flags, Floats
from amontons.dynamics.bonds.model import BondModel, BondState


class BondStress(NamedTuple):
    """Sectional forces and greatest stresses of bonds; each of shape (bonds,)."""

    axial: Floats  # N, positive in tension [N]
    shear: Floats  # |V| [N]
    torsion: Floats  # |T| [N m]
    bending: Floats  # |M| at the end where it is greater [N m]
    tensile_stress: Floats  # σ [Pa]; negative where a beam is pressed all over
    shear_stress: Floats  # τ [Pa]

    @classmethod
    def of(cls, model: BondModel, load: Floats) -> BondStress:
        """Those of loads on B at the middle, in the beams' axes, shape (bonds, 6)."""
        area = np.pi * model.radius**2
        modulus = 0.25 * area * model.radius  # I/r, half of J/r
        arm = 0.5 * model.length
        # e × V = (0, −V₂, V₁)
        ends = [
            np.hypot(load[:, 4] - sign * arm * load[:, 2], load[:, 5] + sign * arm * load[:, 1])
            for sign in (1.0, -1.0)
        ]
        axial, bending = -load[:, 0], np.maximum(*ends)
        shear, torsion = np.hypot(load[:, 1], load[:, 2]), np.abs(load[:, 3])
        return cls(
            axial, shear, torsion, bending,
            axial / area + bending / modulus, shear / area + torsion / (2.0 * modulus),
        )  # fmt: skip


def broken_under(model: BondModel, state: BondState, time: float) -> tuple[BondState, Flags]:
    """The state at the end of a step, at this time [s], and which bonds broke in it, (bonds,).

    All that bear more than they may let go at once, and carry nothing any more.
    """
    stress = BondStress.of(model, state.load)
    both = np.stack([stress.tensile_stress, stress.shear_stress], axis=1)
    share = both / model.strength
    torn = ~state.broken & (share > 1.0).any(axis=1)
    if not torn.any():
        return state, torn
    by = np.argmax(share, axis=1)
    under = np.take_along_axis(both, by[:, None], axis=1)[:, 0]
    return state._replace(
        load=np.where(torn[:, None], 0.0, state.load),
        broken=state.broken | torn,
        broken_by=np.where(torn, by, state.broken_by).astype(np.uint8),
        broken_at=np.where(torn, time, state.broken_at),
        broken_under=np.where(torn, under, state.broken_under),
    ), torn
