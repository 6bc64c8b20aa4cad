"""What an experiment writes down: figures beside the paper's, tables, plots, pictures, remarks."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amontons.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from amontons.simulation.simulation import Simulation
    from amontons.viewer.pictures import View

Cell = str | float | int | None


@dataclass(frozen=True)
class Band:
    """One number of ours, what the paper has there, and where ours must lie."""

    quantity: str
    """What it is, with its unit."""
    ours: float
    paper: str
    """The paper's figure in words, or why it has none."""
    low: float
    high: float
    reason: str = ""
    """Where the band comes from; why a value outside it is outside."""

    @property
    def passed(self) -> bool:
        """Whether ours lies in the band; NaN does not."""
        return self.low <= self.ours <= self.high

    @property
    def range(self) -> str:
        """The band in words."""
        if math.isinf(self.low):
            return f"≤ {self.high:.4g}"
        if math.isinf(self.high):
            return f"≥ {self.low:.4g}"
        return f"{self.low:.4g} to {self.high:.4g}"


@dataclass(frozen=True)
class Table:
    """Rows of numbers under a title."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Image:
    """A plot or a picture in the notebook's folder."""

    file: str
    caption: str


@dataclass
class Notebook:
    """The record of one experiment, in a folder of its own."""

    folder: Path
    report: Callable[[str, float], None] = lambda text, share: None
    """Called with what is being done and the share that is done, 0 to 1."""
    bands: list[Band] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def say(self, text: str, share: float) -> None:
        """Tell whoever waits what is being done."""
        self.report(text, share)

    def band(
        self,
        quantity: str,
        ours: float,
        *,
        paper: str,
        low: float = -math.inf,
        high: float = math.inf,
        reason: str = "",
    ) -> Band:
        """Put a number beside the paper's; it passes if it lies between `low` and `high`."""
        if math.isinf(low) and math.isinf(high):
            raise InputError(f"the band of {quantity!r} has no limit: it could not fail")
        band = Band(quantity, float(ours), paper, low, high, reason)
        self.bands.append(band)
        return band

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Add a table; every row has one cell per column."""
        for row in rows:
            if len(row) != len(columns):
                raise InputError(f"a row of {title!r} has {len(row)} cells, not {len(columns)}")
        self.tables.append(Table(title, tuple(columns), tuple(tuple(row) for row in rows)))

    def plot(self, figure: Figure, name: str, caption: str) -> None:
        """Add a plot as `name.png`."""
        figure.savefig(self.folder / f"{name}.png", dpi=150)
        self.images.append(Image(f"{name}.png", caption))

    def picture(
        self,
        simulation: Simulation,
        name: str,
        caption: str,
        *,
        view: View | None = None,
        **look: Any,
    ) -> None:
        """Add a picture of a simulation as it is now, as `name.png`.

        `view` says from where; `look` is the rest that :func:`amontons.viewer.pictures.render`
        takes: `colour`, `forces`, `size`.
        """
        from amontons.viewer.pictures import render

        render(simulation, view=view, **look).save(self.folder / f"{name}.png")
        self.images.append(Image(f"{name}.png", caption))

    def data(self, name: str, **columns: ArrayLike) -> None:
        """Keep arrays as `name.npz`, for whoever wants to plot them anew."""
        import numpy as np

        arrays: dict[str, Any] = {key: np.asarray(value) for key, value in columns.items()}
        np.savez_compressed(self.folder / f"{name}.npz", **arrays)

    def differs(self, remark: str) -> None:
        """Say what is not as in the paper, and why."""
        self.differences.append(remark)

    def as_json(self) -> str:
        """Everything as JSON."""
        bands = [{**dataclasses.asdict(each), "passed": each.passed} for each in self.bands]
        content = {
            "bands": bands,
            "tables": [dataclasses.asdict(each) for each in self.tables],
            "images": [dataclasses.asdict(each) for each in self.images],
            "differences": self.differences,
        }
        return json.dumps(content, indent=1, default=str)
