"""Runs as mp4 files, drawn frame by frame and encoded by ffmpeg (the extra ``video`` brings it)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

import numpy as np

from amontons.array_types import Longs
from amontons.checks import positive
from amontons.errors import InputError, OutputError
from amontons.results import Results
from amontons.storage.writing import take_place
from amontons.viewer.pictures.encoder import Encoder, require_whole
from amontons.viewer.pictures.picture import Look, Painter

MOST_PICTURES = 1_000_000


def write_video(
    results: Results,
    path: str | os.PathLike[str],
    *,
    look: Look | None = None,
    fps: float = 30.0,
    pace: float = 1.0,
    on_picture: Callable[[int, int], None] | None = None,
) -> None:
    """Write a run as an mp4 file (H.264) that every player shows.

    Parameters
    ----------
    fps:
        Pictures per second.
    pace:
        Simulated seconds per second of the film.
    on_picture:
        Called with the numbers of finished pictures and of all.
    """
    program = _ffmpeg()
    path, look = Path(path), look or Look()
    numbers = moments(results, positive("fps", fps), positive("pace", pace))
    painter = Painter(results, look)
    even = (look.size[0] - look.size[0] % 2, look.size[1] - look.size[1] % 2)  # H.264 halves both
    unfinished = path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")
    try:
        with Encoder(program, unfinished, even, fps) as encoder:
            for done, number in enumerate(numbers.tolist(), start=1):
                encoder.add(painter.picture(number).pixels[: even[1], : even[0]])
                if on_picture is not None:
                    on_picture(done, len(numbers))
        require_whole(unfinished)
        take_place(unfinished, path)
    except OutputError as reason:
        raise OutputError(f"cannot write {path}: {reason}") from None
    except OSError as reason:
        raise OutputError(f"cannot write {path}: {reason.strerror or reason}") from reason
    finally:
        unfinished.unlink(missing_ok=True)


def moments(results: Results, fps: float, pace: float) -> Longs:
    """Numbers of the frames that a film shows, one per picture."""
    times = results.time
    if not times.size:
        raise InputError(f"{results.path} has no frames to show yet")
    if (times[-1] - times[0]) * fps / pace > MOST_PICTURES:
        raise InputError(
            f"a film of {(times[-1] - times[0]) * fps / pace:.3g} pictures is too long; let more "
            "simulated time pass in a second (pace)"
        )
    shown = np.arange(times[0], times[-1] + 0.5 * pace / fps, pace / fps)
    after = np.clip(np.searchsorted(times, shown), 1, max(len(times) - 1, 1))
    before = after - 1
    if len(times) == 1:
        return np.zeros(1, dtype=np.int64)
    return np.where(shown - times[before] <= times[after] - shown, before, after)


def _ffmpeg() -> str:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise InputError(
            "films need ffmpeg: pip install 'amontons[video]' (the package imageio-ffmpeg)"
        ) from None
    program: str = imageio_ffmpeg.get_ffmpeg_exe()
    return program
