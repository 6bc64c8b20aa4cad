"""`amontons export`: a run for spreadsheets, ParaView and 3D programs, or as pictures and films."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amontons.cli.output import console, megabytes
from amontons.cli.progress import Display
from amontons.cli.settings import Force
from amontons.errors import InputError

if TYPE_CHECKING:
    from amontons.results import Results
    from amontons.viewer.pictures import Look, View

PICTURES = ("png", "mp4")


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder from `amontons run`.")],
    format: Annotated[
        str,
        typer.Option("--format", "-f", help="csv, vtkhdf, points, gltf, xyz, lammps, png or mp4."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Target. \\[default: the run's folder]"),
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="K", help="Every K-th frame.")] = 1,
    time: Annotated[
        list[float] | None,
        typer.Option("--time", metavar="T", help="png: when \\[s]; repeatable."),
    ] = None,
    size: Annotated[
        str, typer.Option("--size", metavar="WxH", help="png, mp4: pixels.")
    ] = "960x600",
    fps: Annotated[float, typer.Option("--fps", help="mp4: pictures per second.")] = 30.0,
    pace: Annotated[
        float, typer.Option("--pace", help="mp4: simulated seconds per second of film.")
    ] = 1.0,
    camera: Annotated[
        str,
        typer.Option(
            "--camera",
            metavar="A,H,D",
            help="png, mp4: azimuth and height \\[°], distance \\[sizes of the scene].",
        ),
    ] = "-57,24,1.4",
    colour: Annotated[
        str, typer.Option("--colour", help="png, mp4: by body, speed or force.")
    ] = "body",
    forces: Annotated[
        str, typer.Option("--forces", help="png, mp4: none, arrows or chains.")
    ] = "none",
    force: Force = False,
) -> None:
    """Write a run in a format that other programs read, or as pictures."""
    from amontons.results import Results
    from amontons.results.exports import EXPORTS
    from amontons.storage.targets import check_target

    if format not in (*EXPORTS, *PICTURES):
        known = ", ".join((*EXPORTS, *PICTURES))
        raise InputError(f"unknown format {format!r}; choose one of {known}")
    if every < 1:
        raise InputError(f"--every must be 1 or more, got {every}")
    with Results(folder) as results:
        target = out or results.path.parent
        target.mkdir(parents=True, exist_ok=True)
        for name in _names(format, time, results):
            check_target(target / name, ours=results.path.parent, replaces=force)
        if format in EXPORTS:
            written = EXPORTS[format](results, target, range(0, results.frames, every))
        else:
            look = _look(size, camera, colour, forces)
            if format == "png":
                written = _stills(results, target, look, time)
            else:
                written = _film(results, target, look, fps, pace)
        for path in written:
            console().print(f"wrote {path} ({megabytes(path.stat().st_size)})", soft_wrap=True)


def _names(format: str, times: Sequence[float] | None, results: Results) -> list[str]:
    """What will be written."""
    from amontons.results.exports import NAMES, table_names

    if format == "png":
        return [_still(moment) for moment in times] if times else [_still(None)]
    contacts = results.has_contacts
    names = [name for name in NAMES[format] if contacts or not name.startswith("contacts.")]
    return names + (table_names(results) if format == "csv" else [])


def _still(moment: float | None) -> str:
    return "picture.png" if moment is None else f"picture-{moment:g}s.png"


def _look(size: str, camera: str, colour: str, forces: str) -> Look:
    from amontons.viewer.pictures import Look

    try:
        width, height = (int(side) for side in size.lower().split("x"))
    except ValueError:
        raise InputError(f"--size takes WIDTHxHEIGHT such as 1280x720, got {size!r}") from None
    return Look(size=(width, height), view=_view(camera), colour=colour, forces=forces)


def _view(camera: str) -> View:
    from amontons.viewer.pictures import View

    try:
        azimuth, height, *rest = (float(number) for number in camera.split(","))
        (distance,) = rest or [View.distance]
    except ValueError:
        raise InputError(
            f"--camera takes AZIMUTH,HEIGHT[,DISTANCE] such as -57,24,1.4, got {camera!r}"
        ) from None
    return View(azimuth=azimuth, height=height, distance=distance)


def _stills(
    results: Results, target: Path, look: Look, times: Sequence[float] | None
) -> list[Path]:
    """One picture per time: `picture.png`, or `picture-1.5s.png` where times were given."""
    from amontons.viewer.pictures import Painter, nearest

    painter, written = Painter(results, look), []
    moments: Sequence[float | None] = times or [None]
    for moment in moments:
        name = _still(moment)
        painter.picture(nearest(results, moment)).save(target / name)
        written.append(target / name)
    return written


def _film(results: Results, target: Path, look: Look, fps: float, pace: float) -> list[Path]:
    from amontons.viewer.pictures.video import write_video

    path = target / "run.mp4"
    with Display() as display:

        def on_picture(done: int, of: int) -> None:
            if display.due:
                display.update(f"{done} of {of} pictures", done / of)

        write_video(results, path, look=look, fps=fps, pace=pace, on_picture=on_picture)
    return [path]
