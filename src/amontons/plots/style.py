"""The look that all figures share, and how they are written."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from amontons.errors import AmontonsError, InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which the colour-blind can tell apart."""

DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1)))
"""Dashes, one pattern per curve, so that figures can be printed in black and white."""

FAINT = 0.25
DOTS_PER_INCH = 160


class MissingExtraError(AmontonsError, ImportError):
    """An optional package is not installed."""


class CurveStyle(NamedTuple):
    """Colour and dashes of a curve."""

    colour: str
    dashes: Any


def curve_style(number: int) -> CurveStyle:
    """The look of curve `number`, counted from 0."""
    return CurveStyle(COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)])


def _imported(module: str) -> Any:
    """A module that needs matplotlib."""
    try:
        return importlib.import_module(module)
    except ImportError as reason:
        raise MissingExtraError(
            'plots need matplotlib, which is not installed; run: pip install "amontons[plots]"'
        ) from reason


def panels(count: int, title: str, *, share_y: bool) -> tuple[Figure, list[Axes]]:
    """A figure with `count` panels side by side, in a plain style."""
    figure = _imported("amontons.plots.notebook_figure").NotebookFigure(
        figsize=(1.0 + 4.7 * count, 4.4), dpi=DOTS_PER_INCH, layout="constrained"
    )
    _imported("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    figure.get_layout_engine().set(wspace=0.05)
    axes = list(figure.subplots(1, count, squeeze=False, sharey=share_y)[0])
    if title:
        figure.suptitle(title, fontsize=12, parse_math=False)
    for ax in axes:
        ax.grid(True, which="major", color="0.88", linewidth=0.7)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def legend_below(figure: Figure, axes: Axes) -> None:
    """One legend for all panels, in as many columns as fit side by side."""
    handles, labels = axes.get_legend_handles_labels()
    column = 0.9 + 0.08 * max(map(len, labels), default=0)  # a line, a gap and the text [inches]
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=max(1, min(len(labels), int(figure.get_figwidth() / column))),
        frameon=False,
        handlelength=3.2,
    )


def check_format(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` for a file name whose suffix is not a picture format."""
    canvas = _imported("matplotlib.backends.backend_agg").FigureCanvasAgg
    known = sorted(canvas.get_supported_filetypes())
    if Path(path).suffix.removeprefix(".").lower() not in known:
        raise InputError(
            f"{path} does not name a picture; end it in .png, .svg or .pdf (known: "
            f"{', '.join(known)})"
        )


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format of the name's suffix, all or nothing.

    Raises
    ------
    InputError
        For a suffix that is not a picture format.
    OutputError
        If the file cannot be written.
    """
    from amontons.storage.writing import replacing

    check_format(path)
    with replacing(Path(path)) as stream:
        figure.savefig(stream, format=Path(path).suffix.removeprefix(".").lower())
