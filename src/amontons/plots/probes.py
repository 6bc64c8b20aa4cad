"""What probes read: one figure a probe, over what moved most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.model.probes import OF_BODY, OF_REGION
from amontons.plots.style import curve_style, panels
from amontons.results import Results
from amontons.results.probe_tables import Columns, probe_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STRAINS = ("strain_x", "strain_y", "strain_z")
PLACES = ("x", "y", "z")
INVARIANTS = ("pressure", "deviator")


def probes(results: Results, name: str | None = None) -> Figure:
    """All measures of a probe, by default the first one, side by side.

    They are drawn over the shear strain, the strain or the coordinate that has the widest range, or
    over time where there is none.
    """
    if not results.probes:
        raise InputError(f"there is nothing to draw: {results.path} has no probes")
    name = name or results.probes[0]
    table, units = probe_table(results, name)
    if not len(table["time"]):
        raise InputError(f"there is nothing to draw: the probe {name!r} has read nothing yet")
    over = widest(table)
    groups = _groups(table, over)
    title = f"{results.scene}: {name}" if results.scene else name
    figure, axes = panels(len(groups), title, share_y=False)
    for ax, columns in zip(axes, groups.values(), strict=True):
        for number, column in enumerate(columns):
            style = curve_style(number)
            ax.plot(
                table[over], table[column], color=style.colour, linestyle=style.dashes,
                linewidth=1.5, label=column,
            )  # fmt: skip
        ax.set_xlabel(_labelled(over, units))
        ax.set_ylabel(_labelled(next(iter(columns)) if len(columns) == 1 else "", units, columns))
        if len(columns) > 1:
            ax.legend(frameon=False, fontsize="small")
    return figure


def widest(table: Columns) -> str:
    """The column that others are drawn over."""
    if "shear_strain" in table:
        return "shear_strain"
    for family in (STRAINS, PLACES):
        found = {each: float(np.ptp(table[each])) for each in family if each in table}
        if found and max(found.values()) > 0.0:
            return max(found, key=lambda each: found[each])
    return "time"


def _groups(table: Columns, over: str) -> dict[str, list[str]]:
    """Columns that share a panel, by what they are; those of a path are left out."""
    groups: dict[str, list[str]] = {}
    for family in (*OF_REGION.items(), *OF_BODY.items()):
        title, channels = family
        if title in ("size", "shear", "bodies") or (title == "position" and over in PLACES):
            continue
        mine = [name for name, _ in channels if name in table and _some(table[name])]
        for name in mine:
            kind = "invariants" if name in INVARIANTS else title
            groups.setdefault(kind, []).append(name)
    if "volume_strain" in table:
        groups["volume_strain"] = ["volume_strain"]
    known = {name for each in (*OF_REGION.values(), *OF_BODY.values()) for name, _ in each}
    derived = {"step", "time", "shear_strain", "volume_strain", *STRAINS}
    for name in table:
        if name not in known | derived:  # a measure of the user's own
            groups[name] = [name]
    return groups or {"time": ["time"]}


def _some(values: Floats) -> bool:
    return bool(np.isfinite(values).any())


def _labelled(name: str, units: dict[str, str], columns: list[str] | None = None) -> str:
    """A name as a label with its unit; of several columns what their names begin with."""
    first = (columns or [""])[0]
    unit = units.get(name or first, "")
    text = name.replace("_", " ") or first.partition("_")[0]
    return f"{text.capitalize()} [{unit}]" if unit else text.capitalize()
