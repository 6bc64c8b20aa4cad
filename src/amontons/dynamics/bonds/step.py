"""One step of bonds: rows of the problem, what their impulses do, and the energy in beams.

Everything here is a function of a `BondModel` and a `BondState`, and changes neither.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons.array_types import Flags, Floats, Longs
from amontons.dynamics.bonds.model import BondModel, BondState
from amontons.dynamics.bonds.rows import BondArrays, assemble_bonds, measure_bonds, work_of_bonds
from amontons.dynamics.bonds.stress import broken_under
from amontons.dynamics.energy_ledger import OF_BONDS, room_for_sums, total_of
from amontons.dynamics.joints.law import NO_ROWS, JointRows

TURNS = np.array([False, False, False, True, True, True])
"""Which rows of a bond are radians, not metres."""


class BondStep(NamedTuple):
    """The rows of a step: six for each bond that holds."""

    rows: JointRows
    which: Longs  # rows of these bonds in the model, (holding,)
    strain: Floats  # shifts and turns at the start [m, rad], (holding, 6)
    dashpot: Floats  # impulses of their dashpots by speeds, hkτ, (rows,)

    @property
    def strained(self) -> tuple[Longs, Floats]:
        """The bonds that hold, and their strain."""
        return self.which, self.strain


NO_STEP = BondStep(NO_ROWS, np.empty(0, dtype=np.int64), np.empty((0, 6)), np.empty(0))
"""That of no bonds at all."""


def bond_rows(
    model: BondModel,
    state: BondState,
    position: Floats,
    orientation: Floats,
    twist: Floats,
    step: float,
) -> BondStep:
    """Rows of the problem of a step of this length [s]; twists say how strains will bend."""
    which = np.flatnonzero(~state.broken)
    if not which.size:
        return NO_STEP
    count, beams = which.size, model.beams
    out = BondArrays(np.empty((6 * count, 12)), np.empty((count, 6)), np.empty(6 * count))
    assemble_bonds.sized(count)(which, beams, position, orientation, twist, step, out)
    stiffness, relax = beams.stiffness[which], beams.damping[which][:, None]
    rows = NO_ROWS._replace(
        bodies=np.repeat(beams.bodies[which], 6, axis=0),
        jacobian=out.jacobian,
        offset=out.offset,
        compliance=(1.0 / (step * stiffness * (step + relax))).ravel(),
        angular=np.tile(TURNS, count),
        free=6 * count,
        guess=step * state.load[which].ravel(),
    )
    return BondStep(rows, which, out.strain, (step * stiffness * relax).ravel())


def together(bonds: JointRows, joints: JointRows) -> JointRows:
    """The rows of bonds, all of which are bilateral, then those of joints."""
    if not bonds.free:
        return joints
    return joints._replace(
        bodies=np.concatenate([bonds.bodies, joints.bodies]),
        jacobian=np.concatenate([bonds.jacobian, joints.jacobian]),
        offset=np.concatenate([bonds.offset, joints.offset]),
        compliance=np.concatenate([bonds.compliance, joints.compliance]),
        angular=np.concatenate([bonds.angular, joints.angular]),
        free=bonds.free + joints.free,
        guess=np.concatenate([bonds.guess, joints.guess]),
    )


def bonds_loaded(
    model: BondModel, state: BondState, found: BondStep, impulses: Floats, step: float, time: float
) -> tuple[BondState, Flags]:
    """The state after a step of this length [s] that ends at `time`, and which bonds broke in it.

    Impulses are those of the step's rows, shape (rows,).
    """
    if not found.which.size:
        return state, np.zeros(state.id.size, dtype=bool)
    load = np.zeros_like(state.load)
    load[found.which] = impulses.reshape(-1, 6) / step
    return broken_under(model, state._replace(load=load), time)


def elastic_energies(model: BondModel, which: Longs, strain: Floats) -> Floats:
    """Energy of some bonds with these strains [J], shape (those,)."""
    if not which.size:
        return np.zeros(0)
    stiffness = model.beams.stiffness[which]
    return np.asarray(0.5 * np.einsum("bi,bi,bi->b", stiffness, strain, strain))


def strain_of(model: BondModel, which: Longs, position: Floats, orientation: Floats) -> Floats:
    """Shifts and turns of some bonds at these poses [m, rad], shape (those, 6)."""
    strain = np.empty((which.size, 6))
    if which.size:
        measure_bonds.sized(which.size)(which, model.beams, position, orientation, strain)
    return strain


def work_by_bonds(
    found: BondStep, impulses: Floats, mean: Floats, after: Floats, inverse_mass: Floats
) -> list[float]:
    """Work of the impulses of a step's rows, by cause as in `OF_BONDS` [J]."""
    partial = room_for_sums(impulses.size, len(OF_BONDS))
    work_of_bonds.sized(impulses.size)(
        found.rows, impulses, found.dashpot, mean, after, inverse_mass, partial
    )
    return total_of(partial)
