"""What kernels are really made from is in the stamp of their cache: followed name by name."""

import ast
import dis
import importlib
import inspect
import pkgutil
import sys
import types
from functools import cache
from pathlib import Path

import pytest

import amontons
from amontons import _jit, _kernel_cache


def global_names(code):
    """Names that a function's code looks up in its module, as chains: `cones.project` is two."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from global_names(inner)
    chain = []
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            if chain:
                yield tuple(chain)
            chain = [step.argval]
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain.append(step.argval)
        elif step.opname not in ("CACHE", "EXTENDED_ARG", "PRECALL"):
            if chain:
                yield tuple(chain)
            chain = []


@cache
def bindings(module):
    """What binds each name at the top of a module: (module, name) imports, and expressions."""
    found = {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            package = module if is_package(module) else module.rpartition(".")[0]
            source = importlib.util.resolve_name(source, package)
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, []).append((source, alias.name))
    for node in tree.body:
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if getattr(node, "value", None) is not None:
            for name in {
                n.id for t in targets if t for n in ast.walk(t) if isinstance(n, ast.Name)
            }:
                found.setdefault(name, []).append(node.value)
    return found


def is_package(module):
    return hasattr(sys.modules[module], "__path__")


class Scan:
    """Modules of one package that a function is made from: callees, constants and classes."""

    def __init__(self, package="amontons"):
        self.package = package
        self.modules = set()
        self._seen = set()

    def _ours(self, module):
        return module == self.package or str(module).startswith(f"{self.package}.")

    def function(self, function):
        function = inspect.unwrap(getattr(function, "py_func", function))
        if function in self._seen or not self._ours(function.__module__):
            return self
        self._seen.add(function)
        self.modules.add(function.__module__)
        for chain in global_names(function.__code__):
            self.name(function.__module__, *chain)
        for cell in function.__closure__ or ():
            self.value(cell.cell_contents)
        return self

    def name(self, module, name, *attributes):
        """Follow `name.attribute…` as it is written in a module."""
        if (module, name, attributes) in self._seen or name not in vars(sys.modules[module]):
            return
        self._seen.add((module, name, attributes))
        value = vars(sys.modules[module])[name]
        if inspect.ismodule(value):
            if attributes and self._ours(value.__name__):
                self.name(value.__name__, *attributes)
        elif not self.value(value):
            self._constant(module, name)

    def value(self, value):
        """Follow a thing that knows its own module; say whether it is one."""
        if inspect.isclass(value):
            self.modules.update(c.__module__ for c in value.__mro__ if self._ours(c.__module__))
        elif isinstance(value, types.FunctionType | _jit.Kernel) or hasattr(value, "py_func"):
            self.function(value)
        else:
            return False
        return True

    def _constant(self, module, name):
        """A number does not know where it comes from: read the lines that bind it."""
        for binding in bindings(module).get(name, ()):
            if isinstance(binding, tuple):
                if self._ours(binding[0]):
                    self.name(*binding)
                continue
            self.modules.add(module)
            code = compile(ast.Expression(binding), module, "eval")
            for chain in global_names(code):
                self.name(module, *chain)


def outside_the_stamp(function, package=amontons):
    """Modules that a function is made from, and that its stamp would not see change."""
    folder = Path(package.__file__).parent
    stamped = set(_kernel_cache.stamped_sources(room_in(function, package.__name__), folder))
    used = Scan(package.__name__).function(function).modules
    return {name for name in used if Path(sys.modules[name].__file__) not in stamped}


def room_in(function, package):
    """`room_of` for a package of any name."""
    parts = function.__module__.split(".")
    return _kernel_cache._room(tuple(parts[1:-1])) if parts[0] == package else ""


def import_everything(package):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@pytest.mark.slow
def test_every_kernel_is_made_from_sources_in_its_stamp():
    import_everything(amontons)
    functions = {f for f in _jit.compiled_functions if f.__module__.startswith("amontons.")}
    assert len(functions) > 100
    offenders = {
        f"{function.__module__}.{function.__qualname__}": sorted(missed)
        for function in functions
        if (missed := outside_the_stamp(function))
    }
    assert offenders == {}
    rooms = {_kernel_cache.room_of(function) for function in functions}
    assert rooms <= set(_kernel_cache.BELOW)  # a room of its own for each, none "may use all"


def test_scan_sees_constants_callees_and_compiler_settings_of_a_real_kernel():
    from amontons.dynamics.joints.breaking import take_loads

    used = Scan().function(take_loads).modules
    assert used >= {"amontons.dynamics.joints.breaking", "amontons.model.joints.strength"}


PLACES = {
    "algebra/sizes.py": "WIDTH = 3\n",
    "solvers/base.py": "from typing import NamedTuple\nfrom offender.algebra.sizes import WIDTH\n"
    "STEPS = 4 * WIDTH\nclass Table(NamedTuple):\n    x: float\n"
    "def twice(x):\n    return 2 * x\n",
    "problem/fine.py": "from offender.algebra.sizes import WIDTH\nHALF = WIDTH / 2\n"
    "def function(x):\n    return x * HALF\n",
    "problem/callee.py": "from offender.solvers.base import twice\n"
    "def inner(x):\n    return twice(x)\ndef function(x):\n    return [inner(i) for i in x]\n",
    "problem/constant.py": "from offender.solvers.base import STEPS\n"
    "def function(x):\n    return x * STEPS\n",
    "problem/derived.py": "from offender.solvers.base import STEPS as N\nHALF = (N - 1) // 2\n"
    "def function(x):\n    return x * HALF\n",
    "problem/attribute.py": "from offender.solvers import base\nimport offender.algebra.sizes\n"
    "def function(x):\n    return x * base.STEPS + offender.algebra.sizes.WIDTH\n",
    "problem/type.py": "from offender.solvers.base import Table\n"
    "def function(x):\n    return Table(x)\n",
    "problem/closure.py": "from offender.solvers.base import twice\n"
    "def made(call):\n    def function(x):\n        return call(x)\n    return function\n"
    "function = made(twice)\n",
}


@pytest.fixture
def offender(tmp_path, monkeypatch):
    """A package with the rooms of ours, in which some functions look up instead of down."""
    for place, text in PLACES.items():
        path = tmp_path / "offender" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (path.parent / "__init__.py").touch()
    (tmp_path / "offender" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("offender")
    for name in [name for name in sys.modules if name.split(".")[0] == "offender"]:
        del sys.modules[name]
    bindings.cache_clear()


@pytest.mark.parametrize("place", ["callee", "constant", "derived", "attribute", "type", "closure"])
def test_scan_finds_what_a_stamp_would_miss(offender, place):
    function = importlib.import_module(f"offender.problem.{place}").function
    assert outside_the_stamp(function, offender) == {"offender.solvers.base"}


def test_scan_follows_what_is_below_and_lets_it_pass(offender):
    function = importlib.import_module("offender.problem.fine").function
    assert outside_the_stamp(function, offender) == set()
    used = Scan("offender").function(function).modules
    assert used == {"offender.problem.fine", "offender.algebra.sizes"}
