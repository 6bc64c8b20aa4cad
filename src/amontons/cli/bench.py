"""`amontons bench`: how fast amontons is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amontons.cli.output import complain, console, print_json
from amontons.cli.progress import Display
from amontons.cli.settings import Json, Threads, use_threads
from amontons.errors import InputError

if TYPE_CHECKING:
    from amontons.cli.measuring import Figure

MOST = 1_000_000


def bench(
    bodies: Annotated[
        int, typer.Option("--bodies", "-b", metavar="N", help="Number of spheres in the bed.")
    ] = 4000,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Measure a product, an iteration, collision detection and a time step; half a minute or less.

    Figures are those of the fastest of several runs; docs/benchmarks.md has others to compare with.
    """
    from amontons.cli.measuring import figures

    if not 10 <= bodies <= MOST:
        raise InputError(f"--bodies must be 10 to {MOST}, got {bodies}")
    use_threads(threads)
    found: list[Figure] = []
    with Display(shown=not json) as display:
        for figure in figures(bodies):
            found.append(figure)
            if display.due:
                display.update(f"{figure.name}: {figure.value:.4g} {figure.unit}", None)
    from amontons.cli.info import gather

    facts = gather()
    if json:
        machine = {name: facts[name] for name in ("versions", "system", "cpu", "cores", "threads")}
        print_json({"figures": [vars(figure) for figure in found], **machine})
        return
    _print(found)
    complain(f"{facts['cpu']}, {facts['threads']} threads", kind="on", style="bold")


def _print(found: list[Figure]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    table.add_column("measure", no_wrap=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("of")
    for figure in found:
        table.add_row(figure.name, f"{figure.value:.4g}", figure.unit, figure.about)
    console().print(table)
