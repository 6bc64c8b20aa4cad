"""Films encoded by ffmpeg, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from amontons.errors import OutputError


class Encoder:
    """An ffmpeg process that makes a film of pictures; leaving its context ends the film.

    Its errors become an `OutputError` without the name of the film.
    """

    def __init__(self, program: str, path: Path, size: tuple[int, int], fps: float) -> None:
        raw = [
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
            "-s",
            f"{size[0]}x{size[1]}",
            "-r",
            f"{fps:g}",
        ]
        made = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "15", "-y", str(path.absolute())]
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._process = subprocess.Popen(
            [program, "-v", "error", "-nostdin", *raw, "-r", f"{fps:g}", "-i", "-", "-an", *made],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said,
        )  # fmt: skip

    def add(self, pixels: NDArray[np.uint8]) -> None:
        """Add the next picture, shape (height, width, 3)."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(pixels).tobytes())
        except OSError:  # it has given up, and says why
            raise OutputError(self._ended() or "ffmpeg ended too early") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None:
            self._process.kill()
        trouble = self._ended()
        self._said.close()
        if trouble and kind is None:
            raise OutputError(trouble)

    def _ended(self) -> str:
        """Wait for the end; return what went wrong, or nothing."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        code = self._process.wait()
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip().splitlines()
        return f"ffmpeg failed ({said[-1] if said else f'code {code}'})" if code or said else ""


def require_whole(path: Path) -> None:
    """Raise if an mp4 file does not consist of whole boxes with an index of its pictures.

    ffmpeg does not always report a full disk.
    """
    size, place, kinds = path.stat().st_size, 0, []
    with path.open("rb") as stream:
        while place < size:
            stream.seek(place)
            length, kind, large = struct.unpack(">I4sQ", stream.read(16).ljust(16, b"\0"))
            length = large if length == 1 else length
            kinds.append(kind)
            place += max(length, 8)
        os.fsync(stream.fileno())
    if place != size or b"moov" not in kinds or b"mdat" not in kinds:
        raise OutputError("the film is not whole; is the disk full?")
