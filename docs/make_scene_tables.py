"""The fields of scene files as tables of Markdown, for the docs.

    python docs/make_scene_tables.py

writes them into docs/scene-files.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from amontons.interchange.body_fields import BODY, GRID, MATERIAL, MOTION, PAIR, RULE
from amontons.interchange.bond_fields import BOND
from amontons.interchange.cell_fields import CELL, STAGE
from amontons.interchange.flow_fields import METER, REGION, SINK, SIZES, SOURCE
from amontons.interchange.joint_fields import JOINTS, LOADS, MOTORS, STRENGTH
from amontons.interchange.probe_fields import BETWEEN, PROBE
from amontons.interchange.records import Field, OneOf, Record
from amontons.interchange.run_fields import AUTOMATIC, OUTPUT, RUN, SLEEPING, SOLVER
from amontons.interchange.scene_fields import SCENE
from amontons.interchange.shape_fields import PART, SHAPES
from amontons.interchange.signal_values import SIGNALS
from amontons.model.joints import Joint

PAGE = Path(__file__).parent / "scene-files.md"
BEGIN, END = "<!-- fields: begin -->", "<!-- fields: end -->"


def _those(family: OneOf, *, joints: bool) -> OneOf:
    """The kinds of a family that are joints, or those that are not."""
    words = {word for kind, word in family.classes.items() if issubclass(kind, Joint) == joints}
    kinds = {word: record for word, record in family.kinds.items() if word in words}
    return OneOf(family.title, kinds, family.classes)


RECORDS: dict[str, Record] = {
    "The file": SCENE,
    "A material": MATERIAL,
    "Rules": RULE,
    "A pair": PAIR,
    "A body": BODY,
    "A grid": GRID,
    "A motion": MOTION,
    "A part of a compound": PART,
    "A strength": STRENGTH,
    "Bonds": BOND,
    "A source": SOURCE,
    "A sink": SINK,
    "A meter": METER,
    "A cell": CELL,
    "A stage of a cell": STAGE,
    "A probe": PROBE,
    "Between": BETWEEN,
    "A region": REGION,
    "run": RUN,
    "An automatic step": AUTOMATIC,
    "sleeping": SLEEPING,
    "output": OUTPUT,
}

FAMILIES: dict[str, OneOf] = {
    "Shapes": SHAPES,
    "Joints": _those(JOINTS, joints=True),
    "Springs, listed among the joints": _those(JOINTS, joints=False),
    "Motors": MOTORS,
    "Signals": SIGNALS,
    "Forces": LOADS,
    "Sizes": SIZES,
    "Solvers": SOLVER,
}


def field_tables() -> str:
    """All tables, one per record and one per family of kinds."""
    lines: list[str] = []
    for title, record in RECORDS.items():
        lines += [f"### {title}", "", *_fields(record.fields), ""]
    for title, family in FAMILIES.items():
        common = _common(family)
        lines += [f"### {title}", ""]
        if common:
            lines += ["All of them have", "", *_fields(common), "", "and, by kind:", ""]
        lines += [*_family(family, {each.name for each in common}), ""]
    return "\n".join(lines)


def _fields(fields: tuple[Field, ...]) -> Iterator[str]:
    yield "| field | value | default | what it is |"
    yield "|---|---|---|---|"
    for (words, default, help), group in groupby(fields, _told):
        names = ", ".join(f"`{each.name}`" for each in group)
        yield f"| {names} | {words} | {default} | {_cell(help)} |"


def _cell(text: str) -> str:
    """Text with characters that would end a cell escaped."""
    return text.replace("|", "\\|")


def _told(each: Field) -> tuple[str, str, str]:
    """Rows of a table; neighbours with the same text are merged."""
    return each.value.words, _default(each), each.help


def _common(family: OneOf) -> tuple[Field, ...]:
    """Fields that every kind of a family has, in the same words."""
    first, *rest = family.kinds.values()
    shared = [each for each in first.fields if all(_has(other, each) for other in rest)]
    return tuple(shared) if len(family.kinds) >= 3 else ()


def _has(record: Record, wanted: Field) -> bool:
    return any(
        (each.name, each.help, each.value) == (wanted.name, wanted.help, wanted.value)
        and _default(each) == _default(wanted)
        for each in record.fields
    )


def _family(family: OneOf, left_out: set[str]) -> Iterator[str]:
    yield "| kind | what it is | fields |"
    yield "|---|---|---|"
    for word, record in family.kinds.items():
        fields = [_short(each) for each in record.fields if each.name not in left_out]
        yield f"| `{word}` | {_cell(record.help)} | {'; '.join(fields)} |"


def _short(each: Field) -> str:
    mark = "" if each.required else f" = {_default(each)}" if _default(each) else ""
    return f"`{each.name}`{mark} ({each.value.words})"


def _default(each: Field) -> str:
    if each.required:
        return "**needed**"
    if each.default is None or each.default == "":
        return ""
    return _text(each.default)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(_text(entry) for entry in value)}]"
    if isinstance(value, float):
        return f"{value:g}"
    for family in FAMILIES.values():
        if type(value) in family.classes:
            return f"{family.classes[type(value)]} to {value.tolerance:g}"
    return str(value)


def put_tables(page: Path) -> None:
    """Write the tables between the two marks of a page."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{field_tables()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    put_tables(PAGE)
