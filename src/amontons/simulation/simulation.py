"""`Simulation`: the loop. Detect, assemble, solve, advance, record."""

from __future__ import annotations

import dataclasses
import importlib
import math
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons._blas import one_blas_thread
from amontons.checks import finite, positive
from amontons.collision.contacts import ContactSet
from amontons.collision.detector import CollisionDetector
from amontons.collision.memory import ContactMemory
from amontons.dynamics.contact_laws import ContactRules
from amontons.dynamics.energy import Mechanics, mechanics_of
from amontons.dynamics.energy_ledger import Work
from amontons.dynamics.forces import ForceSystem
from amontons.dynamics.free_velocity import free_velocities
from amontons.dynamics.integration import advance
from amontons.dynamics.joints.stiffness import NOT_TAUT, steady_turns, stiffen
from amontons.dynamics.joints.system import JointSystem
from amontons.dynamics.masses import Masses
from amontons.errors import InputError, StrictError
from amontons.model.bodies import Bodies
from amontons.model.world import World
from amontons.problem.problem import ConeProblem
from amontons.simulation.checkpoint import put_back, restore, save, snapshot
from amontons.simulation.checks import (
    FINE_BELOW,
    GivenRules,
    check_bodies,
    contact_rules,
    finer,
    solver_for,
)
from amontons.simulation.contacts import Contacts
from amontons.simulation.energy_book import EnergyBook, Moved
from amontons.simulation.freed import Joined, as_they_broke
from amontons.simulation.impulses import Start, find_impulses
from amontons.simulation.margins import NEAR_ONLY, choose_margin
from amontons.simulation.notes import troubles
from amontons.simulation.overlaps import overlaps_of
from amontons.simulation.progress import progress_bar
from amontons.simulation.report import Readings, StepReport, Stopwatch, report_on
from amontons.simulation.runaway import EnergyWatch, checked_watch, watch_energy
from amontons.simulation.sleeping import (
    Sleeping,
    Surroundings,
    ends_of,
    ends_of_changes,
    neighbours_of_gone,
    restless,
    wake,
)
from amontons.simulation.solved import CARRIED, PARTING, Solved
from amontons.simulation.step_size import AutomaticStep
from amontons.solvers import Solver

Floats = NDArray[np.float64]


class Simulation:
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
        iterations. For large scenes `APGD(tolerance=1e-2, max_iterations=50)` is several times
        faster.
    friction:
        "convex" for the convex relaxation of papers 3 to 5, which lets sliding bodies rise by
        h μ v, or "exact" for Coulomb's law itself, at 5 times the cost of a step in small scenes
        and 35 times and more with hundreds of bodies.
    substeps:
        Equal parts in which each step is taken.
    sleeping:
        When bodies that rest fall asleep; by default never.
    near:
        Contacts with a smaller gap [m] are always in the problem; by default 2 % of the typical
        body's half thickness.
    recovery_speed:
        Bodies that overlap part at this speed at most [m/s]; by default a tenth of the speed of a
        fall over the typical body's half thickness.
    bounce_speed:
        Impacts slower than this [m/s] give nothing back, whatever the restitution; by default
        twice the speed that gravity gives in a step.
    watch:
        What to do where energy comes from nowhere, as in a run that has become unstable: "stop"
        with a `RunawayError`, "note" it and go on, or "off".
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
    ) -> None:
        if not isinstance(world, World):
            raise InputError(f"a simulation needs an amontons.World, got {world!r}")
        if isinstance(substeps, bool) or not isinstance(substeps, int) or substeps < 1:
            raise InputError(f"substeps must be a whole number, 1 or more, got {substeps!r}")
        if sleeping is not None and not isinstance(sleeping, Sleeping):
            raise InputError(f"sleeping must be an amontons.Sleeping, got {sleeping!r}")
        self.world = world
        self.step_length = step if isinstance(step, AutomaticStep) else positive("step", step)
        self.substeps = substeps
        self.sleeping = sleeping
        self.watch = checked_watch(watch)
        self.solver = solver_for(solver, friction)
        self._solver_of_few = finer(self.solver) if solver is None else self.solver
        self.time = 0.0
        """Simulated time [s]."""
        self.steps = 0
        """Steps taken."""
        self.energy_book = EnergyBook()
        self.readings = Readings()
        self.energy_watch = EnergyWatch()
        self.memory = ContactMemory()
        poses = self.bodies.position, self.bodies.orientation
        self.joints = JointSystem([], world.index_of, *poses)
        self.loads = ForceSystem([], world.index_of, *poses)
        self._given = GivenRules(near, recovery_speed, bounce_speed).checked()
        self._last: Solved | None = None
        self._ids = np.empty(0, dtype=np.int64)
        self.margin_level = self._next_level = NEAR_ONLY
        self._version = -1
        self.surroundings = Surroundings(0)
        self._joined: Joined
        self._detector: CollisionDetector
        self.bodies.columns["seen"][:] = False
        self.prepare()

    @property
    def bodies(self) -> Bodies:
        """The bodies as arrays: `sim.bodies.position`, `sim.bodies.velocity`, ..."""
        return self.world.bodies

    @property
    def work(self) -> Work:
        """Energy that came to bodies and springs so far, by cause [J]; taken: negative."""
        return self.energy_book.work

    @property
    def dissipated(self) -> float:
        """Energy that became heat so far, by friction, impacts, dampers and drag [J]."""
        return self.work.dissipated

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
        """Take steps for so many seconds of simulated time, and return all readings.

        Parameters
        ----------
        until:
            The simulated time to run to [s], instead of a duration; none is taken where that has
            passed, so a script that goes on with a recorded run can say it again.
        progress:
            Show a bar with the time, contacts, iterations and the residual.
        on_step:
            Called with each step's report; the run ends when it returns True. If it raises, the
            state is that after the step.
        strict:
            Raise a `StrictError` after the first step with a note of some trouble, such as no
            convergence or an overlap; `on_step` has seen that step.
        """
        end, nearly = self._end(duration, until)
        with progress_bar(self.time, end, progress) as show:
            while self.time < nearly:
                report = self.step()
                show(report)
                enough = on_step is not None and on_step(report)
                for note in troubles(report.notes if strict else ()):
                    raise StrictError(f"{note} (the run is strict, and so ends here)")
                if enough:
                    break
        return self.readings

    def _end(self, duration: float | None, until: float | None) -> tuple[float, float]:
        """When a run ends [s], and when it is so near to that that rounding must be the rest."""
        if (duration is None) == (until is None):
            raise InputError("run() takes a duration or until, just one of them")
        if duration is None:
            end = finite("until", until)
            return end, end - 1e-9 * abs(end)
        if finite("duration", duration) < 0.0:
            raise InputError(f"duration is {duration:g} s; it must not be negative")
        return self.time + duration, self.time + duration - 1e-9 * duration

    def step(self) -> StepReport:
        """Take one time step, and report on it. If it raises, the state is as before."""
        with one_blas_thread:
            reports = self._parts()
        for report in reports:
            self.readings.append(report)
        if len(reports) == 1:
            return reports[0]
        notes = tuple(note for each in reports for note in each.notes)
        return dataclasses.replace(reports[-1], notes=notes)

    def _parts(self) -> list[StepReport]:
        """The substeps of a step, all of them or none."""
        if self.substeps == 1:
            return [self._step(self._next_length())]
        before = snapshot(self)
        try:
            return [self._step(self._next_length()) for _ in range(self.substeps)]
        except BaseException:
            put_back(self, before)
            raise

    def _next_length(self) -> float:
        h = self.step_length
        if isinstance(h, AutomaticStep):
            h = h.choose(self.bodies.twist, self.world.gravity, self.masses)
        return h / self.substeps

    # -- one step ---------------------------------------------------------------------------------

    def _step(self, h: float) -> StepReport:
        orientation = check_bodies(self.world)
        if self.world.version != self._version:
            self.prepare()
        self.rules = self._rules(h)
        watch = Stopwatch()
        twist = self._driven(h)
        wrench = self._wrench(twist)
        contacts = self._detect(orientation, twist, wrench, h)
        watch.lap("detect")
        start = self._start(twist, wrench, h)
        rows = self.joints.rows(
            self.bodies.position, self.bodies.orientation, start.steady, self.time, h
        )
        memory = self.memory.recall(contacts, CARRIED)
        solved = find_impulses(
            self.world,
            self.masses,
            start,
            contacts,
            overlaps_of(contacts, self.world, self.masses, memory[:, PARTING]),
            memory,
            rows,
            self.rules,
            solver_of=self.solver_of,
            name=f"step {self.steps + 1}",
            watch=watch,
        )
        held = mechanics_of(self.world, self.bodies.twist)
        warnings = watch_energy(self, solved, held.kinetic)
        # nothing of the state has changed so far
        broken = self._advance(start, solved, wrench, held, h)
        watch.lap("advance")
        report = report_on(self, solved, broken, warnings, watch)
        self.energy_book.energy = report.kinetic_energy + report.potential_energy
        return report

    def _driven(self, h: float) -> Floats:
        """Velocities v at the start, with those of kinematic bodies as they are prescribed."""
        bodies = self.bodies
        twist = bodies.twist.copy()
        for i in self.masses.kinematic:
            motion = self.world.motions[bodies.columns["motion"][i] - 1]
            twist[i] = motion.twist(bodies.position[i], bodies.orientation[i], self.time, h)
        return twist

    def _wrench(self, twist: Floats) -> Floats:
        """Forces and torques on bodies [N, N m], gravity aside; shape (bodies, 6)."""
        bodies = self.bodies
        wrench = np.concatenate([bodies.force, bodies.torque], axis=1)
        if self.loads.loads:
            self.loads.add(bodies.position, bodies.orientation, twist, self.time, wrench)
        return wrench

    def _detect(self, orientation: Floats, twist: Floats, wrench: Floats, h: float) -> ContactSet:
        bodies = self.bodies
        if self._joined.changed(self.joints):
            self._joined = Joined.of(self.joints, bodies.fixed)
            self._detector.keep_apart(self._joined.apart)
        speeds = self.masses.surface_speeds(twist)
        self._next_level, margin = choose_margin(self.margin_level, speeds, self.rules.near, h)
        contacts = self._detector.detect_unit(bodies.position, orientation, margin)
        contacts = self._joined.without_inner(contacts)
        contacts = as_they_broke(contacts, self.joints, self._joined, 0.25 * self.rules.near)
        if self.sleeping is not None:
            disturbed = self.surroundings.changed(bodies, wrench, self.world.gravity)
            pairs = self._together(contacts.bodies[contacts.gaps <= self.rules.near])
            self.sleeping.stir(bodies, self.masses, twist, pairs, disturbed)
        return contacts

    def _start(self, twist: Floats, wrench: Floats, h: float) -> Start:
        """v* = v + h M⁻¹ f; bodies that sleep are as heavy as fixed ones."""
        bodies, masses = self.bodies, self.masses
        inverse_mass = np.where(bodies.asleep, 0.0, masses.inverse_mass)
        free, inverse_inertia = np.empty_like(twist), np.empty((len(bodies), 3, 3))
        free_velocities.sized(len(bodies))(
            bodies.orientation, twist, wrench, inverse_mass, masses.own_inverse, masses.even,
            self.world.gravity, h, free, inverse_inertia,
        )  # fmt: skip
        self.loads.damp(free, inverse_mass, inverse_inertia, h)
        kinetic, steady, taut = mechanics_of(self.world, free).kinetic, twist, NOT_TAUT
        if self.joints.joints:
            place, joints = (bodies.position, bodies.orientation), self.joints.tables.joints
            taut = stiffen(joints, *place, free, inverse_inertia, h)
            steady = steady_turns(twist, bodies.columns["turned"], taut.rows)
        return Start(
            twist, free, inverse_mass, inverse_inertia, masses.gyration, h, kinetic, taut, steady
        )

    def solver_of(self, problem: ConeProblem) -> Solver:
        """The solver that takes on a step's problem: small ones are solved more finely."""
        return self._solver_of_few if problem.blocks <= FINE_BELOW else self.solver

    def _advance(
        self, start: Start, solved: Solved, wrench: Floats, held: Mechanics, h: float
    ) -> list[int]:
        """q⁺ = q ⊕ h v⁺; `held` is the energy until now. Returns the ids of joints that broke."""
        bodies, masses = self.bodies, self.masses
        place, turn = np.empty_like(bodies.position), np.empty_like(bodies.orientation)
        twist, still = np.empty_like(bodies.twist), masses.driven | bodies.asleep
        pose = bodies.position, bodies.orientation
        rest = bodies.columns["inertia"], masses.even, still, h
        advance.sized(len(bodies))(*pose, solved.motion, *rest, place, turn, twist)
        if solved.parted is not None:  # what parts bodies does not last
            aside = np.empty_like(place), np.empty_like(turn)
            advance.sized(len(bodies))(*pose, solved.velocity, *rest, *aside, twist)
        # the last that may raise
        loads = (
            self.loads.potential_energy(
                bodies.position, bodies.orientation, bodies.twist, self.time
            ),
            self.loads.potential_energy(place, turn, twist, self.time + h),
        )
        impulses, moved = solved.joint_impulses, Moved(place, turn, twist)
        self.energy_book.enter(self, start, wrench, solved, impulses, moved, loads, held)
        self._last, self._places = solved, bodies.position.copy()
        self.memory.store(solved.detected, solved.carried(self.rules.slip_speed))
        broken = self.joints.accept(impulses, h)
        if broken:
            wake(bodies, ends_of(self.joints, broken))
        self.energy_watch.accept()
        bodies.columns["turned"][:], bodies.columns["seen"][:] = bodies.twist[:, 3:], True
        bodies.position[:], bodies.orientation[:], bodies.twist[:] = place, turn, twist
        self.joints.measure(bodies.position, bodies.orientation)
        self.time += h
        self.steps += 1
        self.margin_level = self._next_level
        if self.sleeping is not None:
            pairs = self._together(solved.terms.contacts.bodies)
            never = restless(self.joints, len(bodies))
            self.sleeping.lull(bodies, masses, pairs, never, self.world.gravity, h)
            self.surroundings.note(bodies, wrench, self.world.gravity)
        self.energy_book.settle(self, broken, twist, ~still)
        return broken

    # -- what a step is made of -------------------------------------------------------------------

    def prepare(self) -> None:
        """Take in what was added to the world or removed from it; each step does so by itself."""
        world, bodies = self.world, self.bodies
        joints_before = self.joints.joints
        self.joints.update(world.joints, world.index_of, bodies.position, bodies.orientation)
        self.loads.update(world.forces, world.index_of, bodies.position, bodies.orientation)
        self.masses = Masses.of(world)
        self.rules = self._rules(self._next_length())
        self._joined = Joined.of(self.joints, bodies.fixed)
        self._detector = CollisionDetector(
            world.shapes,
            which=bodies.shape,
            margin=self.rules.near,
            fixed=self.masses.driven,  # two bodies that nothing can push need no contact
            groups=bodies.group,
            masks=bodies.mask,
            apart=self._joined.apart,
            origin=np.array(world.origins).reshape(-1, 3),
        )
        touched = neighbours_of_gone(bodies, self._ids, self.memory)
        wake(bodies, np.append(touched, ends_of_changes(joints_before, self.joints.joints)))
        self.memory.renumber(self._ids, bodies.id)
        self.surroundings.renumber(self._ids, bodies.id)
        self._ids = bodies.id.copy()
        self._version = world.version
        self.energy_watch.changed = True

    def _rules(self, h: float) -> ContactRules:
        """Lengths and speeds of contact in a step of this length [s]."""
        size, gravity = self.masses.typical_size, self.world.gravity
        g = math.sqrt(gravity.dot(gravity))
        return contact_rules(size, g, h, self._given, self.solver.exact)

    def _together(self, touching: NDArray[np.int32]) -> NDArray[np.int32]:
        """Rows of bodies that touch or share a joint, shape (pairs, 2)."""
        joined = self.joints.tables.joints.bodies[~self.joints.broken]
        return np.concatenate([touching, joined])

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

    # -- looking ----------------------------------------------------------------------------------

    def view(self, *, height: int = 480) -> Any:
        """The viewer on the bodies as they are now: notebooks show it; `open()` does elsewhere."""
        return _viewer().view(self, height=height)

    def render(self, **look: Any) -> Any:
        """A picture of the bodies as they are now; see :func:`amontons.viewer.render`."""
        return _viewer().render(self, **look)

    # -- keeping ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint, from which :meth:`restore` goes on bit for bit."""
        save(self, path)

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Go back to a checkpoint of a simulation of the same scene, made by the same script."""
        restore(self, path)

    def __repr__(self) -> str:
        return (
            f"<Simulation: {len(self.bodies)} bodies, {len(self.joints)} joints, at "
            f"{self.time:.6g} s after {self.steps} steps, {type(self.solver).__name__} to "
            f"{self.solver.tolerance:g}>"
        )


def _viewer() -> ModuleType:
    """The viewer, which is built on simulations and so is loaded only when it is asked for."""
    return importlib.import_module("amontons.viewer")
