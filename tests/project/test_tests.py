"""Tests mirror the source, and every room has tests in the fast set."""

import ast

import pytest

from helpers.paths import ROOT

TESTS = ROOT / "tests"
ROOMS = {path.parent.name for path in (ROOT / "src" / "amontons").glob("*/__init__.py")}
NO_ROOM = {
    "helpers": "what several tests share",
    "problems": "problems in files",
    "physics": "whole scenes",
    "adversarial": "damaged and hostile files",
    "project": "docs, examples and rules of the source",
    "papers": "the papers' experiments, which are not in the library",
}
UNTESTED = {"testing": "is what the contracts of solvers, joints and shapes are tested with"}


def functions(folder):
    """Test functions of a folder, and whether they are slow."""
    for path in sorted(folder.glob("test_*.py")):
        tree = ast.parse(path.read_text())
        whole = any(is_slow(node) for node in tree.body if isinstance(node, ast.Assign))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node, whole or any(is_slow(mark) for mark in node.decorator_list)


def is_slow(node):
    """Whether an assignment to `pytestmark` or a decorator says `pytest.mark.slow`."""
    if isinstance(node, ast.Assign):
        named = any(getattr(each, "id", "") == "pytestmark" for each in node.targets)
        return named and any(is_slow(each) for each in ast.walk(node.value))
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.slow"


def test_tests_mirror_the_source():
    folders = {path.parent.name for path in TESTS.glob("*/*.py")}
    assert folders <= ROOMS | set(NO_ROOM)
    assert folders | set(UNTESTED) >= ROOMS


@pytest.mark.parametrize("room", sorted({path.parent.name for path in TESTS.glob("*/test_*.py")}))
def test_a_third_of_every_folder_is_in_the_fast_set(room):
    slow = [marked for _, marked in functions(TESTS / room)]
    assert 3 * slow.count(False) >= len(slow)
