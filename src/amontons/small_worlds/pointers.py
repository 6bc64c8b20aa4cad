"""Calls of kernels by the addresses of their code.

What a compiled function calls is linked into it and compiled along with it: with every kernel of
the narrow phase that takes minutes. A kernel that is called by its address is compiled by itself,
kept on disk as always, and only where it is needed. Its bits are those that Python gets from it,
for it is the same code. Addresses differ from process to process, so they are arguments.
"""

from __future__ import annotations

from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic


def address_of(kernel: Any, *arguments: Any) -> int:
    """The address of a kernel's code for arguments of these types, compiled where there is none."""
    signature = tuple(numba.typeof(each) for each in arguments)
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
