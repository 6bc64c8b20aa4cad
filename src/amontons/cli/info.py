"""`amontons info`: what a bug report should say about the machine."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from amontons.cli.output import console, megabytes, print_json
from amontons.cli.settings import Json

LIBRARIES = ("numpy", "scipy", "numba", "h5py")
EXTRAS = ("matplotlib", "clarabel", "cvxopt", "pypardiso", "qdldl", "distributed")


def info(json: Json = False) -> None:
    """Show versions, threads, CPU, the cache of compiled code, and optional packages."""
    facts = gather()
    if json:
        print_json(facts)
        return
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for package, version in facts["versions"].items():
        table.add_row(package, version)
    table.add_row("system", facts["system"])
    table.add_row("CPU", f"{facts['cpu']} ({facts['cores']} cores)")
    table.add_row("threads", f"{facts['threads']} of {facts['max_threads']}")
    table.add_row("threading layer", facts["threading_layer"])
    cache = facts["cache"]
    table.add_row("factorisation", facts["factorisation"])
    table.add_row("compiled code", f"{cache['folder']} ({megabytes(cache['bytes'])})")
    for package, version in facts["extras"].items():
        table.add_row(package, version or "not installed")
    console().print(table)


def gather() -> dict[str, Any]:
    """Everything that `info` reports."""
    import numba

    import amontons
    from amontons._jit import get_threads, max_threads
    from amontons._kernel_cache import cache_root
    from amontons.solvers.interior_point.linear_system.factorisation import sparse_backend

    versions = {"amontons": amontons.__version__, "python": platform.python_version()}
    threads = get_threads()  # starts the threads: before that, their layer is unknown
    return {
        "versions": versions | {name: metadata.version(name) for name in LIBRARIES},
        "system": platform.platform(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "threads": threads,
        "max_threads": max_threads(),
        "threading_layer": numba.threading_layer(),
        "factorisation": sparse_backend().name,
        "cache": {"folder": str(cache_root()), "bytes": folder_size(cache_root())},
        "extras": {name: metadata.version(name) if find_spec(name) else None for name in EXTRAS},
    }


def folder_size(folder: Path) -> int:
    """Bytes in all files below a folder, which need not exist."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _cpu() -> str:
    """The processor's model, if the system reports it, and the target that LLVM compiles for."""
    from llvmlite import binding

    model = platform.processor() or platform.machine()
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        lines = listing.read_text(encoding="utf-8", errors="replace").splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = named[0] if named else model
    return f"{model}, {binding.get_host_cpu_name()}"
