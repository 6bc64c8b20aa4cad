"""Notebooks of the documentation run, and show what is stored in them."""

import ast
import json
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from types import ModuleType

import pytest

from helpers.paths import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def code_cells(path):
    """Code of each cell, and what is stored below it."""
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"]), cell["outputs"]


def run_cell(code, session):
    """What a cell prints, and the value of its last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), session)
        value = last and eval(compile(ast.Expression(last.value), "<cell>", "eval"), session)
    return printed.getvalue(), value


def masked(text):
    """Text without its numbers: last digits are the machine's."""
    return re.sub(r"\s*[-+]?\d[\d.]*(e[-+]?\d+)?", " #", text)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_shows_what_is_stored(path, monkeypatch, tmp_path):
    """Run docs/make_notebooks.py where it does not."""
    monkeypatch.chdir(tmp_path)
    module = ModuleType("notebook")
    monkeypatch.setitem(sys.modules, "notebook", module)
    for code, stored in code_cells(path):
        printed, value = run_cell(code, vars(module))
        said = "".join("".join(out["text"]) for out in stored if out["output_type"] == "stream")
        assert masked(printed) == masked(said), code
        results = [out["data"] for out in stored if out["output_type"] == "execute_result"]
        if results and "image/png" in results[0]:
            assert any(hasattr(value, way) for way in ("_repr_png_", "_repr_mimebundle_")), code


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_has_run_and_no_cell_failed(path):
    notebook = json.loads(path.read_text())
    runs = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert runs == list(range(1, len(runs) + 1)), "from top to bottom, in a new kernel"
    outputs = [out for _, stored in code_cells(path) for out in stored]
    assert {out["output_type"] for out in outputs} <= {"stream", "display_data", "execute_result"}
    assert not any(out.get("name") == "stderr" for out in outputs)
    assert any("image/png" in out.get("data", {}) for out in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_links_lead_somewhere(path):
    text = "".join(
        "".join(cell["source"]) + "\n"
        for cell in json.loads(path.read_text())["cells"]
        if cell["cell_type"] == "markdown"
    )
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)|<([\w-]+\.ipynb)>", text)
    assert links
    for page, download in links:
        assert (path.parent / (page or download)).is_file(), page or download
