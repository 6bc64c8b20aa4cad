"""Rules that every compiled function keeps, read from the source."""

import ast
from pathlib import Path

import pytest

import amontons

COMPILED = {"kernel", "heavy_kernel", "serial_kernel", "helper", "routine"}
FILES = sorted(Path(amontons.__file__).parent.rglob("*.py"))


def names(node):
    """The names that an expression reads or writes."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def compiled_functions(tree):
    """The functions of a module that Numba compiles."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and COMPILED & set().union(
            *map(names, node.decorator_list)
        ):
            yield node


def changed_in(loop):
    """The names that change from turn to turn of a loop."""
    changed = names(loop.target)
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if not isinstance(target, ast.Subscript):
                    changed |= names(target)
    return changed


def sums_in_memory(node, loop=None):
    """Lines that add to one and the same array element in every turn of a loop.

    The compiler may only keep such a sum in a register, and reorder it, where it knows that the
    element does not overlap with what is read. It checks that while running, by the addresses, so
    the rounding would depend on where the arrays happen to be. Counts of whole numbers are exact.
    """
    if isinstance(node, ast.For):
        loop = node
    if (
        loop is not None
        and isinstance(node, ast.AugAssign)
        and isinstance(node.target, ast.Subscript)
        and not isinstance(node.value, ast.Constant)
        and not names(node.target.slice) & changed_in(loop)
    ):
        yield node.lineno
    for child in ast.iter_child_nodes(node):
        yield from sums_in_memory(child, loop)


def test_the_rule_sees_a_sum_in_memory():
    source = """
@kernel
def f(x, out):
    for i in range(3):
        for j in range(3):
            out[i] += x[i, j]
        out[i] += 2.0 * x[i, i]
"""
    (function,) = compiled_functions(ast.parse(source))
    assert list(sums_in_memory(function)) == [6]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sums_are_kept_in_scalars(path):
    for function in compiled_functions(ast.parse(path.read_text(encoding="utf-8"))):
        assert not list(sums_in_memory(function)), f"{function.name} in {path.name}"


def test_the_rule_is_applied():
    kinds = [len(list(compiled_functions(ast.parse(path.read_text())))) for path in FILES]
    assert sum(kinds) > 300
