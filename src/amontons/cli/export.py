"""`amontons export`: a run for spreadsheets, ParaView or 3D programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amontons.cli.output import console, megabytes
from amontons.errors import InputError


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `amontons run`.")],
    format: Annotated[str, typer.Option("--format", "-f", help="csv, vtkhdf or gltf.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to. \\[default: the run's folder]"),
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="K", help="Each K-th frame.")] = 1,
) -> None:
    """Write a run in a format that other programs read."""
    from amontons.results import Results
    from amontons.results.exports import EXPORTS

    if format not in EXPORTS:
        raise InputError(f"unknown format {format!r}; choose one of {', '.join(EXPORTS)}")
    if every < 1:
        raise InputError(f"--every must be 1 or more, got {every}")
    with Results(folder) as results:
        target = out or results.path.parent
        target.mkdir(parents=True, exist_ok=True)
        for path in EXPORTS[format](results, target, range(0, results.frames, every)):
            size = megabytes(path.stat().st_size)
            console().print(f"wrote {path} ({size})", soft_wrap=True)
