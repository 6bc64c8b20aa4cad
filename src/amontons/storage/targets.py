"""Where results may be written: never over their own input, nor over other people's files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from amontons.errors import OutputError


def check_target(
    path: Path,
    *,
    inputs: Iterable[Path] = (),
    ours: Path | None = None,
    replaces: bool = False,
) -> None:
    """Raise `OutputError` if a file must not or cannot be written, before hours are spent on it.

    Parameters
    ----------
    inputs:
        Files that the result is made from; they are never replaced.
    ours:
        A folder whose files amontons names itself, and may replace.
    replaces:
        Whether an existing file may be replaced.
    """
    folder = Path(os.path.realpath(path)).parent
    why = ""
    if path.is_dir():
        why = "it is a folder; give a file name"
    elif path.exists() and not path.is_file():
        why = "it is a device, a pipe or a socket; give the name of a file"
    elif not folder.is_dir():
        why = f"the folder {folder} does not exist; create it first"
    elif not os.access(folder, os.W_OK):
        why = f"no permission to write in {folder}"
    elif os.path.lexists(path):
        if any(_same(path, source) for source in inputs):
            why = "the result is made from it; choose another name"
        elif not (replaces or (ours is not None and _same(folder, ours))):
            why = "it exists already; choose another name, or replace it with --force"
    if why:
        raise OutputError(f"cannot write {path}: {why}")


def check_new_folder(folder: Path, leftovers: Collection[str] = (), *, kind: str = "run") -> None:
    """Raise `OutputError` if a folder holds anything but leftovers of a killed process."""
    try:
        found = sorted(name for name in os.listdir(folder) if name not in leftovers)
    except FileNotFoundError:
        return
    except OSError as reason:
        raise OutputError(f"cannot write in {folder}: {reason.strerror}") from None
    if found:
        forced = ", or take this one with --force" if kind == "run" else ""
        raise OutputError(
            f"cannot write in {folder}: it is not empty (it holds {_some(found)}) and not the "
            f"folder of a {kind}; choose another{forced}"
        )


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
