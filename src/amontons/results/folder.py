"""Folders of runs: which may be used, and which of their files must be kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from amontons.results.layout import CHECKPOINT, LOCK_FILE, RUN_FILE, SCENE_FILE
from amontons.storage.targets import check_new_folder, check_target

FILES = (RUN_FILE, CHECKPOINT, SCENE_FILE)
"""The files of a run itself, which nothing made from it may replace."""

LEFTOVERS = (LOCK_FILE, f".{RUN_FILE}.new")
"""Files that a recorder killed at its start may leave."""


def run_files(folder: Path) -> list[Path]:
    """The files of a run."""
    return [folder / name for name in FILES]


def check_run_folder(folder: Path, sources: Iterable[Path], *, force: bool) -> None:
    """Raise `OutputError` if a run must not start in a folder, because it holds other files.

    Not even `force` lets it replace its own input. Callers check whether a folder already holds a
    run.
    """
    sources = list(sources)
    if not force and not (folder / RUN_FILE).exists():
        check_new_folder(folder, LEFTOVERS)
    for path in run_files(folder):
        if path.exists():
            check_target(path, inputs=sources, replaces=True)
