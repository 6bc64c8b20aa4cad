"""Performance profiles after Dolan and Moré (Math. Program. 91, 2002)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.plots.style import curve_style, legend_below, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


NARROWEST = 4.0
"""Ratio to the best that the axis reaches at least."""


def performance_profile(
    times: Mapping[str, Sequence[float]],
    *,
    iterations: Mapping[str, Sequence[float]] | None = None,
    title: str = "",
) -> Figure:
    """Fraction of problems that each solver solves within a factor τ of the best one.

    At τ = 1 it shows how often a solver is the best, at the right end how many problems it solves.

    Parameters
    ----------
    times:
        Seconds of each solver, problem by problem; infinite or NaN for unsolved problems.
    iterations:
        The same in iterations, for a second panel.
    title:
        Of the whole figure.
    """
    tables = [("Time over best time", times)]
    if iterations is not None:
        tables.append(("Iterations over fewest iterations", iterations))
    all_ratios = [_ratios(table) for _, table in tables]
    figure, axes = panels(len(tables), title, share_y=True)
    for ax, (label, table), ratios in zip(axes, tables, all_ratios, strict=True):
        _draw(ax, list(table), ratios)
        ax.set_xlabel(f"{label}, τ")
    axes[0].set_ylabel("Fraction of problems solved within τ")
    axes[0].set_ylim(-0.02, 1.03)
    legend_below(figure, axes[0])
    return figure


def _ratios(table: Mapping[str, Sequence[float]]) -> Floats:
    """Each entry over the best of its problem, shape (solvers, problems); infinite if unsolved."""
    lengths = {len(column) for column in table.values()}
    if len(lengths) != 1 or lengths == {0}:
        raise InputError("a profile needs one entry per problem for every solver")
    costs = np.array([list(column) for column in table.values()], dtype=np.float64)
    costs[np.isnan(costs)] = np.inf
    if (costs < 0).any():
        raise InputError("times and iterations must not be negative")
    # zeros count as the smallest positive entry
    some = costs[(costs > 0) & np.isfinite(costs)]
    costs = np.maximum(costs, some.min(initial=np.inf) if some.size else 1.0)
    best = costs.min(axis=0)
    solved = np.isfinite(costs)
    ratios = np.full(costs.shape, np.inf)
    np.divide(costs, best, out=ratios, where=solved)
    return ratios


def _draw(ax: Axes, names: list[str], ratios: Floats) -> None:
    finite = ratios[np.isfinite(ratios)]
    end = 1.15 * max(NARROWEST, float(finite.max(initial=1.0)))
    for number, (name, mine) in enumerate(zip(names, ratios, strict=True)):
        solved = np.sort(mine[np.isfinite(mine)])
        x = np.unique(np.concatenate([[1.0], solved, [end]]))
        count = np.searchsorted(solved, x, side="right")
        style = curve_style(number)
        ax.step(
            x,
            count / mine.size,
            where="post",
            color=style.colour,
            linestyle=style.dashes,
            linewidth=2.0,
            label=name,
        )
    ax.set_xscale("log", base=2)
    ax.set_xlim(1.0, end)
    ax.xaxis.set_major_formatter("{x:g}")
