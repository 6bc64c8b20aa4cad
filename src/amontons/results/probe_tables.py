"""Tables of probes: one row for each time that a probe read, with strains where it read sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.results.probe_columns import PROBE

if TYPE_CHECKING:
    from amontons.results.reader import Results

Columns = dict[str, NDArray[Any]]

AXES = "xyz"


def probe_names(columns: Sequence[str]) -> list[str]:
    """Names of the probes that a run has columns of."""
    mine = [name.removeprefix(PROBE) for name in columns if name.startswith(PROBE)]
    return list(dict.fromkeys(name.partition(".")[0] for name in mine))


def probe_table(results: Results, name: str) -> tuple[Columns, dict[str, str]]:
    """The columns of a probe by their names, and their units."""
    known = probe_names(results.columns)
    if name not in known:
        there = f"; there are {', '.join(known)}" if known else ", nor any other"
        raise InputError(f"there is no probe {name!r} in {results.path}{there}")
    begin = f"{PROBE}{name}."
    raw = {
        column.removeprefix(begin): results.readings(column)
        for column in results.columns
        if column.startswith(begin)
    }
    units = {column: results.units[f"{begin}{column}"] for column in raw}
    read = ~np.all([np.isnan(values) for values in raw.values()], axis=0)
    number = results.readings("number")[read].astype(np.int64)
    table: Columns = {"step": number, "time": results.readings("time")[read]}
    own = {column: values[read] for column, values in raw.items()}
    table |= _strains(own) | _sheared(own, table["time"]) | own
    return table, {"time": "s"} | units


def _strains(own: Columns) -> Columns:
    """Logarithmic strains since the first row, compression positive, and their sum."""
    if not all(f"size_{axis}" in own for axis in AXES) or not len(own["size_x"]):
        return {}
    strains = {
        f"strain_{axis}": np.log(own[f"size_{axis}"][0] / own[f"size_{axis}"]) for axis in AXES
    }
    return strains | {"volume_strain": np.asarray(sum(strains.values()))}


def _sheared(own: Columns, time: NDArray[Any]) -> Columns:
    """The shear strain since the first row: the rate over time, each until the next row."""
    if "shear_rate" not in own or not len(time):
        return {}
    passed = np.diff(time, prepend=time[0])
    return {"shear_strain": np.cumsum(passed * own["shear_rate"])}
