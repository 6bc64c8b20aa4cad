"""Joints of a simulation: readings of all as arrays, and one by name with its command."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from amontons.array_types import Floats
from amontons.checks import finite
from amontons.dynamics.joints.law import EFFORT, POSITION
from amontons.dynamics.joints.system import JointSystem
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.joints import Connection, Joint, Rope
from amontons.model.world import World


class SimulatedJoints(JointSystem):
    """The joints of a simulation, whose readings include speeds.

    `sim.joints["hip"]` is one joint by name. The arrays have one entry per connection between
    bodies, springs included; iterating gives the joints alone, and `springs` the rest.
    """

    def __init__(self, world: World) -> None:
        self._bodies: Callable[[], Bodies] = lambda: world.bodies
        super().__init__([], world.index_of, world.bodies.position, world.bodies.orientation)

    @property
    def speed(self) -> Floats:
        """Speeds of angles, or of travels [rad/s or m/s]; NaN without; shape (joints,)."""
        return self.speeds(self._bodies().twist)

    @property
    def names(self) -> list[str]:
        """Names of the joints in the order of the arrays, springs and ropes left out."""
        return [joint.name for joint in self.joints if _moves(joint)]

    @property
    def springs(self) -> list[JointHandle]:
        """Springs, dampers, bushings and ropes: all connections that are not joints."""
        return [JointHandle(self, joint) for joint in self.joints if not _moves(joint)]

    def __getitem__(self, which: str | Connection) -> JointHandle:
        return JointHandle(self, self.joints[self.index(which)])

    def __iter__(self) -> Iterator[JointHandle]:
        return iter([JointHandle(self, joint) for joint in self.joints if _moves(joint)])


class JointHandle:
    """One joint of a simulation: its current readings, and the command of its motor."""

    __slots__ = ("_all", "joint")

    def __init__(self, joints: SimulatedJoints, joint: Connection) -> None:
        self._all, self.joint = joints, joint

    @property
    def index(self) -> int:
        """Current row in the arrays of all joints."""
        return self._all.index(self.joint)

    @property
    def name(self) -> str:
        """Its name."""
        return self.joint.name

    @property
    def position(self) -> float:
        """Angle [rad], or travel [m] for slides; zero where the joint was added."""
        row = self.index
        angle = self._all.angle[row]
        return float(self._all.travel[row] if np.isnan(angle) else angle)

    @property
    def speed(self) -> float:
        """Speed of that position [rad/s or m/s]."""
        return float(self._all.speed[self.index])

    @property
    def effort(self) -> float:
        """Torque or force of the motor on B in the last step [N m or N]; zero without one."""
        return float(self._all.motor_effort[self.index])

    @property
    def reaction_force(self) -> Floats:
        """Force on B in world axes in the last step, motors included [N], shape (3,)."""
        return np.array(self._all.reaction_force[self.index])

    @property
    def reaction_torque(self) -> Floats:
        """Torque on B about the joint's point, in world axes [N m], shape (3,)."""
        return np.array(self._all.reaction_torque[self.index])

    @property
    def broken(self) -> bool:
        """Whether it has broken."""
        return bool(self._all.broken[self.index])

    @property
    def command(self) -> float | None:
        """Command of its motor until changed: a position, a speed or a torque.

        [rad or m, rad/s or m/s, N m or N]. It replaces the value that the motor was created with,
        and belongs to the state: copies and checkpoints keep it. None restores the motor's own law.
        """
        told = float(self._all.state.command[self._motor_row()])
        return None if np.isnan(told) else told

    @command.setter
    def command(self, value: float | None) -> None:
        row = self._motor_row()
        told = np.nan if value is None else finite(f"command of {self.joint.title}", value)
        self._all.state.command[row] = told

    @property
    def motor(self) -> str:
        """What its motor is commanded: "position", "speed" or "torque"."""
        law = self._all.tables.rows.law[self._motor_row()]
        return {POSITION: "position", EFFORT: "torque"}.get(int(law), "speed")

    def _motor_row(self) -> int:
        """The row of its motor in the table of all rows."""
        table = self._all.tables.rows
        rows = np.flatnonzero(table.motor & (table.joint == self.index))
        if rows.size == 1:
            return int(rows[0])
        number = "no motor" if not rows.size else f"{rows.size} motors"
        raise InputError(
            f"{self.joint.title} has {number}, and one is needed to take a command: give it one "
            "when it is made, such as motor=PositionMotor(position=0.0)"
        )

    def __repr__(self) -> str:
        return f"<{self.joint.title}: at {self.position:.6g}, {self.speed:.6g} per second>"


def _moves(joint: Connection) -> bool:
    """Whether it is a joint, and not a spring, a bushing or a rope."""
    return isinstance(joint, Joint) and not isinstance(joint, Rope)
