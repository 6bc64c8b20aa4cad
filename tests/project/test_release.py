"""What a release needs: one version everywhere, and records that can be found."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import amontons

ROOT = next(up for up in Path(__file__).resolve().parents if (up / "pyproject.toml").is_file())


def test_the_version_is_the_same_everywhere():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert amontons.__version__ == stated
    latest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest
    assert latest[1] == stated


def test_decision_records_are_numbered_listed_and_complete():
    folder = ROOT / "docs" / "decisions"
    records = sorted(folder.glob("[0-9]*.md"))
    index = (folder / "index.md").read_text()
    assert [int(each.name[:4]) for each in records] == list(range(1, len(records) + 1))
    assert len(records) >= 12
    for record in records:
        text = record.read_text()
        titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert titles == ["Context", "Decision", "Consequences", "Alternatives"], record.name
        assert f"]({record.name})" in index
        assert f"\n{record.stem}\n" in index  # the table of contents


def test_records_and_contributing_link_to_what_is_there():
    pages = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / "decisions").glob("*.md")]
    links = 0
    for page in pages:
        for name in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / name).exists(), f"{page.name} links to {name}"
            links += 1
    assert links > 30
