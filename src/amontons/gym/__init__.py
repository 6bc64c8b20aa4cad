"""Environments of gymnasium: any robot file, and three tasks; pip install 'amontons[gym]'.

Importing it registers `amontons/CartPole-v0`, `amontons/Ant-v0` and `amontons/Scoop-v0`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

try:
    import gymnasium
except ImportError:
    raise ImportError("amontons.gym needs gymnasium: pip install 'amontons[gym]'") from None

from amontons.gym.ant import Ant
from amontons.gym.cart_pole import CartPole
from amontons.gym.readout import Readout
from amontons.gym.robot_env import RobotEnv, SavedEnv
from amontons.gym.scoop import Scoop
from amontons.gym.vector_env import RobotVectorEnv

__all__ = ["Ant", "CartPole", "Readout", "RobotEnv", "RobotVectorEnv", "SavedEnv", "Scoop"]

TASKS: dict[str, tuple[type[RobotEnv], int]] = {
    "amontons/CartPole-v0": (CartPole, 500),
    "amontons/Ant-v0": (Ant, 1000),
    "amontons/Scoop-v0": (Scoop, 250),
}
"""Tasks, and the steps after which their episodes are truncated."""


def vector_task(
    task: type[RobotEnv], num_envs: int, max_episode_steps: int | None = None, **options: Any
) -> RobotVectorEnv:
    """A task in several worlds, as `gymnasium.make_vec` makes it."""
    return RobotVectorEnv(partial(task, **options), num_envs, max_episode_steps=max_episode_steps)


for _name, (_task, _steps) in TASKS.items():
    gymnasium.register(
        _name,
        entry_point=f"{_task.__module__}:{_task.__name__}",
        vector_entry_point=partial(vector_task, _task),
        max_episode_steps=_steps,
    )
