"""Where compiled code lives on disk: folders stamped with the sources that it was made from.

Numba keys its on-disk cache by a kernel's own file, so a changed helper in another file would be
answered with stale machine code. Here the cache is stamped with a hash of *all* sources that a
kernel of that subpackage may use (:func:`stamped_sources`) and lives in a folder of that name. A
test follows what every kernel really uses, and fails where the stamp would miss some of it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent

KERNEL_FREE = (
    "cli", "viewer", "plots", "testing", "generators", "measure", "results", "interchange",
    "scenes", "simulation", "model", "checks", "storage", "robots", "gym", "sweeps", "ranks",
    "frames",
)  # fmt: skip
"""Subpackages in which nothing is compiled (import-linter sees to it): no part of a stamp."""

COMPILER = ("_jit.py", "_kernel_cache.py", "_numba_cache.py", "_processor.py")
"""Modules at the top of the package that shape all compiled code: part of every stamp."""

BELOW: dict[str, tuple[str, ...]] = {
    "algebra": (),
    "problem": ("algebra",),
    "judge": ("algebra",),
    "solvers": ("algebra", "problem"),
    "model/shapes": ("algebra",),
    "collision": ("algebra", "model/shapes"),
    "model/joints": (),
    "dynamics": ("algebra", "model/shapes", "model/joints"),
    "small_worlds": (
        "algebra",
        "problem",
        "judge",
        "solvers",
        "collision",
        "dynamics",
        "model/shapes",
        "model/joints",
    ),
}
"""Rooms, that is folders, and those that kernels of each may use (a test sees to it).

A folder of a kernel-free one counts where it is named: kernels read tables of shapes and joints."""


DAY = 86_400.0
"""Seconds."""

KEPT = 14 * DAY
"""Seconds for which compiled code of another version stays after it was last used."""


def stamped_sources(room: str = "", package: Path = PACKAGE) -> Iterator[Path]:
    """Every source that kernels of subpackage `room` may be made from, in order of name.

    A room that :data:`BELOW` does not know, such as the top of the package, may use everything.
    """
    for path in sorted(package.rglob("*.py")):
        folder = _room(path.relative_to(package).parts[:-1])
        if folder in KERNEL_FREE:
            continue
        shapes_all = not folder and path.name in COMPILER
        if room not in BELOW or folder in (room, *BELOW[room]) or shapes_all:
            yield path


def source_stamp(room: str = "", package: Path = PACKAGE) -> str:
    """Hash of :func:`stamped_sources`, names and contents: it names the folder of their code."""
    digest = hashlib.sha256()
    for path in stamped_sources(room, package):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _room(folders: tuple[str, ...]) -> str:
    """The room that a path of folders is in; the top of the package is none."""
    inner = "/".join(folders[:2])
    return inner if inner in BELOW else "".join(folders[:1])


def room_of(function: Callable[..., Any]) -> str:
    """Room that a function was written in, or nothing for all else."""
    parts = str(function.__module__).split(".")
    return _room(tuple(parts[1:-1])) if parts[0] == PACKAGE.name else ""


def cache_root() -> Path:
    """Folder of all compiled code: `AMONTONS_CACHE_DIR`, or the user's cache directory."""
    chosen = os.environ.get("AMONTONS_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("amontons", appauthor=False))


@functools.cache
def present_stamp(room: str) -> str:
    """:func:`source_stamp` of the running package, taken once per process."""
    return source_stamp(room)


def mark_used(folder: Path) -> None:
    """Note that compiled code in a folder is in use, by the folder's time; at most once a day."""
    with contextlib.suppress(OSError):  # of another user, or read-only
        if time.time() - folder.stat().st_mtime > DAY:
            os.utime(folder)


def prune_cache() -> int:
    """Delete compiled code of other versions that nobody used for :data:`KEPT`; say how many.

    Checkouts that share a cache have versions of their own: those in use stay.
    """
    root = cache_root()
    present = {f"kernels-{present_stamp(room)}" for room in ("", *BELOW)}
    stale = [p for p in root.glob("kernels-*") if p.name not in present and _unused(p)]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return len(stale)


def _unused(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > KEPT
    except OSError:  # another process has just deleted it
        return False
