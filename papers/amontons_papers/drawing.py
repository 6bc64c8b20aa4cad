"""Line plots with one or more panels, in the style of all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from amontons.plots.style import curve_style, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Panel:
    """One panel: curves by the names that the legend gives them."""

    across: str
    """Label of the x axis, with its unit."""
    up: str
    """Label of the y axis, with its unit."""
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]]
    """x and y of each curve."""
    logarithmic: str = ""
    """Axes with a logarithmic scale: "x", "y" or "xy"."""
    marked: Sequence[str] = ()
    """Curves that are drawn as marks without a line, such as the paper's own figures."""


def draw(title: str, *parts: Panel) -> Figure:
    """A figure with these panels side by side and one legend; equal names look alike."""
    figure, axes = panels(len(parts), title, share_y=False)
    names = list(dict.fromkeys(name for part in parts for name in part.curves))
    for ax, part in zip(axes, parts, strict=True):
        _fill(ax, part, names)
    shown: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            shown.setdefault(name, handle)
    figure.legend(
        list(shown.values()), list(shown), loc="outside lower center", frameon=False,
        ncols=min(len(shown), 2 * len(parts) + 1), handlelength=3.2,
    )  # fmt: skip
    return figure


def _fill(ax: Axes, part: Panel, names: list[str]) -> None:
    for name, (x, y) in part.curves.items():
        style = curve_style(names.index(name))
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if "y" in part.logarithmic:
            y = np.where(y > 0.0, y, np.nan)
        if name in part.marked:
            ax.plot(x, y, "o", color=style.colour, markersize=6.0, label=name)
        else:
            ax.plot(x, y, color=style.colour, linestyle=style.dashes, linewidth=1.8, label=name)
    if "x" in part.logarithmic:
        ax.set_xscale("log")
    if "y" in part.logarithmic:
        ax.set_yscale("log")
    ax.set_xlabel(part.across)
    ax.set_ylabel(part.up)
