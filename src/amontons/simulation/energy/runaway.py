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
from amontons.dynamics.bonds.step import elastic_energies
from amontons.dynamics.contact_laws import ContactPlaces, ContactRules
from amontons.dynamics.joints.readings import JointReadings
from amontons.dynamics.joints.step import target_speeds
from amontons.dynamics.supplied_work import work_through_contacts, work_through_rows
from amontons.errors import RunawayError
from amontons.simulation.model import Model
from amontons.simulation.reports.notes import RUNAWAY, Note, listed
from amontons.simulation.sharing.share import Share
from amontons.simulation.solve.step_solution import StepSolution
from amontons.simulation.solve.surfaces import work_of_surfaces
from amontons.simulation.state import BodyState, State, WatchState
from amontons.small_worlds.books import judge_energy

Floats = NDArray[np.float64]


def judged(
    watch: WatchState, model: Model, rules: ContactRules, free: float, kinetic: float,
    given: float, before: float, elastic: float,
) -> tuple[WatchState, float]:  # fmt: skip
    """What is known after this step, and kinetic energy by its ceiling if that is a runaway, or 0.

    `before` is the kinetic energy at the start of the step, `free` that at the free velocity and
    `kinetic` that in the end; `given` is the :func:`driven_work`, `elastic` is in all springs [J].
    """
    recent, alarm = watch.recent.copy(), np.array([watch.strikes, watch.changed], dtype=np.int64)
    known = np.array([watch.supplied, watch.peak, watch.last])
    # by default a tenth of the speed of a fall, of which the slip speed is a thousandth
    speed = max(rules.recovery_speed, 100.0 * rules.slip_speed)
    told = np.array([free, kinetic, given, before, elastic, speed, model.masses.total])
    ratio = judge_energy(recent, known, alarm, told)
    supplied, peak, last = known.tolist()
    strikes, changed = alarm.tolist()
    return WatchState(recent, supplied, peak, last, strikes, bool(changed)), ratio


def elastic_energy(
    model: Model, joints: JointReadings, contacts: ContactSet, share: Share
) -> float:
    """Energy of springs, of motors that are springs, and of compliant contacts [J]."""
    total, pairs = joints.elastic_energy(), model.pairs
    if pairs.yields:
        compliance = pairs.compliance[tuple(model.bodies.material[contacts.bodies].T)]
        soft = (compliance > 0.0) & (contacts.gaps < 0.0)

        def doubled(some: slice) -> tuple[float]:
            which = soft[some]
            return (float((contacts.gaps[some][which] ** 2 / compliance[some][which]).sum()),)

        total += 0.5 * share.sums(contacts, 1, doubled)[0]
    return total


def driven_work(model: Model, solved: StepSolution) -> float:
    """Work of limited motors, moving targets, kinematic bodies, belts, bridges and a cell [J]."""
    rows, driven = solved.joints.rows, model.masses.kinematic.size > 0
    contacts, share = solved.terms.contacts, solved.share
    total = max(0.0, solved.cell_work)
    if share.any(solved.terms.slides is not None):
        belts = work_of_surfaces(solved)
        total += max(0.0, share.sums(contacts, 1, lambda some: (float(belts[some].sum()),))[0])
    pulls = solved.bridge_pulls
    if pulls is not None:
        width = solved.terms.width
        ends = solved.solution.velocities[: len(pulls) * width].reshape(-1, width)[:, :3]
        work = np.maximum(np.einsum("ci,ci->c", pulls, ends), 0.0)
        total += share.sums(contacts, 1, lambda some: (float(work[some].sum()),))[0]
    if not (driven or rows.bounded or model.joints.chosen.moving):
        return total
    kinematic = np.zeros(len(solved.velocity), dtype=bool)
    kinematic[model.masses.kinematic] = True
    if driven:
        places, impulses = ContactPlaces.of(contacts), solved.contact_impulses

        def given(some: slice) -> tuple[float]:
            where = places.part(some)
            return (work_through_contacts(where, impulses[some], solved.velocity, kinematic),)

        total += share.sums(contacts, 1, given)[0]
    if rows.offset.size:
        speeds = target_speeds(model.joints, solved.joints)
        total += work_through_rows(rows, solved.joint_impulses, speeds, solved.velocity, kinematic)
        total += solved.joints.retargeted
    if driven and solved.bonds.rows.free:
        still = np.zeros(solved.bonds.rows.free)
        bonds = solved.bonds.rows, solved.bond_impulses
        total += work_through_rows(*bonds, still, solved.velocity, kinematic)
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
    elastic = elastic_energy(model, joints, solved.detected, solved.share)
    if solved.bonds.which.size:
        elastic += float(elastic_energies(model.bonds, *solved.bonds.strained).sum())
    given = driven_work(model, solved)
    after, ratio = judged(
        state.watch, model, rules, solved.kinetic, solved.ended, given, before, elastic
    )
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
        f"{solved.ended:.3g} J in all, {ratio:.2g} times what gravity, motors and "
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
