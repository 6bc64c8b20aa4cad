"""The pictures of the architecture page say what the code says, and the page leaves nothing out."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = next(up for up in Path(__file__).resolve().parents if (up / "pyproject.toml").is_file())
PICTURES = runpy.run_path(str(ROOT / "docs" / "make_architecture.py"))
STATIONS = (*PICTURES["WAY"], PICTURES["JUDGE"])


@pytest.fixture(scope="module")
def rooms():
    """Every room with its layer; all sources are read for them, so not before they are needed."""
    return PICTURES["rooms"]()


def name_of(station) -> str:
    return station.thing.split(":")[1]


@pytest.mark.parametrize("picture", PICTURES["PICTURES"])
def test_pictures_are_those_that_the_code_draws_now(picture):
    kept = (ROOT / "docs" / "figures" / picture).read_text(encoding="utf-8")
    assert kept == PICTURES["PICTURES"][picture](), "run python docs/make_architecture.py"


def test_every_room_of_the_package_is_in_a_layer(rooms):
    package = ROOT / "src" / "amontons"
    there = {each.parent.name for each in package.glob("*/__init__.py")}
    there |= {each.stem for each in package.glob("*.py")} - {"__init__", "__main__"}
    assert there <= {room.name for room in rooms}


def test_imports_point_down(rooms):
    layer = {room.name: room.layer for room in rooms}
    imports = PICTURES["imports"](list(layer))
    assert sum(map(len, imports.values())) > 40  # something was read
    for room, used in imports.items():
        assert all(layer[other] > layer[room] for other in used), room


def test_rooms_without_kernels_are_those_that_the_cache_leaves_out(rooms):
    from amontons._kernel_cache import KERNEL_FREE

    compiled = {room.name for room in rooms if room.compiled}
    assert {"algebra", "problem", "solvers", "collision", "dynamics"} <= compiled
    assert not compiled & set(KERNEL_FREE)


@pytest.mark.parametrize("station", STATIONS, ids=name_of)
def test_stations_of_a_contact_exist_and_say_what_they_are(station):
    thing = resolve_name(station.thing)
    assert inspect.isclass(thing)
    assert inspect.getdoc(thing)


@pytest.mark.parametrize("station", [each for each in STATIONS if each.by], ids=name_of)
def test_arrows_are_functions_that_take_what_they_are_said_to_take(station):
    function = resolve_name(station.by)
    annotations = inspect.get_annotations(function)
    taken = " ".join(str(hint) for name, hint in annotations.items() if name != "return")
    for each in station.takes:
        assert re.search(rf"\b{each}\b", taken), f"{station.by} takes no {each}"


def test_arrows_lead_to_the_next_station():
    """What a function returns is the class that its arrow points at, but for writers of files."""
    returned = [each for each in STATIONS if each.by and not each.by.endswith("__call__")]
    assert len(returned) >= 8
    for station in returned:
        hint = str(inspect.get_annotations(resolve_name(station.by))["return"])
        assert re.search(rf"\b{name_of(station)}\b", hint), f"{station.by} returns {hint}"


def test_the_table_of_rooms_is_that_of_the_docstrings(rooms):
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert page == PICTURES["page_with"](PICTURES["room_table"]()), "run docs/make_architecture.py"
    assert all(f"| `{room.name}` | " in page for room in rooms)


def test_the_page_explains_every_station():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name in map(name_of, STATIONS):
        assert f"`{name}`" in page, f"docs/architecture.md does not mention {name}"
