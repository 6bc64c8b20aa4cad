"""Probes: what is measured while a run goes on, so that it ends with a table.

A probe names its measures; what they are is worked out above, in `amontons.measure`, from the
simulation, and recorders write it down.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from amontons.checks import not_negative, positive
from amontons.errors import InputError
from amontons.model.between import Between, Borders
from amontons.model.joints.checks import BodyLike, some_body
from amontons.model.regions import region_part
from amontons.model.shapes import Box, Cylinder, Sphere

Channels = tuple[tuple[str, str], ...]
"""Names and units of numbers, in the order in which they come."""

AXES = "xyz"
TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")


def _each(name: str, unit: str, of: Sequence[str] = AXES) -> Channels:
    return tuple((f"{name}_{which}", unit) for which in of)


OF_REGION: dict[str, Channels] = {
    "size": _each("size", "m"),
    "stress": (*_each("stress", "Pa", TENSOR), ("pressure", "Pa"), ("deviator", "Pa")),
    "porosity": (("porosity", ""),),
    "void_ratio": (("void_ratio", ""),),
    "solid_fraction": (("solid_fraction", ""),),
    "coordination": (("coordination", ""), ("coordination_held", ""), ("rattlers", "")),
    "fabric": _each("fabric", "", TENSOR),
    "temperature": (("temperature", "m²/s²"),),
    "bodies": (("bodies", ""), ("mass", "kg")),
    "repose_angle": (("repose_angle", "degree"),),
    "lean_angle": (("lean_angle", "degree"),),
    "shear": (("shear_rate", "1/s"),),
}
"""What can be measured of a region, and the columns that each gives."""

OF_BODY: dict[str, Channels] = {
    "position": tuple((axis, "m") for axis in AXES),
    "velocity": _each("velocity", "m/s"),
    "force": _each("force", "N"),
    "torque": _each("torque", "N m"),
    "traction": _each("traction", "Pa"),
}
"""What can be measured of a body."""

TAKEN = ("bodies", "contacts", "steps", "notes", "meters", "energy", "effort", "stages", "joints")
"""Names of tables that every run has."""

Reading = Callable[[Any], float]
"""A measure of one's own: a function of the simulation that gives a number."""


@dataclass(frozen=True, eq=False)
class Probe:
    """What is measured after steps of a run and recorded with it, as a table of its own.

    Parameters
    ----------
    name:
        Of the table: ``results.to_pandas("probe:sample")``, ``sample.csv``.
    measures:
        Of a region: "size", "stress", "porosity", "void_ratio", "solid_fraction", "coordination",
        "fabric", "temperature", "bodies", "repose_angle", "lean_angle", "shear". Of a body:
        "position", "velocity", "force" and "torque" of all contacts on it, "traction". Or a
        function of the simulation that gives a number, which is called what the function is.
    region:
        Where: two corners of a box [m]; a `Between`, whose borders go with walls; a shape; a
        `Part`. By default the box that just holds all bodies that move freely, or the whole cell.
    body:
        Whose, instead of a region.
    area:
        By which "traction" divides the force [m²].
    every:
        Simulated time between two rows [s]; by default there is one after every step.
    since:
        Time of the first row [s]. Strains in the table count from there.
    """

    name: str
    measures: Sequence[str | Reading]
    _: KW_ONLY
    region: Any = None
    body: BodyLike = None
    area: float | None = None
    every: float | None = None
    since: float = 0.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "measures", self._checked())
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise InputError(
                f"a probe needs a name of letters, digits and _ that a file may have, such as "
                f"'sample', got {self.name!r}"
            )
        if self.name in TAKEN:
            raise InputError(f"a probe cannot be called {self.name!r}: every run has such a table")
        if self.body is not None and self.region is not None:
            raise InputError(f"the probe {self.name!r} is of a region or of a body, not of both")
        if self.region is not None and not isinstance(self.region, Between):
            self._check_region()
        if self.body is not None:
            some_body("body", self.body)
        if self.area is not None:
            put(self, "area", positive("area", self.area))
        if (self.area is None) == ("traction" in self.measures):
            raise InputError(
                f"the probe {self.name!r} needs an area if, and only if, it measures a traction"
            )
        if self.every is not None:
            put(self, "every", positive("every", self.every))
        put(self, "since", not_negative("since", self.since))

    def _check_region(self) -> None:
        shape = region_part(self.region).shape
        fit = (Box,) if "size" in self.measures else (Box, Cylinder, Sphere)
        if not isinstance(shape, fit):
            what = "the size" if "size" in self.measures else "what is in it"
            raise InputError(
                f"the probe {self.name!r} cannot measure {what} of a {type(shape).__name__}: give "
                f"a {' or '.join(kind.__name__ for kind in fit)}, two corners, or a Between"
            )

    def _checked(self) -> tuple[str | Reading, ...]:
        given = self.measures
        several = [given] if isinstance(given, str) or callable(given) else list(given)
        known, other = (OF_REGION, OF_BODY) if self.body is None else (OF_BODY, OF_REGION)
        for each in several:
            if callable(each) or each in known:
                continue
            whose = "a region" if self.body is None else "a body"
            hint = ""
            if each in other:
                hint = "; give the probe a body" if self.body is None else "; leave out the body"
            raise InputError(
                f"there is no measure {each!r} of {whose}: choose {', '.join(known)}, or give a "
                f"function of the simulation{hint}"
            )
        if not several:
            raise InputError(f"the probe {self.name!r} has no measures; name at least one")
        names = [name for name, _ in _channels(several, known)]
        if len(set(names)) < len(names):
            raise InputError(f"the probe {self.name!r} names a measure twice: {', '.join(names)}")
        return tuple(several)

    @property
    def channels(self) -> Channels:
        """Names and units of its numbers."""
        return _channels(self.measures, OF_REGION if self.body is None else OF_BODY)

    @property
    def borders(self) -> Borders:
        """Bodies, by handle or name, that its region or it itself goes with."""
        if self.body is not None:
            return (self.body,)
        return self.region.borders if isinstance(self.region, Between) else ()

    def due(self, time: float, step: float) -> bool:
        """Whether there is a row after a step of this length that ended at `time` [s]."""
        if time < self.since - ROUNDING * step:
            return False
        if self.every is None:
            return True
        return self._rows_by(time, step) > self._rows_by(time - step, step)

    def _rows_by(self, time: float, step: float) -> int:
        """How many rows there were by a time."""
        assert self.every is not None
        return max(int((time - self.since + ROUNDING * step) // self.every) + 1, 0)


ROUNDING = 1e-6
"""Share of a step by which a row may come too early."""


def _channels(measures: Sequence[str | Reading], known: dict[str, Channels]) -> Channels:
    found: list[tuple[str, str]] = []
    for each in measures:
        found += known[each] if isinstance(each, str) else [(each.__name__, "")]
    return tuple(found)


def probes_left(probes: Sequence[Probe], gone: Collection[Any]) -> list[Probe]:
    """Those that are of none of some bodies, given by ids and names."""
    return [
        each for each in probes
        if not any(getattr(border, "id", border) in gone for border in each.borders)
    ]  # fmt: skip
