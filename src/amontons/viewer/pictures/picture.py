"""`render`: a picture of a run or of a simulation, drawn by numpy alone."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.checks import finite
from amontons.errors import InputError
from amontons.results import Frame, Results, SingleFrame
from amontons.simulation.simulation import Simulation
from amontons.storage.writing import replacing
from amontons.viewer.colouring import COLOURS, Scales
from amontons.viewer.extent import Recording
from amontons.viewer.pictures import paint
from amontons.viewer.pictures.backdrop import Backdrop
from amontons.viewer.pictures.drawing import Drawing
from amontons.viewer.pictures.png import png_bytes
from amontons.viewer.pictures.ribbons import ribbons
from amontons.viewer.pictures.stage import Stage
from amontons.viewer.pictures.view import Camera, View

LARGEST = 10_000
"""Largest width or height [pixels]."""

FORCES = ("none", "arrows", "chains")


@dataclass(frozen=True)
class Picture:
    """Pixels of a picture; notebooks show it."""

    pixels: NDArray[np.uint8]
    """Red, green and blue from the top left, shape (height, width, 3)."""

    def png(self) -> bytes:
        """The content of a PNG file."""
        return png_bytes(self.pixels)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a PNG file, whole or not at all."""
        if Path(path).suffix.lower() != ".png":
            raise InputError(f"a picture is saved as .png, not as {Path(path).name}")
        with replacing(Path(path)) as stream:
            stream.write(self.png())

    def _repr_png_(self) -> bytes:
        return self.png()

    def __repr__(self) -> str:
        return f"<Picture: {self.pixels.shape[1]} × {self.pixels.shape[0]} pixels>"


@dataclass(frozen=True, kw_only=True)
class Look:
    """The style of pictures."""

    size: tuple[int, int] = (960, 600)
    """Width and height [pixels]."""
    view: View = field(default_factory=View)
    colour: str = "body"
    """By "body", "speed" or "force"."""
    forces: str = "none"
    """Contact forces as "arrows", as "chains" between bodies, or "none"."""
    smooth: int = 2
    """Rays through a pixel, along each side."""

    def __post_init__(self) -> None:
        sound = len(self.size) == 2 and all(
            isinstance(side, int | np.integer) and 16 <= side <= LARGEST for side in self.size
        )
        if not sound:
            raise InputError(
                f"size must be a width and a height of 16 to {LARGEST} pixels, got {self.size!r}"
            )
        if not isinstance(self.view, View):
            raise InputError(f"view must be an amontons.View, got {self.view!r}")
        for name, known in (("colour", COLOURS), ("forces", FORCES)):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(known)}"
                )
        if self.smooth not in (1, 2, 3, 4):
            raise InputError(f"smooth must be 1, 2, 3 or 4, got {self.smooth!r}")


class Painter:
    """Makes pictures of a run's frames, all with the same view and colours."""

    def __init__(self, run: Recording, look: Look) -> None:
        if not run.frames:
            raise InputError(f"{run.path} has no frames to show yet")
        needed = look.colour == "force" or look.forces != "none"
        if needed and not run.has_contacts:
            raise InputError(f"{run.path} has no contact forces: record them (run --contacts)")
        self.run, self.look = run, look
        self._stage, self._scales = Stage(run), Scales.of(run)
        width, height = (look.smooth * int(side) for side in look.size)
        stage = self._stage
        self._camera = Camera.looking(look.view, stage.middle, stage.size, width, height)
        self._backdrop: Backdrop | None = None

    def picture(self, number: int) -> Picture:
        """Of a frame."""
        look, stage, camera = self.look, self._stage, self._camera
        frame = self.run[number].whole()
        if self._backdrop is None or stage.backdrop_moves:
            self._backdrop = Backdrop(stage, frame, camera)
        forces, tints = None, np.empty((0, 3))
        if look.forces != "none":
            forces, tints = ribbons(
                frame, stage.bodies, camera, look.forces, self._scales.force or 1.0, stage.size
            )
        drawing = Drawing(stage, frame, camera, self._backdrop, self._colours(frame))
        fine = drawing.pixels(forces, tints)
        fine = fine.reshape(look.size[1], look.smooth, look.size[0], look.smooth, 3)
        return Picture(np.rint(255.0 * fine.mean(axis=(1, 3))).astype(np.uint8))

    def _colours(self, frame: Frame) -> Floats:
        """Of all bodies, shape (bodies, 3)."""
        bodies = self._stage.bodies
        if self.look.colour == "body":
            return paint.of_rows(np.arange(len(bodies)))
        return paint.of_shares(self._scales.shares(bodies, frame, self.look.colour))


def render(
    run: Simulation | Results | str | os.PathLike[str],
    *,
    time: float | None = None,
    size: tuple[int, int] = (960, 600),
    view: View | None = None,
    colour: str = "body",
    forces: str = "none",
    smooth: int = 2,
) -> Picture:
    """A picture of a simulation's current state, or of a run at some time, without a browser.

    Parameters
    ----------
    run:
        A simulation, `Results`, or the folder of a run.
    time:
        Of a run [s]: the frame nearest to it; by default the last.
    size:
        Width and height [pixels].
    view:
        From where; by default the viewer's own first view.
    colour:
        By "body", "speed" or "force".
    forces:
        Contact forces as "arrows" on the second body of each pair, as "chains" from body to body
        that are thick where forces are large, or "none".
    smooth:
        Rays through a pixel along each side: more are finer and slower.
    """
    look = Look(size=size, view=view or View(), colour=colour, forces=forces, smooth=smooth)
    if isinstance(run, Simulation):
        return Painter(SingleFrame(run), look).picture(0)
    if isinstance(run, Results):
        return Painter(run, look).picture(nearest(run, time))
    with Results(run) as results:
        return Painter(results, look).picture(nearest(results, time))


def nearest(results: Results, time: float | None) -> int:
    """The frame nearest to a time [s]; the last one if none is given."""
    if time is None or not results.frames:
        return results.frames - 1
    return int(np.argmin(np.abs(results.time - finite("time", time))))
