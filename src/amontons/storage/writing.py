"""Files that exist whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from amontons.errors import OutputError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file to write, which replaces `path` once all of it is on disk."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f"{_unfinished(target)}{secrets.token_hex(8)}.tmp")
    try:
        require_replaceable(target)
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        take_place(temporary, target)
    except OSError as reason:
        why = reason.strerror or str(reason)
        if not target.parent.is_dir():
            why = f"the folder {target.parent} does not exist"
        failure = OutputError(f"cannot write {path}: {why}")
        failure.errno = reason.errno
        raise failure from reason
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def beside(path: Path) -> Path:
    """Name of a file to be made anew, which takes the place of `path` once it is whole.

    What a killed process left under that name goes, and so does a link: a folder from elsewhere may
    hold one that leads to any file of who opens it.
    """
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    return fresh


def own_file(path: Path) -> int:
    """Descriptor of a file that is read and written in place, and made where there is none.

    Raises OSError where there is a link, or anything else but a file.
    """
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    if path.is_symlink():
        raise OSError(errno.ELOOP, f"{path.name} is a link; delete it", str(path))
    file = os.open(path, flags, 0o644)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, f"{path.name} is not a file; delete it", str(path))
    return file


def take_place(fresh: Path, path: Path) -> None:
    """Let a file that is whole take the place of another one, in one step."""
    require_replaceable(path)
    os.replace(fresh, path)


def require_replaceable(path: Path) -> None:
    """Raise OSError where something is there that is not a file, such as `/dev/null` or a pipe.

    A file would take the place of the device, for everybody.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is a device, a pipe or a socket, and nothing replaces it")


def remove_unfinished(path: Path) -> None:
    """Remove temporary files left by processes that were killed while replacing `path`.

    Call it only if nobody can be replacing that file now.
    """
    target = Path(os.path.realpath(path))
    for left in target.parent.glob(f"{glob.escape(_unfinished(target))}*.tmp"):
        with contextlib.suppress(OSError):
            left.unlink()


def _unfinished(target: Path) -> str:
    """Prefix of the names of a file's temporary files, short enough for any file system."""
    return f".{target.name[:50]}."
