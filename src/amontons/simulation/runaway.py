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

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.collision.contacts import ContactSet
from amontons.dynamics.contact_laws import ContactRules
from amontons.dynamics.joints.readings import JointReadings
from amontons.dynamics.joints.step import target_speeds
from amontons.errors import RunawayError
from amontons.simulation.model import Model
from amontons.simulation.notes import RUNAWAY, Note, listed
from amontons.simulation.state import BodyState, State, WatchState
from amontons.simulation.step_solution import StepSolution

Floats = NDArray[np.float64]

WARY, STRIKES, RISE = 10.0, 3, 0.01
"""Kinetic energy by its ceiling, found in so many steps in a row in which contacts and joints gave
at least this share of it: a runaway."""

ABSURD = 1e3
"""Kinetic energy by its ceiling that is a runaway at once."""


def judged(
    watch: WatchState, model: Model, rules: ContactRules, solved: StepSolution, before: float,
    elastic: float,
) -> tuple[WatchState, float]:  # fmt: skip
    """What is known after this step, and kinetic energy by its ceiling if that is a runaway, or 0.

    `before` is the kinetic energy at the start of the step, and `elastic` that of all springs [J].
    """
    kinetic, given = solved.kinetic + solved.work, driven_work(model, solved)
    supply = max(0.0, before - watch.last) + max(0.0, solved.kinetic - before) + given
    supply += elastic if watch.changed else 0.0
    ceiling = min(watch.supplied, watch.peak + float(watch.recent[:, 1].sum())) + supply
    ceiling += _at_recovery_speed(model, rules)
    ratio = kinetic / ceiling if ceiling > 0.0 else 0.0
    rising = solved.work - given > RISE * kinetic
    strikes = 0 if ratio <= WARY else watch.strikes + rising
    after = WatchState(
        recent=np.concatenate([watch.recent[1:], [[kinetic + elastic, supply]]]),
        supplied=watch.supplied + supply,
        peak=max(watch.peak, float(watch.recent[0, 0])),
        last=kinetic,
        strikes=strikes,
        changed=False,
    )
    return after, ratio if strikes >= STRIKES or (rising and ratio > ABSURD) else 0.0


def _at_recovery_speed(model: Model, rules: ContactRules) -> float:
    """Kinetic energy of all bodies that move, at the speed at which overlaps are mended [J]."""
    inverse = model.masses.inverse_mass
    # by default a tenth of the speed of a fall, of which the slip speed is a thousandth
    speed = max(rules.recovery_speed, 100.0 * rules.slip_speed)
    return 0.5 * speed * speed * float((1.0 / inverse[inverse > 0.0]).sum())


def elastic_energy(model: Model, joints: JointReadings, contacts: ContactSet) -> float:
    """Energy of springs, of motors that are springs, and of compliant contacts [J]."""
    total, pairs = joints.elastic_energy(), model.pairs
    if pairs.yields:
        compliance = pairs.compliance[tuple(model.bodies.material[contacts.bodies].T)]
        soft = (compliance > 0.0) & (contacts.gaps < 0.0)
        total += 0.5 * float((contacts.gaps[soft] ** 2 / compliance[soft]).sum())
    return total


def driven_work(model: Model, solved: StepSolution) -> float:
    """Work of motors with a limit, of moving targets and of kinematic bodies on the others [J]."""
    total, rows = 0.0, solved.rows
    driven = model.masses.kinematic.size > 0
    if not (driven or rows.bounded or model.joints.chosen.moving):
        return total
    kinematic = np.zeros(len(solved.velocity) + 1, dtype=bool)  # the last is the world: −1
    kinematic[model.masses.kinematic] = True
    twist = np.concatenate([solved.velocity, np.zeros((1, 6))])
    if driven:
        total += _work_through_contacts(solved, kinematic, twist)
    if rows.offset.size:
        impulses = solved.joint_impulses
        speeds = target_speeds(model.joints, solved.joints)
        total += float(np.maximum(impulses * speeds, 0.0).sum())
        ends = twist[rows.bodies]
        if driven:
            moved = np.where(kinematic[rows.bodies][:, :, None], ends, 0.0).reshape(-1, 12)
            speeds = np.einsum("ri,ri->r", rows.jacobian, moved)
            total += float(np.maximum(-impulses * speeds, 0.0).sum())
        if rows.bounded:
            limited = np.isfinite(rows.lower) & np.isfinite(rows.upper)
            speeds = np.einsum("ri,ri->r", rows.jacobian, ends.reshape(-1, 12))[-rows.bounded :]
            work = impulses[-rows.bounded :] * speeds
            total += float(np.maximum(work[limited], 0.0).sum())
    return total


def _work_through_contacts(
    solved: StepSolution, kinematic: NDArray[np.bool_], twist: Floats
) -> float:
    """Work that kinematic bodies do on those that they touch [J]."""
    contacts, total = solved.terms.contacts, 0.0
    for side, arms, sign in ((0, contacts.arms_a, 1.0), (1, contacts.arms_b, -1.0)):
        at = np.flatnonzero(kinematic[contacts.bodies[:, side]])
        moving = twist[contacts.bodies[at, side]]
        speed = moving[:, :3] + np.cross(moving[:, 3:], arms[at])
        work = sign * np.einsum("ci,ci->c", solved.contact_impulses[at, :3], speed)
        total += float(np.maximum(work, 0.0).sum())
    return total


def watch_energy(
    model: Model, state: State, joints: JointReadings, solved: StepSolution, rules: ContactRules,
    before: float, word: str,
) -> tuple[WatchState, list[Note]]:  # fmt: skip
    """What is known after a step; raise, or note, where energy comes from nowhere.

    `joints` are as the step began, `before` is the kinetic energy then [J], and the `word` says
    what to do: "stop", "note" or "off".
    """
    if word == "off":
        return state.watch, []
    elastic = elastic_energy(model, joints, solved.detected)
    after, ratio = judged(state.watch, model, rules, solved, before, elastic)
    if not ratio:
        return after, []
    text, names = explain(model, state.bodies, solved, ratio)
    note = Note(
        kind=RUNAWAY,
        message=text,
        step=state.steps + 1,
        time=state.time + solved.step,
        bodies=names,
        value=ratio,
    )
    if word == "stop":
        raise RunawayError(
            f"{note}. The run was stopped, and the state is that before this step; to continue "
            'anyway: Simulation(watch="note"), or `watch: note` in the `run` section of a scene '
            "file"
        )
    return after, [note]


def explain(
    model: Model, bodies: BodyState, solved: StepSolution, ratio: float
) -> tuple[str, tuple[str, ...]]:
    """What to say of a runaway, and the bodies that gained most."""
    gained = kinetic_energies(model, bodies.orientation, solved.velocity)
    gained = gained - kinetic_energies(model, bodies.orientation, bodies.twist)
    rows = np.argsort(-gained, kind="stable")[:3]
    names = tuple(model.name_of(int(row)) for row in rows if gained[row] > 0.0)
    fastest = float(np.linalg.norm(solved.velocity[rows[0], :3]))
    return (
        f"energy comes from nowhere: contacts and joints gave {listed(names)} kinetic energy, now "
        f"{solved.kinetic + solved.work:.3g} J in all, {ratio:.2g} times what gravity, motors and "
        f"everything else could have supplied ({names[0] if names else 'a body'} moves at "
        f"{fastest:.3g} m/s). See whether bodies overlap, joints and motors contradict each other "
        "or masses are extremely unequal there; take a shorter step (or substeps), or a solver "
        "with a finer tolerance and more iterations"
    ), names


def kinetic_energies(model: Model, orientation: Floats, twist: Floats) -> Floats:
    """Kinetic energy of each body that can move at these velocities [J], shape (bodies,)."""
    bodies, moving = model.bodies, model.masses.inverse_mass > 0.0
    energy = np.zeros(len(twist))
    v, w = twist[moving, :3], twist[moving, 3:]
    R = rotation_matrices(orientation[moving])
    own = np.einsum("nij,ni->nj", R, w)
    turning = np.einsum("ni,nij,nj->n", own, bodies.inertia[moving], own)
    energy[moving] = 0.5 * (bodies.mass[moving] * np.einsum("ni,ni->n", v, v) + turning)
    return energy
