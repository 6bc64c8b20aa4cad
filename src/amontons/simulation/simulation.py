"""`Simulation`: the loop. Detect, assemble, solve, advance, record."""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.collision.memory import ContactMemory
from amontons.dynamics.contact_laws import ContactRules
from amontons.dynamics.forces import ForceSystem
from amontons.dynamics.free_velocity import free_velocities
from amontons.dynamics.integration import advance
from amontons.dynamics.joints.system import JointSystem
from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.shapes.checks import finite, positive
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
from amontons.simulation.impulses import Start, find_impulses
from amontons.simulation.lookout import Lookout
from amontons.simulation.progress import progress_bar
from amontons.simulation.report import Readings, StepReport, Stopwatch, report_on
from amontons.simulation.sleeping import (
    Sleeping,
    Surroundings,
    ends_of_changes,
    neighbours_of_gone,
    restless,
    wake,
)
from amontons.simulation.solved import CARRIED, Solved
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
        1e-4, or 1e-8 where contacts and joint rows are few (up to 256). For large scenes
        `APGD(tolerance=1e-2, max_iterations=50)` is several times faster.
    friction:
        "convex" for the convex relaxation of papers 3 to 5, which lets sliding bodies rise by
        h μ v, or "exact" for Coulomb's law itself, at several times the cost.
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
        self.solver = solver_for(solver, friction)
        self._solver_of_few = finer(self.solver) if solver is None else self.solver
        self.time = 0.0
        """Simulated time [s]."""
        self.steps = 0
        """Steps taken."""
        self.dissipated = 0.0
        """Energy that contacts and joints took so far [J]."""
        self.readings = Readings()
        self.memory = ContactMemory()
        poses = self.bodies.position, self.bodies.orientation
        self.joints = JointSystem([], world.index_of, *poses)
        self.loads = ForceSystem([], world.index_of, *poses)
        self._given = GivenRules(near, recovery_speed, bounce_speed).checked()
        self._last: Solved | None = None
        self._ids = np.empty(0, dtype=np.int64)
        self._level = (0, 0)
        self._version = -1
        self.surroundings = Surroundings(0)
        self.prepare()

    @property
    def bodies(self) -> Bodies:
        """The bodies as arrays: `sim.bodies.position`, `sim.bodies.velocity`, ..."""
        return self.world.bodies

    # -- running ----------------------------------------------------------------------------------

    def run(
        self,
        duration: float,
        *,
        progress: bool = False,
        on_step: Callable[[StepReport], bool | None] | None = None,
    ) -> Readings:
        """Take steps for so many seconds of simulated time, and return all readings.

        Parameters
        ----------
        progress:
            Show a bar with the time, contacts, iterations and the residual.
        on_step:
            Called with each step's report; the run ends when it returns True. If it raises, the
            state is that after the step.
        """
        if finite("duration", duration) < 0.0:
            raise InputError(f"duration is {duration:g} s; it must not be negative")
        end = self.time + duration
        with progress_bar(self.time, end, progress) as show:
            while self.time < end - 1e-9 * duration:
                report = self.step()
                show(report)
                if on_step is not None and on_step(report):
                    break
        return self.readings

    def step(self) -> StepReport:
        """Take one time step, and report on it. If it raises, the state is as before."""
        if self.substeps == 1:
            reports = [self._step(self._next_length())]
        else:
            before = snapshot(self)
            try:
                reports = [self._step(self._next_length()) for _ in range(self.substeps)]
            except BaseException:
                put_back(self, before)
                raise
        for report in reports:
            self.readings.append(report)
        return report

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
        rows = self.joints.rows(self.bodies.position, self.bodies.orientation, twist, self.time, h)
        solved = find_impulses(
            self.world,
            start,
            contacts,
            self.memory.recall(contacts, CARRIED),
            rows,
            self.rules,
            solver_of=self._solver_of,
            rounding=max(1e-9, 0.1 * self.solver.tolerance),
            name=f"step {self.steps + 1}",
            watch=watch,
        )
        # nothing of the state has changed so far
        broken, stored = self._advance(solved, wrench, h)
        watch.lap("advance")
        return report_on(self, solved, broken, stored, watch)

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
        contacts = self.lookout.detector(twist, h).detect_unit(bodies.position, orientation)
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
        return Start(twist, free, inverse_mass, inverse_inertia, h)

    def _solver_of(self, problem: ConeProblem) -> Solver:
        return self._solver_of_few if problem.blocks <= FINE_BELOW else self.solver

    def _advance(self, solved: Solved, wrench: Floats, h: float) -> tuple[list[int], float]:
        """q⁺ = q ⊕ h v⁺. Returns the ids of joints that broke, and the potential of loads [J]."""
        bodies, masses = self.bodies, self.masses
        place, turn = np.empty_like(bodies.position), np.empty_like(bodies.orientation)
        twist = np.empty_like(bodies.twist)
        held = masses.driven | bodies.asleep
        advance.sized(len(bodies))(
            bodies.position, bodies.orientation, solved.velocity, bodies.inertia, masses.even,
            held, h, place, turn, twist,
        )  # fmt: skip
        # the last that may raise
        stored = self.loads.potential_energy(place, turn, twist, self.time + h)
        self.dissipated -= solved.work
        self._last, self._places = solved, bodies.position.copy()
        self.memory.store(solved.detected, solved.carried(self.rules.slip_speed))
        broken = self.joints.accept(solved.joint_impulses, h)
        bodies.position[:], bodies.orientation[:], bodies.twist[:] = place, turn, twist
        self.joints.measure(bodies.position, bodies.orientation)
        self.time += h
        self.steps += 1
        self._level = self.lookout.level
        if self.sleeping is not None:
            pairs = self._together(solved.terms.contacts.bodies)
            self.sleeping.lull(bodies, masses, pairs, restless(self.joints, len(bodies)), h)
            self.surroundings.note(bodies, wrench, self.world.gravity)
        return broken, stored

    # -- what a step is made of -------------------------------------------------------------------

    def prepare(self) -> None:
        """Take in what was added to the world or removed from it; each step does so by itself."""
        world, bodies = self.world, self.bodies
        joints_before = self.joints.joints
        self.joints.update(world.joints, world.index_of, bodies.position, bodies.orientation)
        self.loads.update(world.forces, world.index_of, bodies.position, bodies.orientation)
        self.masses = Masses.of(world)
        self.rules = self._rules(self._next_length())
        self.lookout = Lookout(world, self.masses, self.rules.near, self._apart(), self._level)
        touched = neighbours_of_gone(bodies, self._ids, self.memory)
        wake(bodies, np.append(touched, ends_of_changes(joints_before, self.joints.joints)))
        self.memory.renumber(self._ids, bodies.id)
        self.surroundings.renumber(self._ids, bodies.id)
        self._ids = bodies.id.copy()
        self._version = world.version

    def _rules(self, h: float) -> ContactRules:
        """Lengths and speeds of contact in a step of this length [s]."""
        size, gravity = self.masses.typical_size, self.world.gravity
        g = math.sqrt(gravity.dot(gravity))
        return contact_rules(size, g, h, self._given, self.solver.exact)

    def _apart(self) -> NDArray[np.int64]:
        """Rows of bodies that are joined, and so do not collide, shape (pairs, 2)."""
        joined = [joint.bodies for joint in self.world.joints if not joint.collide]
        pairs = [[self.world.index_of(end) for end in ends] for ends in joined if None not in ends]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

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
