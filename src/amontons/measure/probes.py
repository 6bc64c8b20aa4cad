"""What probes read: the measures that they name, of a simulation as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.measure.heaps import lean_angle, repose_angle
from amontons.measure.motion import granular_temperature
from amontons.measure.sample import Sample, sample_of
from amontons.measure.solids import solid_fraction
from amontons.measure.stresses import stress
from amontons.measure.structure import coordination, fabric
from amontons.model.probes import OF_BODY, Probe
from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]
Numbers = list[float]


def read(simulation: Simulation, probe: Probe) -> dict[str, float]:
    """What a probe reads now, by the names of its columns."""
    return dict(zip([name for name, _ in probe.channels], numbers(simulation, probe), strict=True))


def numbers(simulation: Simulation, probe: Probe, sample: Sample | None = None) -> Numbers:
    """The same as numbers alone; probes that are read together may share a `sample`."""
    sample = sample or sample_of(simulation)
    found: Numbers = []
    for each in probe.measures:
        if callable(each):
            found.append(_own(each, simulation, probe))
        elif each in OF_BODY:
            assert sample.everybody is not None
            found += BODY_MEASURES[each](simulation, sample.everybody.row(probe.body), probe.area)
        else:
            found += REGION_MEASURES[each](sample_of(sample, probe.region), probe.region)
    return found


def _own(function: Callable[[Any], float], simulation: Simulation, probe: Probe) -> float:
    """A measure of the user's own, which must be a number."""
    value = function(simulation)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"the measure {function.__name__} of the probe {probe.name!r} must give a number, got "
            f"{value!r}"
        ) from None


def _size(sample: Sample, region: Any) -> Numbers:
    found: Numbers = _extent(sample, region).tolist()
    return found


def _extent(sample: Sample, region: Any) -> Floats:
    size = getattr(sample.region(region), "size", None)
    if size is None:
        raise InputError(
            'the measure "size" is of a box: give the probe two corners or a Between, not a round '
            "region"
        )
    return np.asarray(size)


def _stress(sample: Sample, region: Any) -> Numbers:
    """Components, mean, and √(3/2 s:s) of the deviator s; zero where there is nobody."""
    total = np.zeros((3, 3))
    if len(sample):
        part = sample.region(region).inside(sample.position).any()
        total = stress(sample, region, part="total" if part else "contact")
    total = 0.5 * (total + total.T)
    mean = float(np.trace(total)) / 3.0
    rest = total - mean * np.eye(3)
    return [*_six(total), mean, float(np.sqrt(1.5 * (rest * rest).sum()))]


def _six(tensor: Floats) -> Numbers:
    """Components xx, yy, zz, xy, xz, yz."""
    return [float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _void_ratio(sample: Sample, region: Any) -> Numbers:
    """Volume of the pores over that of the grains; infinite where there are none."""
    solid = solid_fraction(sample, region)
    return [(1.0 - solid) / solid if solid > 0.0 else np.inf]


def _coordination(sample: Sample, region: Any) -> Numbers:
    found = coordination(sample, region)
    return [found.mean, found.mean_held, found.rattlers]


def _fabric(sample: Sample, region: Any) -> Numbers:
    try:
        return _six(fabric(sample, region))
    except InputError:  # nothing touches: there is no mean
        return [np.nan] * 6


def _temperature(sample: Sample, region: Any) -> Numbers:
    if not sample.region(region).inside(sample.position).any():
        return [np.nan]
    return [granular_temperature(sample, region)]


def _bodies(sample: Sample, region: Any) -> Numbers:
    inside = sample.region(region).inside(sample.position)
    return [float(inside.sum()), float(sample.mass[inside].sum())]


def _repose(sample: Sample, region: Any) -> Numbers:
    inside = np.ones(len(sample), dtype=bool)
    if region is not None:
        inside = sample.region(region).inside(sample.position)
    return [repose_angle(sample, region) if inside.any() else np.nan]


def _lean(sample: Sample, region: Any) -> Numbers:
    inside = region is None or sample.region(region).inside(sample.position).any()
    return [lean_angle(sample, region) if inside else np.nan]


def _shear(sample: Sample, region: Any) -> Numbers:
    if sample.cell is None:
        raise InputError(
            'the measure "shear" is of a cell that repeats itself; measure the "velocity" or the '
            '"position" of a wall instead'
        )
    return [float(sample.cell.gradient[0, 1])]


REGION_MEASURES: dict[str, Callable[[Sample, Any], Numbers]] = {
    "size": _size,
    "stress": _stress,
    "porosity": lambda sample, region: [1.0 - solid_fraction(sample, region)],
    "void_ratio": _void_ratio,
    "solid_fraction": lambda sample, region: [solid_fraction(sample, region)],
    "coordination": _coordination,
    "fabric": _fabric,
    "temperature": _temperature,
    "bodies": _bodies,
    "repose_angle": _repose,
    "lean_angle": _lean,
    "shear": _shear,
}
"""What the names in `amontons.model.probes.OF_REGION` stand for."""


def _force(simulation: Simulation, row: int, area: float | None) -> Numbers:
    found: Numbers = simulation.contacts.on(int(simulation.bodies.id[row])).force.tolist()
    return found


def _torque(simulation: Simulation, row: int, area: float | None) -> Numbers:
    """Torques are about the centre."""
    body, centre = int(simulation.bodies.id[row]), simulation.bodies.position[row]
    found: Numbers = simulation.contacts.on(body, about=centre).torque.tolist()
    return found


def _traction(simulation: Simulation, row: int, area: float | None) -> Numbers:
    assert area is not None
    return [each / area for each in _force(simulation, row, area)]


BODY_MEASURES: dict[str, Callable[[Simulation, int, float | None], Numbers]] = {
    "position": lambda simulation, row, area: simulation.bodies.position[row].tolist(),
    "velocity": lambda simulation, row, area: simulation.bodies.velocity[row].tolist(),
    "force": _force,
    "torque": _torque,
    "traction": _traction,
}
"""What the names in `amontons.model.probes.OF_BODY` stand for."""
