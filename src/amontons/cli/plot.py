"""`amontons plot`: the curves of a run as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amontons.cli.output import console
from amontons.cli.settings import Force
from amontons.cli.watched_run import tell_notes_of
from amontons.errors import InputError


def plot(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder from `amontons run`.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to. \\[default: the run's folder]"),
    ] = None,
    format: Annotated[str, typer.Option("--format", help="png, svg or pdf.")] = "png",
    force: Force = False,
) -> None:
    """Draw energy by cause, contacts, the solver's effort, times of stages, forces, meters."""
    from amontons import plots
    from amontons.results import Results
    from amontons.storage.targets import check_target

    with Results(folder) as results:
        if not results.steps:
            raise InputError(f"{folder} has no steps to draw yet")
        target = out or results.path.parent
        target.mkdir(parents=True, exist_ok=True)
        figures = {
            "energy": plots.energy,
            "contacts": plots.contacts,
            "effort": plots.effort,
            "stages": plots.stages,
        }
        if results.has_contacts and len(results.contacts(-1)):
            figures["forces"] = plots.forces
        if len(results.meters):
            figures["meters"] = plots.meters
        paths = {name: target / f"{name}.{format}" for name in figures}
        for path in paths.values():
            check_target(path, ours=results.path.parent, replaces=force)
        for name, path in paths.items():
            plots.save(figures[name](results), path)
            console().print(f"wrote {path}", soft_wrap=True)
        tell_notes_of(results)
