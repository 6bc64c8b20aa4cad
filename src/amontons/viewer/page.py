"""The page itself: one HTML file with script, style and data inside."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

from amontons.problem.files import replacing
from amontons.results import Results
from amontons.viewer.packing import packed

SCRIPTS = ("algebra.js", "shaders.js", "renderer.js", "viewer.js")


def write_page(results: Results, path: str | os.PathLike[str], *, every: int = 1) -> None:
    """Write a page that shows each `every`-th frame of a run; it needs nothing but a browser."""
    page = _file("page.html")
    script = "\n".join(_file(name) for name in SCRIPTS)
    data = json.dumps(packed(results, every), separators=(",", ":"), allow_nan=False)
    page = page.replace("/*STYLE*/", _file("style.css")).replace("/*SCRIPT*/", script)
    page = page.replace("/*DATA*/", data.replace("</", "<\\/"))
    with replacing(Path(path)) as stream:
        stream.write(page.encode())


def _file(name: str) -> str:
    return resources.files("amontons.viewer").joinpath(name).read_text(encoding="utf-8")
