"""What is read of every step: declared once, in `StepReport`, and derived from there by all others.

A field of the report that is a reading says its unit, the names of its numbers and how a run sums
it up. Arrays over steps, columns of the recorded file, and axes of plots follow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Total = Literal["last", "largest", "mean", "sum"]
"""How a run sums up a reading of all its steps."""

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Reading:
    """One number of every step: a column of a recorded run."""

    column: str
    """Its name in files."""
    unit: str
    """Empty for counts and what has none."""
    total: Total
    """How a run sums it up."""
    attribute: str
    """The attribute of a report that has it."""
    component: int | None = None
    """Its place in that attribute, where that is an array."""

    def of(self, report: object) -> float:
        """The number of one step."""
        value = getattr(report, self.attribute)
        return float(value if self.component is None else value[self.component])

    def of_run(self, values: NDArray[np.float64]) -> float:
        """The number that stands for all steps; zero where there are none."""
        if not values.size:
            return 0.0
        totals = {"largest": values.max(), "mean": values.mean(), "sum": values.sum()}
        return float(totals.get(self.total, values[-1]))


def reading(
    unit: str = "",
    *,
    total: Total = "last",
    attribute: str = "",
    columns: tuple[str, ...] = (),
) -> Any:
    """A field of `StepReport` that is a reading.

    `attribute` is what is read, where that is not the field itself; `columns` names the entries of
    an array.
    """
    declared = {"unit": unit, "total": total, "attribute": attribute, "columns": columns}
    return dataclasses.field(repr=not columns, metadata={"reading": declared})


def along_axes(name: str) -> tuple[str, ...]:
    """Names of the components of a vector."""
    return tuple(f"{name}_{axis}" for axis in AXES)


def declared_readings(report: type) -> Iterator[Reading]:
    """The readings of a report's class, in order; those of arrays one by one."""
    for each in dataclasses.fields(report):
        if "reading" not in each.metadata:
            continue
        declared = dict(each.metadata["reading"])
        attribute, columns = declared.pop("attribute") or each.name, declared.pop("columns")
        if not columns:
            yield Reading(attribute, attribute=attribute, **declared)
        for place, column in enumerate(columns):
            yield Reading(column, attribute=attribute, component=place, **declared)
