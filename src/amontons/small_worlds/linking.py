"""Functions that join kernels and leave them as they are, so that they give the same bits.

Numba links the code of what a function calls into the function's own, and optimises the whole once
more. Sums may be reordered then, and products contracted otherwise than in the kernel by itself.
Functions made here keep what they link as it is; their own code, which only hands arrays on, loses
little by that, and they compile in a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba.core.codegen import CPUCodeLibrary

from amontons._jit import routine, serial_kernel

P = ParamSpec("P")
R = TypeVar("R")

PREFIX = "small_"
"""How the names of these functions begin: Numba knows a library by the name of its function."""

_names: set[str] = set()
_optimise = CPUCodeLibrary._optimize_final_module


def _leave_as_linked(library: Any) -> None:
    if library.name not in _names:
        _optimise(library)


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
