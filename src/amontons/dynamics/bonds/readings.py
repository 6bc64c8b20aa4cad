"""What bonds tell after a step: forces, stresses, and which are broken, when and how."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Flags, Floats, Longs
from amontons.dynamics.bonds.model import WAYS_TO_BREAK, BondModel, BondState
from amontons.dynamics.bonds.stress import BondStress


class BondReadings:
    """Readings of bonds: arrays with one entry per bond, in the order of `ids`.

    Forces and stresses are those of the last step; broken bonds stay, and carry nothing.
    """

    def __init__(self, model: BondModel, state: BondState, body_ids: Longs) -> None:
        self.model, self.state, self._body_ids = model, state, body_ids
        self._stress = BondStress.of(model, state.load)

    def __len__(self) -> int:
        return self.state.id.size

    @property
    def ids(self) -> Longs:
        """Numbers that bonds keep for life, shape (bonds,)."""
        return self.state.id

    @property
    def bodies(self) -> Longs:
        """Ids of the bodies A and B, shape (bonds, 2)."""
        return self._body_ids[self.model.bodies]

    @property
    def axial(self) -> Floats:
        """Force along each beam, positive in tension [N], shape (bonds,)."""
        return self._stress.axial

    @property
    def shear(self) -> Floats:
        """Force across it [N], shape (bonds,)."""
        return self._stress.shear

    @property
    def bending(self) -> Floats:
        """Bending moment at the end where it is greater [N m], shape (bonds,)."""
        return self._stress.bending

    @property
    def torsion(self) -> Floats:
        """Torque about each beam [N m], shape (bonds,)."""
        return self._stress.torsion

    @property
    def tensile_stress(self) -> Floats:
        """Greatest stress along it, F/A + M r/I [Pa]; negative: pressed all over; (bonds,)."""
        return self._stress.tensile_stress

    @property
    def shear_stress(self) -> Floats:
        """Greatest stress across it, V/A + T r/J [Pa], shape (bonds,)."""
        return self._stress.shear_stress

    @property
    def broken(self) -> Flags:
        """Which bonds are broken, shape (bonds,)."""
        return self.state.broken

    @property
    def broken_by(self) -> NDArray[np.str_]:
        """By what: "tension" or "shear", else empty; shape (bonds,)."""
        return np.array(WAYS_TO_BREAK)[self.state.broken_by]

    @property
    def broken_at(self) -> Floats:
        """When [s], infinite for those that hold; shape (bonds,)."""
        return self.state.broken_at

    @property
    def broken_under(self) -> Floats:
        """Under which stress [Pa], zero for those that hold; shape (bonds,)."""
        return self.state.broken_under

    def __repr__(self) -> str:
        broken = int(np.count_nonzero(self.broken))
        return f"<BondReadings: {len(self)} bonds, {broken} broken>"
