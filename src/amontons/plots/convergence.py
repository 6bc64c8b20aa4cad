"""How residuals fall, iteration by iteration and second by second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.plots.style import FAINT, curve_style, legend_below, panels
from amontons.problem.solution import History, Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LONG = 300
"""Number of iterations above which both axes are logarithmic."""

LABELS = {
    "scaled": "Scaled error",
    "paper1": "Residual of paper 1 [m/s]",
    "paper3": "Residual of paper 3 [m/s]",
}


def convergence(
    histories: Mapping[str, Solution | History],
    *,
    tolerance: float | None = None,
    title: str = "",
) -> Figure:
    """Residual against iterations and against time, one curve per run.

    Bold is the best residual so far, which is what a solver returns; faint that of each iterate.

    Parameters
    ----------
    histories:
        What to draw, by the names for the legend: solutions, or their histories.
    tolerance:
        Drawn as a dashed line.
    title:
        Of the whole figure.
    """
    runs = {name: _history(run) for name, run in histories.items()}
    runs = {name: run for name, run in runs.items() if len(run)}
    if not runs:
        raise InputError("there is nothing to draw: no run has a history")
    figure, (left, right) = panels(2, title, share_y=True)
    iterations = {name: np.arange(float(len(run))) for name, run in runs.items()}
    _draw(left, runs, iterations)
    _draw(right, runs, {name: run.time for name, run in runs.items()})
    if left.get_xscale() == "linear":
        left.locator_params(axis="x", integer=True)
    left.set_xlabel(_iteration_label(histories))
    right.set_xlabel("Time [s]")
    left.set_ylabel(_residual_label(histories))
    left.set_yscale("log")
    if tolerance is not None:
        for ax in (left, right):
            ax.axhline(tolerance, color="0.35", linewidth=1.0, linestyle="--", label="tolerance")
    legend_below(figure, left)
    return figure


def _history(run: Any) -> History:
    if isinstance(run, Solution):
        return run.history
    if isinstance(run, History):
        return run
    raise InputError(f"give solutions or histories to draw, got {type(run).__name__}")


def _draw(ax: Axes, runs: dict[str, History], positions: dict[str, Floats]) -> None:
    for number, (name, run) in enumerate(runs.items()):
        x, style = positions[name], curve_style(number)
        ax.plot(x, _drawable(run.residual), color=style.colour, alpha=FAINT, linewidth=0.7)
        ax.plot(
            x,
            _drawable(run.best_residual),
            color=style.colour,
            linestyle=style.dashes,
            linewidth=2.0,
            label=name,
        )
    if max(len(run) for run in runs.values()) > LONG:
        ax.set_xscale("log")
        ax.set_xlim(left=min(float(x[x > 0].min(initial=1.0)) for x in positions.values()))


def _drawable(residual: Floats) -> Floats:
    """Residuals without those that a logarithmic axis cannot show."""
    return np.where(np.isfinite(residual) & (residual > 0), residual, np.nan)


def _iteration_label(histories: Mapping[str, Solution | History]) -> str:
    """Exact Coulomb friction records one entry for many inner iterations."""
    nested = any(
        isinstance(run, Solution) and run.iterations > len(run.history)
        for run in histories.values()
    )
    return "Outer iteration" if nested else "Iteration"


def _residual_label(histories: Mapping[str, Solution | History]) -> str:
    measures = {run.measure.value for run in histories.values() if isinstance(run, Solution)}
    return LABELS[measures.pop()] if len(measures) == 1 else "Residual"
