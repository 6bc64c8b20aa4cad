"""The application: its commands and `--version`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

import amontons
from amontons.cli.compare import compare
from amontons.cli.info import info
from amontons.cli.output import reporting
from amontons.cli.solve import solve
from amontons.cli.warmup import warmup

app = typer.Typer(
    name="amontons",
    help="Solve cone complementarity problems of frictional contact.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (solve, compare, warmup, info):
    app.command()(reporting(command))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"amontons {amontons.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Solve cone complementarity problems of frictional contact."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line on `arguments`, by default those of the process, and exit."""
    app(args=None if arguments is None else list(arguments))
