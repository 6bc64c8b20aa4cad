"""One time step, in the order of the papers: detect, assemble, solve, advance, report."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.checks import positive
from amontons.collision.broad.rows import body_order
from amontons.collision.contacts import ContactSet
from amontons.dynamics.bonds.model import BondState
from amontons.dynamics.bonds.step import bond_rows, bonds_loaded
from amontons.dynamics.contact_laws import ContactRules
from amontons.dynamics.free_velocity import free_velocities
from amontons.dynamics.integration import advance
from amontons.dynamics.joints.coordinates import Measured
from amontons.dynamics.joints.readings import JointReadings
from amontons.dynamics.joints.step import joint_rows, loaded, measure
from amontons.dynamics.joints.stiffness import NOT_TAUT, steady_turns, stiffen
from amontons.dynamics.joints.tables import JointState
from amontons.errors import InputError
from amontons.ranks.communicator import Communicator
from amontons.simulation.cell.cell_model import CellModel
from amontons.simulation.cell.cell_state import CellState
from amontons.simulation.checks import check_bodies, unit
from amontons.simulation.compiled.compiled_step import Compiled, compiled_step
from amontons.simulation.detection.joined_bodies import as_they_broke
from amontons.simulation.detection.margins import choose_margin
from amontons.simulation.energy.energy_book import Taken, entered
from amontons.simulation.energy.runaway import watch_energy
from amontons.simulation.model import Model
from amontons.simulation.reports.report import StepReport, report_on
from amontons.simulation.reports.sensing import Sensed, sense
from amontons.simulation.reports.step_notes import notes_of
from amontons.simulation.reports.stopwatch import Stopwatch
from amontons.simulation.rules import Rules, SolverChoice
from amontons.simulation.sharing.share import WHOLE, DividedShare, Share
from amontons.simulation.sleep.sleeping import among
from amontons.simulation.sleep.slumber import nobody_stirs, slumber
from amontons.simulation.sleep.waking import (
    Astir,
    dozed_off,
    noted,
    of_awake,
    stirred,
    touched,
    wake,
    woken,
)
from amontons.simulation.solve.impulses import Start, find_impulses
from amontons.simulation.solve.overlaps import overlaps_of
from amontons.simulation.solve.step_solution import CARRIED, PARTING, StepSolution
from amontons.simulation.state import BodyState, State
from amontons.solvers import Solver

Floats = NDArray[np.float64]


def step(
    model: Model,
    state: State,
    h: float,
    solver: Solver | SolverChoice | None = None,
    rules: Rules = Rules(),  # noqa: B008  (frozen)
) -> tuple[State, StepReport]:
    """The state a step of h [s] later, and a report; the state that was given stays as it is.

    >>> model, state = am.prepare(world)                              # doctest: +SKIP
    >>> state, report = am.step(model, state, 1e-3, am.APGD())
    """
    choice = solver if isinstance(solver, SolverChoice) else SolverChoice.of(solver)
    after, report, _ = take_step(model, state, positive("h", h), choice, rules)
    return after, report


def take_step(
    model: Model,
    state: State,
    h: float,
    choice: SolverChoice,
    rules: Rules,
    ranks: Communicator | None = None,
) -> tuple[State, StepReport, StepSolution | Compiled | None]:
    """As :func:`step`, with the problem that was solved and its solution; None: all sleep.

    The processes that share it are `ranks`, if there are any; they take no compiled step. Of one
    there is what :func:`staged` goes through again, to the same bits.
    """
    model, state = as_begun(model, state, rules)
    contact_rules = rules.of_contacts(
        model.masses.typical_size, state.gravity, h, choice.many.exact
    )
    watch = Stopwatch()
    # where bodies touch: Φ(q)
    twist = driven(model, state, h)
    wrench = wrenches(model, state, twist)
    astir = stirred(model, state, twist, wrench, h)
    if nobody_stirs(model, astir):
        return *slumber(state, h, watch), None
    state, contacts, share = detect(model, astir, twist, h, contact_rules, ranks)
    watch.lap("detect")
    asked = rules.compiled and ranks is None and rules.sleeping is None
    if asked and astir.active is None:
        whole = compiled_step(
            model, state, contacts, wrench, h, choice, rules, contact_rules, watch
        )  # fmt: skip
        if whole is not None:
            return whole
    # v* = v + h M⁻¹ f, and the rows of joints and bonds
    start = free_motion(model, state, twist, wrench, h)
    place = state.bodies.position, state.bodies.orientation
    joints, found = joint_rows(model.joints, state.joints, *place, start.steady, state.time, h)
    glued = bond_rows(model.bonds, state.bonds, *place, start.steady, h)
    state = state._replace(joints=joints)
    # v⁺ = v* + M⁻¹ D γ with the impulses γ that solve the cone complementarity problem
    carried = CARRIED + model.pairs.wets
    memory = recalled(state, contacts, carried)
    overlaps = overlaps_of(contacts, model, state.bodies, memory[:, PARTING], share)
    solved = find_impulses(
        model, start, contacts, overlaps, memory, found, glued, contact_rules, choice,
        name=f"step {state.steps + 1}", watch=watch, share=share,
    )  # fmt: skip
    held = model.mechanics(state.bodies, state.bodies.twist, state.gravity)
    before = JointReadings(model.joints, joints, found.measured)
    watched, warnings = watch_energy(
        model, state, before, solved, contact_rules, held.kinetic, rules.watch
    )
    # q⁺ = q ⊕ h v⁺
    moved = advanced(model, start, solved)
    ties = ties_after(model, state, solved, moved)
    loosened = state._replace(joints=ties.joints, bonds=ties.bonds)
    if ties.broken or ties.torn.any():
        ends = model.ties.bodies[loosened.broken & ~state.broken]
        moved = wake(moved, among(ends, len(twist)))
    bodies, since = dozed_off(
        rules.sleeping, model, state, moved, solved.terms.contacts, loosened, h
    )  # fmt: skip
    as_ended = JointReadings(model.joints, ties.joints, ties.coordinates)
    potentials = 0.0, 0.0
    if model.loads.loads:
        ahead = moved.position, moved.orientation, moved.twist, state.time + h
        potentials = (
            model.loads.potential_energy(*place, state.bodies.twist, state.time),
            model.loads.potential_energy(*ahead),
        )
    taken = Taken(
        start, solved, moved, before, as_ended, ties.broken, ties.torn, *potentials, held
    )  # fmt: skip
    energy = entered(state.energy, model, contact_rules, taken, bodies.asleep)
    now = model.mechanics(bodies, bodies.twist, state.gravity)
    remembered = share.remembered(contacts, solved.carried(contact_rules.slip_speed))
    rest = state.rest
    if rules.sleeping is not None or astir.active is not None:
        rest = noted(state, bodies, since, wrench, model.pairs, remembered)
    after = State(
        time=state.time + h,
        steps=state.steps + 1,
        gravity=state.gravity,
        bodies=bodies,
        joints=ties.joints,
        contacts=remembered,
        margin=state.margin,
        energy=energy._replace(held=now.kinetic + (now.potential + energy.stored)),
        watch=watched,
        rest=rest,
        flows=state.flows,  # which act between steps
        cell=state.cell if model.cell is None else carried_on(model.cell, state, start, solved),
        bonds=ties.bonds,
    )
    if model.sensors:
        touching = solved.all_contacts(state.bodies.id, state.bodies.position)
        after = after._replace(
            sensors=sense(Sensed(model, state.bodies, after, as_ended, touching, h))
        )
    watch.lap("advance")
    solved = solved._replace(coordinates=ties.coordinates)
    tolerance = choice.for_problem(solved.problem).tolerance
    notes = notes_of(model, after, solved, contact_rules, tolerance, ties.broken, ties.torn)
    report = report_on(model, after, solved, as_ended, now, (*warnings, *notes), watch)
    return after, report, solved


def staged(taken: StepSolution | Compiled) -> StepSolution:
    """The problem and the solution of a step, also of one that was taken in one compiled call."""
    if isinstance(taken, StepSolution):
        return taken
    rules = dataclasses.replace(taken.rules, compiled=False)
    _, _, solved = take_step(taken.frozen, taken.state, taken.step, taken.choice, rules)
    assert isinstance(solved, StepSolution)
    return solved


def as_begun(model: Model, state: State, rules: Rules) -> tuple[Model, State]:
    """The model and the state as the step begins, with a cell where it is now; raises if unfit."""
    check_bodies(state.bodies, state.gravity, model.name_of)
    if rules.sleeping is not None and model.cell is not None:
        raise InputError("bodies in a cell do not fall asleep: leave out `sleeping`, or the cell")
    if rules.sleeping is not None and model.pairs.wets:
        raise InputError(
            "wet bodies do not fall asleep, as bridges pull at a distance: leave out `sleeping`, "
            "or the surface tension of materials"
        )
    if model.cell is None:
        return model, state
    here = model.cell.at(state.time)
    cell, bodies = here.begun(state.cell, state.bodies)
    here.check_room(cell.lengths, model.name_of_id, model.bodies.id)
    return dataclasses.replace(model, cell=here), state._replace(cell=cell, bodies=bodies)


def driven(model: Model, state: State, h: float) -> Floats:
    """Velocities v at the start, with those of kinematic bodies as prescribed, (bodies, 6)."""
    bodies = state.bodies
    twist = bodies.twist.copy()
    for i in model.masses.kinematic:
        motion = model.motions[model.bodies.motion[i] - 1]
        twist[i] = motion.twist(bodies.position[i], bodies.orientation[i], state.time, h)
    return twist


def wrenches(model: Model, state: State, twist: Floats) -> Floats:
    """Forces and torques on bodies [N, N m], gravity aside; shape (bodies, 6)."""
    bodies = state.bodies
    wrench = np.concatenate([bodies.force, bodies.torque], axis=1)
    if model.loads.loads:
        model.loads.add(bodies.position, bodies.orientation, twist, state.time, wrench)
    return wrench


def detect(
    model: Model,
    astir: Astir,
    twist: Floats,
    h: float,
    rules: ContactRules,
    ranks: Communicator | None = None,
) -> tuple[State, ContactSet, Share]:
    """Contacts within the margin, and the state with what was found out on the way.

    Where processes share the step, contacts are those of this one's part, which comes last.

    Where somebody sleeps, contacts are those of bodies that are awake; whom they touch wakes up.
    """
    state, active = astir
    place, joined = state.bodies.position, model.joined(state)
    if joined.nobody_meets:
        return state, model.no_contacts, WHOLE
    speeds = model.masses.surface_speeds(twist)
    if state.bodies.surface_velocity.any():
        speeds += np.linalg.norm(state.bodies.surface_velocity, axis=1)
    level, margin = choose_margin(state.margin, speeds, rules.near, h)
    margin = max(margin, model.bridge_reach)
    orientation = unit(state.bodies.orientation)
    order = body_order(place, 2.0 * model.masses.typical_size)
    share = DividedShare.of(ranks, order, model.mobile[:-1], state.contacts)
    while True:
        if active is not None and not active.any():
            contacts = ContactSet.none(len(place))
        elif model.cell is None:
            contacts = model.detector.detect_unit(
                place, orientation, margin, order=order, free=share.free(active)
            )
        else:
            contacts = model.cell.detect(state.cell, state.bodies, orientation, margin, order)
        contacts = joined.without_inner(contacts)
        if active is None:
            break
        reached = touched(state.bodies.asleep, contacts, rules.near)
        if not reached.any():
            contacts = of_awake(model, state.bodies.asleep, contacts)
            break
        state, active = woken(model, state, active, reached)
    contacts = share.listed(contacts)
    if joined.broken.any():
        contacts, overlap = as_they_broke(contacts, state.overlap, joined, 0.25 * rules.near, share)
        state = state.with_overlap(overlap)
    return state._replace(margin=level), contacts, share


def recalled(state: State, contacts: ContactSet, carried: int) -> Floats:
    """What contacts carried in the last step, zeros for new ones; shape (contacts, carried).

    Zeros, too, in columns beyond those that were kept.
    """
    columns = state.contacts.values.shape[1]
    found = state.contacts.recall(contacts, columns)
    if columns == carried:
        return found
    memory = np.zeros((len(contacts), carried))
    memory[:, :columns] = found[:, :carried]
    return memory


def free_motion(model: Model, state: State, twist: Floats, wrench: Floats, h: float) -> Start:
    """v* = v + h M⁻¹ f; bodies that sleep are as heavy as fixed ones."""
    bodies, masses, count = state.bodies, model.masses, len(twist)
    inverse_mass, still = masses.inverse_mass, masses.driven
    if bodies.asleep.any():
        inverse_mass = np.where(bodies.asleep, 0.0, inverse_mass)
        still = still | bodies.asleep
    free, inverse_inertia = np.empty_like(twist), np.empty((count, 3, 3))
    free_velocities.sized(count)(
        bodies.orientation, twist, wrench, inverse_mass, masses.own_inverse, masses.even,
        state.gravity, h, free, inverse_inertia,
    )  # fmt: skip
    if model.loads.loads:
        model.loads.damp(free, inverse_mass, inverse_inertia, h)
    cell = None
    if model.cell is not None:
        cell = model.cell.motion(state.cell, bodies, h)
        free[:, :3] += cell.of_bodies(cell.free - cell.before)
    kinetic = model.mechanics(bodies, free, state.gravity).kinetic
    steady, taut = twist, NOT_TAUT
    if model.joints.joints:
        taut = stiffen(
            model.joints.tables.joints, state.joints.reaction_force, bodies.position,
            bodies.orientation, free, inverse_inertia, h,
        )  # fmt: skip
        steady = steady_turns(twist, bodies.turned, taut.rows)
    return Start(
        bodies=bodies,
        gravity=state.gravity,
        wrench=wrench,
        twist=twist,
        free=free,
        inverse_mass=inverse_mass,
        inverse_inertia=inverse_inertia,
        gyration=masses.gyration,
        step=h,
        kinetic=kinetic,
        taut=taut,
        steady=steady,
        still=still,
        cell=cell,
    )


class TiesAfter(NamedTuple):
    """Joints and bonds at the end of a step, and which of them let go in it."""

    joints: JointState
    bonds: BondState
    broken: list[int]  # ids of joints that did
    torn: NDArray[np.bool_]  # bonds that did, (bonds,)
    coordinates: Measured  # of joints


def ties_after(model: Model, state: State, solved: StepSolution, moved: BodyState) -> TiesAfter:
    """What joints and bonds carried in the step, and where they are once bodies have moved."""
    joints, broken = loaded(model.joints, state.joints, solved.joints, solved.joint_impulses)
    angle, coordinates = measure(model.joints, joints.angle, moved.position, moved.orientation)
    bonds, torn = bonds_loaded(
        model.bonds, state.bonds, solved.bonds, solved.bond_impulses, solved.step,
        state.time + solved.step,
    )  # fmt: skip
    return TiesAfter(joints._replace(angle=angle), bonds, broken, torn, coordinates)


def carried_on(cell: CellModel, state: State, start: Start, solved: StepSolution) -> CellState:
    """The cell at the end of the step."""
    moved, lasting = start.gradient(solved.moved_growth), start.gradient(solved.growth)
    return cell.moved(state.cell, moved, lasting, start.step)


def advanced(model: Model, start: Start, solved: StepSolution) -> BodyState:
    """q⁺ = q ⊕ h v⁺: bodies at the end of the step, before any falls asleep."""
    bodies, masses = start.bodies, model.masses
    count = len(bodies.position)
    place, turn = np.empty_like(bodies.position), np.empty_like(bodies.orientation)
    twist, pose = np.empty_like(bodies.twist), (bodies.position, bodies.orientation)
    rest = model.bodies.inertia, masses.even, start.still, start.step
    advance.sized(count)(*pose, solved.motion, *rest, place, turn, twist)
    if solved.parted is not None:  # what parts bodies does not last
        aside = np.empty_like(place), np.empty_like(turn)
        advance.sized(count)(*pose, solved.velocity, *rest, *aside, twist)
    return bodies._replace(
        position=place,
        orientation=turn,
        twist=twist,
        seen=np.ones(count, dtype=bool),
        turned=bodies.twist[:, 3:].copy(),
    )
