"""Compiled code on disk: stamped with its sources, shared by processes, compiled by one of them.

* Numba keys its on-disk cache by a kernel's own file, so a changed helper in another file would be
  answered with stale machine code. Here the cache is stamped with a hash of *all* sources that the
  kernel's subpackage may import (:func:`source_stamp`) and lives in a folder of that name.
* The code that a process compiles is the code that the next one loads: see
  :func:`_keep_callees_private`.
* Two processes that need a kernel at the same time do not both compile it: the second waits for the
  first, and loads what it wrote. So tests and first runs compile on all cores.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba.core import caching
from numba.core.codegen import CPUCodeLibrary

try:
    import fcntl
except ImportError:  # Windows: every process compiles for itself
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger("amontons")

PACKAGE = Path(__file__).resolve().parent

KERNEL_FREE = (
    "cli", "reproduce", "viewer", "plots", "testing", "generators", "results", "interchange",
    "scenes", "simulation", "model", "checks", "storage",
)  # fmt: skip
"""Subpackages in which nothing is compiled (import-linter sees to it): no part of a stamp."""

BELOW: dict[str, tuple[str, ...]] = {
    "algebra": (),
    "problem": ("algebra",),
    "judge": ("algebra",),
    "solvers": ("algebra", "problem"),
    "model/shapes": ("algebra",),
    "collision": ("algebra", "model/shapes"),
    "dynamics": ("algebra", "model/shapes"),
}
"""Rooms, that is folders, and those that kernels of each may use (import-linter sees to it, too).

A folder of a kernel-free one counts where it is named: kernels read the tables of shapes."""


def source_stamp(room: str = "", package: Path = PACKAGE) -> str:
    """Hash of every source that kernels of subpackage `room` may come from: names their cache.

    Modules at the top of the package always count. A room that :data:`BELOW` does not know may use
    everything.
    """
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        folder = _room(parts[:-1])
        if folder in KERNEL_FREE:
            continue
        if room in BELOW and folder not in ("", room, *BELOW[room]):
            continue
        digest.update("/".join(parts).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _room(folders: tuple[str, ...]) -> str:
    """The room that a path of folders is in; the top of the package is none."""
    inner = "/".join(folders[:2])
    return inner if inner in BELOW else "".join(folders[:1])


def room_of(function: Callable[..., Any]) -> str:
    """Room that a function was written in, or nothing for all else."""
    parts = str(function.__module__).split(".")
    return _room(tuple(parts[1:-1])) if parts[0] == PACKAGE.name else ""


def cache_root() -> Path:
    """Folder of all compiled code: `AMONTONS_CACHE_DIR`, or the user's cache directory."""
    chosen = os.environ.get("AMONTONS_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("amontons", appauthor=False))


@functools.cache
def present_stamp(room: str) -> str:
    """:func:`source_stamp` of the running package, taken once a process."""
    return source_stamp(room)


class _StampedLocator(caching._CacheLocator):  # type: ignore[misc]
    """Places a kernel's cache in `<cache root>/kernels-<source stamp>/<form>`.

    The serial and the parallel form of a kernel are made from one function, which is all that
    Numba's file names tell apart: so each form has a folder of its own.
    """

    form = "serial"

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._line = py_func.__code__.co_firstlineno
        self.stamp = present_stamp(room_of(py_func))
        self._path = str(cache_root() / f"kernels-{self.stamp}" / self.form)

    def get_cache_path(self) -> str:
        return self._path

    def get_source_stamp(self) -> str:
        return self.stamp

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _StampedLocator | None:
        locator = cls(py_func)
        try:
            locator.ensure_cache_path()
        except OSError as reason:
            logger.info("no kernel cache: %s; kernels are compiled anew in each process", reason)
            return None
        return locator


class _StampedCacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_StampedLocator]  # noqa: RUF012  (Numba's own way to say it)


class _FileOfEachSignature(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Compiled code in one file a signature, named by the signature's hash: there is no index.

    Numba numbers its files and keeps an index of them; two processes that compile at once would
    give one number to two signatures. A file here is complete or absent, and holds its own key.
    """

    def save(self, key: Any, data: Any) -> None:
        self._save_data(self._file_of(key), (key, data))

    def load(self, key: Any) -> Any:
        try:
            found, data = self._load_data(self._file_of(key))
        except OSError:
            return None
        return data if found == key else None

    def _file_of(self, key: Any) -> str:
        digest = hashlib.sha256(repr((self._version, key)).encode()).hexdigest()[:16]
        return str(self._index_name).removesuffix(".nbi") + f".{digest}.nbc"


class _StampedCache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _StampedCacheImpl

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = _FileOfEachSignature(self._cache_path, base, stamp)
        self._lock_path = Path(self._cache_path) / f"{base}.lock"
        self._claim: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is not None or not self._enabled:
            return found
        self._take_claim()
        found = super().load_overload(sig, target_context)  # written while we waited?
        if found is not None:
            self._drop_claim()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        finally:
            self._drop_claim()

    def _take_claim(self) -> None:
        """Wait until no other process compiles this function; the system frees a dead one's claim.

        A claim outlives a compilation that fails, until the next one or the end of the process.
        """
        self._drop_claim()
        if fcntl is None:
            return
        try:
            self._claim = os.open(self._lock_path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC)
            fcntl.flock(self._claim, fcntl.LOCK_EX)
        except OSError as reason:  # a file system without locks: compile twice, then
            logger.info("no lock for %s: %s", self._lock_path, reason)
            self._drop_claim()

    def _drop_claim(self) -> None:
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None


class _ParallelLocator(_StampedLocator):
    form = "parallel"


class _ParallelCacheImpl(_StampedCacheImpl):
    _locator_classes = [_ParallelLocator]  # noqa: RUF012


class _ParallelCache(_StampedCache):
    _impl_class = _ParallelCacheImpl


LOOP_BODY = "__numba_parfor_gufunc"
"""In the names that Numba gives to bodies of parallel loops."""


def _keep_callees_private() -> None:
    """Let every kernel call its own copies of the functions that it calls.

    Numba links a copy of each callee into a kernel as a weak symbol. The process that compiles has
    the callee by itself too, and the linker takes that one; a process that loads the kernel from
    disk has only the copy, which was optimised once more, so that its sums may round otherwise:
    results would depend on who compiled. Only functions of this package and the bodies of its
    parallel loops, which Numba compiles as functions of their own, are touched.
    """
    usual = CPUCodeLibrary._finalize_final_module

    def finalize(library: Any) -> None:
        for function in library._final_module.functions:
            weak = function.linkage == llvm.Linkage.linkonce_odr and not function.is_declaration
            ours = function.name.startswith("_ZN8amontons") or LOOP_BODY in function.name
            if weak and ours:
                function.linkage = "internal"
        usual(library)

    CPUCodeLibrary._finalize_final_module = finalize


_keep_callees_private()


def keep(dispatcher: Any, form: str = "serial") -> None:
    """Give a compiled function its place on disk, where there is one."""
    cache = _ParallelCache if form == "parallel" else _StampedCache
    # Numba raises RuntimeError where no locator can write: then there is no cache, and that is fine
    try:
        dispatcher._cache = cache(dispatcher.py_func)
    except RuntimeError:
        return


def prune_cache() -> int:
    """Delete compiled code of other versions of the sources; return how many folders went."""
    root = cache_root()
    present = {f"kernels-{present_stamp(room)}" for room in ("", *BELOW)}
    stale = [p for p in root.glob("kernels-*") if p.name not in present]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return len(stale)
