"""Curves of a recorded run, one function per figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.plots.style import curve_style, legend_below, panels
from amontons.results import READINGS, STAGES, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_POINTS = 4000
"""Largest number of points of a curve; longer ones are drawn as means of neighbouring steps."""

JOINT_CHANNELS = ("position", "speed", "effort")

SEEN = 1e-3
"""Share of a figure's largest curve below which another is left out."""


def energy(results: Results) -> Figure:
    """Kinetic, potential and dissipated energy, their sum, and the work by cause, over time.

    Work is counted from the first step on.
    """
    work = _changes(results)
    figure, axes = panels(2 if work else 1, _title(results, "energy"), share_y=False)
    names = [name for name in READINGS if name.endswith("_energy")]
    parts = {name.removesuffix("_energy"): results.readings(name) for name in names}
    parts["sum"] = np.asarray(sum(parts.values()))
    _curves(axes[0], results, parts)
    axes[0].set_ylabel(f"Energy [{READINGS[names[0]].unit}]")
    axes[0].legend(frameon=False)
    if work:
        _curves(axes[1], results, work)
        axes[1].set_ylabel(f"Work on the bodies [{READINGS[names[0]].unit}]")
        legend_below(figure, axes[1])
    return figure


def _changes(results: Results) -> dict[str, Floats]:
    """Work by cause since the first step [J], without negligible causes."""
    if not results.steps:
        return {}
    work = {cause.replace("_", " "): values for cause, values in results.work.items()}
    if "outside" in work:
        work["outside"] = work["outside"] - work["outside"][0]
    most = max((float(np.abs(values).max()) for values in work.values()), default=0.0)
    return {
        cause: values
        for cause, values in work.items()
        if most > 0.0 and np.abs(values).max() >= SEEN * most
    }


def contacts(results: Results) -> Figure:
    """The number of contacts, and the depth of overlaps."""
    figure, (left, right) = panels(2, _title(results, "contacts"), share_y=False)
    for ax, name, text in (
        (left, "contacts", "Contacts in the problem"),
        (right, "penetration", "Deepest overlap"),
    ):
        unit = READINGS[name].unit
        _curves(ax, results, {name: (1e3 if unit else 1.0) * results.readings(name)})
        ax.set_ylabel(f"{text} [m{unit}]" if unit else text)
        ax.set_ylim(bottom=0.0)
    return figure


def effort(results: Results) -> Figure:
    """The solver's iterations and final residual in every step."""
    figure, (left, right) = panels(2, _title(results, "solver"), share_y=False)
    _curves(left, results, {"iterations": results.readings("iterations")})
    left.set_ylabel("Iterations per step")
    left.set_ylim(bottom=0.0)
    residual = results.readings("residual")
    _some_steps(results)
    shown = residual > 0.0  # a logarithmic axis cannot show a zero
    if shown.any():
        right.plot(
            results.readings("time")[shown], residual[shown], ".", color=curve_style(0).colour
        )
        right.set_yscale("log")
    right.set_xlabel("Simulated time [s]")
    right.set_ylabel("Residual of a step")
    tolerance = results.about.get("settings", {}).get("tolerance")
    if tolerance:
        right.axhline(tolerance, color="0.35", linewidth=1.0, linestyle="--")
    return figure


def stages(results: Results) -> Figure:
    """Wall-clock time of the stages of every step, stacked."""
    figure, (ax,) = panels(1, _title(results, "time of a step"), share_y=False)
    _some_steps(results)
    time = _thinned(results.readings("time"))
    parts = [1e3 * _thinned(results.readings(name)) for name in STAGES]
    colours = [curve_style(i).colour for i in range(len(STAGES))]
    ax.stackplot(time, *parts, labels=STAGES, colors=colours, alpha=0.85, linewidth=0.0)
    ax.set_xlabel("Simulated time [s]")
    ax.set_ylabel(f"Wall-clock time of a step [m{READINGS[STAGES[0]].unit}]")
    ax.set_ylim(0.0, 1.2 * float(np.percentile(np.sum(parts, axis=0), 99.0)))
    legend_below(figure, ax)
    return figure


def joints(results: Results) -> Figure:
    """Positions, speeds and efforts of the joints that were recorded, over time."""
    figure, axes = panels(3, _title(results, "joints"), share_y=False)
    for ax, channel, what in zip(
        axes,
        JOINT_CHANNELS,
        ("Position [rad or m]", "Speed [1/s]", "Effort [N m or N]"),
        strict=True,
    ):
        _curves(ax, results, recorded(results, "joint:", channel))
        ax.set_ylabel(what)
    legend_below(figure, axes[1])
    return figure


def sensors(results: Results) -> Figure:
    """All channels of all sensors, one panel per sensor."""
    found = recorded(results, "sensor:")
    if not found:
        raise InputError(f"there is nothing to draw: {results.path} has no sensors")
    names = list(dict.fromkeys(name.rpartition(".")[0] for name in found))
    figure, axes = panels(len(names), _title(results, "sensors"), share_y=False)
    for ax, name in zip(axes, names, strict=True):
        of = {
            key.rpartition(".")[2]: values
            for key, values in found.items()
            if key.rpartition(".")[0] == name
        }
        _curves(ax, results, of)
        ax.set_title(name)
        ax.legend(frameon=False, fontsize="small")
    return figure


def recorded(results: Results, kind: str, channel: str = "") -> dict[str, Floats]:
    """Columns of joints or sensors by their names, or one channel of each by its owner."""
    found = {}
    for column in results.columns:
        whose, _, what = column.removeprefix(kind).rpartition(".")
        if column.startswith(kind) and channel in ("", what):
            found[whose if channel else f"{whose}.{what}"] = results.readings(column)
    return found


def _title(results: Results, what: str) -> str:
    return f"{results.scene}: {what}" if results.scene else what


def _curves(ax: Axes, results: Results, curves: dict[str, Floats]) -> None:
    _some_steps(results)
    time = _thinned(results.readings("time"))
    for number, (name, values) in enumerate(curves.items()):
        style = curve_style(number)
        ax.plot(
            time, _thinned(values), color=style.colour, linestyle=style.dashes, linewidth=1.5,
            label=name,
        )  # fmt: skip
    ax.set_xlabel("Simulated time [s]")


def _some_steps(results: Results) -> None:
    if not results.steps:
        raise InputError(f"there is nothing to draw: {results.path} has no steps yet")


def _thinned(values: Floats) -> Floats:
    """Means over neighbours, if there are more values than a figure can show."""
    group = -(-values.size // MOST_POINTS)
    if group == 1:
        return values
    whole = values.size // group * group
    return np.asarray(values[:whole].reshape(-1, group).mean(axis=1))
