"""Rules of the house: few arguments, short files, names used once, private things left alone.

Lists of exceptions are to shrink: a name that no longer breaks its rule must leave its list.
"""

import ast
import re
from collections import Counter
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


OF_TUPLES = {"_asdict", "_fields", "_make", "_replace"}
"""Names of named tuples that are public in spite of their underscores."""

FOREIGN = {
    "_forks.py",
    "_numba_cache.py",
    "small_worlds/linking.py",
    "small_worlds/pointers.py",
    "solvers/interior_point/linear_system/factorisation.py",
}
"""Files that use private names of other packages, whose versions are bounded."""


def private_names(owner):
    """Private attributes and methods of a class: those that its own code assigns or defines."""

    def is_own(node):
        return isinstance(node, ast.Name) and node.id in ("self", "cls")

    for node in ast.walk(owner):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and is_own(node.value):
            yield node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def strangers(tree):
    """Private attributes that code uses of other classes than its own, as written."""
    own = {id(tree): set()}
    for owner in ast.walk(tree):
        if isinstance(owner, ast.ClassDef):
            names = set(private_names(owner))
            own |= {id(node): names for node in ast.walk(owner)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match(r"_[^_]", node.attr):
            of_itself = ast.unparse(node.value) in ("self", "cls", "super()")
            if not (of_itself or node.attr in own.get(id(node), OF_TUPLES) | OF_TUPLES):
                yield ast.unparse(node)


def test_nothing_touches_private_attributes_of_another_class():
    touched = {
        f"{name} {each}"
        for name, text in sources()
        if name not in FOREIGN
        for each in strangers(ast.parse(text))
    }
    assert not touched


def test_strangers_are_told_from_members():
    source = (
        "class A:\n"
        "    def copy(self):\n"
        "        other = A()\n"
        "        other._x = self._x\n"
        "        return other\n"
        "def f(a, t):\n"
        "    return a._x, t._replace(y=1)\n"
    )
    assert list(strangers(ast.parse(source))) == ["a._x"]


def test_private_names_are_not_imported():
    """Modules at the top, such as `_jit`, are private to the package, not to each other."""
    imported = {
        f"{name} {alias.name}"
        for name, text in sources()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module != "amontons"
        for alias in node.names
        if re.match(r"_[^_]", alias.name) and (node.module or "").startswith("amontons.")
    }
    assert not imported


def test_class_names_are_used_once():
    count = Counter(
        node.name
        for _, text in sources()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    )
    assert not {name for name, times in count.items() if times > 1}
