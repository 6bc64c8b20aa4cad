"""The distribution of contact forces: few large ones, many small ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.plots.style import curve_style, legend_below, panels
from amontons.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CLASSES = 30
LATEST = 0.2
"""Share of the run, counted from its end, whose frames are pooled."""

PRESSED = 1e-6
"""Share of the largest force above which a contact counts as carrying."""


def forces(results: Results) -> Figure:
    """Distribution of normal contact forces over their mean, in the last fifth of a run.

    For comparison exp(−f), which the forces of packed grains follow above the mean (Liu et al.,
    1995).
    """
    figure, (ax,) = panels(1, _title(results), share_y=False)
    share = relative_forces(results)
    edges = np.linspace(0.0, max(4.0, float(np.percentile(share, 99.9))), CLASSES + 1)
    density, _ = np.histogram(share, edges, density=True)
    middle = 0.5 * (edges[1:] + edges[:-1])
    shown = density > 0.0
    ax.plot(
        middle[shown], density[shown], "o", color=curve_style(0).colour, markersize=4.0,
        label=f"{share.size} contacts",
    )  # fmt: skip
    ax.plot(middle, np.exp(-middle), color="0.35", linewidth=1.0, linestyle="--", label="exp(−f)")
    ax.set_yscale("log")
    ax.set_xlabel("Normal force f over its mean")
    ax.set_ylabel("Density")
    legend_below(figure, ax)
    return figure


def relative_forces(results: Results) -> Floats:
    """Normal forces of the last frames' carrying contacts, each over its frame's mean."""
    if not results.frames:
        raise InputError(f"there is nothing to draw: {results.path} has no frames yet")
    first = int((1.0 - LATEST) * (results.frames - 1))
    parts = []
    for number in range(first, results.frames):
        force = results.contacts(number).normal_force
        if force.size and force.max() > 0.0:
            force = force[force > PRESSED * force.max()]
            parts.append(force / force.mean())
    if not parts:
        raise InputError(f"there is nothing to draw: nothing touches at the end of {results.path}")
    return np.concatenate(parts)


def _title(results: Results) -> str:
    return f"{results.scene}: contact forces" if results.scene else "contact forces"
