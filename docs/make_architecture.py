"""Makes the pictures of `architecture.md`, and its table of rooms, from the code itself.

`rooms.svg` shows which folder may import which (the layers in `pyproject.toml`, which import-linter
enforces) and which does (its imports, read with `ast`). `contact.svg` follows one contact from
shape to page: `WAY` names the stations, and everything said about them is looked up in the code.
The page's table of rooms holds the first sentence of each room's docstring.

    python docs/make_architecture.py

A test makes all of it again and compares, so that nothing goes stale.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "amontons"
FIGURES = ROOT / "docs" / "figures"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: begin -->\n", "<!-- rooms: end -->\n"

FONT = "font-family='Helvetica, Arial, sans-serif'"
MONO = "font-family='DejaVu Sans Mono, Menlo, Consolas, monospace'"
INK, QUIET, LINE, PAPER = "#1b2733", "#5b6b7a", "#c5ced6", "#ffffff"
MAY, DOES, COMPILED = "#eaf0f5", "#20639b", "#d9822b"


# -- the rooms ------------------------------------------------------------------------------------


class Room(NamedTuple):
    """A folder of the package, or one of the modules at its top."""

    name: str
    layer: int  # counted from the top
    compiled: bool  # whether it holds functions that Numba compiles


def rooms() -> list[Room]:
    """Every room that import-linter knows, from the top layer down."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["type"] == "layers")
    return [
        Room(name, layer, any(map(_has_kernels, _files(name))))
        for layer, row in enumerate(layers)
        for name in (each.strip().removeprefix("amontons.") for each in row.split("|"))
    ]


def _files(room: str) -> list[Path]:
    """Sources of a room: a folder or module of the package, or a package in `papers/`."""
    for folder in (PACKAGE / room, ROOT / "papers" / room):
        if folder.is_dir():
            return sorted(folder.rglob("*.py"))
    return [PACKAGE / f"{room}.py"]


COMPILES = {"kernel", "heavy_kernel", "serial_kernel", "helper", "routine"}
"""Decorators of `amontons._jit` that have a function compiled."""


def _has_kernels(path: Path) -> bool:
    functions = (
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    )
    return any(
        isinstance(mark, ast.Name) and mark.id in COMPILES
        for function in functions
        for mark in function.decorator_list
    )


def imports(names: list[str]) -> dict[str, set[str]]:
    """For each of these rooms, the others among them that its files import."""
    return {
        room: {each for path in _files(room) for each in _imported(path)} & set(names) - {room}
        for room in names
    }


def _imported(path: Path) -> Iterator[str]:
    """Rooms that a file imports, those for type checkers alone left out."""
    for node in _running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            full = [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            full = [each.name for each in node.names]
        else:
            continue
        for name in full:
            yield name.removeprefix("amontons.").split(".")[0]


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below this one that run: not what stands under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
            continue
        yield child
        yield from _running(child)


def draw_rooms() -> str:
    """The rooms as a table: what each row may import is shaded, what it does import has a dot."""
    listed = rooms()
    does = imports([room.name for room in listed])
    row, first, top = 25, 170, 168
    end, bottom = first + row * len(listed), top + row * len(listed)
    art = [_text(24, 34, "Rooms, and who imports whom", size=19, weight="bold")]
    art.append(_text(24, 56, "A room may import those below it (shaded). A dot: it does."))
    for j, room in enumerate(listed):
        art.append(
            f"<text transform='translate({first + row * (j + 0.5) + 4:g} {top - 10}) rotate(-60)' "
            f"{MONO} font-size='12' fill='{INK}'>{escape(room.name)}</text>"
        )
    for i, room in enumerate(listed):
        y = top + row * i
        if i == 0 or room.layer != listed[i - 1].layer:
            art.append(_rule(24, y, end))
        if room.compiled:
            art.append(_bar(24, y + 4))
        art.append(_text(36, y + 17, room.name, size=13, font=MONO, weight="bold"))
        for j, other in enumerate(listed):
            x = first + row * j
            if other.layer > room.layer:
                art.append(
                    f"<rect x='{x + 1}' y='{y + 1}' width='{row - 2}' height='{row - 2}' "
                    f"fill='{MAY}'/>"
                )
            if other.name in does[room.name]:
                art.append(
                    f"<circle cx='{x + row / 2:g}' cy='{y + row / 2:g}' r='4.5' fill='{DOES}'/>"
                )
    art += [_rule(24, bottom, end), _bar(24, bottom + 18)]
    art.append(_text(36, bottom + 31, "holds functions that Numba compiles"))
    title = "Which room of the package may import which, and which does"
    return _svg(end + 50, bottom + 52, art, title)


def room_table() -> str:
    """The rooms with what their docstrings say about them, as a table for the page."""
    rows = [f"| `{room.name}` | {_about(_files(room.name))} |" for room in rooms()]
    return "\n".join(["| Room | What it holds |", "|---|---|", *rows, ""])


def page_with(table: str) -> str:
    """The page with this table of rooms."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return before + BEGIN + "\n" + table + "\n" + END + rest.partition(END)[2]


def _about(files: list[Path]) -> str:
    """First sentence of the docstring of a room: of its module, or of its outermost `__init__`."""
    source = min(files, key=lambda each: (len(each.parts), each.name != "__init__.py"))
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


# -- the way of a contact -------------------------------------------------------------------------


class Station(NamedTuple):
    """Something that a contact is on its way, and what makes it of the station before."""

    thing: str  # a class, as "package.module:name"
    by: str = ""  # the function or method that leads to it
    takes: tuple[str, ...] = ()  # types that the signature of `by` names


WAY = (
    Station("amontons.model.shapes.base:Shape"),
    Station(
        "amontons.collision.contacts:ContactSet",
        by="amontons.collision.detector:CollisionDetector.detect",
    ),
    Station(
        "amontons.dynamics.contact_laws:ContactTerms",
        by="amontons.dynamics.contact_laws:contact_terms",
        takes=("ContactSet", "PairTable"),
    ),
    Station(
        "amontons.problem.problem:ConeProblem",
        by="amontons.dynamics.assembly:assemble",
        takes=("ContactTerms", "JointRows"),
    ),
    Station(
        "amontons.problem.solution:Solution",
        by="amontons.solvers.base:Solver.solve",
        takes=("ConeProblem",),
    ),
    Station(
        "amontons.simulation.solve.step_solution:StepSolution",
        by="amontons.simulation.solve.impulses:find_impulses",
        takes=("Model", "ContactSet"),
    ),
    Station(
        "amontons.simulation.state:State",
        by="amontons.simulation.step:step",
        takes=("Model", "State"),
    ),
    Station(
        "amontons.simulation.reports.report:StepReport",
        by="amontons.simulation.reports.report:report_on",
        takes=("State", "StepSolution"),
    ),
    Station(
        "amontons.results.run_file:RunFile",
        by="amontons.results.recorder:Recorder.__call__",
        takes=("StepReport",),
    ),
    Station("amontons.results.reader:Frame", by="amontons.results.reader:Results.__getitem__"),
    Station("amontons.viewer.showing:Page", by="amontons.viewer.showing:view", takes=("Results",)),
)
"""The one table of stations; a test resolves every name and compares every signature."""

JUDGE = Station(
    "amontons.problem.residuals:Residuals",
    by="amontons.judge.verdict:residuals",
    takes=("ConeProblem",),
)
"""Stands beside `Solution`: it is asked about every one."""


def draw_way() -> str:
    """The stations one below the other, with the function that leads to each on the arrow."""
    names = dict.fromkeys(room_of(each.thing) for each in (*WAY, JUDGE))
    colours = dict(zip(names, _PALETTE, strict=False))
    left, wide, tall, gap, top = 24, 500, 64, 46, 84
    art = [_text(24, 34, "A contact's way from shape to page", size=19, weight="bold")]
    art.append(_text(24, 56, "Boxes are classes; arrows are the functions that lead to them."))
    for i, station in enumerate(WAY):
        y = top + i * (tall + gap)
        if station.by:
            art += _arrow(left + 36, y - gap, y)
            label = _label(station.by)
            art.append(_text(left + 54, y - gap / 2 + 5, label, font=MONO, size=13))
        art += _box(station, left, y, wide, tall, colours[room_of(station.thing)])
        if resolve_name(station.thing).__name__ == "Solution":
            x, middle = left + wide, y + tall / 2
            art.append(
                f"<line x1='{x}' y1='{middle:g}' x2='{x + 36}' y2='{middle:g}' stroke='{QUIET}' "
                "stroke-width='1.6' stroke-dasharray='4 3'/>"
            )
            art += _box(JUDGE, x + 36, y - 26, 190, tall + 52, colours[room_of(JUDGE.thing)])
            art.append(_text(x + 54, y - 36, _label(JUDGE.by), font=MONO, size=13))
    height = top + len(WAY) * (tall + gap) - gap + 24
    title = "The classes and functions that a contact passes through"
    return _svg(left + wide + 250, height, art, title)


_PALETTE = (
    "#20639b", "#2b8f86", "#c26d16", "#6a4c93", "#b23a48", "#4a7c59", "#5b6b7a", "#8a5a2b",
)  # fmt: skip


def room_of(name: str) -> str:
    """The room of a name "amontons.room.module:thing"."""
    return name.split(":")[0].split(".")[1]


def _label(name: str) -> str:
    made = resolve_name(name).__qualname__
    return made.replace(".__getitem__", "[…]") if "getitem" in made else _called(made)


def _called(name: str) -> str:
    return name.removesuffix(".__call__") + "()"


def _box(station: Station, x: float, y: float, wide: float, tall: float, colour: str) -> list[str]:
    thing = resolve_name(station.thing)
    about = textwrap.wrap(_first_line(thing), int((wide - 24) / 6.4))
    return [
        f"<rect x='{x:g}' y='{y:g}' width='{wide:g}' height='{tall:g}' rx='7' fill='{PAPER}' "
        f"stroke='{colour}' stroke-width='1.5'/>",
        f"<rect x='{x:g}' y='{y:g}' width='7' height='{tall:g}' rx='3' fill='{colour}'/>",
        _text(x + 18, y + 22, thing.__name__, size=14.5, weight="bold", font=MONO),
        _text(x + wide - 12, y + 21, room_of(station.thing), size=12, fill=colour, anchor="end"),
        *(
            _text(x + 18, y + 40 + 15 * i, line, size=12, fill=QUIET)
            for i, line in enumerate(about)
        ),
    ]


PLAIN = str.maketrans({"`": None, "⟂": "⊥"})
"""Markup goes, and so does a sign that few fonts have."""


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ").translate(PLAIN)


# -- writing SVG ----------------------------------------------------------------------------------


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: float = 13,
    fill: str = INK,
    weight: str = "normal",
    font: str = FONT,
    anchor: str = "start",
) -> str:
    return (
        f"<text x='{x:g}' y='{y:g}' {font} font-size='{size:g}' font-weight='{weight}' "
        f"fill='{fill}' text-anchor='{anchor}'>{escape(text)}</text>"
    )


def _rule(x: float, y: float, end: float) -> str:
    return f"<line x1='{x:g}' y1='{y:g}' x2='{end:g}' y2='{y:g}' stroke='{LINE}'/>"


def _bar(x: float, y: float) -> str:
    return f"<rect x='{x:g}' y='{y:g}' width='4' height='17' fill='{COMPILED}'/>"


def _arrow(x: float, y: float, end: float) -> list[str]:
    return [
        f"<line x1='{x:g}' y1='{y:g}' x2='{x:g}' y2='{end - 9:g}' stroke='{QUIET}' "
        "stroke-width='1.6'/>",
        f"<path d='M {x - 5:g} {end - 10:g} L {x + 5:g} {end - 10:g} L {x:g} {end - 1:g} Z' "
        f"fill='{QUIET}'/>",
    ]


def _svg(width: float, height: float, art: list[str], title: str) -> str:
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:g}' height='{height:g}' "
            f"viewBox='0 0 {width:g} {height:g}' role='img'>",
            f"<title>{escape(title)}</title>",
            f"<rect width='{width:g}' height='{height:g}' rx='10' fill='{PAPER}'/>",
            *art,
            "</svg>\n",
        ]
    )


PICTURES: dict[str, Callable[[], str]] = {"rooms.svg": draw_rooms, "contact.svg": draw_way}


def main() -> None:
    sys.path.insert(0, str(PACKAGE.parent))  # this clone, whatever is installed
    for name, draw in PICTURES.items():
        (FIGURES / name).write_text(draw(), encoding="utf-8")
        print(FIGURES / name)
    PAGE.write_text(page_with(room_table()), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
