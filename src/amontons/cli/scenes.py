"""`amontons scenes`: what can be run, and with which parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amontons.cli.output import console, print_json, styled
from amontons.cli.settings import Force, Json
from amontons.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from amontons.scenes import Scene


def scenes(
    name: Annotated[
        str | None, typer.Argument(help="A scene, to see its parameters.", show_default=False)
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Write that scene as a file: .yaml or .toml.",
            show_default=False,
        ),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of that scene, for --file."),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of scene files.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """List all scenes, show the parameters of one, or write one as a file."""
    from amontons.scenes import SCENES, find_scene

    if schema:
        from amontons.interchange.scene_fields import json_schema

        print_json(json_schema())
        return
    if file is not None:
        _write(name, file, set or [], force)
        return
    if name is None:
        if json:
            print_json({each: kind.summary for each, kind in SCENES.items()})
        else:
            _print_all(list(SCENES.values()))
        return
    kind = find_scene(name)
    if json:
        print_json(describe(kind))
    else:
        _print_one(kind)


def _write(name: str | None, file: Path, given: list[str], force: bool) -> None:
    """Write a scene as a file."""
    from amontons.cli.run import words_of
    from amontons.interchange.file_scene import save_scene
    from amontons.scenes import find_scene
    from amontons.storage.targets import check_target

    if name is None:
        raise InputError("--file needs the name of a scene: amontons scenes NAME --file FILE")
    kind = find_scene(name)
    check_target(file, replaces=force)
    save_scene(kind.parsed(words_of(kind, None, None, given)), file)
    console(stderr=True).print(f"written: {file}; run it: amontons run {file}", soft_wrap=True)


def describe(kind: type[Scene]) -> dict[str, Any]:
    """A scene as the JSON output has it."""
    import dataclasses

    return {
        "name": kind.name,
        "summary": kind.summary,
        "bodies_parameter": kind.counted or None,
        "advice": dataclasses.asdict(kind.advice),
        "parameters": [dataclasses.asdict(each) for each in kind.parameters()],
    }


def _print_all(kinds: list[type[Scene]]) -> None:
    table = _table("scene", "what happens")
    for kind in kinds:
        table.add_row(styled(kind.name, "bold"), kind.summary)
    screen = console()
    screen.print(table)
    screen.print("parameters of one: amontons scenes NAME; run it: amontons run NAME")


def _print_one(kind: type[Scene]) -> None:
    screen = console()
    screen.print(styled(kind.name, "bold") + styled(f": {kind.summary}", "none"))
    table = _table("parameter", "default", "unit", "range", "what it is")
    for each in kind.parameters():
        default = each.default
        text = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
        help = each.help + (" (also --bodies)" if each.name == kind.counted else "")
        table.add_row(styled(each.name, "bold"), text, each.unit, each.limits, help)
    screen.print(table)
    advice = kind.advice
    screen.print(
        f"by default {advice.time:g} s in steps of {advice.step:g} s, solver {advice.solver} "
        f"to {advice.tolerance:g}; run it: amontons run {kind.name} --set NAME=VALUE",
        soft_wrap=True,
    )


def _table(*headings: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
