"""Runs side by side on one page, with a common time and view."""

from __future__ import annotations

import html
from collections.abc import Sequence

from amontons.viewer.page import page_file

MOST = 6
"""Most runs on one page: each has its own canvas, and browsers limit the number of those."""


def beside(pages: Sequence[str], titles: Sequence[str]) -> str:
    """One page that contains these pages and synchronises their time and view."""
    frames = "\n".join(
        f'<iframe title="{html.escape(title)}" srcdoc="{html.escape(page)}"></iframe>'
        for page, title in zip(pages, titles, strict=True)
    )
    whole = page_file("beside.html").replace("/*SCRIPT*/", page_file("beside.js"))
    return whole.replace("/*PAGES*/", frames)
