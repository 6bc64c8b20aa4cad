"""Energy that comes from nowhere: a run that has become unstable is stopped, not finished.

All that can rightly add kinetic energy in a step is known: gravity and loads (that of the free
velocity), hands (velocities that were written, new bodies), motors that have a limit, targets that
move, kinematic bodies, and springs. Rigid contacts and joints only take. So kinetic energy stays
below

    A  all that was ever supplied, and
    B  the most that the run has held until a few steps ago, with what was supplied since,

whatever the units; both with the energy of all bodies at the speed of recovery, which overlaps and
errors of joints may give. Supplies are linear in velocities or impulses, the energy of a runaway is
quadratic: it leaves the smaller of A and B behind for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.errors import InputError, RunawayError
from amontons.simulation.notes import RUNAWAY, Note, listed
from amontons.simulation.solved import Solved

if TYPE_CHECKING:
    from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]

WATCHES = ("stop", "note", "off")

WINDOW = 10
"""Steps after which energy counts as what the run holds."""

WARY, STRIKES, RISE = 10.0, 3, 0.01
"""Kinetic energy by its ceiling, found in so many steps in a row in which contacts and joints gave
at least this share of it: a runaway."""

ABSURD = 1e3
"""Kinetic energy by its ceiling that is a runaway at once."""


def checked_watch(word: str) -> str:
    """One of `WATCHES`."""
    if word not in WATCHES:
        raise InputError(f"watch must be 'stop', 'note' or 'off', got {word!r}")
    return word


class EnergyWatch:
    """Follows the kinetic energy of a run and what was supplied to it."""

    def __init__(self) -> None:
        self.recent = np.zeros((WINDOW, 2))
        """Energy held and energy supplied in the last steps [J], the oldest first."""
        self.supplied, self.peak, self.last, self.strikes = 0.0, 0.0, 0.0, 0
        self.changed = True
        """Whether the world has other bodies, joints or forces than in the last step."""
        self._next: tuple[float, float, float, int] | None = None

    def judge(self, simulation: Simulation, solved: Solved, before: float) -> float:
        """Kinetic energy by its ceiling, if that is a runaway; else 0. Remembers nothing.

        `before` is the kinetic energy at the start of the step [J].
        """
        elastic = elastic_energy(simulation, solved)
        kinetic, given = solved.kinetic + solved.work, driven_work(simulation, solved)
        supply = max(0.0, before - self.last) + max(0.0, solved.kinetic - before) + given
        supply += elastic if self.changed else 0.0
        ceiling = min(self.supplied, self.peak + float(self.recent[:, 1].sum())) + supply
        ceiling += _at_recovery_speed(simulation)
        ratio = kinetic / ceiling if ceiling > 0.0 else 0.0
        rising = solved.work - given > RISE * kinetic
        strikes = 0 if ratio <= WARY else self.strikes + rising
        self._next = kinetic, elastic, supply, strikes
        return ratio if strikes >= STRIKES or (rising and ratio > ABSURD) else 0.0

    def accept(self) -> None:
        """Remember what :meth:`judge` has seen: the step was taken."""
        if self._next is None:
            return
        kinetic, elastic, supply, self.strikes = self._next
        self.peak = max(self.peak, float(self.recent[0, 0]))
        self.recent = np.concatenate([self.recent[1:], [[kinetic + elastic, supply]]])
        self.supplied += supply
        self.last, self.changed, self._next = kinetic, False, None

    def state(self) -> Floats:
        """All of it, to be saved; shape (WINDOW + 3, 2)."""
        rest = [[self.supplied, self.peak], [self.last, 0.0], [self.strikes, self.changed]]
        return np.concatenate([self.recent, rest])

    def restore(self, state: Floats) -> None:
        """Go back to what :meth:`state` gave."""
        self.recent = state[:WINDOW].copy()
        self.supplied, self.peak, self.last, _, strikes, changed = state[WINDOW:].ravel().tolist()
        self.strikes, self.changed = int(strikes), bool(changed)


def _at_recovery_speed(simulation: Simulation) -> float:
    """Kinetic energy of all bodies that move, at the speed at which overlaps are mended [J]."""
    rules, inverse = simulation.rules, simulation.masses.inverse_mass
    # by default a tenth of the speed of a fall, of which the slip speed is a thousandth
    speed = max(rules.recovery_speed, 100.0 * rules.slip_speed)
    return 0.5 * speed * speed * float((1.0 / inverse[inverse > 0.0]).sum())


def elastic_energy(simulation: Simulation, solved: Solved) -> float:
    """Energy of springs, of motors that are springs, and of compliant contacts [J]."""
    total = simulation.joints.elastic_energy()
    pairs, contacts = simulation.world.materials.table, solved.detected
    if pairs.yields:
        compliance = pairs.compliance[tuple(simulation.bodies.material[contacts.bodies].T)]
        soft = (compliance > 0.0) & (contacts.gaps < 0.0)
        total += 0.5 * float((contacts.gaps[soft] ** 2 / compliance[soft]).sum())
    return total


def driven_work(simulation: Simulation, solved: Solved) -> float:
    """Work of motors with a limit, of moving targets and of kinematic bodies on the others [J]."""
    total = 0.0
    kinematic = np.zeros(len(simulation.bodies) + 1, dtype=bool)  # the last is the world: −1
    kinematic[simulation.masses.kinematic] = True
    twist = np.concatenate([solved.velocity, np.zeros((1, 6))])
    if kinematic.any():
        total += _work_through_contacts(solved, kinematic, twist)
    rows = solved.rows
    if rows.offset.size:
        impulses = solved.joint_impulses
        total += float(np.maximum(impulses * simulation.joints.target_speeds(), 0.0).sum())
        ends = twist[rows.bodies]
        if kinematic.any():
            moved = np.where(kinematic[rows.bodies][:, :, None], ends, 0.0).reshape(-1, 12)
            speeds = np.einsum("ri,ri->r", rows.jacobian, moved)
            total += float(np.maximum(-impulses * speeds, 0.0).sum())
        if rows.bounded:
            limited = np.isfinite(rows.lower) & np.isfinite(rows.upper)
            speeds = np.einsum("ri,ri->r", rows.jacobian, ends.reshape(-1, 12))[-rows.bounded :]
            work = impulses[-rows.bounded :] * speeds
            total += float(np.maximum(work[limited], 0.0).sum())
    return total


def _work_through_contacts(solved: Solved, kinematic: NDArray[np.bool_], twist: Floats) -> float:
    """Work that kinematic bodies do on those that they touch [J]."""
    contacts, total = solved.terms.contacts, 0.0
    for side, arms, sign in ((0, contacts.arms_a, 1.0), (1, contacts.arms_b, -1.0)):
        at = np.flatnonzero(kinematic[contacts.bodies[:, side]])
        moving = twist[contacts.bodies[at, side]]
        speed = moving[:, :3] + np.cross(moving[:, 3:], arms[at])
        work = sign * np.einsum("ci,ci->c", solved.contact_impulses[at, :3], speed)
        total += float(np.maximum(work, 0.0).sum())
    return total


def watch_energy(simulation: Simulation, solved: Solved, before: float) -> list[Note]:
    """Raise, or note, where energy comes from nowhere; as `Simulation.watch` has it.

    `before` is the kinetic energy at the start of the step [J].
    """
    if simulation.watch == "off":
        return []
    ratio = simulation.energy_watch.judge(simulation, solved, before)
    if not ratio:
        return []
    text, names = explain(simulation, solved, ratio)
    note = Note(
        kind=RUNAWAY,
        message=text,
        step=simulation.steps + 1,
        time=simulation.time + solved.step,
        bodies=names,
        value=ratio,
    )
    if simulation.watch == "stop":
        raise RunawayError(
            f"{note}. The run was stopped, and the state is that before this step; to go on all "
            'the same: Simulation(watch="note"), or `watch: note` in the `run` section of a scene '
            "file"
        )
    return [note]


def explain(simulation: Simulation, solved: Solved, ratio: float) -> tuple[str, tuple[str, ...]]:
    """What to say of a runaway, and the bodies that gained most."""
    world, bodies = simulation.world, simulation.bodies
    gained = kinetic_energies(simulation, solved.velocity)
    gained = gained - kinetic_energies(simulation, bodies.twist)
    rows = np.argsort(-gained, kind="stable")[:3]
    names = tuple(world.name_of(int(bodies.id[row])) for row in rows if gained[row] > 0.0)
    fastest = float(np.linalg.norm(solved.velocity[rows[0], :3]))
    return (
        f"energy comes from nowhere: contacts and joints gave {listed(names)} kinetic energy, now "
        f"{solved.kinetic + solved.work:.3g} J in all, {ratio:.2g} times what gravity, motors and "
        f"everything else could have supplied ({names[0] if names else 'a body'} moves at "
        f"{fastest:.3g} m/s). See whether bodies overlap, joints and motors contradict each other "
        "or masses are extremely unequal there; take a shorter step (or substeps), or a solver "
        "with a finer tolerance and more iterations"
    ), names


def kinetic_energies(simulation: Simulation, twist: Floats) -> Floats:
    """Kinetic energy of each body that can move at these velocities [J], shape (bodies,)."""
    bodies, inverse = simulation.bodies, simulation.masses.inverse_mass
    moving = inverse > 0.0
    energy = np.zeros(len(bodies))
    v, w = twist[moving, :3], twist[moving, 3:]
    R = rotation_matrices(bodies.orientation[moving])
    own = np.einsum("nij,ni->nj", R, w)
    turning = np.einsum("ni,nij,nj->n", own, bodies.inertia[moving], own)
    energy[moving] = 0.5 * (bodies.mass[moving] * np.einsum("ni,ni->n", v, v) + turning)
    return energy
