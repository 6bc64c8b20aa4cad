"""Every script of `examples/` runs, and what it asserts holds."""

import ast
import runpy

import pytest

from helpers.paths import ROOT

SCRIPTS = sorted((ROOT / "examples").glob("*.py"))

LIBRARIES = {"learn_cart_pole": "stable_baselines3"}
"""What scripts need that the tests do not install: large packages of the extra `rl`."""


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_example_runs(script, monkeypatch, capsys):
    if script.stem in LIBRARIES:
        library = LIBRARIES[script.stem]
        pytest.importorskip(library, reason=f"{library} is not installed (the extra `rl`)")
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
