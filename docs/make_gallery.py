"""Write docs/gallery.md: every scene with its picture and command, and the papers' experiments.

python docs/make_gallery.py
"""

from __future__ import annotations

import re
from pathlib import Path

from amontons.scenes import SCENES

DOCS = Path(__file__).resolve().parent

BEGIN = """\
# Gallery

Run a scene with the command under its picture, and look at it with `amontons view NAME`. What its
parameters are: `amontons scenes NAME`, or [the page about scenes](scenes.md).

## Scenes

"""

PAPERS = """\

## Experiments of the papers

Each has bands that it can fail, and a page with figures and verdicts. They run in a clone.

"""


def card(title: str, picture: str, text: str, command: str) -> str:
    """One picture with a title above and a command below it."""
    return (
        f":::{{grid-item-card}} {title}\n:img-top: {picture}\n\n{text}\n\n"
        f"```sh\n{command}\n```\n:::\n"
    )


def grid(cards: list[str]) -> str:
    """Cards beside each other, as many as there is room for."""
    options = "::::{grid} 1 2 2 3\n:gutter: 3\n:class-container: gallery\n\n"
    return options + "\n".join(cards) + "::::\n"


def scenes() -> list[str]:
    """A card for every built-in scene."""
    return [
        card(
            f"[{name}](scenes.md#{name})",
            f"figures/scene-{name}.jpg",
            str(kind.__doc__).splitlines()[0],
            f"amontons run {name}",
        )
        for name, kind in SCENES.items()
    ]


def experiments() -> list[str]:
    """A card for every experiment that has a picture: its first one."""
    cards = []
    for page in sorted((DOCS / "papers").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        picture = re.search(r"!\[([^]]*)\]\(([^)]+)\)", text)
        title = re.search(r"^# (.*)$", text, re.MULTILINE)
        if picture and title and page.stem != "index":
            command = f"amontons reproduce {page.stem}"
            link = f"[{title[1]}](papers/{page.name})"
            cards.append(card(link, f"papers/{picture[2]}", picture[1], command))
    return cards


def gallery() -> str:
    """The whole page."""
    return BEGIN + grid(scenes()) + PAPERS + grid(experiments())


if __name__ == "__main__":
    (DOCS / "gallery.md").write_text(gallery(), encoding="utf-8")
