"""Folders of runs: which may be taken, and what in them must stay."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from amontons.results.layout import CHECKPOINT, LOCK_FILE, RUN_FILE, SCENE_FILE
from amontons.storage.targets import check_new_folder, check_target

FILES = (RUN_FILE, CHECKPOINT, SCENE_FILE)
"""What a run is, and what nothing that is made from it may replace."""

LEFTOVERS = (LOCK_FILE, f".{RUN_FILE}.new")
"""What a recorder that was killed at its start may leave."""


def run_files(folder: Path) -> list[Path]:
    """The files of a run."""
    return [folder / name for name in FILES]


def check_run_folder(folder: Path, sources: Iterable[Path], *, force: bool) -> None:
    """Raise `OutputError` where a run must not begin in a folder: it holds what others made.

    Not even `force` lets it replace its own sources. That a folder holds a run is for those to say
    who begin one.
    """
    sources = list(sources)
    if not force and not (folder / RUN_FILE).exists():
        check_new_folder(folder, LEFTOVERS)
    for path in run_files(folder):
        if path.exists():
            check_target(path, inputs=sources, replaces=True)
