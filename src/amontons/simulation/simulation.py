"""`Simulation`: a world in motion, and everything that can be read from it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable

import numpy as np

from amontons._blas import one_blas_thread
from amontons.array_types import Floats
from amontons.checks import positive, whole
from amontons.collision.memory import RememberedContacts
from amontons.dynamics.forces import ForceSystem
from amontons.errors import InputError, StrictError
from amontons.model.bodies import Bodies
from amontons.model.world import World
from amontons.problem.problem import ConeProblem
from amontons.ranks.communicator import Communicator
from amontons.simulation.checkpoints.checkpoint import restore, save
from amontons.simulation.checkpoints.inventory import Begun
from amontons.simulation.checks import check_world
from amontons.simulation.compiled.compiled_step import Compiled
from amontons.simulation.compiled.many_steps import MOST_AT_ONCE, LoopTaken, ManySteps
from amontons.simulation.flows.flowing import Moment, flow
from amontons.simulation.flows.meters import MeterReading, meter_readings
from amontons.simulation.following import followed, require_alike
from amontons.simulation.joint_handles import SimulatedJoints
from amontons.simulation.model import Model, start_of
from amontons.simulation.movers import moves
from amontons.simulation.readable import Readable
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.reports.notes import troubles
from amontons.simulation.reports.progress import end_of_run, progress_bar
from amontons.simulation.reports.report import Readings, StepReport
from amontons.simulation.reports.sensing import NO_SENSORS, mean_of_substeps, read_before
from amontons.simulation.rules import Rules
from amontons.simulation.sharing.agreement import (
    chosen_solvers,
    require_agreement,
    require_shareable,
)
from amontons.simulation.sleep.sleeping import Sleeping
from amontons.simulation.sleep.slumber import slumber
from amontons.simulation.sleep.waking import asleep_contacts, ends_of_changes, neighbours_of_gone
from amontons.simulation.solve.step_solution import StepSolution
from amontons.simulation.state import State
from amontons.simulation.step import staged, take_step
from amontons.simulation.step_size import AutomaticStep
from amontons.simulation.turnstile import Turnstile, holding_still
from amontons.solvers import Solver


class Simulation(Readable):
    """A world in motion.

    Parameters
    ----------
    world:
        What there is. The simulation moves its bodies; change it between steps as you like.
    step:
        Length of a time step [s], or an `AutomaticStep` that chooses it.
    solver:
        Of the cone complementarity problem of each step; by default `Auto` to a scaled error of
        1e-3, or 1e-8 where contacts and joint rows are few (up to 256), with at most 10 000
        iterations, and at least 20 where they are many. For large scenes
        `APGD(tolerance=1e-2, max_iterations=50)` is several times faster.
    friction:
        "convex" for the convex relaxation of papers 3 to 5, which lets sliding bodies rise by
        h μ v, or "exact" for Coulomb's law itself, at 1 to 2.4 times the cost.
    substeps:
        Equal parts in which each step is taken.
    sleeping:
        When bodies that rest fall asleep, such as `Sleeping()`; by default never.
    near:
        Smaller gaps [m] are always in the problem; by default 2 % of a typical half thickness.
    recovery_speed:
        Bodies that overlap separate at this speed at most [m/s]; by default a tenth of the speed of
        a fall over the typical body's half thickness.
    bounce_speed:
        Slower impacts [m/s] give nothing back; by default twice what gravity gives in a step.
    watch:
        When energy appears from nowhere: "stop" with a `RunawayError`, "note" it, or "off".
    ranks:
        Processes that share the work, such as `amontons.ranks.here()`: see docs/ranks.md.
    compiled:
        Whether steps of small worlds are taken in one compiled call, or many in one, to the same
        bits. By default they are where the code is on disk and no joint follows a function.
    """

    def __init__(
        self,
        world: World,
        *,
        step: float | AutomaticStep,
        solver: Solver | None = None,
        friction: str = "convex",
        substeps: int = 1,
        sleeping: Sleeping | None = None,
        near: float | None = None,
        recovery_speed: float | None = None,
        bounce_speed: float | None = None,
        watch: str = "stop",
        ranks: Communicator | None = None,
        compiled: bool | None = None,
    ) -> None:
        if not isinstance(world, World):
            raise InputError(f"a simulation needs an amontons.World, got {world!r}")
        self.world = world
        self.step_length = step if isinstance(step, AutomaticStep) else positive("step", step)
        self.substeps = whole("substeps", substeps, 1)
        self.rules = Rules(
            near=near, recovery_speed=recovery_speed, bounce_speed=bounce_speed,
            sleeping=sleeping, watch=watch, compiled=compiled,
        )  # fmt: skip
        """How bodies touch, when they sleep, and what to do where energy comes from nowhere."""
        self.ranks, self.solvers = ranks, chosen_solvers(solver, friction, ranks, sleeping)
        self.readings, self._turnstile, self._many = Readings(), Turnstile(), ManySteps()
        self.joints = SimulatedJoints(world)
        self.loads = ForceSystem([], world.index_of, self.bodies.position, self.bodies.orientation)
        self.bodies.columns["seen"][:] = False
        self._state = start_of(world, self.joints.state)
        self._last: StepSolution | Compiled | None = None
        self._ids = self._last_ids = self.bodies.id.copy()
        self._earlier: tuple[Contacts, ...] = ()
        self._version, self._sensors, self._places = -1, NO_SENSORS, self.bodies.position
        self.begun = Begun.of(world)
        """Shapes and materials that there were when the simulation was made."""
        self._model: Model
        self.follow_world()
        moves(self, world)

    @property
    def bodies(self) -> Bodies:
        """The bodies as arrays: `sim.bodies.position`, `sim.bodies.velocity`, ..."""
        return self.world.bodies

    @property
    def model(self) -> Model:
        """The current model: everything that steps do not change."""
        self.follow_world()
        return self._model

    @property
    def state(self) -> State:
        """The current state: everything that steps change; its bodies are those of the world.

        Take a copy to keep it, `saved = sim.state.copy()`, and assign it to return to it:
        `sim.state = saved`. That needs the same bodies, joints and loads.
        """
        self.follow_world()
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        require_alike(self.state, state)
        self._take_over(state.copy())
        self.joints.show(self._state.joints, self.joints.measured)
        self.joints.measure(self.bodies.position, self.bodies.orientation)
        self._last = None

    @property
    def solver(self) -> Solver:
        """The solver of every step; the default one solves small problems more finely."""
        return self.solvers.many

    @solver.setter
    def solver(self, solver: Solver) -> None:
        self.solvers = chosen_solvers(solver, "convex", self.ranks, self.rules.sleeping)

    # -- running ----------------------------------------------------------------------------------

    def run(
        self,
        duration: float | None = None,
        *,
        until: float | None = None,
        progress: bool = False,
        on_step: Callable[[StepReport], bool | None] | None = None,
        strict: bool = False,
    ) -> Readings:
        """Take steps for a duration [s] of simulated time, and return all readings.

        Parameters
        ----------
        until:
            The simulated time to run to [s], instead of a duration; no step is taken if it has
            passed, so that a script may repeat the call when it resumes a recorded run.
        progress:
            Show a bar with the time, contacts, iterations and the residual.
        on_step:
            Called with each step's report; the run ends when it returns True. If it raises, the
            state is that after the step.
        strict:
            Raise a `StrictError` after the first step with a note of some trouble, such as no
            convergence or an overlap; `on_step` has seen that step.
        """
        end, nearly = end_of_run(self.time, duration, until)
        while on_step is None and not progress and not strict and self.time < nearly:
            self._stride(MOST_AT_ONCE, nearly)
        with progress_bar(self.time, end, progress) as show:
            while self.time < nearly:
                report = self.step()
                show(report)
                enough = on_step is not None and on_step(report)
                for note in troubles(report.notes if strict else ()):
                    raise StrictError(f"{note} (strict run: stopped here)")
                if enough:
                    break
        return self.readings

    def advance(self, steps: int) -> Readings:
        """Take so many time steps, and return all readings."""
        left = whole("steps", steps, 0)
        while left:
            left -= self._stride(left, np.inf)
        return self.readings

    def step(self) -> StepReport:
        """Take one time step, and return its report. If it raises, the state is unchanged."""
        found = self._loop(1, np.inf)
        return self._step_by_stages() if found is None else found.reports[0]

    def _step_by_stages(self) -> StepReport:
        with self._turnstile, one_blas_thread:
            reports = self._flowed(self._substeps) if len(self.world.flows) else self._substeps()
            require_agreement(self.ranks, self._state)
        self.readings.extend(reports)
        notes = (note for each in reports for note in each.notes)
        return reports[0] if len(reports) == 1 else reports[-1].with_notes(notes)

    def _stride(self, most: int, until: float) -> int:
        """Take steps in one call, and by stages the one that it leaves, if any; how many."""
        found = self._loop(most, until)
        if found is not None and found.complete:
            return len(found.reports)
        self._step_by_stages()
        return 1 if found is None else 1 + len(found.reports)

    def _loop(self, most: int, until: float) -> LoopTaken | None:
        """Take up to so many steps in one call, as far as it comes."""
        h, world = self.step_length, self.world
        elsewhere = self.substeps > 1 or self.ranks or world.flows or isinstance(h, AutomaticStep)
        if self._many.leaves(world.version != self._version, elsewhere):
            return None
        assert isinstance(h, float)
        with self._turnstile, holding_still(world):
            self.follow_world()
            given = self._state, self.joints.measured, h, self.solvers, self.rules
            found = self._many.take(self._model, *given, most, until)
        if found is not None:
            self._finish(found.state, found.last, found.place, ())
            self.readings.extend(found.reports)
        return found

    def _substeps(self) -> list[StepReport]:
        """The parts of a step, all of them or none."""
        if not len(self.bodies) and len(self.world.flows):  # who comes will come after it
            self._last = None
            self._state, report = slumber(self.state, self._next_length(self.state))
            return [report]
        if self.world.version != self._version:  # nothing is bound to bodies that are nowhere
            check_world(self.world)
        state, reports, sensed = self.state, [], []
        earlier: list[Contacts] = []
        with holding_still(self.world):
            for part in range(self.substeps):
                place, h = state.bodies.position, self._next_length(state)
                state, report, solved = take_step(
                    self._model, state, h, self.solvers, self.rules, self.ranks
                )
                reports.append(report)
                sensed.append(state.sensors)
                if part < self.substeps - 1 and solved is not None:
                    earlier.append(staged(solved).contacts(self._ids, place))
        state = state._replace(sensors=mean_of_substeps(self._model.sensors, sensed))
        self._finish(state, solved, place.copy(), tuple(earlier))
        return reports

    def _finish(
        self, state: State, solved: StepSolution | Compiled | None, place: Floats,
        earlier: tuple[Contacts, ...],
    ) -> None:  # fmt: skip
        """Have what a step led to, whose last part began with bodies at `place`."""
        self._last, self._last_ids, self._places = solved, self._ids, place
        self._earlier = earlier
        self._take_over(state)
        if solved is not None:
            self.joints.show(state.joints, solved.coordinates)

    def _flowed(self, step: Callable[[], list[StepReport]]) -> list[StepReport]:
        """A step, after which bodies go and come by sinks and sources."""
        place, time, model = self.bodies.position.copy(), self.time, self.model
        reports = step()
        moment = Moment(place, self.time - time, self.steps, self.time)
        flows, notes = flow(self.world, model, self._state.flows, moment)
        self._state = self._state._replace(flows=flows)
        self.follow_world()
        return [*reports[:-1], reports[-1].with_notes([*reports[-1].notes, *notes])]

    @property
    def meters(self) -> dict[str, MeterReading]:
        """Counts of sources, sinks and flow meters so far, by their names."""
        return meter_readings(self.world.flows, self.state.flows)

    def _next_length(self, state: State) -> float:
        h = self.step_length
        if isinstance(h, AutomaticStep):
            h = h.choose(state.bodies.twist, state.gravity, self._model.masses)
        return h / self.substeps

    # -- the world and the state ------------------------------------------------------------------

    def _take_over(self, state: State) -> None:
        """Have this state from now on: the world's bodies are where it has them."""
        mine = self._state.bodies
        for here, there in zip(mine[1:], state.bodies[1:], strict=True):
            if here is not there:
                here[:] = there
        if state.gravity is not self.world.gravity:
            self.world.gravity = state.gravity
        self._state = state._replace(bodies=mine, gravity=self.world.gravity)

    def follow_world(self) -> None:
        """Take in what was added to the world or removed from it since the last step."""
        world, bodies = self.world, self.bodies
        if world.version == self._version:
            if self._state.gravity is not world.gravity:
                self._state = self._state._replace(gravity=world.gravity)
            return
        require_shareable(self.ranks, world)
        state, joints_before = self._state, self.joints.joints
        poses = bodies.position, bodies.orientation
        self.joints.update(world.joints, world.index_of, *poses)
        self.loads.update(world.forces, world.index_of, *poses)
        self._model = Model.of(world, self.joints.model, self.loads)
        disturbed = np.append(
            neighbours_of_gone(bodies.id, self._ids, state),
            ends_of_changes(joints_before, self.joints.joints),
        )
        sensed = read_before(self._sensors, self._model.sensors, state.sensors)
        self._state = followed(state, world, self.joints.state, sensed, self._ids, disturbed)
        self._ids, self._sensors = bodies.id.copy(), self._model.sensors
        self._version = world.version

    def forget_contacts(self) -> None:
        """Start the next solve without a guess from the last step."""
        none = RememberedContacts.none(len(self.bodies))
        self._state = self.state._replace(contacts=none)

    # -- readings ---------------------------------------------------------------------------------

    @property
    def contacts(self) -> Contacts:
        """Contacts of the last step and their forces; those of its last substep if it has several.

        Those of sleepers are as they were, and come last. Each of several processes has its own.
        """
        found = Contacts.none()
        if self._last is not None:
            self._last = staged(self._last)  # a compiled step is gone through when asked for
            last = self._last.contacts(self._last_ids, self._places)
            found = dataclasses.replace(last, earlier=self._earlier)
        if not self._state.rest.dormant.keys.size:
            return found
        found = found.among(self._ids[~self.bodies.asleep])
        return found.beside(asleep_contacts(self._model, self._state, self._ids))

    def problem(self) -> ConeProblem:
        """The cone complementarity problem of the last step: to save it, or to try solvers on it.

        Contacts of bodies that sleep are not in it. With 2000 bodies and more, those are numbered
        in the order in which they lie in space.
        """
        if self._last is None:
            raise InputError(
                "no step has been taken yet, or everybody sleeps or is gone, so there is no "
                "problem: take a step, or wake bodies up, as by a velocity that is written"
            )
        self._last = staged(self._last)
        return self._last.problem

    # -- keeping ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint, from which :meth:`restore` continues bit for bit."""
        save(self, path)

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Return to a checkpoint of a simulation of the same scene, made by the same script."""
        restore(self, path)

    def __repr__(self) -> str:
        what = f"{len(self.bodies)} bodies, {len(self.joints)} joints"
        when = f"at {self.time:.6g} s after {self.steps} steps"
        how = f"{type(self.solver).__name__} to {self.solver.tolerance:g}"
        return f"<Simulation: {what}, {when}, {how}>"
