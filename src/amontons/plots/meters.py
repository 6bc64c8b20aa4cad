"""Counts of sources, sinks and flow meters over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.plots.style import curve_style, legend_below, panels
from amontons.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def meters(results: Results) -> Figure:
    """The mass that was added, removed or passed since the start, and its rate, at every frame.

    For a flow meter, forward less backward passages; summed over all materials.
    """
    curves = masses_of(results)
    if not curves:
        raise InputError(f"there is nothing to draw: {results.path} has no source, sink or meter")
    title = f"{results.scene}: flows" if results.scene else "flows"
    figure, (left, right) = panels(2, title, share_y=False)
    for number, (name, (time, mass)) in enumerate(curves.items()):
        style = curve_style(number)
        look = {"color": style.colour, "linestyle": style.dashes, "linewidth": 1.5}
        left.plot(time, mass, label=name, **look)
        if len(time) > 1:
            between = 0.5 * (time[1:] + time[:-1])
            right.plot(between, np.diff(mass) / np.diff(time), label=name, **look)
    left.set_ylabel("Mass since the start [kg]")
    right.set_ylabel("Mass per time [kg/s]")
    for ax in (left, right):
        ax.set_xlabel("Simulated time [s]")
    legend_below(figure, right)
    return figure


def masses_of(results: Results) -> dict[str, tuple[Floats, Floats]]:
    """Times [s] and masses [kg] by the names of sources, sinks and meters."""
    rows = results.meters
    curves: dict[str, tuple[Floats, Floats]] = {}
    for name in dict.fromkeys(rows["name"].tolist()):
        mine = rows[rows["name"] == name]
        time, which = np.unique(mine["time"], return_inverse=True)
        net = np.zeros(len(time))
        np.add.at(net, which, mine["mass"] - mine["mass_back"])
        curves[name.decode(errors="replace")] = (time, net)
    return curves
