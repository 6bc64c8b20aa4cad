"""Steps of small worlds in one compiled call, with the bits of the staged step.

Which worlds: few bodies, no loads, no bonds, no cell, no sensors, nobody asleep, no kinematic
bodies, no belts, contacts with friction and restitution alone, the default solver. Which steps:
those whose problem is solved directly at the first try, and of which there is nothing to note. All
others are taken stage by stage. What is decided is decided by the model and the state alone, so a
run is the same run either way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from amontons.array_types import Floats
from amontons.collision.contacts import ContactSet
from amontons.collision.memory import RememberedContacts
from amontons.dynamics.contact_laws import ContactRules, Laws, Limits
from amontons.dynamics.energy_ledger import Work
from amontons.dynamics.joints.coordinates import Measured
from amontons.dynamics.joints.step import measure, retargeted, targets_of
from amontons.model.materials import PairTable
from amontons.problem.solution import Status
from amontons.simulation.energy.energy_book import StepSums, booked
from amontons.simulation.energy.runaway import judged
from amontons.simulation.model import Model
from amontons.simulation.reports.report import StepReport
from amontons.simulation.reports.stopwatch import Stopwatch
from amontons.simulation.rules import Rules, SolverChoice
from amontons.simulation.solve.impulses import SLACK
from amontons.simulation.solve.step_solution import CARRIED
from amontons.simulation.state import BodyState, State
from amontons.small_worlds import tables as at
from amontons.small_worlds.kernel import small_step
from amontons.small_worlds.tables import (
    BodiesNow,
    BodiesThen,
    Found,
    StepSettings,
)
from amontons.solvers import Auto
from amontons.solvers.direct.method import MOST_STEPS

Given = TypeVar("Given")


class Compiled(NamedTuple):
    """A step that was taken in one call: the stages of it can be gone through afterwards."""

    model: Model
    pairs: PairTable  # of contacts in it: it may change
    begun: Callable[[], State]
    step: float
    choice: SolverChoice
    rules: Rules
    coordinates: Measured  # of joints, at its end

    @property
    def state(self) -> State:
        """As it began."""
        return self.begun()

    @property
    def frozen(self) -> Model:
        """The model as it was in the step."""
        return dataclasses.replace(self.model, pair_table=partial(_itself, self.pairs))


def _itself(given: Given) -> Given:
    return given


def compiled_step(
    model: Model, state: State, contacts: ContactSet, wrench: Floats, h: float,
    choice: SolverChoice, rules: Rules, contact_rules: ContactRules, watch: Stopwatch,
) -> tuple[State, StepReport, Compiled] | None:  # fmt: skip
    """The state a step later and its report; None where the staged step has to take it."""
    small, pairs, solver = model.small, model.pairs, choice.few
    if small is None or contacts.order is not None or type(solver) is not Auto:
        return None
    if not pairs.plain:
        return None
    if state.bodies.surface_velocity.any():
        return None
    bodies, old, limit = state.bodies, state.contacts.widened(CARRIED), contact_rules
    count, coordinates = len(contacts), model.joints.first.size - 1
    then = BodiesThen(
        np.empty_like(bodies.position), np.empty_like(bodies.orientation),
        np.empty_like(bodies.twist), np.empty((count, CARRIED)), np.empty(coordinates),
        np.empty((coordinates, 12)),
    )  # fmt: skip
    joints, out = state.joints.copy(), np.empty(at.RESULTS)
    targets = targets_of(model.joints, state.joints, state.time, h)
    how = small_step(
        small.bodies, small.joints,
        BodiesNow(
            bodies.position, bodies.orientation, bodies.twist, bodies.turned, wrench, state.gravity
        ),
        Found(
            contacts.bodies, contacts.normals, contacts.arms_a, contacts.arms_b, contacts.gaps,
            contacts.keys, old.bodies, old.keys, old.first, old.values,
        ),
        Laws(pairs.friction, pairs.restitution, pairs.compliance, pairs.damping),
        Limits(limit.near, limit.recovery_speed, limit.bounce_speed, limit.lift_speed),
        StepSettings(
            h, solver.tolerance, min(solver.max_iterations, MOST_STEPS), limit.yardstick.least,
            limit.yardstick.most, SLACK * limit.near,
        ),
        targets, joints, then, out,
    )  # fmt: skip
    if how != at.TAKEN:
        return None
    watch.lap("solve")
    numbers = out.tolist()
    watched, given = state.watch, numbers[at.GIVEN]
    if rules.watch != "off":
        if numbers[at.ROWS] and not np.isnan(state.joints.command).all():
            place = bodies.position, bodies.orientation
            _, begun_at = measure(model.joints, state.joints.angle, *place)
            given += retargeted(model.joints, state.joints, targets, begun_at.values)
        watched, ratio = judged(
            watched, model, limit, numbers[at.FREE_KINETIC], numbers[at.AFTER_KINETIC],
            given, numbers[at.HELD_KINETIC], numbers[at.ELASTIC],
        )  # fmt: skip
        if ratio:
            return None
    energy = booked(
        state.energy,
        StepSums(
            numbers[at.HELD_KINETIC], numbers[at.HELD_POTENTIAL],
            numbers[at.WORK_ON_BODIES : at.WORK_OF_CONTACTS],
            numbers[at.WORK_OF_CONTACTS : at.WORK_OF_ROWS], numbers[at.WORK_OF_ROWS :],
            numbers[at.IN_CONTACTS], numbers[at.SPRINGS_BEFORE], numbers[at.SPRINGS_AFTER],
            of_stiffness=numbers[at.OF_STIFFNESS],
        ),
    )  # fmt: skip
    kinetic, potential = numbers[at.NOW], numbers[at.NOW + 1]
    begun = state._replace(
        gravity=state.gravity.copy(), bodies=BodyState._make(each.copy() for each in bodies)
    )
    ended = bodies._replace(
        position=then.position,
        orientation=then.orientation,
        twist=then.twist,
        seen=np.ones(len(bodies.id), dtype=bool),
        turned=begun.bodies.twist[:, 3:].copy(),
    )
    after = State(
        time=state.time + h,
        steps=state.steps + 1,
        gravity=state.gravity,
        bodies=ended,
        joints=joints,
        bonds=state.bonds,
        contacts=RememberedContacts.of(contacts, then.carried),
        margin=state.margin,
        energy=energy._replace(held=kinetic + (potential + energy.stored)),
        watch=watched,
        rest=state.rest,
        cell=state.cell,
        flows=state.flows,  # which act between steps
    )
    watch.lap("advance")
    work = Work(*energy.work.tolist())
    report = report_of(
        out, after.steps, after.time, h, work, energy.stored, model.masses.dynamic, watch.seconds
    )
    coordinates_then = Measured(then.values, then.jacobian)
    return (
        after,
        report,
        Compiled(model, pairs, partial(_itself, begun), h, choice, rules, coordinates_then),
    )


def report_of(
    out: Floats, number: int, time: float, h: float, work: Work, stored: float, awake: int,
    seconds: Floats,
) -> StepReport:  # fmt: skip
    """The report on a step that gave these results, shape (RESULTS,), with `stored` energy [J]."""
    numbers = out.tolist()
    return StepReport(
        number=number,
        time=time,
        step=h,
        contacts=int(numbers[at.CONTACTS]),
        joint_rows=int(numbers[at.ROWS]),
        iterations=int(numbers[at.STEPS]),
        status=Status.CONVERGED,
        residual=numbers[at.RESIDUAL],
        penetration=numbers[at.PENETRATION],
        joint_error=numbers[at.JOINT_ERROR],
        kinetic_energy=numbers[at.NOW],
        potential_energy=numbers[at.NOW + 1] + stored,
        dissipated_energy=work.dissipated,
        work=work,
        momentum=out[at.NOW + 2 : at.NOW + 5],
        angular_momentum=out[at.NOW + 5 : at.NOW + 8],
        awake=awake,
        seconds=seconds,
    )
