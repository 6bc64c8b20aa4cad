"""`Ant`: a body on four legs that learns to walk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.gym.readout import Readout
from amontons.gym.robot_env import RobotEnv

HEIGHTS = (0.2, 1.0)
"""Between which the centre of its trunk must be [m]."""

EFFORT = 0.5
"""What a unit of all controls, squared and added up, costs."""

FORWARD = 1.0
"""What a metre per second forwards earns in a step."""


def ant() -> str:
    """An MJCF text: a trunk and four legs of two hinges each, on a floor."""
    legs, motors = [], []
    for number, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1)), start=1):
        legs.append(f"""
    <body name="thigh {number}" pos="{0.2 * x} {0.2 * y} 0">
      <joint name="hip {number}" axis="0 0 1" range="-40 40"/>
      <geom type="capsule" size=".08" fromto="0 0 0 {0.2 * x} {0.2 * y} 0"/>
      <body name="shin {number}" pos="{0.2 * x} {0.2 * y} 0">
        <joint name="knee {number}" axis="{-y} {x} 0" range="-40 70"/>
        <geom type="capsule" size=".08" fromto="0 0 0 {0.3 * x} {0.3 * y} -.35"/>
      </body>
    </body>""")
        motors += [f'<motor joint="{joint} {number}" gear="60"/>' for joint in ("hip", "knee")]
    return f"""
<mujoco model="ant"><compiler angle="degree" autolimits="true"/><option timestep="0.01"/>
  <default>
    <joint damping="1" armature="0.1"/><geom density="200" friction="1 .005 .0001"/>
    <motor ctrlrange="-1 1"/>
  </default>
  <worldbody><geom name="floor" type="plane" size="40 40 1"/>
  <body name="trunk" pos="0 0 .5"><freejoint/>
    <geom type="sphere" size=".25"/>{"".join(legs)}
  </body></worldbody>
  <actuator>{"".join(motors)}</actuator>
</mujoco>"""


class Ant(RobotEnv):
    """Walk along x: the trunk's way forwards earns, effort costs, and so does falling.

    Observed are everything but where along x and y it is: the trunk's height and turn, the
    angles of the eight joints, and all velocities. A step of 50 ms earns 1, and 1 for each m/s
    forwards, less half the sum of squared controls; the episode ends where the trunk is below
    0.2 m or above 1 m.
    """

    def __init__(self, *, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(
            ant(),
            reward=self._earned,
            terminated=_fallen,
            **{
                "frame_skip": 5,
                "observe": _seen,
                "noise": 0.1,
                "render_mode": render_mode,
                **options,
            },
        )

    def _earned(self, before: Readout, action: Floats, after: Readout) -> Floats:
        speed = (after.base[..., 0] - before.base[..., 0]) / self.dt
        effort = (np.asarray(action) ** 2).sum(axis=-1)
        return np.asarray(1.0 + FORWARD * speed - EFFORT * effort)


def _seen(now: Readout) -> Floats:
    return np.concatenate([now.base[..., 2:], now.q, now.twist, now.qd], axis=-1)


def _fallen(now: Readout) -> NDArray[np.bool_]:
    height = now.base[..., 2]
    return np.asarray((height < HEIGHTS[0]) | (height > HEIGHTS[1]))
