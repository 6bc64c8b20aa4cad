"""The impulses of a step: what contacts and joints do to the bodies' free velocities."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.dynamics.adhesion import NO_CURVATURE, pulls_of
from amontons.dynamics.assembly import assemble
from amontons.dynamics.bonds.step import BondStep, together
from amontons.dynamics.bridges import bridges_of
from amontons.dynamics.contact_laws import (
    ContactPlaces,
    ContactRules,
    ContactTerms,
    contact_terms,
    late_hits,
)
from amontons.dynamics.joints.law import JointRows
from amontons.dynamics.joints.step import JointStep
from amontons.dynamics.joints.stiffness import Taut
from amontons.problem.operators import BodyOperator, CellOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Solution
from amontons.problem.units import Yardstick
from amontons.simulation.cell.cell_model import CellMotion
from amontons.simulation.cell.image_rows import NO_GRADIENT, ImageRows, drifting
from amontons.simulation.checks import check_velocities
from amontons.simulation.model import Model
from amontons.simulation.reports.stopwatch import Stopwatch
from amontons.simulation.rules import SolverChoice
from amontons.simulation.sharing.share import Share
from amontons.simulation.solve.fallback import no_worse
from amontons.simulation.solve.overlaps import StepOverlaps, parting_excess
from amontons.simulation.solve.parting import come_too_slowly_apart, parting_rows, parting_terms
from amontons.simulation.solve.singular import CALM, fails_at_rest, giving, surges
from amontons.simulation.solve.step_solution import BRIDGED, NO_GROWTH, STICKING, StepSolution
from amontons.simulation.solve.surfaces import slides_of
from amontons.simulation.solve.turning import with_resistance
from amontons.simulation.state import BodyState
from amontons.solvers import APGD, Auto, Solver

Floats = NDArray[np.float64]

GAIN = 1e-8
"""Energy that impacts may seem to add, as a share of what they turn over: nothing but rounding."""

TRIES = 4
"""Solves of one step with ever less restitution, the last with none: several impacts with friction,
or impulses of a solver that was stopped early, may together give back more than came in."""

ROUNDS = 8
"""Solves of one step at most: each takes in contacts that the one before drove together."""

SLACK = 0.01
"""Overlap that such a contact may have, as a share of what counts as near."""


class Start(NamedTuple):
    """Bodies at the start of a step."""

    bodies: BodyState
    gravity: Floats  # [m/s²], (3,)
    wrench: Floats  # forces and torques on bodies, gravity aside [N, N m], (bodies, 6)
    twist: Floats  # v, as it is or is prescribed, (bodies, 6)
    free: Floats  # v* = v + h M⁻¹ f, (bodies, 6)
    inverse_mass: Floats  # [1/kg], zero for bodies that nothing can push, (bodies,)
    inverse_inertia: Floats  # I⁻¹ in world axes [1/(kg m²)], (bodies, 3, 3)
    gyration: Floats  # radii of gyration [m], (bodies,)
    step: float  # h [s]
    kinetic: float  # energy at v* [J], before taut joints slow it
    taut: Taut  # bodies whose joints are too taut for the step
    steady: Floats  # v, where it says how coordinates of joints will bend, (bodies, 6)
    still: NDArray[np.bool_]  # bodies that are driven or sleep, (bodies,)
    cell: CellMotion | None = None  # of a world that has one

    @property
    def gradient_before(self) -> Floats:
        """Of the velocity of space as the step begins [1/s], shape (3, 3)."""
        return NO_GRADIENT if self.cell is None else self.cell.before

    def gradient(self, growth: Floats) -> Floats:
        """Of the velocity of space once contacts have acted [1/s], shape (3, 3)."""
        return NO_GRADIENT if self.cell is None else self.cell.free + np.diag(growth)


class _Solves:
    """The problems of one step, solved one after the other."""

    def __init__(
        self,
        model: Model,
        start: Start,
        rules: ContactRules,
        solver: SolverChoice,
        name: str,
        watch: Stopwatch,
        share: Share,
    ) -> None:
        self.share = share
        self.model, self.start, self.rules = model, start, rules
        self.solver, self.name, self.watch = solver, name, watch
        self.iterations = 0
        self.growth = NO_GROWTH

    def __call__(
        self, terms: ContactTerms, rows: JointRows, free: Floats, guess: Floats
    ) -> tuple[ConeProblem, Solution, Floats]:
        """The problem, its solution, and v⁺; the solution counts the iterations of all so far.

        What impulses add to the rates of a cell is in `growth` then [1/s], shape (3,).
        """
        cell, share = self.start.cell, self.share
        problem = assemble(
            share.filled(terms),
            rows,
            inverse_mass=self.start.inverse_mass,
            inverse_inertia=self.start.inverse_inertia,
            gyration=self.start.gyration,
            free=free,
            flexibility=None if cell is None else cell.flexibility,
            yardstick=self._yardstick(len(terms) + rows.offset.size),
            name=self.name,
            **share.problem(rows),
        )
        self.watch.lap("assemble")
        solver = self.solver.many if share.divided else solver_of(self.solver, problem)
        guess = share.guess(guess, terms.width)
        solution = solver.solve(problem, guess=guess)
        solution = share.solution(no_worse(problem, solution, guess), terms.width)
        self.watch.lap("solve")
        self.iterations += solution.iterations
        if self.iterations != solution.iterations:
            solution = dataclasses.replace(solution, iterations=self.iterations)
        change, order = solution.velocity_change, terms.contacts.order
        if isinstance(problem.operator, CellOperator):
            impulses = problem.sets.inward(solution.impulses)
            change = problem.operator.velocities(impulses)
            self.growth = problem.operator.rates(impulses)
        assert change is not None
        velocity = free + share.of_bodies(change, order)
        if cell is not None and self.growth.any():
            velocity[:, :3] += cell.of_bodies(np.diag(self.growth))
        check_velocities(self.model, velocity)
        return problem, solution, velocity

    def _yardstick(self, blocks: int) -> Yardstick:
        given = self.rules.yardstick
        return given if self.share.divided else self.solver.yardstick(blocks, given)


def find_impulses(
    model: Model,
    start: Start,
    contacts: ContactSet,
    overlaps: StepOverlaps,
    forces: Floats,
    joints: JointStep,
    bonds: BondStep,
    rules: ContactRules,
    solver: SolverChoice,
    *,
    name: str,
    watch: Stopwatch,
    share: Share,
) -> StepSolution:
    """v⁺ = v* + M⁻¹ D γ, with the impulses γ that solve the problem of this step.

    `forces` are what contacts carried before, the first guess; shape (contacts, CARRIED). One solve
    does, unless impacts drive bodies together whose contact nobody expected, or add energy.

    Bodies that overlap deeply are parted by a motion of this step alone: v⁺ solves the problem in
    which such contacts only touch (b = 0), and bodies move at the nearest velocity, without
    friction, that closes no gap and parts what overlaps: b = Φ/h. So no energy comes of an overlap.
    Where there is one such pair, all contacts that overlap are treated so: between a deep and a
    shallow one per body might be shot out.
    """
    mobile, rows = model.mobile, together(bonds.rows, joints.rows)
    if start.inverse_mass is not model.masses.inverse_mass:  # some are asleep
        mobile = np.append(start.inverse_mass > 0.0, False)
    acting = np.asarray(mobile[rows.bodies].any(axis=1))
    here = share.rows_here(rows, acting)
    acting_rows = rows if here is acting and acting.all() else rows.only(here)
    contacts = share.met(contacts, acting_rows)
    solve = _Solves(model, start, rules, solver, name, watch, share)
    guess, bouncing = forces, 1.0
    rounds, tries = 1, 1
    contacts = drifting(contacts, start.gradient(NO_GROWTH))
    slides = slides_of(contacts, start.bodies)
    images = ImageRows.of(contacts, len(start.twist), slides)
    pairs = model.pairs
    curvature = model.curvature if pairs.by_radius else NO_CURVATURE
    pulls = pulls_of(contacts, model.bodies.material, curvature, pairs, rules, start.step)
    bridges, hit = None, np.zeros(len(contacts), dtype=bool)
    if pairs.wets:
        bridges = bridges_of(
            contacts, model.bodies.material, curvature, pairs,
            rules.cohesion_range, forces[:, BRIDGED] > 0.0,
        )  # fmt: skip
        pulls = start.step * bridges.pull + (0.0 if pulls is None else pulls)
        hit |= bridges.acting  # however far apart they are, they are in the problem
    while True:
        terms = contact_terms(
            images.contacts,
            before=images.velocities(start.twist, start.gradient_before),
            free=images.velocities(start.free, start.gradient(NO_GROWTH)),
            mobile=images.values(mobile[:-1]),
            material=images.values(model.bodies.material),
            pairs=pairs,
            step=start.step,
            rules=rules,
            sticking=forces[:, STICKING] > 0.0,
            hit=hit,
            bouncing=bouncing,
            parting=overlaps.mended,
        )
        terms = images.terms_of_bodies(terms, contacts)
        if slides is not None:
            terms.slides = terms.of_kept(slides)
        if pulls is not None:
            terms.cohesion = terms.of_kept(pulls)
        if pairs.resists_by_size:
            terms = with_resistance(terms, model)
        lasting = terms
        if terms.parting is not None:
            lasting = dataclasses.replace(terms, offset=terms.offset - terms.parting)
        first = start.step * terms.of_kept(guess[:, : terms.width])
        first = np.concatenate([first.ravel(), acting_rows.guess])
        problem, solution, velocity = solve(lasting, acting_rows, start.free, first)
        solved = StepSolution(
            detected=contacts,
            terms=terms,
            joints=joints,
            bonds=bonds,
            rows=rows,
            acting=here,
            joint_rows=int(np.count_nonzero(acting)),
            share=share,
            problem=problem,
            solution=solution,
            velocity=velocity,
            motion=velocity,
            parting=overlaps.parting,
            parted=None,
            depths=overlaps.depths,
            new=overlaps.new,
            kinetic=start.kinetic,
            ended=0.0,  # not known yet
            step=start.step,
            coordinates=joints.measured,
            growth=solve.growth,
            moved_growth=solve.growth,
            bridges=bridges,
        )
        if rounds < ROUNDS and _more_hits(solved, start, images, rules, hit):
            rounds, guess = rounds + 1, solved.carried(rules.slip_speed)
            continue
        gain = _gain(solved, start)
        if gain <= GAIN or tries == TRIES:
            break
        tries, guess = tries + 1, solved.carried(rules.slip_speed)
        bouncing *= max(1.0 - 2.0 * gain, 0.0) if tries < TRIES else 0.0
    after = model.mechanics(start.bodies, velocity, start.gravity).kinetic
    failed = solved.joint_rows > 0 and fails_at_rest(rows, problem, solution)
    if failed or (solved.joint_rows > 0 and surges(rows, start.kinetic, after)):
        _, calm, speeds = solve(lasting, giving(acting_rows, problem), start.free, first)
        calmer = model.mechanics(start.bodies, speeds, start.gravity).kinetic
        if calmer < CALM * after or (failed and calm.converged):
            velocity, solution, after = speeds, calm, calmer
            solved = solved._replace(solution=calm, velocity=speeds, motion=speeds)
    solved = solved._replace(ended=after)
    if terms.parting is not None and share.any(come_too_slowly_apart(terms, solution)):
        push = parting_terms(terms, solution, start.inverse_mass)
        held = parting_rows(acting_rows, solution)
        solve.iterations = 0
        push.contacts = drifting(push.contacts, start.gradient(solved.growth))
        _, parted, motion = solve(push, held, velocity, np.zeros_like(solution.impulses))
        excess = parting_excess(velocity, motion, model.masses, start.step)
        motion = motion if excess == 1.0 else velocity + (motion - velocity) / excess
        growth = solved.growth if start.cell is None else solved.growth + solve.growth / excess
        solved = solved._replace(motion=motion, parted=parted, moved_growth=growth)
    if start.cell is None:
        return solved.with_all_rows()
    return solved.with_all_rows()._replace(cell_work=work_of_cell(model, start, solved))


def solver_of(choice: SolverChoice, problem: ConeProblem) -> Solver:
    """The solver of a problem; through a cell that forces move every contact feels every other.

    Then no method pays that wants N as a matrix, such as those that `Auto` may turn to.
    """
    solver = choice.for_problem(problem)
    if isinstance(solver, Auto) and isinstance(problem.operator, CellOperator):
        return APGD(
            tolerance=solver.tolerance, max_iterations=solver.max_iterations, measure=solver.measure
        )
    return solver


def work_of_cell(model: Model, start: Start, solved: StepSolution) -> float:
    """Work of the cell on bodies in a step [J]: through images that drift, and by carrying along.

    That of contacts is P·ū with images that drift (see `energy_ledger`), though the bodies feel it
    without; and what is carried gets m ΔL(x − c)·v̄.
    """
    cell, contacts = start.cell, solved.terms.contacts
    assert cell is not None
    after = start.gradient(solved.growth)
    mean = 0.5 * (start.twist[:, :3] + solved.velocity[:, :3])
    moving = start.inverse_mass > 0.0
    carried = cell.of_bodies(after - cell.before)[moving] / start.inverse_mass[moving, None]
    total = float((carried * mean[moving]).sum())
    if isinstance(contacts, PeriodicContacts):
        drift = contacts.shifts @ (0.5 * (cell.before + after)).T
        total -= float((solved.contact_impulses[:, :3] * drift).sum())
    return total


def _gain(solved: StepSolution, start: Start) -> float:
    """Energy that contacts add in a step with impacts, as a share of what they turn over.

    An impulse P at a contact whose speed goes from u to u⁺ does the work P·(u + u⁺)/2. What parts
    bodies that overlap is wanted, and does not count.
    """
    terms, share = solved.terms, solved.share
    if not share.any(bool(terms.bouncing.any())):
        return 0.0
    operator = solved.problem.operator
    assert isinstance(operator, BodyOperator | CellOperator)
    speeds = np.empty((2, operator.rows))
    order = terms.contacts.order
    listed = slice(None) if order is None else order.body
    operator.from_velocities(start.twist[listed], speeds[0])
    operator.from_velocities(solved.velocity[listed], speeds[1])
    before, after = (share.by_contact(each, terms.width, len(terms)) for each in speeds)
    if isinstance(terms.contacts, PeriodicContacts):
        before[:, :3] += terms.contacts.shifts @ start.gradient_before.T
        after[:, :3] += terms.contacts.shifts @ start.gradient(solved.growth).T
    if terms.slides is not None:
        before[:, :3] += terms.slides
        after[:, :3] += terms.slides
    impulse, pulls = solved.contact_impulses, solved.bridge_pulls
    if pulls is not None:
        impulse = impulse.copy()
        impulse[:, :3] -= pulls  # what bridges give is none of the impacts'
    work = 0.5 * np.einsum("ci,ci->c", impulse, before + after)
    turnover = 0.5 * np.einsum("ci,ci->c", np.abs(impulse), np.abs(before) + np.abs(after))
    mending = (terms.offset < 0.0) & ~terms.bouncing
    work[mending] = np.minimum(work[mending], 0.0)
    gained, total = share.sums(
        terms.contacts, 2, lambda some: (float(work[some].sum()), float(turnover[some].sum()))
    )
    return gained / total if total > 0.0 else 0.0


def _more_hits(
    solved: StepSolution,
    start: Start,
    images: ImageRows,
    rules: ContactRules,
    hit: NDArray[np.bool_],
) -> bool:
    """Whether the step drives bodies together whose contact was left out; `hit` then has it."""
    contacts, kept, found = solved.detected, solved.terms.kept, 0
    if kept is not None:
        inside = np.zeros(len(contacts), dtype=bool)
        inside[kept] = True
        slack = SLACK * rules.near
        found = late_hits.sized(len(contacts))(
            ContactPlaces.of(images.contacts),
            images.velocities(solved.velocity, start.gradient(solved.growth)),
            solved.step,
            slack,
            inside,
            hit,
        )
    return solved.share.any(found > 0)
