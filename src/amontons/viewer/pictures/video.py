"""Runs as mp4 files, drawn frame by frame and encoded by ffmpeg (the extra ``video`` brings it)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from amontons.array_types import Longs
from amontons.checks import positive
from amontons.errors import InputError, OutputError
from amontons.results import Results
from amontons.viewer.pictures.picture import Look, Painter


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
        Pictures a second.
    pace:
        Simulated seconds that pass in a second of the film.
    on_picture:
        Told how many pictures are done, and of how many.
    """
    ffmpeg = _ffmpeg()
    path, look = Path(path), look or Look()
    numbers = moments(results, positive("fps", fps), positive("pace", pace))
    painter = Painter(results, look)
    even = tuple(side - side % 2 for side in look.size)  # H.264 halves both
    unfinished = path.with_name(f".{path.stem}.unfinished{path.suffix}")
    writer = ffmpeg.write_frames(
        str(unfinished), even, fps=fps, quality=7, macro_block_size=2, ffmpeg_log_level="error",
    )  # fmt: skip
    try:
        writer.send(None)
        for done, number in enumerate(numbers.tolist(), start=1):
            pixels = painter.picture(number).pixels[: even[1], : even[0]]
            writer.send(np.ascontiguousarray(pixels))
            if on_picture is not None:
                on_picture(done, len(numbers))
        writer.close()
        os.replace(unfinished, path)
    except OSError as reason:
        raise OutputError(f"cannot write {path}: {reason}") from reason
    finally:
        writer.close()
        unfinished.unlink(missing_ok=True)


def moments(results: Results, fps: float, pace: float) -> Longs:
    """Numbers of the frames that a film shows, one a picture."""
    times = results.time
    if not times.size:
        raise InputError(f"{results.path} has no frames to show yet")
    shown = np.arange(times[0], times[-1] + 0.5 * pace / fps, pace / fps)
    after = np.clip(np.searchsorted(times, shown), 1, max(len(times) - 1, 1))
    before = after - 1
    if len(times) == 1:
        return np.zeros(1, dtype=np.int64)
    return np.where(shown - times[before] <= times[after] - shown, before, after)


def _ffmpeg() -> Any:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise InputError(
            "films need ffmpeg: pip install 'amontons[video]' (the package imageio-ffmpeg)"
        ) from None
    return imageio_ffmpeg
