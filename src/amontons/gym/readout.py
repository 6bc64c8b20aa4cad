"""What is known about a robot and its world after a step, for one world or for several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from amontons.array_types import Floats
from amontons.robots import Robot


class Readout(NamedTuple):
    """Joints, base, sensors and bodies at one moment.

    Of several worlds, all arrays begin with an axis of worlds: functions that index from the end,
    such as `now.q[..., 0]`, work for both.
    """

    time: Floats
    """Simulated time [s], shape ()."""
    q: Floats
    """Positions of joints as the file counts them [rad or m], shape (joints,)."""
    qd: Floats
    """Their speeds [rad/s or m/s], shape (joints,)."""
    base: Floats
    """Centre of mass of a free base [m], and its quaternion (w, x, y, z), shape (7,), else (0,)."""
    twist: Floats
    """Velocity [m/s] of that centre and angular velocity [rad/s], world axes, (6,), else (0,)."""
    sensors: Mapping[str, Floats]
    """Readings of sensors by name; zero before the first step."""
    positions: Floats
    """Centres of mass of all bodies of the world, in its order [m], shape (bodies, 3)."""

    @classmethod
    def of(cls, robot: Robot) -> Readout:
        """The current one of a robot."""
        sim, base = robot.sim, robot.base
        none = np.empty(0)
        return cls(
            np.array(sim.time),
            robot.q,
            robot.qd,
            none if base is None else np.concatenate([base.position, base.orientation]),
            none if base is None else np.concatenate([base.velocity, base.angular_velocity]),
            {name: np.nan_to_num(value) for name, value in sim.sensors.items()},
            sim.bodies.position.copy(),
        )

    @classmethod
    def stacked(cls, several: Sequence[Readout]) -> Readout:
        """Those of several worlds as one."""
        arrays = {
            name: np.array([getattr(each, name) for each in several])
            for name in cls._fields
            if name != "sensors"
        }
        sensors = {
            name: np.array([each.sensors[name] for each in several]) for name in several[0].sensors
        }
        return cls(sensors=sensors, **arrays)
