"""Parallel kernels in a forked process: they run in one thread, instead of ending the process.

GNU OpenMP does not survive `fork`: Numba ends a child that enters a parallel region of a parent
that had threads, and a `multiprocessing.Pool` then starts another child, for ever. So all parallel
loops are entered through a few instructions that call the loop's body themselves in such a child.
The work is cut into the same pieces as in the parent: results are the same bit for bit.

All that is private to Numba is used here alone, as in :mod:`amontons._numba_cache`.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from numba.np.ufunc import parallel

UNSAFE_LAYERS = ("omp",)
"""Numba's threading layers that a fork breaks; the others start their threads anew."""

ENTRY = "numba_parallel_for"
"""What compiled code calls to run a parallel loop (numba/np/ufunc/parallel.py)."""

FLAG, FUNCTION = "amontons_forked", "amontons_parallel_for"


def _code_of_gate(pool: int) -> str:
    """In C: `if (forked) body(args, shape, steps, data); else pool(body, args, ..., threads);`."""
    word = ir.IntType(8 * ctypes.sizeof(ctypes.c_void_p))
    anything, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    body_type = ir.FunctionType(ir.VoidType(), [anything] * 4)
    pool_type = ir.FunctionType(ir.VoidType(), [anything] * 5 + [word] * 3)
    module = ir.Module("amontons_forks")
    module.triple = llvm.get_process_triple()
    forked = ir.GlobalVariable(module, flag, FLAG)
    forked.initializer = flag(0)
    gate = ir.Function(module, pool_type, FUNCTION)
    build = ir.IRBuilder(gate.append_basic_block())
    alone = build.icmp_signed("!=", build.load(forked), flag(0))
    with build.if_else(alone) as (serial, usual):
        with serial:
            body = build.bitcast(gate.args[0], body_type.as_pointer())
            build.call(body, gate.args[1:5])
        with usual:
            build.call(build.inttoptr(word(pool), pool_type.as_pointer()), gate.args)
    build.ret_void()
    return str(module)


class _Gate:
    """A few instructions in front of a pool of threads, and the flag that they look at."""

    def __init__(self, pool: int) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        code = llvm.parse_assembly(_code_of_gate(pool))
        self._engine = llvm.create_mcjit_compiler(code, machine)
        self._engine.finalize_object()
        self._forked = ctypes.c_int32.from_address(self._engine.get_global_value_address(FLAG))
        self.address = self._engine.get_function_address(FUNCTION)

    def close(self) -> None:
        """From now on this process runs every loop by itself."""
        self._forked.value = 1


_gates: list[_Gate] = []


def _guard() -> None:
    """Put a gate in front of the pool of threads, once it has been started."""
    if _gates or parallel._threading_layer not in UNSAFE_LAYERS:
        return
    from numba.np.ufunc import omppool  # type: ignore[attr-defined]

    _gates.append(_Gate(omppool.parallel_for))
    llvm.add_symbol(ENTRY, _gates[0].address)


def _in_child() -> None:
    for gate in _gates:
        gate.close()


def survive_forks() -> None:
    """Guard the threads of this process whenever Numba starts them; call it once."""
    usual: Any = parallel._launch_threads

    def launch() -> None:
        usual()
        _guard()

    parallel._launch_threads = launch
    if parallel._is_initialized:  # somebody else's kernels came first
        _guard()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_in_child)
