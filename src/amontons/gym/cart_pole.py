"""`CartPole`: a pole on a cart that must not fall."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.gym.readout import Readout
from amontons.gym.robot_env import RobotEnv
from amontons.viewer import View

FARTHEST = 2.4
"""How far the cart may go [m]."""

STEEPEST = 0.2
"""How far the pole may lean [rad]."""

ROBOT = """
<mujoco model="cart-pole"><option timestep="0.005"/><worldbody>
  <body name="cart">
    <joint name="slide" type="slide" axis="1 0 0"/>
    <geom type="box" size=".2 .12 .1" mass="1" contype="0" conaffinity="0"/>
    <body name="pole">
      <joint name="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 1" size=".04" mass=".1" contype="0" conaffinity="0"/>
    </body>
  </body>
</worldbody><actuator>
  <motor name="push" joint="slide" gear="10" ctrllimited="true" ctrlrange="-1 1"/>
</actuator></mujoco>
"""


class CartPole(RobotEnv):
    """Push a cart with up to 10 N so that the pole on it stays up.

    Observed are position, angle and their speeds; each step of 20 ms that begins with the pole
    upright earns 1. An episode ends where the cart is 2.4 m away or the pole leans by 0.2 rad.
    """

    def __init__(self, *, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(
            ROBOT,
            reward=_reward,
            terminated=_lost,
            **{
                "frame_skip": 4,
                "observe": ("q", "qd"),
                "noise": 0.05,
                "render_mode": render_mode,
                "picture": {"view": View(azimuth=-90.0, height=5.0, target=(0.0, 0.0, 0.5))},
                **options,
            },
        )


def _reward(before: Readout, action: Floats, after: Readout) -> Floats:
    return np.ones(after.time.shape)


def _lost(now: Readout) -> NDArray[np.bool_]:
    return np.asarray((np.abs(now.q[..., 0]) > FARTHEST) | (np.abs(now.q[..., 1]) > STEEPEST))
