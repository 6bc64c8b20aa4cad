"""The page itself: one HTML file with script, style and data inside."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

from amontons.errors import InputError
from amontons.storage.writing import replacing
from amontons.viewer.extent import Recording
from amontons.viewer.packing import Packing

SCRIPTS = (
    "algebra.js", "camera.js", "buffers.js", "gestures.js", "legend.js", "shaders.js", "forces.js",
    "trail.js", "occlusion.js", "renderer.js", "panel.js", "saving.js", "viewer.js",
)  # fmt: skip
"""In this order: each may use constants of those before."""

LIVE = "live.js"
"""The script that follows a live run; it comes before the viewer starts."""


def page_text(packing: Packing, *, every: int = 1, live: bool = False) -> str:
    """A page that shows every `every`-th frame of a run, and asks for more if `live`."""
    names = (*SCRIPTS[:-1], LIVE, SCRIPTS[-1]) if live else SCRIPTS
    script = "\n".join(page_file(name) for name in names)
    try:
        data = json.dumps(packing.page(every), separators=(",", ":"), allow_nan=False)
    except ValueError as reason:  # from overflow of huge numbers
        raise InputError(
            f"{packing.run.path} has numbers that no page can show: {reason}"
        ) from None
    page = page_file("page.html").replace("/*STYLE*/", page_file("style.css"))
    return page.replace("/*SCRIPT*/", script).replace("/*DATA*/", data.replace("<", "\\u003c"))


def write_page(run: Recording, path: str | os.PathLike[str], *, every: int = 1) -> None:
    """Write a page that shows every `every`-th frame of a run; it needs nothing but a browser."""
    with replacing(Path(path)) as stream:
        stream.write(page_text(Packing(run), every=every).encode())


def page_file(name: str) -> str:
    """The text of a file that pages are made of."""
    return resources.files("amontons.viewer").joinpath("html", name).read_text(encoding="utf-8")
