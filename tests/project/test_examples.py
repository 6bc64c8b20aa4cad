"""Every script of `examples/` runs, and what it asserts holds."""

import ast
import runpy

import pytest

from helpers.paths import ROOT

SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_example_runs(script, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()


def test_there_are_examples_and_each_asserts_a_number():
    assert len(SCRIPTS) >= 8
    for script in SCRIPTS:
        tree = ast.parse(script.read_text())
        assert any(isinstance(node, ast.Assert) for node in ast.walk(tree)), script.name
        assert ast.get_docstring(tree), script.name


def test_the_examples_page_names_them_all():
    page = (ROOT / "docs" / "examples.md").read_text()
    for script in SCRIPTS:
        assert f"{script.name}" in page
