"""What is read of a world while it runs: its sensors and its probes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from typing import Any

from amontons.errors import InputError
from amontons.model.cell import Cell
from amontons.model.joints import Connection
from amontons.model.probes import Probe, probes_left
from amontons.model.sensors import BodySensor, Sensor, sensors_left
from amontons.model.shape_register import ShapeRegister


class Instruments(ShapeRegister):
    """The part of a world that keeps its sensors and probes."""

    version: int
    joints: list[Connection]
    cell: Cell | None

    def __init__(self) -> None:
        super().__init__()
        self.sensors: list[Sensor] = []
        self.probes: list[Probe] = []

    @abstractmethod
    def id_of(self, body: Any) -> int:
        """Id of a body that is there, or an error that says it is not."""

    @abstractmethod
    def name_of(self, id: int) -> str:
        """The name of a body."""

    def add_sensor(self, sensor: Sensor) -> Sensor:
        """Add a sensor such as `Imu(body, name="imu")`, which reads every step; return it."""
        if not isinstance(sensor, Sensor):
            raise InputError(f"a sensor such as amontons.Imu was expected, got {sensor!r}")
        if any(sensor.name == other.name for other in self.sensors):
            raise InputError(f"there is already a sensor called {sensor.name!r}")
        if isinstance(sensor, BodySensor):
            self._check_ends(f"the sensor {sensor.name!r}", [sensor.body])
        elif not any(sensor.joint is joint for joint in self.joints):  # type: ignore[attr-defined]
            raise InputError(f"the sensor {sensor.name!r} is of a joint that is not in this world")
        self.sensors.append(sensor)
        self.version += 1
        return sensor

    def add_probe(self, probe: Probe) -> Probe:
        """Have something measured, of which recorders write a table; return the probe."""
        if not isinstance(probe, Probe):
            raise InputError(f"an amontons.Probe was expected, got {probe!r}")
        if any(probe.name == other.name for other in self.probes):
            raise InputError(f"there is already a probe called {probe.name!r}")
        self._check_ends(f"the probe {probe.name!r}", list(probe.borders))
        if "shear" in probe.measures and self.cell is None:
            raise InputError(
                f"the probe {probe.name!r} measures the shear of a cell, but this world has none: "
                "give it one, or measure the velocity of a wall"
            )
        self.probes.append(probe)
        self.version += 1
        return probe

    def _keep_instruments(self, gone: Collection[int] = ()) -> None:
        """Drop what was of bodies or joints that are gone."""
        self.sensors = sensors_left(self.sensors, self.joints, gone)
        self.probes = probes_left(self.probes, {*gone, *map(self.name_of, gone)})

    def _check_ends(self, title: str, ends: list[Any]) -> None:
        for end in ends:
            try:
                self.id_of(end)
            except InputError as reason:
                raise InputError(f"{title} cannot be added: {reason}") from None
