"""`RobotVectorEnv`: many worlds of one robot at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.checks import whole
from amontons.errors import InputError
from amontons.gym.readout import Readout
from amontons.gym.robot_env import RobotEnv
from amontons.robots.batch import Batch
from amontons.simulation.compiled.loop import same_world

Bools = NDArray[np.bool_]


class WorldLoop:
    """Worlds that are stepped one after the other."""

    def __init__(self, envs: list[RobotEnv]) -> None:
        self.envs = envs

    def restart(self, which: Bools, seeds: list[int | None], options: Mapping[str, Any]) -> None:
        """Begin episodes in some of the worlds."""
        for number in np.flatnonzero(which).tolist():
            if seeds[number] is not None:
                self.envs[number].reset(seed=seeds[number], options=dict(options))
            else:
                self.envs[number].restart(options)

    def advance(self, which: Bools, actions: Floats) -> dict[int, str]:
        """Take a step in some of the worlds; why worlds ran away, by their numbers."""
        runaways = {}
        for number in np.flatnonzero(which).tolist():
            _, info = self.envs[number].advance(actions[number])
            if info:
                runaways[number] = info["runaway"]
        return runaways

    def readout(self) -> Readout:
        """What is known of all worlds, with an axis of worlds."""
        return Readout.stacked([Readout.of(env.robot) for env in self.envs])

    def show(self) -> None:
        """Have the environments show what the worlds are like: they are the worlds."""


class WorldBatch(WorldLoop):
    """Worlds of one robot, which are stepped together on all threads.

    The environments draw how episodes begin, and stay there.
    """

    def __init__(self, envs: list[RobotEnv]) -> None:
        super().__init__(envs)
        first = envs[0]
        step: Any = first.sim.step_length
        self.batch = Batch(first.robot, worlds=len(envs), step=step, **first.options)

    def restart(self, which: Bools, seeds: list[int | None], options: Mapping[str, Any]) -> None:
        super().restart(which, seeds, options)
        for number in np.flatnonzero(which).tolist():
            self.batch.set_state(number, self.envs[number].sim.state)

    def advance(self, which: Bools, actions: Floats) -> dict[int, str]:
        first, space = self.envs[0], self.envs[0].action_space
        assert isinstance(space, Box)
        self.batch.tell(np.clip(actions, space.low, space.high), which)
        self.batch.step(first.frame_skip, mask=which)
        return dict(self.batch.reasons)

    def readout(self) -> Readout:
        batch, base = self.batch, self.envs[0].robot.base
        pose, twist = np.empty((batch.worlds, 0)), np.empty((batch.worlds, 0))
        if base is not None:
            row = base.index
            pose = np.concatenate([batch.position[:, row], batch.orientation[:, row]], axis=1)
            twist = np.concatenate([batch.velocity[:, row], batch.angular_velocity[:, row]], axis=1)
        return Readout(
            time=batch.time.copy(),
            q=batch.q,
            qd=batch.qd,
            base=pose,
            twist=twist,
            sensors={},
            positions=batch.position.copy(),
        )

    def show(self) -> None:
        for number, env in enumerate(self.envs):
            env.sim.state = self.batch.state(number)


def worlds_of(envs: list[RobotEnv]) -> WorldLoop:
    """The worlds of environments: stepped together, where they are of one robot and small."""
    first = envs[0]
    if first.sim.model.sensors:  # of many at once they are the same to rounding, not bit for bit
        return WorldLoop(envs)
    for env in envs[1:]:
        told = env.frame_skip == first.frame_skip and env.action_space == first.action_space
        alike = told and env.options == first.options
        alike = alike and env.sim.step_length == first.sim.step_length
        if not (alike and same_world(env.sim.model, first.sim.model)):
            return WorldLoop(envs)
    try:
        return WorldBatch(envs) if first.options["compiled"] else WorldLoop(envs)
    except InputError:  # no world for a batch
        return WorldLoop(envs)


class RobotVectorEnv(VectorEnv[Floats, Floats, Any]):
    """Many worlds of one robot, as gymnasium's vector environments.

    World for world it is the same as a `RobotEnv` of its own, bit for bit. Small worlds of one
    robot are stepped together, in an `amontons.Batch`; observations, rewards and ends are computed
    for all worlds at once. Where an episode has ended, the next step begins
    another (gymnasium's `NEXT_STEP`).

    Parameters
    ----------
    make:
        Makes one environment, such as `CartPole`; it is called once for each world.
    num_envs:
        Number of worlds.
    max_episode_steps:
        Episodes are truncated after so many steps; by default never.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - as there

    def __init__(
        self, make: Callable[[], RobotEnv], num_envs: int, *, max_episode_steps: int | None = None
    ) -> None:
        self.num_envs = whole("num_envs", num_envs, 1)
        self.envs = [make() for _ in range(self.num_envs)]
        """The environments, one for each world."""
        self.max_episode_steps = max_episode_steps
        if max_episode_steps is not None:
            whole("max_episode_steps", max_episode_steps, 1)
        first = self.envs[0]
        if not isinstance(first, RobotEnv):
            raise InputError(f"make must return a RobotEnv, got {first!r}")
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self.action_space = batch_space(first.action_space, self.num_envs)
        self.metadata = {**first.metadata, **self.metadata}
        self.render_mode = first.render_mode
        self._worlds = worlds_of(self.envs)
        self._steps = np.zeros(self.num_envs, dtype=np.int64)
        self._over = np.zeros(self.num_envs, dtype=bool)
        self._before = self._worlds.readout()

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin episodes in all worlds; world i has the seed + i, or seed[i] of a list.

        `options` are those of :meth:`RobotEnv.reset`, and `reset_mask` says which worlds begin
        anew, by default all.
        """
        given = dict(options or {})
        which = np.asarray(given.pop("reset_mask", np.ones(self.num_envs)), dtype=bool)
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            seeds = [int(seed) + i for i in range(self.num_envs)]
        elif seed is not None:
            seeds = list(seed)
        if which.shape != (self.num_envs,) or len(seeds) != self.num_envs:
            raise InputError(
                f"there are {self.num_envs} worlds; got {len(seeds)} seeds and a reset_mask of "
                f"shape {which.shape}"
            )
        self._restart(which, seeds, given)
        return self.envs[0].observation(self._before), {}

    def step(self, actions: Floats) -> tuple[Floats, Floats, Bools, Bools, dict[str, Any]]:
        """Take a step in every world, or begin an episode where the last one has ended."""
        actions = np.asarray(actions, dtype=np.float64)
        if actions.shape != self.action_space.shape:
            raise InputError(f"actions have shape {self.action_space.shape}, got {actions.shape}")
        first, before, going = self.envs[0], self._before, ~self._over
        if not going.all():
            self._worlds.restart(self._over, [None] * self.num_envs, {})
            self._steps[self._over] = 0
        runaways = self._worlds.advance(going, actions)
        self._steps[going] += 1
        self._before = after = self._worlds.readout()
        rewards = np.where(going, first.reward(before, actions, after), 0.0)
        terminated = first.terminated(after) & going
        truncated = np.zeros(self.num_envs, dtype=bool)
        truncated[list(runaways)] = True
        if self.max_episode_steps is not None:
            truncated |= self._steps >= self.max_episode_steps
        self._over = terminated | truncated
        infos: dict[str, Any] = {}
        for number, reason in runaways.items():
            infos = self._add_info(infos, {"runaway": reason}, number)
        return first.observation(after), rewards, terminated, truncated, infos

    def render(self) -> Any:
        """Pictures of all worlds, as gymnasium's vector environments return them."""
        if self.render_mode is None:
            return None
        self._worlds.show()
        return tuple(env.render() for env in self.envs)

    def _restart(self, which: Bools, seeds: list[int | None], options: Mapping[str, Any]) -> None:
        self._worlds.restart(which, seeds, options)
        self._steps[which], self._over[which] = 0, False
        self._before = self._worlds.readout()
