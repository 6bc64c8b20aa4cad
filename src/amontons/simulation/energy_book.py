"""The books of energy: every step's work, entered by cause, and what bodies and springs hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.energy import Mechanics, mechanics
from amontons.dynamics.energy_ledger import (
    CAUSES,
    OF_BODIES,
    OF_CONTACTS,
    OF_JOINTS,
    Work,
    room_for_sums,
    total_of,
    work_of_contacts,
    work_on_bodies,
)
from amontons.simulation.impulses import Start
from amontons.simulation.solved import Solved

if TYPE_CHECKING:
    from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]

_NOTHING = np.empty(0)
_NUMBER = {cause: i for i, cause in enumerate(CAUSES)}
_BODIES, _CONTACTS, _JOINTS = (
    [_NUMBER[cause] for cause in causes] for causes in (OF_BODIES, OF_CONTACTS, OF_JOINTS)
)
_LOADS, _DAMPING, _RECOVERY = _NUMBER["loads"], _NUMBER["damping"], _NUMBER["recovery"]
_INTEGRATION, _SLEEP, _OUTSIDE = _NUMBER["integration"], _NUMBER["sleep"], _NUMBER["outside"]


class Moved(NamedTuple):
    """Bodies at the end of a step, before any falls asleep."""

    position: Floats  # [m], (bodies, 3)
    orientation: Floats  # (bodies, 4)
    twist: Floats  # [m/s, rad/s], (bodies, 6)


class Stored(NamedTuple):
    """Energy that is neither of motion nor in gravity [J]."""

    loads: float  # the potentials that users' forces tell of
    springs: float  # of joints, bushings and springs
    contacts: float  # that give way

    @property
    def total(self) -> float:
        """All of it [J]."""
        return self.loads + self.springs + self.contacts


class EnergyBook:
    """Work on the bodies of a simulation since its start, by cause.

    A step is entered in two parts: :meth:`enter` while bodies are where they were, and
    :meth:`settle` when they are where they will be.
    """

    def __init__(self) -> None:
        self.entries = [0.0] * len(CAUSES)
        self.energy = 0.0
        """Kinetic and potential at the end of the last step [J]."""
        self.stored = Stored(0.0, 0.0, 0.0)
        """Of that, what is not of motion or in gravity [J]."""

    @property
    def work(self) -> Work:
        """As it stands now."""
        return Work(*self.entries)

    def enter(
        self,
        simulation: Simulation,
        start: Start,
        wrench: Floats,
        solved: Solved,
        joint_impulses: Floats,
        moved: Moved,
        loads: tuple[float, float],
        held: Mechanics,
    ) -> None:
        """Enter what all impulses of a step do.

        `loads` hold so much before and after it [J], and bodies `held` what they did before.
        """
        entries, elastic = self.entries, 0.0
        before = Stored(loads[0], simulation.joints.potential_energy(), self.stored.contacts)
        entries[_OUTSIDE] += held.kinetic + (held.potential + before.total) - self.energy
        mean, works = _work_on_bodies(simulation, start, wrench, solved, moved)
        self._add(_BODIES, works)
        entries[_INTEGRATION] += _work_of_stiffness(start, solved, mean)
        entries[_RECOVERY] += _work_of_parting(simulation, solved)
        if len(solved.terms):
            works, elastic = _work_of_contacts(simulation, start, solved, mean)
            self._add(_CONTACTS, works)
        if joint_impulses.size:
            works = simulation.joints.work(
                solved.rows, joint_impulses, mean, solved.velocity, start.inverse_mass, solved.step
            )
            self._add(_JOINTS, works)
        entries[_LOADS] += loads[1] - loads[0]
        # the springs' work is in already: with what they hold now it makes their error
        entries[_INTEGRATION] += elastic - before.contacts - before.springs
        self.stored = Stored(loads[1], 0.0, elastic)

    def _add(self, causes: list[int], works: list[float]) -> None:
        for cause, work in zip(causes, works, strict=True):
            self.entries[cause] += work

    def settle(
        self, simulation: Simulation, broken: list[int], twist: Floats, awake: NDArray[np.bool_]
    ) -> None:
        """Enter what springs hold in the end, and what was lost with joints that broke and motion.

        `twist` are velocities before bodies fell asleep, and `awake` those that did not sleep yet.
        """
        joints, bodies = simulation.joints, simulation.bodies
        springs = joints.potential_energy()
        self.stored = Stored(self.stored.loads, springs, self.stored.contacts)
        self.entries[_INTEGRATION] += springs
        if broken:
            lost = joints.energy_of_broken(broken)
            self.entries[_INTEGRATION] += lost
            self.entries[_DAMPING] -= lost
        if simulation.sleeping is None:
            return
        fallen = bodies.asleep & awake
        if fallen.any():
            self.entries[_SLEEP] -= mechanics(
                bodies.position[fallen], bodies.orientation[fallen], twist[fallen],
                bodies.mass[fallen], bodies.inertia[fallen], simulation.world.gravity,
            ).kinetic  # fmt: skip

    def state(self) -> Floats:
        """All of it, to go on bit for bit; shape (causes + 4,)."""
        return np.array([*self.entries, self.energy, *self.stored])

    def restore(self, state: Floats) -> None:
        """Go back to what :meth:`state` gave."""
        values = state.tolist()
        self.entries, self.energy = values[: len(CAUSES)], values[len(CAUSES)]
        self.stored = Stored(*values[len(CAUSES) + 1 :])

    def __repr__(self) -> str:
        return f"<EnergyBook: {self.energy:.4g} J, {self.work.dissipated:.4g} J became heat>"


def _work_of_stiffness(start: Start, solved: Solved, mean: Floats) -> float:
    """Work of what taut joints add to inertias, the torque impulse −h²K₊ ω⁺ [J]."""
    taut = start.taut
    if not taut.rows.size:
        return 0.0
    after = solved.velocity[taut.rows, 3:]
    return -float(np.einsum("ni,nij,nj->", mean[taut.rows, 3:], taut.added, after))


def _work_of_parting(simulation: Simulation, solved: Solved) -> float:
    """Energy that bodies gain in gravity by the motion that parts them [J]."""
    if solved.parted is None:
        return 0.0
    mobile = simulation.masses.inverse_mass > 0.0
    aside = solved.step * (solved.motion - solved.velocity)[mobile, :3]
    weight = simulation.bodies.mass[mobile]
    return -float(weight @ (aside @ simulation.world.gravity))


def _work_on_bodies(
    simulation: Simulation, start: Start, wrench: Floats, solved: Solved, moved: Moved
) -> tuple[Floats, list[float]]:
    """Mean velocities over a step, shape (bodies, 6), and the work `OF_BODIES` [J]."""
    bodies, masses = simulation.bodies, simulation.masses
    mean, count, free = np.empty_like(solved.velocity), len(bodies), start.free
    if start.taut.rows.size:
        free = free.copy()
        free[start.taut.rows] = start.taut.free
    partial = room_for_sums(count, len(OF_BODIES))
    work_on_bodies.sized(count)(
        bodies.twist, start.twist, free, solved.velocity, wrench, simulation.world.gravity,
        bodies.mass, bodies.inertia, masses.even, start.inverse_mass, bodies.orientation,
        moved.orientation, moved.twist, simulation.loads.drags, solved.step, mean, partial,
    )  # fmt: skip
    return mean, total_of(partial)


def _work_of_contacts(
    simulation: Simulation, start: Start, solved: Solved, mean: Floats
) -> tuple[list[float], float]:
    """The work `OF_CONTACTS`, and the elastic energy of contacts in the end [J]."""
    terms, of, world = solved.terms, solved.terms.contacts, simulation.world
    count, pairs = len(terms), world.materials.table
    partial = room_for_sums(count, len(OF_CONTACTS) + 1)
    work_of_contacts.sized(count)(
        of.bodies, of.normals, of.arms_a, of.arms_b, of.gaps, solved.contact_impulses,
        _NOTHING if terms.cohesion is None else terms.cohesion, world.bodies.material,
        pairs.compliance, pairs.damping, mean, solved.velocity, start.inverse_mass,
        simulation.rules.recovery_speed, solved.step, partial,
    )  # fmt: skip
    *works, elastic = total_of(partial)
    return works, elastic
