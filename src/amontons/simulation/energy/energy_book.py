"""The books of energy: every step's work, entered by cause, and what bodies and springs hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.bonds.step import elastic_energies, strain_of, work_by_bonds
from amontons.dynamics.contact_laws import ContactPlaces, ContactRules
from amontons.dynamics.energy import Mechanics, mechanics
from amontons.dynamics.energy_ledger import (
    CAUSES,
    OF_BODIES,
    OF_BONDS,
    OF_CONTACTS,
    OF_JOINTS,
    Inertias,
    Velocities,
    room_for_sums,
    total_of,
    work_of_contacts,
    work_on_bodies,
)
from amontons.dynamics.joints.readings import JointReadings
from amontons.dynamics.joints.step import work_of_joints
from amontons.dynamics.joints.stiffness import work_of_stiffness
from amontons.simulation.cell.image_rows import ImageRows
from amontons.simulation.model import Model
from amontons.simulation.solve.impulses import Start
from amontons.simulation.solve.step_solution import StepSolution
from amontons.simulation.solve.surfaces import work_of_surfaces
from amontons.simulation.state import BodyState, EnergyState
from amontons.small_worlds.books import enter_works

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_NOTHING = np.empty(0)
_NUMBER = {cause: i for i, cause in enumerate(CAUSES)}
_BONDS = [_NUMBER[cause] for cause in OF_BONDS]
_DAMPING, _RECOVERY, _DRIVES = _NUMBER["damping"], _NUMBER["recovery"], _NUMBER["drives"]
_INTEGRATION, _SLEEP = _NUMBER["integration"], _NUMBER["sleep"]


class Taken(NamedTuple):
    """A step that was taken, as the books of energy see it."""

    start: Start
    solved: StepSolution
    moved: BodyState  # at its end, before any body falls asleep
    joints_before: JointReadings  # at the poses of its start
    joints_after: JointReadings  # at those of its end
    broken: list[int]  # ids of joints that let go
    torn: Flags  # bonds that did, (bonds,)
    loads_before: float  # the potentials that users' forces tell of [J]
    loads_after: float
    held: Mechanics  # what bodies held at its start


class StepSums(NamedTuple):
    """Energies and works of a step [J]."""

    kinetic: float  # of the bodies at its start
    potential: float  # in gravity, then
    of_bodies: list[float]  # the work `OF_BODIES`
    of_contacts: list[float]  # the work `OF_CONTACTS`
    of_joints: list[float]  # the work `OF_JOINTS`
    elastic: float  # in compliant contacts at its end
    springs_before: float  # in springs at its start
    springs_after: float  # and at its end
    loads_before: float = 0.0  # the potentials that users' forces tell of, at its start
    loads_after: float = 0.0  # and at its end
    of_stiffness: float = 0.0  # work of what taut joints add to inertias


def entered(
    book: EnergyState, model: Model, rules: ContactRules, taken: Taken, asleep: Flags
) -> EnergyState:
    """The books after a step; `asleep` are the bodies that sleep at its end, shape (bodies,).

    What bodies hold at the end is not known here: `held` is for the report to say.
    """
    start, solved = taken.start, taken.solved
    mean, of_bodies = _work_on_bodies(model, start, solved, taken.moved)
    of_contacts, elastic = _work_of_contacts(model, rules, start, solved, mean)
    of_joints, impulses = [0.0] * len(OF_JOINTS), solved.joint_impulses
    if impulses.size:
        of_joints = work_of_joints(
            model.joints, solved.joints, impulses, mean, solved.velocity, start.inverse_mass
        )
    of_bonds: list[float] = []
    in_bonds, still_in_bonds, lost = 0.0, 0.0, 0.0
    if solved.bonds.which.size:
        in_bonds = float(elastic_energies(model.bonds, *solved.bonds.strained).sum())
        of_bonds, still_in_bonds, lost = _work_of_bonds(model, taken, mean)
    after = booked(
        book,
        StepSums(
            taken.held.kinetic, taken.held.potential, of_bodies, of_contacts, of_joints, elastic,
            taken.joints_before.potential_energy() + in_bonds,
            taken.joints_after.potential_energy() + still_in_bonds,
            taken.loads_before, taken.loads_after, _work_of_stiffness(start, solved, mean),
        ),
    )  # fmt: skip
    work = after.work
    if of_bonds:
        work[_BONDS] += of_bonds
    if start.cell is not None:
        work[_DRIVES] += solved.cell_work
    if solved.parted is not None:
        work[_RECOVERY] += _work_of_parting(model, start, solved)
    if taken.broken:
        lost += taken.joints_after.energy_of_broken(taken.broken)
    if lost:
        work[_INTEGRATION] += lost
        work[_DAMPING] -= lost
    if asleep.any() and (fallen := asleep & ~start.still).any():
        work[_SLEEP] -= _motion_of(model, taken.moved, fallen, start.gravity)
    return after


def booked(book: EnergyState, sums: StepSums) -> EnergyState:
    """The books after a step in which nothing broke, fell asleep or had to be parted."""
    entries = book.work.copy()
    holds = np.array([book.held, book.in_loads, book.in_springs, book.in_contacts])
    energies = np.array([
        sums.kinetic, sums.potential, sums.elastic, sums.springs_before, sums.springs_after,
        sums.loads_before, sums.loads_after, sums.of_stiffness,
    ])  # fmt: skip
    works = (np.array(each) for each in (sums.of_bodies, sums.of_contacts, sums.of_joints))
    enter_works(entries, holds, energies, *works)
    return EnergyState(entries, *holds.tolist())


def _work_of_bonds(model: Model, taken: Taken, mean: Floats) -> tuple[list[float], float, float]:
    """The work `OF_BONDS`, and the energy that bonds hold and those held that broke [J]."""
    start, solved, moved = taken.start, taken.solved, taken.moved
    which = solved.bonds.which
    strain = strain_of(model.bonds, which, moved.position, moved.orientation)
    each, torn = elastic_energies(model.bonds, which, strain), taken.torn[which]
    works = work_by_bonds(
        solved.bonds, solved.bond_impulses, mean, solved.velocity, start.inverse_mass
    )
    return works, float(each[~torn].sum()), float(each[torn].sum())


def _motion_of(model: Model, bodies: BodyState, which: Flags, gravity: Floats) -> float:
    """Kinetic energy of some bodies [J]."""
    return mechanics(
        bodies.position[which], bodies.orientation[which], bodies.twist[which],
        model.bodies.mass[which], model.bodies.inertia[which], gravity,
    ).kinetic  # fmt: skip


def _work_of_stiffness(start: Start, solved: StepSolution, mean: Floats) -> float:
    """Work of what taut joints add to inertias, the torque impulse −h²K₊ ω⁺ [J]."""
    taut = start.taut
    if not taut.rows.size:
        return 0.0
    return float(work_of_stiffness(mean, taut.added, solved.velocity, taut.rows))


def _work_of_parting(model: Model, start: Start, solved: StepSolution) -> float:
    """Energy that bodies gain in gravity by the motion that parts them [J]."""
    mobile = model.masses.inverse_mass > 0.0
    aside = solved.step * (solved.motion - solved.velocity)[mobile, :3]
    weight = model.bodies.mass[mobile]
    return -float(weight @ (aside @ start.gravity))


def _work_on_bodies(
    model: Model, start: Start, solved: StepSolution, moved: BodyState
) -> tuple[Floats, list[float]]:
    """Mean velocities over a step, shape (bodies, 6), and the work `OF_BODIES` [J]."""
    bodies, made, free = start.bodies, model.bodies, start.free
    mean, count = np.empty_like(solved.velocity), len(solved.velocity)
    if start.cell is not None and model.loads.drags:  # what space carries along is no drag
        free = free.copy()
        free[:, :3] -= start.cell.of_bodies(start.cell.free - start.cell.before)
    if start.taut.rows.size:
        free = free.copy()
        free[start.taut.rows] = start.taut.free
    partial = room_for_sums(count, len(OF_BODIES))
    work_on_bodies.sized(count)(
        Velocities(bodies.twist, start.twist, free, solved.velocity, moved.twist),
        Inertias(made.mass, made.inertia, model.masses.even, start.inverse_mass),
        start.wrench, start.gravity, bodies.orientation, moved.orientation, model.loads.drags,
        solved.step, mean, partial,
    )  # fmt: skip
    return mean, total_of(partial)


def _work_of_contacts(
    model: Model, rules: ContactRules, start: Start, solved: StepSolution, mean: Floats
) -> tuple[list[float], float]:
    """The work `OF_CONTACTS`, and the elastic energy of contacts in the end [J]."""
    terms, pairs, columns = solved.terms, model.pairs, len(OF_CONTACTS) + 1
    if not len(terms) and not solved.share.divided:
        return [0.0] * len(OF_CONTACTS), 0.0
    images = ImageRows.of(terms.contacts, len(mean), terms.slides)
    after, places = start.gradient(solved.growth), ContactPlaces.of(images.contacts)
    cohesion = _NOTHING if terms.cohesion is None else terms.cohesion
    impulses, material = solved.contact_impulses, images.values(model.bodies.material)
    means = images.velocities(mean, 0.5 * (start.gradient_before + after))
    ends, inverse = images.velocities(solved.velocity, after), images.values(start.inverse_mass)
    if terms.slides is not None:  # of a driven B the kernel has it
        of_belts = work_of_surfaces(solved)
        loose = start.inverse_mass[terms.contacts.bodies[:, 1]] > 0.0

    def of(some: slice) -> list[float]:
        where = places.part(some)
        partial = room_for_sums(where.gaps.size, columns)
        work_of_contacts.sized(where.gaps.size)(
            where, impulses[some], cohesion[some], material, pairs.compliance, pairs.damping,
            means, ends, inverse, rules.recovery_speed, solved.step, partial,
        )  # fmt: skip
        works = total_of(partial)
        if terms.slides is not None:
            works[OF_CONTACTS.index("drives")] += float(of_belts[some][loose[some]].sum())
        return works

    *works, elastic = solved.share.sums(terms.contacts, columns, of)
    return works, elastic
