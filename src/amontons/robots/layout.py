"""Where a robot's joints and controls are in the arrays of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from amontons.array_types import Floats, Longs
from amontons.dynamics.joints.tables import ANGLE
from amontons.errors import InputError

if TYPE_CHECKING:
    from amontons.robots.robot import Robot
    from amontons.simulation.simulation import Simulation


class RobotLayout(NamedTuple):
    """Joints in the order of `q`, and controls in that of `ctrl`."""

    joint: Longs  # rows in the table of joints, (joints,)
    coordinate: Longs  # angle or travel of each joint, (joints,)
    zero: Floats  # what the file counts where the coordinate is zero [rad or m], (joints,)
    command: Longs  # row of the motor of each control, (controls,)
    factor: Floats  # command = factor · control + offset, (controls,)
    offset: Floats
    low: Floats  # range of controls, (controls,)
    high: Floats

    @classmethod
    def of(cls, robot: Robot, sim: Simulation) -> RobotLayout:
        """That of a robot in a simulation."""
        imported = robot.imported
        rows = [sim.joints.index(imported.joints[name]) for name in robot.joint_names]
        controls = [imported.actuators[name] for name in robot.control_names]
        return cls(
            joint=np.array(rows, dtype=np.int64),
            coordinate=np.array([_coordinate(sim, row) for row in rows], dtype=np.int64),
            zero=np.array([imported.configuration[name] for name in robot.joint_names]),
            command=np.array(
                [
                    _motor_row(sim, sim.joints.index(imported.joints[by.joint]), name)
                    for name, by in zip(robot.control_names, controls, strict=True)
                ],
                dtype=np.int64,
            ),
            factor=np.array([by.factor for by in controls]),
            offset=np.array([by.offset for by in controls]),
            low=np.array([by.low for by in controls]),
            high=np.array([by.high for by in controls]),
        )


def _coordinate(sim: Simulation, row: int) -> int:
    """The angle of a joint, or else its travel."""
    of = sim.joints.tables.coordinates
    mine = np.flatnonzero((of.joint == row) & (of.reading > 0))
    angles = mine[of.reading[mine] == ANGLE]
    return int((angles if angles.size else mine)[-1])


def _motor_row(sim: Simulation, joint: int, name: str) -> int:
    rows = sim.joints.tables.rows
    found = np.flatnonzero(rows.motor & (rows.joint == joint))
    if found.size != 1:
        raise InputError(f"the joint of the control {name!r} has {found.size} motors, not one")
    return int(found[0])
