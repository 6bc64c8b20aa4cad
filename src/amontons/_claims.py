"""Claims: one process compiles a function, the others wait for it, but not for ever.

A claim is a lock on a file, which the system frees when its owner ends, and holds the owner's
number. Who waits says so, and does not wait for a process that was stopped (Ctrl-Z, a debugger, a
suspended job): compiling twice does no harm.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from pathlib import Path

from amontons.storage.writing import own_file

try:
    import fcntl
except ImportError:  # Windows: every process compiles for itself
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger("amontons")

SILENCE = 5.0
"""Seconds to wait before a word is said: most compilations take less."""

PATIENCE = 120.0
"""Seconds after which a process compiles for itself, whatever the other one does."""

PAUSE = 0.02
"""Seconds between two looks at a claim that another process holds."""


helpers: set[int] = set()
"""Numbers of processes that this one started to compile for it: waiting for them is no news."""


class Claim:
    """The right to compile the function `name`, as a lock on the file at `path`."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        self._file: int | None = None

    def take(self) -> None:
        """Wait until no other process compiles this function, or until waiting makes no sense."""
        self.drop()
        if fcntl is None:
            return
        try:
            self._file = own_file(self._path)
            if self._wait(self._file):
                self._sign(self._file)
            else:
                self.drop()
        except OSError as reason:  # a file system without locks: compile twice, then
            logger.info("no lock for %s: %s", self._path, reason)
            self.drop()

    def drop(self) -> None:
        """Let others compile; nothing happens where this process holds no claim."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _wait(self, file: int) -> bool:
        """Whether the claim is ours; False where its owner keeps it for too long."""
        begin = time.monotonic()
        told = False
        while not _lock(file):
            owner = _signed_by(file)
            waited = time.monotonic() - begin
            if is_stopped(owner) or waited > PATIENCE:
                state = "is stopped" if is_stopped(owner) else f"took more than {PATIENCE:.0f} s"
                logger.warning(
                    "amontons: %s, which compiles `%s`, %s: it is compiled here too",
                    _called(owner), self._name, state,
                )  # fmt: skip
                return False
            if waited > SILENCE and not told and owner not in helpers:
                logger.warning(
                    "amontons: waiting for %s to compile `%s`", _called(owner), self._name
                )
                told = True
            time.sleep(PAUSE)
        return True

    @staticmethod
    def _sign(file: int) -> None:
        with contextlib.suppress(OSError):  # a full disk: the claim holds unsigned
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)


def _lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _signed_by(file: int) -> int | None:
    """Number of the process that holds a claim, where it left one."""
    text = os.pread(file, 20, 0)
    return int(text) if text.isdigit() else None


def _called(owner: int | None) -> str:
    return "another process" if owner is None else f"process {owner}"


def is_stopped(process: int | None) -> bool:
    """Whether a process is known to be stopped; systems without `/proc` do not tell."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[:1] in (["T"], ["t"])
