"""`view`: a run or a simulation as a page, in notebooks and in browsers."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from pathlib import Path
from typing import TypeAlias

from amontons.errors import InputError
from amontons.results import Results, SingleFrame
from amontons.simulation.simulation import Simulation
from amontons.storage.writing import replacing
from amontons.viewer.beside import MOST, beside
from amontons.viewer.packing import Packing
from amontons.viewer.page import page_text

Shown: TypeAlias = Simulation | Results | str | os.PathLike[str]

FRAME = (
    '<iframe srcdoc="{page}" width="100%" height="{height}" style="border: 0" '
    'sandbox="allow-scripts allow-downloads"></iframe>'
)


class Page:
    """The viewer with a run inside: notebooks show it, `open` does so in a browser."""

    def __init__(self, text: str, about: str, height: int) -> None:
        self.html = text
        """The whole page."""
        self.height = height
        """In a notebook [pixels]."""
        self.about = about
        """What it shows, in one line."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, which needs nothing but a browser."""
        with replacing(Path(path)) as stream:
            stream.write(self.html.encode())

    def open(self) -> Path:
        """Show the page in a browser, from a temporary file."""
        with tempfile.NamedTemporaryFile(prefix="amontons-", suffix=".html", delete=False) as file:
            path = Path(file.name)
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        return FRAME.format(page=html.escape(self.html), height=self.height)

    def __repr__(self) -> str:
        return f"<Page: {self.about}, {len(self.html) / 1e6:.2g} MB; open() or save(path)>"


def view(
    run: Simulation | Results | str | os.PathLike[str],
    *others: Shown,
    every: int = 1,
    height: int = 480,
) -> Page:
    """The viewer for a simulation's current state or a recorded run: turn it, play it, click it.

    Parameters
    ----------
    run:
        A simulation, `Results`, or the folder of a run.
    others:
        More of them, side by side, with a common time and view.
    every:
        Show only every `every`-th frame.
    height:
        In a notebook [pixels].
    """
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise InputError(f"every must be a whole number, 1 or more, got {every!r}")
    pages = [_page(each, every, height) for each in (run, *others)]
    if not others:
        return pages[0]
    if len(pages) > MOST:
        raise InputError(f"view shows at most {MOST} runs side by side, got {len(pages)}")
    about = " beside ".join(page.about for page in pages)
    return Page(beside([page.html for page in pages], [p.about for p in pages]), about, height)


def _page(run: Shown, every: int, height: int) -> Page:
    if not isinstance(run, Simulation | Results):
        with Results(run) as results:
            return _page(results, every, height)
    shown = SingleFrame(run) if isinstance(run, Simulation) else run
    return Page(page_text(Packing(shown), every=every), repr(shown).strip("<>"), height)
