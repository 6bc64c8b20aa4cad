"""Every Python block of the README and of the docs runs, page by page, top to bottom."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pytest
import typer

import amontons as am
from amontons.cli.app import app
from helpers.paths import ROOT

DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "learn").glob("*.md"))
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
LONG = {"cell", "dynamics", "extending", "results", "robots", "shapes", "sweeps"}
"""Pages whose blocks take more than two seconds."""

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


OUTPUT = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)


def masked(line: str) -> str:
    """A line without its numbers."""
    return re.sub(r"\s*[-+]?\d[\d.]*(e[-+]?\d+)?", " #", line)


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=pytest.mark.slow if page.stem in LONG else ())
        for page in PAGES
        if blocks(page)
    ],
)
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType(f"page_{page.stem}")  # dataclasses look their module up
    monkeypatch.setitem(sys.modules, module.__name__, module)
    namespace = vars(module)
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), namespace)
    assert "am" in namespace


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorials_run_from_nothing_to_their_pictures(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Python, files and commands, in the order of the page, in an empty folder.

    What a page says is printed must be, but for its numbers: last digits are the machine's.
    """
    make = runpy.run_path(str(DOCS / "make_learn.py"))
    monkeypatch.chdir(tmp_path)
    make["run_page"](page)
    printed = {masked(line) for line in capsys.readouterr().out.splitlines()}
    said = [line for text in OUTPUT.findall(page.read_text()) for line in text.splitlines()]
    assert said
    assert {masked(line) for line in said} <= printed
    shown = make["pictures_of"](page)
    assert shown, "a tutorial has a picture"
    for name in shown:
        assert (DOCS / "learn" / "figures" / name).is_file(), f"run docs/make_learn.py {page.stem}"
        made = tmp_path / name.removeprefix(f"{page.stem}-")
        assert made.stat().st_size > 2000, f"{page.name} shows {name}, which its code does not make"


def test_there_are_pages_with_code() -> None:
    assert sum(bool(blocks(page)) for page in PAGES) >= 5


def test_readme_names_the_test_command_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text()
    commands = [line for line in readme.splitlines() if "-m pytest" in line]
    assert len(commands) == 1
    assert "pip install" in commands[0]
    assert "grep -F -- '-m pytest' README.md" in (ROOT / ".ci" / "run").read_text()


def commands() -> dict[str, typer.core.TyperCommand]:
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def section_of(command: str) -> str:
    """What the page about the command line says under the heading of a command."""
    page = (ROOT / "docs" / "command-line.md").read_text()
    found = re.search(
        rf"^### `amontons {command}`\n(.*?)(?=^##|\Z)", page, re.DOTALL | re.MULTILINE
    )
    assert found, f"docs/command-line.md has no section about {command}"
    return found[1]


@pytest.mark.parametrize("command", commands())
def test_every_command_and_all_its_options_are_on_the_page(command: str) -> None:
    section = section_of(command)
    assert f"amontons {command}" in section  # how it is called
    own = {name for each in commands()[command].params for name in each.opts + each.secondary_opts}
    longs = {name for name in own if name.startswith("--")}
    said = set(re.findall(r"--[a-z][a-z-]*", section))
    assert longs - said - {"--open"} == set(), "options that the page does not mention"
    assert said - longs == set(), "options that there are not"


def test_the_page_has_no_command_that_there_is_not() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text()
    assert set(re.findall(r"^### `amontons ([a-z]+)`", page, re.MULTILINE)) == set(commands())


def test_every_public_name_is_on_the_api_page() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    shown = []
    for kind, name, members in re.findall(
        r"^\.\. auto(\w+):: (\S+)\n(?:   :members:((?:.*\n)(?:      .*\n)*))?", page, re.MULTILINE
    ):
        thing = resolve_name(name)
        shown += [thing]
        if kind == "module":
            listed = [each.strip() for each in members.split(",") if each.strip()]
            shown += [getattr(thing, each) for each in listed or dir(thing)]
    missing = [
        name for name in am.__all__
        if name != "__version__" and not any(getattr(am, name) is each for each in shown)
    ]  # fmt: skip
    assert not missing


LINK = re.compile(r"\]\(([^)#:]*\.md)?(#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES + TUTORIALS, ids=lambda p: p.stem)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for name, anchor in LINK.findall(page.read_text()):
        target = page.parent / name if name else page
        assert target.is_file(), f"{page.name} links to {name}"
        if anchor:
            titles = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert anchor[1:] in slugs, f"{page.name} links to {name}{anchor}"


@pytest.mark.parametrize("page", PAGES + TUTORIALS, ids=lambda p: p.stem)
def test_no_formula_is_cut_in_two(page: Path) -> None:
    """A line that begins with + or - is an item of a list, also where it is within a formula."""
    text = re.sub(
        r"^(```|\$\$).*?^\1|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL | re.MULTILINE
    )
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-+*]|\d+\.) )", text):
        assert part.count("$") % 2 == 0, f"{page.name} cuts a formula in two: {part}"


def test_the_gallery_is_up_to_date() -> None:
    make = runpy.run_path(str(ROOT / "docs" / "make_gallery.py"))
    assert make["gallery"]() == (ROOT / "docs" / "gallery.md").read_text(), (
        "run docs/make_gallery.py"
    )


def test_every_page_is_behind_one_of_the_four_doors() -> None:
    front = (ROOT / "docs" / "index.md").read_text()
    doors = re.findall(r"^:caption: (.*)$", front, re.MULTILINE)
    assert doors == ["Learn", "Do", "Understand", "Look up"]
    listed = {name for block in front.split("```{toctree}")[1:] for name in block.split()}
    found = [*DOCS.glob("*.md"), *TUTORIALS, *NOTEBOOKS]
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in found}
    cards = set(re.findall(r"\]\(([\w/-]+)\.(?:md|ipynb)\)", front))
    assert pages - listed == {"index"}
    assert pages - cards == {"index"}


def test_pictures_of_pages_are_there() -> None:
    shown = 0
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text()
        names = re.findall(r"!\[[^]]*\]\(([^):]+)\)|^:img-top: (\S+)$", text, re.MULTILINE)
        names += re.findall(r'(?:src|poster)="([^":]+)"()', text)
        for name in (first or second for first, second in names):
            assert (page.parent / name).is_file(), f"{page.name} shows {name}"
            shown += 1
    assert shown > 50
