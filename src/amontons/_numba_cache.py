"""Compiled code on disk, in the folders of :mod:`amontons._kernel_cache`: subclasses of Numba's.

* The code that a process compiles is the code that the next one loads: see
  :func:`_keep_callees_private`.
* Two processes that need a kernel at the same time do not both compile it: the second waits for the
  first, and loads what it wrote (:mod:`amontons._claims`). So first runs compile on all cores.
* It is compiled for the processor that :mod:`amontons._processor` chooses.
* Kernels that came with the wheel are loaded from there (:mod:`amontons._shipped_kernels`).
* A file that was damaged is never run: each carries a checksum, and a kernel whose file fails in
  any way is compiled again. Where nothing can be written, as on a full disk, nothing is kept.

All that is private to Numba is used here alone. Where a version of Numba lacks some of it, this
module fails to import, and :mod:`amontons._jit` warns and keeps no code on disk.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba import types
from numba.core import caching, event
from numba.core.codegen import CPUCodeLibrary

from amontons._claims import Claim
from amontons._kernel_cache import cache_root, mark_used, present_stamp, room_of
from amontons._processor import FOLDER, Processor, chosen, compiled_for, own
from amontons._shipped_kernels import shipped

logger = logging.getLogger("amontons")


class _StampedLocator(caching._CacheLocator):  # type: ignore[misc]
    """Places a kernel's cache in `<cache root>/kernels-<source stamp>/<form>`.

    The serial and the parallel form of a kernel are made from one function, which is all that
    Numba's file names tell apart: so each form has a folder of its own.
    """

    form = "serial"

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._line = py_func.__code__.co_firstlineno
        self.stamp = present_stamp(room_of(py_func))
        place = Path(f"kernels-{self.stamp}", self.form)
        self._path = str(cache_root() / place)
        self.shipped = FOLDER / place

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
            return locator if shipped().usable else None
        mark_used(Path(locator.get_cache_path()).parent)
        return locator


class _StampedCacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_StampedLocator]  # noqa: RUF012  (Numba's own way to say it)


SEAL = b"amontons kernel\n"
"""First bytes of a file of compiled code; the SHA-256 of all that follows it comes next."""


class _FileOfEachSignature(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Compiled code in one file per signature, named by the signature's hash: there is no index.

    Numba numbers its files and keeps an index of them; two processes that compile at once would
    give one number to two signatures. A file here is complete or absent, and holds its own key.
    """

    def save(self, key: Any, data: Any) -> None:
        content = self._dump((key, data))
        with self._open_for_write(str(self._file_of(key))) as file:
            file.write(SEAL + hashlib.sha256(content).digest() + content)

    def load(self, key: Any) -> Any:
        return self.read(self._file_of(key), key)

    def load_shipped(self, folder: Path, key: Any) -> Any:
        """The same from a folder of the package."""
        return self.read(folder / self._file_of(key).name, key)

    @staticmethod
    def read(path: Path, key: Any) -> Any:
        """What a file holds under `key`; None where there is no such file."""
        if not path.is_file():
            return None
        sealed = path.read_bytes()
        start = len(SEAL) + hashlib.sha256().digest_size
        seal, content = sealed[:start], memoryview(sealed)[start:]
        if seal != SEAL + hashlib.sha256(content).digest():
            raise ValueError(f"{path} is damaged")
        found, data = pickle.loads(content)  # what this package wrote, bit for bit
        return data if found == key else None

    def _file_of(self, key: Any) -> Path:
        digest = hashlib.sha256(repr((self._version, key)).encode()).hexdigest()[:16]
        name = str(self._index_name).removesuffix(".nbi") + f".{digest}.nbc"
        return Path(self._cache_path) / name


class _StampedCache(caching.FunctionCache):  # type: ignore[misc]
    """One function's compiled code on disk, compiled by one process at a time."""

    _impl_class = _StampedCacheImpl

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = _FileOfEachSignature(self._cache_path, base, stamp)
        self.claim = Claim(Path(self._cache_path) / f"{base}.lock", py_func.__name__)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Numba's key for our processor, and the fields of the named tuples among the arguments.

        Their classes may come from any room, and Numba's key holds no more than their names.
        """
        return self._key_for(chosen(), sig, codegen)

    def _key_for(self, processor: Processor, sig: Any, codegen: Any) -> Any:
        signature, _, *rest = super()._index_key(sig, codegen)
        arguments = getattr(sig, "args", sig)
        return (signature, processor, *rest, tuple(_fields(kind) for kind in arguments))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load_shipped(sig, target_context)
        if found is None:
            found = super().load_overload(sig, target_context)
        if found is not None or not self._enabled:
            return found
        self.claim.take()
        found = super().load_overload(sig, target_context)  # written while we waited?
        if found is not None:
            self.claim.drop()
        return found

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Whether sound code for a signature is on disk, so that nobody would have to compile."""
        if self._load_shipped(sig, target_context) is not None:
            return True
        with self._guard_against_spurious_io_errors():
            key = self._index_key(sig, target_context.codegen())
            return self._cache_file.load(key) is not None
        return False

    def _load_shipped(self, sig: Any, target_context: Any) -> Any:
        """Code of the wheel, for the processor that it was made for."""
        made_for = shipped().made_for
        if not shipped().usable or made_for is None or not self._enabled:
            return None
        with self._guard_against_spurious_io_errors():
            target_context.refresh()
            key = self._key_for(made_for.target, sig, target_context.codegen())
            data = self._cache_file.load_shipped(self._impl.locator.shipped, key)
            return None if data is None else self._impl.rebuild(target_context, data)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._save_overload(sig, data)
        except Exception as reason:  # a full disk, a folder that went away
            _say_once(f"compiled code cannot be kept ({reason}): it is compiled anew next time")
        finally:
            self.claim.drop()

    @contextlib.contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        """Numba loads code inside of this: a file that fails in any way is as good as none."""
        try:
            yield
        except Exception as reason:
            logger.info("compiling %s anew: %s", self._name, reason)


@functools.cache
def _say_once(text: str) -> None:
    logger.warning("amontons: %s", text)


class _ClaimsOfFailures(event.Listener):  # type: ignore[misc]
    """Drops the claim of a compilation that failed or was interrupted: nothing will be saved."""

    def on_start(self, event: Any) -> None:
        """A claim has been taken already."""

    def on_end(self, event: Any) -> None:
        cache = getattr(event.data.get("dispatcher"), "_cache", None)
        failed = event._exc_details is not None  # Numba's own `is_failed` says the opposite
        if failed and isinstance(cache, _StampedCache):
            cache.claim.drop()


event.register("numba:compile", _ClaimsOfFailures())


def _fields(kind: Any) -> Any:
    """Names of the fields of a type that is a named tuple, and those of its members."""
    if not isinstance(kind, types.BaseTuple):
        return ()
    return getattr(kind, "fields", ()), tuple(_fields(member) for member in kind)


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
            linked = function.linkage == llvm.Linkage.linkonce_odr or (
                # the wrapper of a loop's body; in its own library, which is not kept, it must stay
                function.linkage == llvm.Linkage.weak_odr and library._object_caching_enabled
            )
            weak = linked and not function.is_declaration
            ours = function.name.startswith("_ZN8amontons") or LOOP_BODY in function.name
            if weak and ours:
                function.linkage = "internal"
        usual(library)

    CPUCodeLibrary._finalize_final_module = finalize


_keep_callees_private()


class _OurCompilations(event.Listener):  # type: ignore[misc]
    """Knows whether a function of this package is being compiled, under Numba's one lock."""

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: Any) -> None:
        self.depth += _is_ours(event)

    def on_end(self, event: Any) -> None:
        self.depth -= _is_ours(event)


def _is_ours(compilation: Any) -> bool:
    function = getattr(compilation.data.get("dispatcher"), "py_func", None)
    return str(getattr(function, "__module__", "")).startswith("amontons.")


def _compile_for_chosen_processor() -> None:
    """Let all that goes into our kernels be optimised and compiled for one processor.

    LLVM takes a function's own attributes before those of the machine that Numba set it up for.
    Before functions are optimised they are linked with what they call, so that all agree, and calls
    can be inlined.
    """
    ours = _OurCompilations()
    event.register("numba:compile", ours)
    usual = CPUCodeLibrary._optimize_final_module

    def optimise(library: Any) -> None:
        if ours.depth and chosen() != own():
            library._final_module = compiled_for(library._final_module, chosen())
        usual(library)

    CPUCodeLibrary._optimize_final_module = optimise


_compile_for_chosen_processor()


def is_kept(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
    """Whether the code of a function for arguments of these types can be loaded from disk."""
    cache = dispatcher._cache
    return isinstance(cache, _StampedCache) and cache.holds(signature, dispatcher.targetctx)


def keep(dispatcher: Any, form: str = "serial") -> None:
    """Give a compiled function its place on disk, where there is one."""
    cache = _ParallelCache if form == "parallel" else _StampedCache
    # Numba raises RuntimeError where no locator can write: then there is no cache, and that is fine
    try:
        dispatcher._cache = cache(dispatcher.py_func)
    except RuntimeError:
        return
