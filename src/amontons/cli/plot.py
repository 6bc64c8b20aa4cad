"""`amontons plot`: the curves of a run as pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amontons.cli.output import console
from amontons.cli.settings import Force
from amontons.cli.watched_run import tell_notes_of
from amontons.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from amontons.results import Results


def plot(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder from `amontons run` or `sweep`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to. \\[default: the run's folder]"),
    ] = None,
    format: Annotated[str, typer.Option("--format", help="png, svg or pdf.")] = "png",
    over: Annotated[
        str | None, typer.Option("--over", metavar="NAME", help="Of a sweep: the parameter.")
    ] = None,
    result: Annotated[
        list[str] | None,
        typer.Option("--result", metavar="NAME", help="Of a sweep: a column; repeatable."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="NAME", help="Of a sweep: one curve for each value of it."),
    ] = None,
    force: Force = False,
) -> None:
    """Draw a run: energy, contacts, effort, times, forces, meters, probes; or a sweep's results."""
    from amontons import plots
    from amontons.results import Results
    from amontons.storage.targets import check_target
    from amontons.sweeps.plan import holds_sweep

    if holds_sweep(folder):
        _plot_sweep(folder, out or folder, format, (over, result, by), force)
        return
    if over or result or by:
        raise InputError(f"--over, --result and --by are for sweeps; {folder} is not one")
    with Results(folder) as results:
        if not results.steps:
            raise InputError(f"{folder} has no steps to draw yet")
        target = out or results.path.parent
        target.mkdir(parents=True, exist_ok=True)
        figures: dict[str, Callable[[Results], Figure]] = {
            "energy": plots.energy,
            "contacts": plots.contacts,
            "effort": plots.effort,
            "stages": plots.stages,
        }
        if any(
            name.startswith("joint:") and name.endswith(".position") for name in results.columns
        ):
            figures["joints"] = plots.joints
        if any(name.startswith("sensor:") for name in results.columns):
            figures["sensors"] = plots.sensors
        if results.has_contacts and len(results.contacts(-1)):
            figures["forces"] = plots.forces
        if len(results.meters):
            figures["meters"] = plots.meters
        for name in results.probes:
            figures[name] = partial(plots.probes, name=name)
        paths = {name: target / f"{name}.{format}" for name in figures}
        for path in paths.values():
            check_target(path, ours=results.path.parent, replaces=force)
        for name, path in paths.items():
            plots.save(figures[name](results), path)
            console().print(f"wrote {path}", soft_wrap=True)
        tell_notes_of(results)


def _plot_sweep(
    folder: Path,
    target: Path,
    format: str,
    asked: tuple[str | None, list[str] | None, str | None],
    force: bool,
) -> None:
    """Draw results of a sweep over one of its parameters."""
    from amontons import plots
    from amontons.storage.targets import check_target
    from amontons.sweeps import Sweep

    parameter, results, by = asked
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"sweep.{format}"
    check_target(path, ours=folder, replaces=force)
    plots.save(plots.over(Sweep(folder), parameter, results, by=by), path)
    console().print(f"wrote {path}", soft_wrap=True)
