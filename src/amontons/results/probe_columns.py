"""What probes read, as columns of a run's steps; steps in which one reads nothing have NaN."""

from __future__ import annotations

from amontons.measure.probes import numbers
from amontons.measure.sample import sample_of
from amontons.simulation.reports.report import StepReport
from amontons.simulation.simulation import Simulation

PROBE = "probe:"
"""What the names of such columns begin with: `probe:sample.stress_zz`."""


class ProbeColumns:
    """The columns of a simulation's probes."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._probes = list(simulation.world.probes)
        self.units = {
            f"{PROBE}{probe.name}.{name}": unit
            for probe in self._probes
            for name, unit in probe.channels
        }
        """Units of the columns by their names."""

    def values(self, report: StepReport) -> list[float]:
        """The numbers after a step, in the order of the columns."""
        due = [probe.due(report.time, report.step) for probe in self._probes]
        sample = sample_of(self.simulation) if any(due) else None
        found: list[float] = []
        for probe, now in zip(self._probes, due, strict=True):
            nothing = [float("nan")] * len(probe.channels)
            found += numbers(self.simulation, probe, sample) if now else nothing
        return found
