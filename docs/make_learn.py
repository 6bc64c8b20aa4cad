"""Run the tutorials of docs/learn and keep the pictures that their code makes.

python docs/make_learn.py [PAGE ...]

A tutorial is run as its reader would run it, top to bottom: Python blocks share one session, blocks
whose first line is a comment with a file's name are saved under it, `amontons` commands are run.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from typer.testing import CliRunner

from amontons.cli.app import app

LEARN = Path(__file__).resolve().parent / "learn"
FIGURES = LEARN / "figures"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"# (\S+\.\w+)\n")
SHOWN = re.compile(r"!\[[^]]*\]\(figures/([^)]+)\)")


def run_page(page: Path) -> ModuleType:
    """Run every block of a page in the current folder; the session that it leaves."""
    session = ModuleType(f"page_{page.stem.replace('-', '_')}")  # dataclasses look it up
    sys.modules[session.__name__] = session
    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        name = NAMED.match(text)
        if language == "python":
            exec(compile(text, str(page), "exec"), vars(session))
        elif language == "sh":
            run_commands(text)
        elif name:
            Path(name[1]).write_text(text, encoding="utf-8")
    return session


def run_commands(text: str) -> None:
    """Run the lines of a shell block that begin with `amontons`."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["amontons"]:
            continue
        done = CliRunner().invoke(app, words[1:])
        if done.exit_code:
            raise SystemExit(f"{line}: exit code {done.exit_code}\n{done.output}")


def pictures_of(page: Path) -> list[str]:
    """Names of the pictures that a page shows; its code saves each without the page's name."""
    return SHOWN.findall(page.read_text(encoding="utf-8"))


def main(names: list[str]) -> None:
    FIGURES.mkdir(exist_ok=True)
    for page in [LEARN / f"{name}.md" for name in names] or sorted(LEARN.glob("*.md")):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            run_page(page)
            for name in pictures_of(page):
                made = name.removeprefix(f"{page.stem}-")
                shutil.copy(made, FIGURES / name)
                print(f"{name}: {os.path.getsize(made) / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
