"""Make the chapter of the papers' experiments from folders that `amontons reproduce` wrote.

python docs/make_papers.py FOLDER [FOLDER ...]

Where two folders hold the same experiment, the later one counts; where none does, its page stays.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image

from amontons_papers import EXPERIMENTS

CHAPTER = Path(__file__).parent / "papers"
WIDTH = 800
"""Of images [pixels]: pages are read in a browser, data are kept as arrays elsewhere."""

INTRODUCTION = """Each is one command, `amontons reproduce NAME`; `--full` runs it in the paper's
own size. A band is where a number of ours must lie; it is stated with its source, and a band that
fails stays."""

HEAD = ("| experiment | paper | shows | what is done | bands passed |", "|---|---|---|---|---|")


def write_page(name: str, source: Path) -> None:
    """Copy a page and its images, which become small JPEG files named after the experiment."""
    for old in (CHAPTER / f"{name}.md", *CHAPTER.glob(f"{name}-*.jpg")):
        old.unlink(missing_ok=True)
    text = (source / "page.md").read_text(encoding="utf-8")
    for picture in sorted(source.glob("*.png")):
        if f"({picture.name})" not in text:
            continue
        image = Image.open(picture).convert("RGB")
        image.thumbnail((WIDTH, WIDTH))
        image.save(CHAPTER / f"{name}-{picture.stem}.jpg", quality=82, optimize=True)
        text = text.replace(f"({picture.name})", f"({name}-{picture.stem}.jpg)")
    (CHAPTER / f"{name}.md").write_text(text, encoding="utf-8")


def row_of(name: str, source: Path) -> tuple[str, list[str]]:
    """A line of the chapter's table, and the bands that failed."""
    kind = EXPERIMENTS[name]
    bands = json.loads((source / "data.json").read_text(encoding="utf-8"))["bands"]
    passed = sum(band["passed"] for band in bands)
    failed = [
        f"- **{name}**: {band['quantity']} is {band['ours']:.4g}, must be "
        f"{_range(band['low'], band['high'])}. {band['reason']}"
        for band in bands
        if not band["passed"]
    ]
    cells = (f"[{name}]({name}.md)", kind.paper, kind.shows, kind.summary)
    line = f"| {' | '.join(map(str, cells))} | {passed} of {len(bands)} |"
    return line, failed


def old_rows(index: Path) -> dict[str, tuple[str, list[str]]]:
    """Lines of the list as it is, and bands that failed, by experiment."""
    lines = index.read_text(encoding="utf-8").splitlines() if index.exists() else []
    return {
        name: (row, [line for line in lines if line.startswith(f"- **{name}**:")])
        for name in EXPERIMENTS
        for row in lines
        if row.startswith(f"| [{name}](")
    }


def _range(low: float, high: float) -> str:
    if low == float("-inf"):
        return f"≤ {high:.4g}"
    return f"≥ {low:.4g}" if high == float("inf") else f"{low:.4g} to {high:.4g}"


def main() -> None:
    """Write the pages that there are results for, and the list of all."""
    found: dict[str, Path] = {}
    for folder in map(Path, sys.argv[1:]):
        found |= {page.parent.name: page.parent for page in folder.glob("*/page.md")}
    CHAPTER.mkdir(exist_ok=True)
    rows = old_rows(CHAPTER / "index.md")
    for name in found.keys() & EXPERIMENTS.keys():
        write_page(name, found[name])
        rows[name] = row_of(name, found[name])
    names = [name for name in EXPERIMENTS if name in rows]
    lines = [rows[name][0] for name in names]
    failures = [line for name in names for line in rows[name][1]]
    missing = [name for name in EXPERIMENTS if name not in rows]
    parts = ["# The papers' experiments", INTRODUCTION, "\n".join([*HEAD, *lines])]
    if failures:
        parts += ["## What failed, and why", "\n".join(failures)]
    if missing:
        parts.append(f"No page yet: {', '.join(missing)}.")
    parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```")
    (CHAPTER / "index.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
