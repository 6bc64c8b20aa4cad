"""`FolderClaim`: one recorder at a time writes a run's folder."""

from __future__ import annotations

import contextlib
import logging
import os
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

from amontons.errors import InputError, OutputError
from amontons.results.layout import LOCK_FILE
from amontons.storage.writing import own_file

try:
    import fcntl
except ImportError:  # Windows has no such locks: there, folders are not protected
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger("amontons")


class FolderClaim:
    """The right to write in a folder, which is created if it does not exist.

    The system takes it back from a process that dies.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOCK_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise OutputError(f"cannot create the folder {folder}: {reason.strerror}") from None
        self._close: weakref.finalize[..., FolderClaim] | None = None
        while fcntl is not None and self._close is None:
            try:
                file = own_file(self.path)
            except OSError as reason:
                raise OutputError(f"cannot write in {folder}: {reason.strerror}") from None
            try:
                _lock(file)
            except BlockingIOError:
                owner = os.read(file, 20).decode()
                os.close(file)
                raise InputError(_taken(folder, owner)) from None
            except OSError as reason:
                logger.info("no lock for %s: %s", self.path, reason)  # a file system without them
                os.close(file)
                return
            if _is_still(file, self.path):
                os.ftruncate(file, 0)
                os.write(file, str(os.getpid()).encode())
                self._close = weakref.finalize(self, os.close, file)
            else:  # its owner removed it meanwhile
                os.close(file)

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """A context that releases the claim only if its body fails."""
        try:
            yield
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let others write."""
        if self._close is not None and self._close.alive:
            with contextlib.suppress(OSError):
                self.path.unlink()
            self._close()


def is_claimed(folder: Path) -> bool:
    """Whether somebody is writing in a folder, or might be, on systems without locks."""
    if fcntl is None:
        return True
    try:
        file = os.open(folder / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _lock(file: int) -> None:
    """Take the lock; merely asking whether it is taken holds it for an instant."""
    for pause in (0.01, 0.05, 0.2):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(pause)
        else:
            return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_still(file: int, path: Path) -> bool:
    """Whether an open file still is the one of this name."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _taken(folder: Path, owner: str) -> str:
    who = f"process {owner}" if owner.isdecimal() else "another process"
    if owner == str(os.getpid()):
        who = "another recorder of this process: close that one"
    return (
        f"{folder} is being written by {who}; wait until that run is over or stop it, or choose "
        "another folder"
    )
