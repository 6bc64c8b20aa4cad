"""`RobotEnv`: a robot as an environment of gymnasium."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.checks import not_negative, whole
from amontons.errors import InputError, RunawayError
from amontons.gym.controls import Range, control_ranges
from amontons.gym.readout import Readout
from amontons.robots import Robot
from amontons.simulation.reports.report import Readings
from amontons.simulation.state import State

PARTS = ("q", "qd", "base", "twist", "sensors")
"""What an observation is made of, unless it is said otherwise."""

RENDER_MODES = (None, "rgb_array")

Reward = Callable[[Readout, Floats, Readout], Any]
"""Of a step, by the readout before it, the action and the readout after it."""
Terminated = Callable[[Readout], Any]
"""Whether the goal is reached or lost."""
Observe = Callable[[Readout], Floats]
"""An observation, with the numbers along the last axis."""


class SavedEnv(NamedTuple):
    """All that the next step of an environment, and its next resets, depend on."""

    state: State
    before: Readout
    random: Mapping[str, Any]


class RobotEnv(gymnasium.Env[Floats, Floats]):
    """A robot in a world, told something in every step and rewarded for what comes of it.

    An action is what its controls are told: an array in the order of `robot.control_names`,
    within the limits of motors. An observation is one array, whose numbers `observation_names`
    names.

    Parameters
    ----------
    robot:
        A URDF or MJCF file, the text of an MJCF file, a `Robot`, or a function that makes one:
        the way to put more into its world.
    step:
        Length of a time step [s]; by default the file's.
    frame_skip:
        Time steps for each step of the environment; the action holds during all of them.
    reward:
        Of (readout before, action, readout after); zero by default. Write it for the last axis
        of arrays, `after.q[..., 0]`, and it serves `RobotVectorEnv` as well.
    terminated:
        Of the readout after a step: whether the episode ends; never by default.
    observe:
        Parts of an observation, of "q", "qd", "base", "twist" and "sensors", or a function that
        makes one of a readout.
    noise:
        At a reset, positions and speeds of joints are those of the start and a number drawn from
        −noise to noise [rad or m, rad/s or m/s]. Positions stay within limits.
    action_limits:
        Lowest and highest control, for all or by name, where the file gives none or others.
    render_mode:
        "rgb_array": `render` returns a picture.
    picture:
        Its look: `size`, `view` and others of :func:`amontons.render`.
    simulation:
        Options of the simulation, such as `solver`; steps of small worlds are compiled unless
        it says otherwise.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - gymnasium's own

    def __init__(
        self,
        robot: str | os.PathLike[str] | Robot | Callable[[], Robot],
        *,
        step: float | None = None,
        frame_skip: int = 1,
        reward: Reward | None = None,
        terminated: Terminated | None = None,
        observe: Sequence[str] | Observe = PARTS,
        noise: float = 0.0,
        action_limits: Mapping[str, Range] | Range | None = None,
        render_mode: str | None = None,
        picture: Mapping[str, Any] | None = None,
        simulation: Mapping[str, Any] | None = None,
    ) -> None:
        if render_mode not in RENDER_MODES:
            raise InputError(f'render_mode must be "rgb_array" or None, got {render_mode!r}')
        for name, function in (("reward", reward), ("terminated", terminated)):
            if function is not None and not callable(function):
                raise InputError(f"{name} must be a function, see docs/gym.md, got {function!r}")
        self.robot = _robot(robot)
        self.frame_skip = whole("frame_skip", frame_skip, 1)
        self.noise = not_negative("noise", noise)
        self.render_mode = render_mode
        self._picture = {"size": (480, 320), **(picture or {})}
        self._reward = reward or (lambda before, action, after: np.zeros(after.time.shape))
        self._terminated = terminated or (lambda now: np.zeros(now.time.shape, dtype=bool))
        low, high = control_ranges(self.robot, action_limits).T
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        self.options: dict[str, Any] = {"compiled": True, **(simulation or {})}
        """Those of its simulation."""
        self.sim = self.robot.simulation(step=step, **self.options)
        """The simulation of its world."""
        self.metadata = {**self.metadata, "render_fps": max(1, round(1.0 / self.dt))}
        self._start = self.sim.state.copy()
        self._before = Readout.of(self.robot)
        self._observe = observe if callable(observe) else _parts(observe)
        size = self._checked_size(self.observation(self._before))
        self.observation_names = (
            tuple(f"value {i}" for i in range(size))
            if callable(observe)
            else _names(self.robot, self._before, observe)
        )
        """Of the numbers of an observation; "value 0" and so on where a function makes it."""
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), dtype=np.float64)

    @property
    def dt(self) -> float:
        """Simulated time of a step of the environment [s]."""
        length = self.sim.step_length
        if not isinstance(length, float):
            raise InputError("an environment needs a step of fixed length [s]")
        return self.frame_skip * length

    # -- what is seen and rewarded ----------------------------------------------------------------

    def observation(self, now: Readout) -> Floats:
        """What is observed at a moment, of one world or of several."""
        return np.asarray(self._observe(now), dtype=np.float64)

    def reward(self, before: Readout, action: Floats, after: Readout) -> Floats:
        """Rewards of a step, of one world or of several."""
        return np.asarray(self._reward(before, action, after), dtype=np.float64)

    def terminated(self, now: Readout) -> NDArray[np.bool_]:
        """Whether episodes end at a moment, of one world or of several."""
        return np.asarray(self._terminated(now), dtype=bool)

    # -- gymnasium's own --------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode; the seed determines what is drawn in it and in those that follow.

        `options` may give `q` and `qd`, as :meth:`amontons.Robot.reset` takes them, instead of
        what would be drawn.
        """
        super().reset(seed=seed)
        return self.observation(self.restart(options or {})), {}

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Take `frame_skip` time steps under an action.

        Where energy comes from nowhere (`RunawayError`) the episode is truncated in the state
        before that, and `info["runaway"]` says why.
        """
        before = self._before
        after, info = self.advance(action)
        reward = float(self.reward(before, np.asarray(action), after))
        ended = bool(self.terminated(after))
        return self.observation(after), reward, ended, "runaway" in info, info

    def render(self) -> Any:
        """A picture of the world, shape (height, width, 3); None without a `render_mode`."""
        if self.render_mode is None:
            return None
        return self.sim.render(**self._picture).pixels

    # -- in pieces, for environments of several worlds --------------------------------------------

    def restart(self, options: Mapping[str, Any]) -> Readout:
        """Put the world where an episode begins, and read it."""
        unknown = set(options) - {"q", "qd"}
        if unknown:
            raise InputError(f"options has {min(unknown)!r}; a reset takes 'q' and 'qd'")
        self.sim.state, self.sim.readings = self._start, Readings()
        if options:
            self.robot.reset(options.get("q"), options.get("qd"))
        elif self.noise > 0.0:
            self.robot.reset(*self._drawn())
        self._before = Readout.of(self.robot)
        return self._before

    def advance(self, action: Floats) -> tuple[Readout, dict[str, Any]]:
        """Take the time steps of one action, and read the world."""
        told = np.asarray(action, dtype=np.float64)
        space = self.action_space
        if not isinstance(space, gymnasium.spaces.Box) or told.shape != space.shape:
            raise InputError(f"an action has shape {space.shape}, got {told.shape}")
        self.robot.ctrl = np.clip(told, space.low, space.high)
        info: dict[str, Any] = {}
        try:
            self.sim.advance(self.frame_skip)
        except RunawayError as reason:
            info["runaway"] = str(reason)
        self._before = Readout.of(self.robot)
        return self._before, info

    # -- keeping ----------------------------------------------------------------------------------

    def save(self) -> SavedEnv:
        """All that what follows depends on: the state and that of the random numbers."""
        random = copy.deepcopy(self.np_random.bit_generator.state)
        return SavedEnv(self.sim.state.copy(), self._before, random)

    def restore(self, saved: SavedEnv) -> Floats:
        """Return to what was saved, and observe it; what follows is the same bit for bit."""
        self.sim.state, self._before = saved.state, saved.before
        self.np_random.bit_generator.state = copy.deepcopy(dict(saved.random))
        return self.observation(self._before)

    def _drawn(self) -> tuple[Floats, Floats]:
        """Positions within limits, and speeds, of a new episode."""
        robot, count = self.robot, len(self.robot.joint_names)
        q = np.array([robot.imported.configuration[name] for name in robot.joint_names])
        limits = np.array(
            [
                getattr(robot.imported.joints[name], "limits", None) or (-np.inf, np.inf)
                for name in robot.joint_names
            ]
        ).reshape(-1, 2)
        moved = self.np_random.uniform(-self.noise, self.noise, count)
        speeds = self.np_random.uniform(-self.noise, self.noise, count)
        return q + np.clip(moved, *limits.T), speeds

    @staticmethod
    def _checked_size(observation: Floats) -> int:
        if observation.ndim != 1 or not np.isfinite(observation).all():
            raise InputError(
                "observe must return finite numbers along one axis, got shape "
                f"{observation.shape}: {observation!r}"
            )
        return len(observation)


def _robot(given: str | os.PathLike[str] | Robot | Callable[[], Robot]) -> Robot:
    if isinstance(given, str | os.PathLike):
        return Robot.load(given)
    robot = given if isinstance(given, Robot) else given()
    if not isinstance(robot, Robot):
        raise InputError(f"the function that makes a robot returned {robot!r}")
    return robot


def _parts(names: Sequence[str]) -> Observe:
    """An observation made of parts of a readout."""
    unknown = [name for name in names if name not in PARTS]
    if unknown or not names or isinstance(names, str):
        raise InputError(f"observe must be a function or some of {', '.join(PARTS)}, got {names!r}")

    def observe(now: Readout) -> Floats:
        parts: list[Floats] = []
        for name in names:
            value = getattr(now, name)
            parts += value.values() if isinstance(value, Mapping) else [value]
        return np.concatenate(parts, axis=-1) if parts else np.empty((*now.time.shape, 0))

    return observe


def _names(robot: Robot, now: Readout, parts: Sequence[str]) -> tuple[str, ...]:
    """Of the numbers of such an observation."""
    axes = ("x", "y", "z")
    channels = {
        sensor.name: [f"{sensor.name}.{channel}" for channel, _ in sensor.channels]
        for sensor in robot.world.sensors
    }
    free = bool(now.base.size)
    known = {
        "q": list(robot.joint_names),
        "qd": [f"speed of {name}" for name in robot.joint_names],
        "base": [f"base {each}" for each in (*axes, "qw", "qx", "qy", "qz")] if free else [],
        "twist": [f"base {v}{each}" for v in ("v", "ω") for each in axes] if free else [],
        "sensors": [each for name in now.sensors for each in channels[name]],
    }
    return tuple(name for part in parts for name in known[part])
