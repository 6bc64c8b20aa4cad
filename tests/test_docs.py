"""Every Python block of the README and of the docs runs, page by page, top to bottom."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.stem)
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType(f"page_{page.stem}")  # dataclasses look their module up
    monkeypatch.setitem(sys.modules, module.__name__, module)
    namespace = vars(module)
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), namespace)
    assert "am" in namespace


def test_there_are_pages_with_code() -> None:
    assert sum(bool(blocks(page)) for page in PAGES) >= 5


def test_readme_names_the_test_command_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text()
    commands = [line for line in readme.splitlines() if "-m pytest" in line]
    assert len(commands) == 1
    assert "pip install" in commands[0]
    assert "grep -F -- '-m pytest' README.md" in (ROOT / ".ci" / "run").read_text()
