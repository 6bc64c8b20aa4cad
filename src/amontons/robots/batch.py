"""`Batch`: many copies of one small world, with numpy arrays in and out."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.array_types import Floats, Longs
from amontons.checks import finite_array, whole
from amontons.errors import InputError
from amontons.model.world import World
from amontons.robots.layout import RobotLayout
from amontons.robots.robot import Robot
from amontons.simulation.compiled.many_worlds import ManyWorlds
from amontons.simulation.reports.notes import Note
from amontons.simulation.simulation import Simulation
from amontons.simulation.state import State

Bools = NDArray[np.bool_]


class Batch:
    """Many copies of one small world, stepped together on all threads.

    ::

        batch = am.Batch(robot, worlds=4096)
        batch.ctrl = policy(batch.q, batch.qd)
        batch.step(5)
        batch.reset(batch.position[:, trunk, 2] < 0.2)

    All arrays begin with an axis of worlds. Those of bodies are the very arrays that steps work
    on: write into them to change the worlds. Each world has the bits of a simulation by itself,
    whatever the number of worlds and threads.

    Parameters
    ----------
    world:
        A `World` or a `Robot`; all copies begin as it is now, and it stays as it is.
    worlds:
        Number of copies.
    step:
        Length of a time step [s]; by default that of the robot's file.
    options:
        All others of `Simulation`, such as `recovery_speed`; the solver is the default one.
    """

    def __init__(
        self, world: World | Robot, *, worlds: int, step: float | None = None, **options: Any
    ) -> None:
        if not isinstance(world, World | Robot):
            raise InputError(f"a batch needs an amontons.World or a Robot, got {world!r}")
        own = copy.deepcopy(world)
        self.robot = own if isinstance(own, Robot) else None
        """A copy of the robot, whose joints are `q` and `qd` and whose controls are `ctrl`."""
        if isinstance(own, Robot):
            sim = own.simulation(step=step, **options)
        elif step is None:
            raise InputError("a batch of a world needs a step [s]: am.Batch(world, step=1e-3, …)")
        else:
            sim = Simulation(own, step=step, **options)
        self._many = ManyWorlds(sim, worlds)
        self._layout = None if self.robot is None else RobotLayout.of(self.robot, sim)

    # -- steps ------------------------------------------------------------------------------------

    @property
    def worlds(self) -> int:
        """Number of worlds."""
        return self._many.worlds

    def step(self, steps: int = 1, *, mask: ArrayLike | None = None) -> None:
        """Take so many time steps in all worlds, or in those of a mask of shape (worlds,)."""
        self._many.advance(steps, self._mask(mask))

    def reset(
        self, mask: ArrayLike | None = None, *, q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        """Put all worlds, or those of a mask, where they began.

        A robot may begin at other positions `q` and speeds `qd` [rad or m, rad/s or m/s], for all
        worlds or one row each, shape (worlds, joints); see :meth:`Robot.reset`.
        """
        which = self._mask(mask)
        if q is None and qd is None:
            self._many.restart(which)
            return
        robot, count = self._with_robot("q and qd"), len(self._here.joint)
        at = None if q is None else self._rows("q", q, count)
        speeds = None if qd is None else self._rows("qd", qd, count)
        sim = robot.sim
        for w in np.flatnonzero(which).tolist():
            sim.state = self._many.start
            robot.reset(None if at is None else at[w], None if speeds is None else speeds[w])
            self.set_state(w, sim.state)

    def state(self, w: int) -> State:
        """The state of one world: `sim.state = batch.state(3)` goes on with it by itself."""
        return self._many.state(self._world(w))

    def set_state(self, w: int, state: State) -> None:
        """Have one world in a state, such as that of another or of a simulation."""
        which = np.zeros(self.worlds, dtype=bool)
        which[self._world(w)] = True
        sim = self._many.simulation
        sim.state = state  # which measures its joints
        self._many.load(which, sim.state, sim.joints.measured)

    # -- bodies -----------------------------------------------------------------------------------

    @property
    def time(self) -> Floats:
        """Simulated time [s], shape (worlds,)."""
        return self._many.store.current.time

    @property
    def steps(self) -> Longs:
        """Steps taken, shape (worlds,)."""
        return self._many.store.current.steps

    @property
    def position(self) -> Floats:
        """Centres of mass [m], shape (worlds, bodies, 3)."""
        return self._many.store.current.position

    @property
    def orientation(self) -> Floats:
        """Unit quaternions (w, x, y, z), shape (worlds, bodies, 4)."""
        return self._many.store.current.orientation

    @property
    def velocity(self) -> Floats:
        """Velocities of the centres of mass [m/s], shape (worlds, bodies, 3)."""
        return self._many.store.current.twist[..., :3]

    @property
    def angular_velocity(self) -> Floats:
        """In world axes [rad/s], shape (worlds, bodies, 3)."""
        return self._many.store.current.twist[..., 3:]

    @property
    def force(self) -> Floats:
        """Applied to bodies in every step until changed [N], shape (worlds, bodies, 3)."""
        return self._many.store.inputs.force

    @property
    def torque(self) -> Floats:
        """Applied to bodies in every step until changed [N m], shape (worlds, bodies, 3)."""
        return self._many.store.inputs.torque

    @property
    def contact_force(self) -> Floats:
        """Sum of contact forces on each body in the last step [N], shape (worlds, bodies, 3)."""
        return self._many.contact_force

    @property
    def energy(self) -> Floats:
        """Kinetic and potential energy after the last step [J], shape (worlds,)."""
        return self._many.store.current.holds[:, 0]

    @property
    def sensors(self) -> dict[str, Floats]:
        """Readings of each sensor in the last step by its name, each (worlds, channels).

        NaN before the first step.
        """
        found, first = {}, 0
        for sensor in self._many.model.sensors:
            width = len(sensor.channels)
            found[sensor.name] = self._many.sensed[:, first : first + width].copy()
            first += width
        return found

    # -- a robot ----------------------------------------------------------------------------------

    @property
    def q(self) -> Floats:
        """Positions of the robot's joints as its file counts them [rad or m], (worlds, joints).

        As they were after the last step, or where a world was reset since.
        """
        of = self._here
        return np.asarray(self._many.store.current.values[:, of.coordinate] + of.zero)

    @property
    def qd(self) -> Floats:
        """Their speeds [rad/s or m/s], shape (worlds, joints)."""
        of, current = self._here, self._many.store.current
        bodies = self._many.model.joints.tables.coordinates.bodies[of.coordinate]
        still = np.zeros((self.worlds, 1, 6))  # −1 is the world
        twist = np.concatenate([current.twist, still], axis=1)[:, bodies]
        rows = current.jacobian[:, of.coordinate].reshape(-1, 12)
        rates = np.einsum("ci,ci->c", rows, twist.reshape(-1, 12))
        return np.asarray(rates.reshape(self.worlds, -1))

    @property
    def tau(self) -> Floats:
        """Torques and forces of their motors in the last step [N m or N], (worlds, joints)."""
        of, rows = self._here, self._many.model.joints.tables.rows
        force = self._many.store.current.joints.force
        mine = rows.motor & (rows.joint == of.joint[:, None])  # (joints, rows)
        return np.asarray(force @ mine.T.astype(np.float64))

    @property
    def ctrl(self) -> Floats:
        """What motors are told, NaN where nothing yet; shape (worlds, controls).

        Assign an array of that shape, or of one row for all worlds; it holds until changed, and is
        cut off at the range of an MJCF file.
        """
        of = self._here
        told = self._many.store.current.joints.command[:, of.command]
        return np.asarray((told - of.offset) / of.factor)

    @ctrl.setter
    def ctrl(self, values: ArrayLike) -> None:
        self.tell(values)

    def tell(self, ctrl: ArrayLike, mask: ArrayLike | None = None) -> None:
        """Set `ctrl` in the worlds of a mask of shape (worlds,) alone."""
        of, which = self._here, np.flatnonzero(self._mask(mask))
        given = self._rows("ctrl", ctrl, of.command.size)[which]
        command = of.factor * np.clip(given, of.low, of.high) + of.offset
        self._many.store.current.joints.command[which[:, None], of.command] = command

    # -- what went wrong --------------------------------------------------------------------------

    @property
    def stopped(self) -> Bools:
        """Worlds that take no more steps until reset, as energy came from nowhere; (worlds,)."""
        return self._many.stopped

    @property
    def reasons(self) -> dict[int, str]:
        """Why, by the numbers of those worlds."""
        return self._many.reasons

    @property
    def notes(self) -> list[tuple[int, Note]]:
        """The last 1000 notes, such as of deep overlaps, with the numbers of their worlds."""
        return list(self._many.notes)

    @property
    def staged_steps(self) -> int:
        """Steps that the compiled loop left to the staged step, of all worlds: those are slow."""
        return self._many.staged_steps

    # -- arguments --------------------------------------------------------------------------------

    @property
    def _here(self) -> RobotLayout:
        self._with_robot("joints and controls")
        assert self._layout is not None
        return self._layout

    def _with_robot(self, what: str) -> Robot:
        if self.robot is None:
            raise InputError(f"{what} are those of a robot: make the batch of an am.Robot")
        return self.robot

    def _world(self, w: int) -> int:
        number = whole("the number of a world", w, 0)
        if number >= self.worlds:
            raise InputError(f"there are {self.worlds} worlds, from 0 on; got {number}")
        return number

    def _mask(self, mask: ArrayLike | None) -> Bools:
        if mask is None:
            return np.ones(self.worlds, dtype=bool)
        given = np.asarray(mask)
        if given.shape != (self.worlds,) or given.dtype != np.bool_:
            raise InputError(
                f"mask must be {self.worlds} booleans, one for each world, got shape "
                f"{given.shape} of {given.dtype}"
            )
        return given

    def _rows(self, name: str, values: ArrayLike, columns: int) -> Floats:
        """An array with a row for each world, from one row for all or one for each."""
        array = finite_array(name, values)
        if array.shape not in ((columns,), (self.worlds, columns)):
            raise InputError(
                f"{name} must have shape ({self.worlds}, {columns}) or ({columns},), "
                f"got {array.shape}"
            )
        return np.broadcast_to(array, (self.worlds, columns))

    def __repr__(self) -> str:
        bodies, of = self.position.shape[1], "" if self.robot is None else f" of {self.robot!r}"
        return f"<Batch: {self.worlds} worlds{of}, {bodies} bodies each>"
