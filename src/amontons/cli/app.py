"""The application: its commands and `--version`."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import amontons
from amontons.cli.bench import bench
from amontons.cli.compare import compare
from amontons.cli.export import export
from amontons.cli.import_robot import import_robot
from amontons.cli.info import info
from amontons.cli.output import reporting
from amontons.cli.plot import plot
from amontons.cli.reproduce import reproduce
from amontons.cli.resume import resume
from amontons.cli.run import run
from amontons.cli.scenes import scenes
from amontons.cli.solve import solve
from amontons.cli.sweep import sweep
from amontons.cli.view import view
from amontons.cli.warmup import warmup

app = typer.Typer(
    name="amontons",
    help="Simulate rigid bodies with contact and friction; solve their cone problems.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = (
    scenes, run, resume, sweep, view, plot, export, solve, compare, reproduce, bench, warmup, info,
)  # fmt: skip

for command in COMMANDS:
    app.command()(reporting(command))
app.command("import")(reporting(import_robot))


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
    """Simulate rigid bodies with contact and friction; solve their cone problems."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line on `arguments`, by default those of the process, and exit."""
    _print_anything()
    app(args=None if arguments is None else list(arguments))


def _print_anything() -> None:
    """Let what an output cannot show be spelled out: names that are no text, an ASCII terminal."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
