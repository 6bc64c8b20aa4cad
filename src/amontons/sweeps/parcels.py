"""Serialised tasks for workers: users' functions are packed with their code.

A task is unpacked within the call that executes it, so that a task that cannot be unpacked,
such as a function of a module that the worker lacks, is an error of that run. In Dask itself it
would kill the worker.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from amontons.errors import InputError
from amontons.sweeps.one_run import Task, carry_out, compile_for
from amontons.sweeps.outcomes import Outcome
from amontons.sweeps.subjects import WorldOf


def packed(task: Task) -> bytes:
    """A task as bytes."""
    import cloudpickle

    own = task.scene.function if isinstance(task.scene, WorldOf) else type(task.scene)
    with _by_value(own), _by_value(task.measure):
        try:
            return bytes(cloudpickle.dumps(task))
        except Exception as reason:  # users' objects may raise anything
            raise InputError(
                f"the scene or the measure cannot be sent to workers: {reason}; a function may use "
                "modules, numbers and other functions, but no open files or locks"
            ) from None


def carry_out_packed(parcel: bytes) -> Outcome:
    """Execute a task in a worker."""
    return carry_out(_unpacked(parcel))


def compile_for_packed(parcel: bytes) -> None:
    """Compile what a task needs, in a worker."""
    compile_for(_unpacked(parcel))


def _unpacked(parcel: bytes) -> Task:
    import cloudpickle

    task: Task = cloudpickle.loads(parcel)
    return task


@contextlib.contextmanager
def _by_value(thing: Any) -> Iterator[None]:
    """A context in which functions of an object's module are packed with their code."""
    import cloudpickle

    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    if module is None or not _is_users(module) or _registered(cloudpickle, module):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _registered(cloudpickle: Any, module: ModuleType) -> bool:
    return module.__name__ in cloudpickle.list_registry_pickle_by_value()


def _is_users(module: ModuleType) -> bool:
    """Whether a module is a script of the user's rather than an installed package."""
    name, file = module.__name__, getattr(module, "__file__", None) or ""
    return name != "__main__" and name.split(".")[0] != "amontons" and "site-packages" not in file
