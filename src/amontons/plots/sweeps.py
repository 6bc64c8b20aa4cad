"""Results of a sweep over one of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from amontons.errors import InputError
from amontons.plots.style import curve_style, legend_below, panels
from amontons.sweeps import Sweep
from amontons.sweeps.outcomes import UNITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

USUAL = ("mean_height", "dissipated_energy", "contacts")
"""Columns that are drawn for a sweep without a measure of its own."""

MOST_CURVES = 12


def over(
    sweep: Sweep,
    parameter: str | None = None,
    results: Sequence[str] | None = None,
    *,
    by: str | None = None,
) -> Figure:
    """Results over a parameter: means over all other parameters, with bars of one deviation.

    Parameters
    ----------
    parameter:
        By default the first one that has several values and is not the seed.
    results:
        Columns of the table, one panel each; by default those of the user's own measure.
    by:
        Another parameter, each value of which gets a curve of its own.
    """
    table = sweep.table
    table = table[table.status == "done"]
    if table.empty:
        raise InputError(f"{sweep.folder} has no finished runs to draw yet")
    name = parameter or _usual_parameter(sweep, table)
    for each in (name, *([by] if by else [])):
        if each not in sweep.parameters:
            raise InputError(f"{each!r} is not varied; choose from {', '.join(sweep.parameters)}")
    drawn = list(results or sweep.measured or USUAL)
    for each in drawn:
        _check_result(table, each)
    curves = table.groupby(by) if by else [("", table)]
    if len(curves) > MOST_CURVES:
        raise InputError(f"{by} has {len(curves)} values; a figure shows {MOST_CURVES} at most")
    figure, axes = panels(len(drawn), f"{sweep.plan.name}: {len(table)} runs", share_y=False)
    for ax, result in zip(axes, drawn, strict=True):
        for number, (value, rows) in enumerate(curves):
            _curve(ax, rows.groupby(name)[result], number, f"{by} = {value}" if by else "")
        ax.set_xlabel(_label(name))
        ax.set_ylabel(_label(result))
    if by:
        legend_below(figure, axes[0])
    return figure


def _usual_parameter(sweep: Sweep, table: Any) -> str:
    several = [name for name in sweep.parameters if table[name].nunique() > 1]
    return next((name for name in several if name != "seed"), (several or sweep.parameters)[0])


def _check_result(table: Any, name: str) -> None:
    from pandas.api.types import is_numeric_dtype

    numbers = [each for each in table.columns if is_numeric_dtype(table[each])]
    if name not in numbers:
        raise InputError(f"{name!r} is not a column of numbers; choose from {', '.join(numbers)}")


def _curve(ax: Axes, groups: Any, number: int, label: str) -> None:
    """Means, with a bar of one standard deviation where there are several runs."""
    style, mean, spread = curve_style(number), groups.mean(), groups.std().fillna(0.0)
    ax.errorbar(
        list(mean.index), mean.to_numpy(), yerr=spread.to_numpy() if spread.any() else None,
        color=style.colour, linestyle=style.dashes, marker="o", markersize=4.0, capsize=3.0,
        linewidth=1.5, label=label,
    )  # fmt: skip


def _label(name: str) -> str:
    unit = UNITS.get(name)
    text = name.replace("_", " ")
    return f"{text} [{unit}]" if unit else text
