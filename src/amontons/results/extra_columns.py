"""Columns of a run's steps beyond those of every run: joints, sensors, its cell, its probes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from amontons.errors import InputError
from amontons.results.cell_columns import CELL, UNITS, cell_values
from amontons.results.probe_columns import PROBE, ProbeColumns
from amontons.simulation.report import StepReport
from amontons.simulation.simulation import Simulation

MOST_JOINTS = 64
"""Number of joints up to which a recorder writes them by default."""

JOINT, SENSOR = "joint:", "sensor:"
EXTRA = (JOINT, SENSOR, CELL, PROBE)
"""What the names of such columns begin with."""

REACTION = tuple(
    (f"{what}_{axis}", unit) for what, unit in (("force", "N"), ("torque", "N m")) for axis in "xyz"
)
"""What a joint exerts on its body B, in world axes."""


class ExtraColumns:
    """What a recorder writes of what this simulation alone has, one number per column.

    Columns are called `joint:hip.position`, `sensor:imu.acceleration_x`, `cell:edge_xx` and
    `probe:sample.stress_zz`.
    """

    def __init__(self, simulation: Simulation, joints: bool | None, *, cell: bool = True) -> None:
        self.simulation = simulation
        handles = list(simulation.joints)
        self._joints = [each.joint for each in handles]
        if not (len(handles) <= MOST_JOINTS if joints is None else joints):
            self._joints = []
        rows = self._rows
        self._angular = np.isfinite(simulation.joints.angle[rows])
        self._moving = self._angular | np.isfinite(simulation.joints.travel[rows])
        self.units: dict[str, str] = {}
        """Units of the columns by their names."""
        for number, joint in enumerate(self._joints):
            own = [*REACTION]
            if self._moving[number]:
                unit, effort = ("rad", "N m") if self._angular[number] else ("m", "N")
                own = [("position", unit), ("speed", f"{unit}/s"), ("effort", effort), *own]
            title = joint.name or f"joint {number}"
            self._add("joint", title, own)
        for sensor in simulation.model.sensors:
            self._add("sensor", sensor.name, list(sensor.channels))
        self._cell = cell and simulation.world.cell is not None
        self.units |= UNITS if self._cell else {}
        self._probes = ProbeColumns(simulation)
        self.units |= self._probes.units

    @classmethod
    def in_file(cls, simulation: Simulation, names: list[str], folder: Path) -> ExtraColumns:
        """Those that a file has; they must be of this simulation."""
        joints, cell = (any(each.startswith(kind) for each in names) for kind in (JOINT, CELL))
        found = cls(simulation, joints, cell=cell)  # older files of a run with a cell have no cell
        if list(found.units) != names:
            raise InputError(
                f"{folder} records other joints, sensors or probes than the simulation has: make "
                "the same ones, or choose another folder"
            )
        return found

    def _add(self, kind: str, name: str, channels: list[tuple[str, str]]) -> None:
        plain = name.replace(",", ";").replace("\n", " ")
        number, title = 1, plain
        while f"{kind}:{title}.{channels[0][0]}" in self.units:
            number += 1
            title = f"{plain} {number}"
        for channel, unit in channels:
            self.units[f"{kind}:{title}.{channel}"] = unit

    @property
    def _rows(self) -> list[int]:
        index = {id(joint): row for row, joint in enumerate(self.simulation.joints.joints)}
        return [index[id(joint)] for joint in self._joints]

    def values(self, report: StepReport) -> list[float]:
        """The numbers of the last step, of which this is the report, in the order of columns."""
        found: list[float] = []
        if self._joints:
            joints, rows = self.simulation.joints, self._rows
            angle, travel = joints.angle[rows], joints.travel[rows]
            position = np.where(self._angular, angle, travel)
            own = np.column_stack([position, joints.speed[rows], joints.motor_effort[rows]])
            reaction = np.hstack([joints.reaction_force[rows], joints.reaction_torque[rows]])
            for number in range(len(rows)):
                if self._moving[number]:
                    found += own[number].tolist()
                found += reaction[number].tolist()
        found += self.simulation.state.sensors.tolist()
        found += cell_values(self.simulation) if self._cell else []
        return [*found, *self._probes.values(report)]
