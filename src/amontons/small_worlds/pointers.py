"""Calls of kernels by the addresses of their code.

What a compiled function calls is linked into it and compiled along with it: with every kernel of
the narrow phase that takes minutes. A kernel that is called by its address is compiled by itself,
kept on disk as always, and only where it is needed. Its bits are those that Python gets from it,
for it is the same code. Addresses differ from process to process, so they are arguments.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from amontons._jit import is_compiled, serial_kernel


class NotCompiledError(Exception):
    """Code of a kernel is neither here nor on disk, and nobody is to wait for it."""


def address_of(kernel: Any, *arguments: Any, wait: bool = True) -> int:
    """The address of a kernel's code for arguments of these types.

    Where there is none it is compiled, or a `NotCompiledError` is raised if nobody is to `wait`.
    """
    return address_for(kernel, tuple(numba.typeof(each) for each in arguments), wait)


def address_for(kernel: Any, signature: tuple[Any, ...], wait: bool = True) -> int:
    """The same for arguments of types that are given."""
    if not wait and not is_compiled(kernel, signature):
        raise NotCompiledError(kernel.__name__)
    kernel.compile(signature)
    made = kernel.overloads[signature]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def _calling(result: Any) -> Any:
    """What calls the code at an address, with a tuple of arguments; it returns such a `result`."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing: Any, address: Any, arguments: Any) -> Any:
        if not isinstance(arguments, types.BaseTuple):
            raise TypingError("arguments come in a tuple")

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            given_types = tuple(arguments)
            function_type = context.call_conv.get_function_type(result, given_types)
            code = builder.inttoptr(given[0], function_type.as_pointer())
            values = [builder.extract_value(given[1], i) for i in range(len(given_types))]
            status, value = context.call_conv.call_function(
                builder, code, result, given_types, values
            )
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return result(address, arguments), generate

    return call


call_for_nothing = _calling(types.none)
"""Calls a kernel that returns nothing."""

call_for_number = _calling(types.int64)
"""Calls a kernel that returns a whole number."""


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A value of this type, all of whose arrays have no owner."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        for i, member in enumerate(kind):
            inner = _without_owner(context, builder, member, builder.extract_value(value, i))
            value = builder.insert_value(value, inner, i)
    return value


@intrinsic  # type: ignore[untyped-decorator]
def lent(typing: Any, value: Any) -> Any:
    """The same arrays, whose references nobody counts: the caller of all holds them meanwhile.

    Counting took half the time of a small step, and threads would wait for each other's counts.
    """

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _without_owner(context, builder, value, given[0])

    return value(value), generate


# -- arguments that stay in memory ----------------------------------------------------------------


@intrinsic  # type: ignore[untyped-decorator]
def _put(typing: Any, value: Any, address: Any) -> Any:
    """Write a value to an address, if that is not 0; returns its size in bytes."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = context.get_value_type(value)
        with builder.if_then(cgutils.is_not_null(builder, given[1])):
            _store(builder, given[0], builder.inttoptr(given[1], kind.as_pointer()), kind)
        return context.get_constant(types.int64, context.get_abi_sizeof(kind))

    return types.int64(value, address), generate


@serial_kernel
def put_in_memory(value, address):
    """Write a value to an address, if that is not 0; returns its size in bytes."""
    return _put(lent(value), address)


@intrinsic  # type: ignore[untyped-decorator]
def value_in(typing: Any, place: Any) -> Any:
    """The value that a pointer of its type leads to."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = context.get_value_type(place.dtype)
        return _load(builder, builder.bitcast(given[0], kind.as_pointer()), kind)

    return place.dtype(place), generate


def _members(builder: Any, place: Any, kind: Any) -> list[tuple[Any, Any]]:
    """Places and types of the members of what is at a place; none where it has none."""
    found = enumerate(getattr(kind, "elements", ()))
    return [(cgutils.gep_inbounds(builder, place, 0, i), member) for i, member in found]


def _store(builder: Any, value: Any, place: Any, kind: Any) -> None:
    """Store a value member by member: LLVM takes long over large ones at once."""
    members = _members(builder, place, kind)
    for i, (there, member) in enumerate(members):
        _store(builder, builder.extract_value(value, i), there, member)
    if not members:
        builder.store(value, place)


def _load(builder: Any, place: Any, kind: Any) -> Any:
    """The value at a place, loaded likewise."""
    members = _members(builder, place, kind)
    value = cgutils.get_null_value(kind) if members else builder.load(place)
    for i, (there, member) in enumerate(members):
        value = builder.insert_value(value, _load(builder, there, member), i)
    return value


class Held:
    """Arguments of a kernel, in a tuple, which stay in memory for many calls.

    Python hands arrays over one by one: a hundred and fifty take longer than a small step.
    """

    def __init__(self, value: Any) -> None:
        self.kind = types.CPointer(numba.typeof(value))
        self._memory = np.zeros(put_in_memory(value, 0) // 8 + 1)
        self.address = int(self._memory.ctypes.data)
        self.put(value)

    def put(self, value: Any) -> None:
        """Hold other arrays, of the same types; they live as long as they are held."""
        self._value = value
        put_in_memory(value, self.address)


def caller_of(kernel: Any, kind: Any, wait: bool = True) -> Callable[[int, int, int], None]:
    """What calls a kernel with a :class:`Held` value's address and two whole numbers.

    The kernel takes a pointer of this kind and two numbers, and returns a number. Other threads of
    Python run meanwhile.
    """
    whole = types.int64
    address = address_for(kernel, (kind, whole, whole), wait)
    argument = ctypes.c_int64
    pointer = ctypes.c_void_p  # to the result, and to what says what was raised
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, argument, argument, argument)
    function = prototype(address)

    def call(held: int, one: int, other: int) -> None:
        result, raised = argument(), ctypes.c_void_p()
        status = function(ctypes.byref(result), ctypes.byref(raised), held, one, other)
        if status:
            raise MemoryError(f"{kernel.__name__} ended with status {status}")

    return call
