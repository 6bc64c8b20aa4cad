"""Runs side by side on one page, which move and are looked at together."""

from __future__ import annotations

import html
from collections.abc import Sequence

from amontons.viewer.page import page_file

MOST = 6
"""Runs on one page: each draws for itself, and a browser has few places for drawings."""


def beside(pages: Sequence[str], titles: Sequence[str]) -> str:
    """One page with these pages on it; the time and view of one are those of all."""
    frames = "\n".join(
        f'<iframe title="{html.escape(title)}" srcdoc="{html.escape(page)}"></iframe>'
        for page, title in zip(pages, titles, strict=True)
    )
    whole = page_file("beside.html").replace("/*SCRIPT*/", page_file("beside.js"))
    return whole.replace("/*PAGES*/", frames)
