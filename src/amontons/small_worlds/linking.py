"""Functions that join kernels and leave them as they are, so that they give the same bits.

Numba links the code of what a function calls into the function's own, and optimises the whole once
more. Sums may be reordered then, and products contracted otherwise than in the kernel by itself.
Functions made here keep kernels that they link as they are; their own code, which only hands arrays
on, is optimised, as it would count references to each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from llvmlite import binding as llvm
from numba.core.codegen import CPUCodeLibrary

from amontons._jit import routine, serial_kernel

P = ParamSpec("P")
R = TypeVar("R")

PREFIX = "small_"
"""How the names of these functions begin: Numba knows a library by the name of its function."""

_names: set[str] = set()
_optimise = CPUCodeLibrary._optimize_final_module


def _leave_as_linked(library: Any) -> None:
    """Optimise a library, but of those of these functions not the kernels in it.

    LLVM leaves alone what is marked `optnone`. Machine code is made without that mark, or it would
    be slow: it is taken out of the text, as llvmlite has no other way.
    """
    if library.name not in _names:
        _optimise(library)
        return
    for function in library._final_module.functions:
        if not function.is_declaration and _is_kernel(function.name):
            function.add_function_attribute("noinline")
            function.add_function_attribute("optnone")
    _optimise(library)
    text = re.sub(r"\boptnone\b", "", str(library._final_module))
    library._final_module = llvm.parse_assembly(text)


def _is_kernel(name: str) -> bool:
    """Whether a function of this package is none that joins others, by its mangled name."""
    return "8amontons" in name and PREFIX not in name.replace("small_worlds", "")


CPUCodeLibrary._optimize_final_module = _leave_as_linked


def _named(function: Callable[P, R]) -> Callable[P, R]:
    name = function.__qualname__
    assert name.startswith(PREFIX), f"{name} must be called {PREFIX}…"
    _names.add(name)
    return function


def joining(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that calls kernels, and that other such functions call."""
    return routine(_named(function))


def joining_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """The same for one that Python calls; its code is kept on disk."""
    return serial_kernel(_named(function))


def exact_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel whose sums and products are those that are written, in their order, as in Python."""
    compiled: Any = serial_kernel(function)
    compiled.targetoptions["fastmath"] = False
    return compiled  # type: ignore[no-any-return]
