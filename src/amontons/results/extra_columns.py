"""Columns of a run's steps beyond those of every run: joints, sensors, its cell, its probes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from amontons.errors import InputError
from amontons.results.cell_columns import CELL, UNITS, cell_values
from amontons.results.probe_columns import PROBE, ProbeColumns
from amontons.simulation.reports.report import StepReport
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
        self._sensors = list(simulation.model.sensors)
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
        for sensor in self._sensors:
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
        """Rows of the joints in the readings; −1 for those that were removed."""
        index = {id(joint): row for row, joint in enumerate(self.simulation.joints.joints)}
        return [index.get(id(joint), -1) for joint in self._joints]

    def values(self, report: StepReport) -> list[float]:
        """The numbers of the last step, of which this is the report, in the order of columns.

        Joints and sensors that were removed since the first step have NaN.
        """
        found = self._joint_values() + self._sensor_values()
        found += cell_values(self.simulation) if self._cell else []
        return [*found, *self._probes.values(report)]

    def _joint_values(self) -> list[float]:
        if not self._joints:
            return []
        joints, rows = self.simulation.joints, self._rows
        table = np.column_stack([
            joints.angle, joints.travel, joints.speed, joints.motor_effort,
            joints.reaction_force, joints.reaction_torque,
        ])  # fmt: skip
        table = np.vstack([table, np.full(table.shape[1], np.nan)])[rows]
        found: list[float] = []
        for row, angular, moving in zip(table, self._angular, self._moving, strict=True):
            position = row[0] if angular else row[1]
            found += [float(position), *row[2:4].tolist()] if moving else []
            found += row[4:].tolist()
        return found

    def _sensor_values(self) -> list[float]:
        readings = iter(self.simulation.state.sensors.tolist())
        there = {
            id(sensor): [next(readings) for _ in sensor.channels]
            for sensor in self.simulation.model.sensors
        }
        found: list[float] = []
        for sensor in self._sensors:
            found += there.get(id(sensor), [float("nan")] * len(sensor.channels))
        return found
