"""Rules of the house: short lists of arguments, files that fit on a few pages.

Lists of exceptions are to shrink: a name that no longer breaks its rule must leave its list.
"""

import ast
from pathlib import Path

import amontons

PACKAGE = Path(amontons.__file__).parent
MOST_ARGUMENTS = 12
MOST_LINES = 400

CONSTRUCTORS = {
    "cli/run.py run",
    "model/world.py add_bodies",
    "problem/problem.py from_bodies",
    "problem/problem.py from_contacts",
}
"""Public calls whose arguments are all named: at most ten of them."""

MANY_ARGUMENTS = {
    "generators/packing.py packing",
}
"""Functions that still have too many arguments."""

LONG_FILES: set[str] = set()
"""Files that are still too long."""


def sources():
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")


def check(found, excepted):
    assert not found - excepted, "too long: split them, or group their arguments"
    assert not excepted - found, "mended: take them off the list of exceptions"


def arguments(function):
    """How many arguments a function has, `self` and `cls` aside."""
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    own = sum(argument.arg in ("self", "cls") for argument in named[:1])
    return len(named) - own + sum(rest is not None for rest in (given.vararg, given.kwarg))


def test_functions_have_few_arguments():
    many = {
        f"{name} {node.name}"
        for name, text in sources()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and arguments(node) > MOST_ARGUMENTS
    }
    assert len(CONSTRUCTORS) <= 10
    check(many, CONSTRUCTORS | MANY_ARGUMENTS)


def test_files_are_short():
    check({name for name, text in sources() if len(text.splitlines()) > MOST_LINES}, LONG_FILES)


def test_arguments_are_counted_well():
    source = "class A:\n    async def f(self, a, /, b, *c, d=1, **e): pass\n"
    (function,) = (
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AsyncFunctionDef)
    )
    assert arguments(function) == 5
