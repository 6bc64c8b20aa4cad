"""`Simulation`: the loop. Detect, assemble, solve, advance, record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.collision.memory import ContactMemory
from amontons.dynamics.assembly import NO_ROWS, assemble
from amontons.dynamics.contact_laws import contact_terms
from amontons.dynamics.energy import Mechanics, mechanics
from amontons.dynamics.free_velocity import free_velocities
from amontons.dynamics.integration import advance
from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.shapes.checks import positive
from amontons.model.world import World
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.simulation.checks import check_bodies, contact_rules, solver_for
from amontons.simulation.contacts import Contacts
from amontons.simulation.lookout import Lookout
from amontons.simulation.report import Readings, StepReport, Stopwatch
from amontons.simulation.solved import Solved
from amontons.simulation.step_size import AutomaticStep, travels
from amontons.solvers import Solver

Floats = NDArray[np.float64]

NO_PAIRS = np.empty((0, 2), dtype=np.int64)


class Simulation:
    """A world in motion.

    Parameters
    ----------
    world:
        What there is. The simulation moves its bodies; change it between steps as you like.
    step:
        Length of a time step [s], or an `AutomaticStep` that chooses it.
    solver:
        Of the cone complementarity problem of each step; by default `APGD` with limits that suit
        most scenes.
    friction:
        "convex" for the convex relaxation of papers 3 to 5, which lets sliding bodies rise by
        h μ v, or "exact" for Coulomb's law itself, at several times the cost.
    substeps:
        Equal parts in which each step is taken.
    near:
        Contacts with a smaller gap [m] are always in the problem; by default 5 % of the typical
        body's half thickness.
    recovery_speed:
        Bodies that overlap part at this speed at most [m/s]; by default a tenth of the speed of a
        fall over the typical body's half thickness.
    bounce_speed:
        Impacts slower than this [m/s] give nothing back, whatever the restitution; by default
        twice the speed that gravity gives in a step.
    """

    def __init__(
        self,
        world: World,
        *,
        step: float | AutomaticStep,
        solver: Solver | None = None,
        friction: str = "convex",
        substeps: int = 1,
        near: float | None = None,
        recovery_speed: float | None = None,
        bounce_speed: float | None = None,
    ) -> None:
        if not isinstance(world, World):
            raise InputError(f"a simulation needs an amontons.World, got {world!r}")
        if isinstance(substeps, bool) or not isinstance(substeps, int) or substeps < 1:
            raise InputError(f"substeps must be a whole number, 1 or more, got {substeps!r}")
        self.world = world
        self.step_length = step if isinstance(step, AutomaticStep) else positive("step", step)
        self.substeps = substeps
        self.solver = solver_for(solver, friction)
        self.time = 0.0
        """Simulated time [s]."""
        self.steps = 0
        """Steps taken."""
        self.dissipated = 0.0
        """Energy that contacts and joints took so far [J]."""
        self.readings = Readings()
        self.memory = ContactMemory()
        self._memory_step = 0.0
        self._given = (near, recovery_speed, bounce_speed)
        self._version = -1
        self._last: Solved | None = None
        self._prepare()

    @property
    def bodies(self) -> Bodies:
        """The bodies as arrays: `sim.bodies.position`, `sim.bodies.velocity`, ..."""
        return self.world.bodies

    def _prepare(self) -> None:
        """Take in what was added to the world or removed from it."""
        self.masses = Masses.of(self.world)
        h = self.step_length
        longest = h.largest if isinstance(h, AutomaticStep) else h
        size, gravity = self.masses.typical_size, self.world.gravity
        self.rules = contact_rules(size, gravity, longest, *self._given, self.solver.exact)
        self._lookout = Lookout(self.world, self.masses, self.rules.near, NO_PAIRS)
        table = self.world.materials.table
        torque = table.rolling_friction.any() or table.spinning_friction.any()
        self._width = 6 if torque else 3
        self._version = self.world.version

    def _next_length(self) -> float:
        """Length of the next (sub)step [s]."""
        h = self.step_length
        if isinstance(h, AutomaticStep):
            h = h.choose(self.bodies.twist, self.world.gravity, self.masses)
        return h / self.substeps

    # -- one step ---------------------------------------------------------------------------------

    def step(self) -> StepReport:
        """Take one time step, and report on it. If it raises, the state is as before."""
        for _ in range(self.substeps):
            report = self._step(self._next_length())
            self.readings.append(report)
        return report

    def _step(self, h: float) -> StepReport:
        if self.world.version != self._version:
            self._prepare()
        check_bodies(self.world)
        watch = Stopwatch()
        twist = self._driven(h)
        contacts = self._detect(twist, h)
        watch.lap("detect")
        free, inverse_inertia = self._free_velocity(twist, h)
        solved = self._solve(contacts, twist, free, inverse_inertia, h, watch)
        # nothing of the state has changed so far
        self._advance(solved, h)
        watch.lap("advance")
        return self._report(solved, h, watch)

    def _driven(self, h: float) -> Floats:
        """Velocities v at the start, with those of kinematic bodies as they are prescribed."""
        bodies = self.bodies
        twist = bodies.twist.copy()
        for i in np.flatnonzero(bodies.kinematic):
            motion = self.world.motions[bodies.columns["motion"][i] - 1]
            twist[i] = motion.twist(bodies.position[i], bodies.orientation[i], self.time, h)
        return twist

    def _detect(self, twist: Floats, h: float) -> ContactSet:
        detector = self._lookout.detector(twist, h)
        return detector.detect(self.bodies.position, self.bodies.orientation)

    def _free_velocity(self, twist: Floats, h: float) -> tuple[Floats, Floats]:
        """v* = v + h M⁻¹ f, and I⁻¹ in world axes."""
        bodies, masses = self.bodies, self.masses
        wrench = np.concatenate([bodies.force, bodies.torque], axis=1)
        free, inverse_inertia = np.empty_like(twist), np.empty((len(bodies), 3, 3))
        free_velocities.sized(len(bodies))(
            bodies.orientation, twist, wrench, masses.inverse_mass, masses.own_inverse,
            masses.even, self.world.gravity, h, free, inverse_inertia,
        )  # fmt: skip
        return free, inverse_inertia

    def _solve(
        self,
        contacts: ContactSet,
        twist: Floats,
        free: Floats,
        inverse_inertia: Floats,
        h: float,
        watch: Stopwatch,
    ) -> Solved:
        """v⁺ = v* + M⁻¹ D γ, with the impulses γ that solve the problem of this step."""
        remembered = self.memory.recall(contacts, self._width)
        if self._memory_step != h:  # of a step of another length
            remembered *= h / (self._memory_step or h)
        for bouncing in (True, False):
            terms = contact_terms(
                contacts,
                before=twist,
                free=free,
                mobile=self.masses.inverse_mass > 0.0,
                material=self.bodies.material,
                pairs=self.world.materials.table,
                step=h,
                rules=self.rules,
                bouncing=bouncing,
            )
            problem = assemble(
                terms,
                NO_ROWS,
                inverse_mass=self.masses.inverse_mass,
                inverse_inertia=inverse_inertia,
                free=free,
                name=f"step {self.steps + 1}",
            )
            guess = remembered if terms.kept is None else remembered[terms.kept]
            watch.lap("assemble")
            solution = self.solver.solve(problem, guess=guess.ravel())
            watch.lap("solve")
            assert isinstance(problem.operator, BodyOperator)
            kick = problem.operator.velocities(problem.sets.inward(solution.impulses))
            solved = Solved(contacts, terms, problem, solution, free, free + kick, h)
            # several impacts with friction may together give back more than came in
            if not terms.bouncing or self._work(solved) <= 0.0:
                break
        return solved

    def _advance(self, solved: Solved, h: float) -> None:
        bodies, masses = self.bodies, self.masses
        new = [np.empty_like(each) for each in (bodies.position, bodies.orientation, bodies.twist)]
        self._last, self._places, self._ids = solved, bodies.position.copy(), bodies.id.copy()
        self.dissipated -= self._work(solved)
        self._remember(solved)
        advance.sized(len(bodies))(
            bodies.position, bodies.orientation, solved.velocity, bodies.inertia, masses.even,
            masses.driven, h, *new,
        )  # fmt: skip
        bodies.position[:], bodies.orientation[:], bodies.twist[:] = new
        self.time += h
        self.steps += 1

    def _remember(self, solved: Solved) -> None:
        """Keep impulses for the next step's first guess."""
        values = solved.contact_impulses
        if solved.terms.kept is not None:
            values = np.zeros((len(solved.detected), self._width))
            values[solved.terms.kept] = solved.contact_impulses
        self.memory.store(solved.detected, values)
        self._memory_step = solved.step

    def _report(self, solved: Solved, h: float, watch: Stopwatch) -> StepReport:
        state = self._mechanics(self.bodies.twist)
        return StepReport(
            number=self.steps,
            time=self.time,
            step=h,
            contacts=len(solved.terms),
            joint_rows=0,
            iterations=solved.solution.iterations,
            status=solved.solution.status,
            residual=solved.solution.residual,
            penetration=max(0.0, -float(solved.detected.gaps.min(initial=0.0))),
            joint_error=0.0,
            kinetic_energy=state.kinetic,
            potential_energy=state.potential,
            dissipated_energy=self.dissipated,
            momentum=state.momentum,
            angular_momentum=state.angular_momentum,
            awake=int(np.count_nonzero(self.bodies.dynamic & ~self.bodies.asleep)),
            seconds=watch.seconds,
            notes=tuple(self._notes(solved, h)),
        )

    def _notes(self, solved: Solved, h: float) -> list[str]:
        notes = []
        if not solved.solution.converged:
            notes.append(
                f"the solver did not converge: {solved.solution.message}, residual "
                f"{solved.solution.residual:.2e}"
            )
        covered = h * travels(solved.velocity, self.masses)
        if covered.max(initial=0.0) > 1.0:
            i = int(np.argmax(covered))
            notes.append(
                f"the step of {h:g} s is too large: {self.world.name_of(int(self.bodies.id[i]))} "
                f"moved {covered[i]:.2g} times half its thickness"
            )
        return notes

    # -- readings ---------------------------------------------------------------------------------

    @property
    def contacts(self) -> Contacts:
        """Contacts of the last step and their forces."""
        if self._last is None:
            return Contacts.none()
        return self._last.contacts(self._ids, self._places)

    def problem(self) -> ConeProblem:
        """The cone complementarity problem of the last step: to save, or to try solvers on."""
        if self._last is None:
            raise InputError("no step has been taken yet, so there is no problem")
        return self._last.problem

    def _mechanics(self, twist: Floats) -> Mechanics:
        bodies = self.bodies
        return mechanics(
            bodies.position, bodies.orientation, twist, bodies.mass, bodies.inertia,
            self.world.gravity,
        )  # fmt: skip

    def _work(self, solved: Solved) -> float:
        """Kinetic energy that impulses add [J]; negative where they dissipate."""
        after, before = self._mechanics(solved.velocity), self._mechanics(solved.free)
        return after.kinetic - before.kinetic
