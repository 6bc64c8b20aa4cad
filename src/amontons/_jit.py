"""The one place where Numba is configured: kernels, helpers and their threads.

Every kernel exists in a serial and a parallel form made from the same Python function. Which one
runs depends on the size of the work alone, never on the number of threads, and reductions are
summed over chunks of fixed size: results are the same bit for bit on any number of threads.
Compiled code is kept by :mod:`amontons._numba_cache`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Generic, ParamSpec, TypeVar

# Idle threads of OpenMP would otherwise spin: on a machine that has other work to do, a solve then
# takes many times as long. It must be said before Numba starts its threads.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import event

from amontons._blas import one_blas_thread
from amontons._shipped_kernels import shipped
from amontons.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

logger = logging.getLogger("amontons")

try:
    from amontons._numba_cache import is_kept, keep
except (ImportError, AttributeError) as reason:
    warnings.warn(
        f"compiled code cannot be kept on disk with Numba {numba.__version__} ({reason}): kernels "
        "are compiled anew in each process; install a version that amontons is tested with",
        RuntimeWarning,
        stacklevel=2,
    )

    def keep(dispatcher: Any, form: str = "serial") -> None:
        """Nothing is kept."""

    def is_kept(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
        """Nothing is."""
        return False


try:
    from amontons._forks import survive_forks
except (ImportError, AttributeError) as reason:
    logger.info("forked processes cannot run parallel kernels: %s", reason)
else:
    survive_forks()

# A loop over many arrays is vectorised after a check that those it writes overlap no other. LLVM
# gives up at 8 such pairs; a pass over contacts has some 250 (3 components of a dozen vectors).
llvm.set_option("", "-runtime-memory-check-threshold=512")
if llvm.llvm_version_info[0] >= 15:  # has a second limit, of 128
    llvm.set_option("", "-vectorize-memory-check-threshold=512")

CHUNK = 2016
"""Blocks a reduction sums before it starts a new partial sum; fixed, so sums are repeatable."""

TILE = 504
"""Blocks that a vectorised kernel works on at a time, in buffers that stay in the first cache.

Not 512: rows of 4096 bytes would all fall into the same sets of that cache."""

PARALLEL_ABOVE = 20_000
"""Blocks (contacts) from which a parallel region, 20 to 40 µs to enter, pays for itself."""

prange = numba.prange

# Sums may be reordered (to be vectorised) and products contracted, once, by the compiler: every run
# of a kernel does the same arithmetic. NaN and infinities keep their meaning.
ARITHMETIC = {"reassoc", "contract", "nsz"}
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": ARITHMETIC}


compiled_functions: list[Callable[..., Any]] = []
"""Every function that the decorators below were given, as written."""


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    compiled_functions.append(function)
    with _numba_at_work():
        return numba.njit(**OPTIONS, **options)(function)


@contextlib.contextmanager
def _numba_at_work() -> Iterator[None]:
    """Let NUMBA_DISABLE_JIT=1 hold for others' functions alone.

    Who debugs code of his own with it still wants his simulation to run, and kernels here cannot be
    run as plain Python: they rest on Numba's records and on its arithmetic.
    """
    asked = numba.config.DISABLE_JIT
    numba.config.DISABLE_JIT = 0
    try:
        yield
    finally:
        numba.config.DISABLE_JIT = asked


class Kernel(Generic[P, R]):
    """A compiled function in a serial and a parallel form; :meth:`sized` picks one by the work."""

    registry: list[Kernel[..., Any]] = []  # noqa: RUF012

    def __init__(self, function: Callable[P, R], *, heavy: bool = False) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.name = function.__name__
        self.parallel: Callable[P, R] = _compiled(function, parallel=True)
        keep(self.parallel, form="parallel")
        self.serial: Callable[P, R] = self.parallel
        if not heavy:
            self.serial = _compiled(function)
            keep(self.serial)
        Kernel.registry.append(self)

    def sized(self, blocks: int) -> Callable[P, R]:
        """The form to use for `blocks` contacts: parallel from :data:`PARALLEL_ABOVE` up."""
        return self.parallel if blocks >= PARALLEL_ABOVE else self.serial

    def __repr__(self) -> str:
        return f"<Kernel {self.name}>"


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Compile an entry function, called from Python: serial and parallel, cached."""
    return Kernel(function)


def heavy_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Compile an entry function in its parallel form alone.

    For kernels that take long to compile and spend microseconds on each item, so that entering a
    parallel region never matters.
    """
    return Kernel(function, heavy=True)


def serial_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile an entry function that has no parallel form (set-up, orderings, serial sweeps)."""
    compiled = _compiled(function)
    keep(compiled)
    return compiled  # type: ignore[no-any-return]


def helper(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call.

    It is inlined by Numba itself: a call that takes a named tuple of arrays would otherwise count
    references in the innermost loop, which doubles the cost of a product.
    """
    return _compiled(function, inline="always")  # type: ignore[no-any-return]


def routine(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that kernels call once for many blocks: not inlined, so compiled once."""
    return _compiled(function)  # type: ignore[no-any-return]


def is_compiled(compiled: Any, signature: tuple[Any, ...]) -> bool:
    """Whether a kernel's form for arguments of these types runs at once: compiled, or on disk."""
    return signature in compiled.overloads or is_kept(compiled, signature)


def set_threads(threads: int) -> None:
    """Use this many threads from now on (1 to :func:`max_threads`).

    That holds for parallel kernels and for the BLAS and OpenMP libraries of the process, numpy's
    and scipy's among them. Inside a solve BLAS has one thread, whatever is said here.
    """
    if not 1 <= threads <= max_threads():
        raise InputError(
            f"threads must be between 1 and {max_threads()} on this machine, got {threads}; "
            "start Python with NUMBA_NUM_THREADS set to allow more"
        )
    numba.set_num_threads(threads)
    import scipy.linalg  # noqa: F401  brings a BLAS of its own

    one_blas_thread.limit(threads)


def get_threads() -> int:
    """Threads that parallel kernels use now, and other libraries at most."""
    return int(numba.get_num_threads())


def max_threads() -> int:
    """Most threads that this process can use."""
    return int(numba.config.NUMBA_NUM_THREADS)


if "NUMBA_NUM_THREADS" in os.environ:  # who limits the kernels means all of it
    one_blas_thread.limit(max_threads())


class _Announcer(event.Listener):  # type: ignore[misc]
    """Says on standard error, once per process, that kernels are being compiled."""

    def __init__(self) -> None:
        self.compiled: list[str] = []
        self.seconds = 0.0
        self.quiet = False
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: Any) -> None:
        name = _own_kernel(event)
        if name is None:
            return
        self._depth += 1
        if self._depth > 1:
            return
        self._started = time.perf_counter()
        if not self.compiled and not self.quiet:
            misfit = shipped().misfit
            reason = f" (the kernels of this wheel are {misfit})" if misfit else ""
            print(
                f"amontons: compiling for this machine, once{reason}; later runs start at once "
                "(`amontons warmup` compiles everything ahead)",
                file=sys.stderr,
                flush=True,
            )
        self.compiled.append(name)
        logger.info("compiling %s", name)

    def on_end(self, event: Any) -> None:
        if _own_kernel(event) is None:
            return
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._started


def _own_kernel(compile_event: Any) -> str | None:
    function = getattr(compile_event.data.get("dispatcher"), "py_func", None)
    if function is None or not str(function.__module__).startswith("amontons."):
        return None
    return str(function.__name__)


announcer = _Announcer()
event.register("numba:compile", announcer)

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
"""A flat float64 array."""
