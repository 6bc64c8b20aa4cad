"""Parallel kernels write to arrays by their own names: Numba drops writes that it cannot follow."""

import ast
from pathlib import Path

import pytest

import amontons

PARALLEL = {"kernel", "heavy_kernel", "helper"}  # helpers are inlined into kernels
FILES = sorted(Path(amontons.__file__).parent.rglob("*.py"))


def hidden_writes(tree):
    """Writes like `room.old[k] = …` through a tuple that is not an argument of a kernel.

    Where such a tuple is made in a parallel kernel, Numba takes its arrays for unused and the
    write for dead: the loop then reads memory that nobody wrote.
    """
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        marks = {
            node.id
            for mark in function.decorator_list
            for node in ast.walk(mark)
            if isinstance(node, ast.Name)
        }
        if not marks & PARALLEL:
            continue
        safe = {each.arg for each in function.args.args} if "helper" not in marks else set()
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Attribute)
                and not (isinstance(node.value.value, ast.Name) and node.value.value.id in safe)
            ):
                yield node.lineno


def test_the_rule_sees_a_hidden_write():
    source = """
@kernel
def sweep(state, x):
    for c in prange(3):
        room = Room(np.empty(6))
        room.old[c] = x[c]
        state.x[c] = x[c]

@helper
def relax(room, x):
    room.old[0] = x[0]
"""
    assert list(hidden_writes(ast.parse(source))) == [6, 11]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_write_is_hidden(path):
    assert not list(hidden_writes(ast.parse(path.read_text(encoding="utf-8"))))
