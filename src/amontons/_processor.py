"""The processor that kernels are compiled for: this machine's own, or a baseline for all of them.

Vector instructions split a sum among as many accumulators as they have lanes, so code for one
processor rounds otherwise than code for another. `AMONTONS_BASELINE=1` compiles kernels for a
baseline, with its features and its costs: they are the same instructions on every machine that has
them. So are all kernels of a wheel that brings some along. Functions of other packages are left as
they are.
"""

from __future__ import annotations

import functools
import os
import platform
import re
from dataclasses import dataclass

from llvmlite import binding as llvm

from amontons._kernel_cache import PACKAGE

FOLDER = PACKAGE / "_compiled"
"""Where a wheel has its kernels; a clone has no such folder."""


@dataclass(frozen=True)
class Processor:
    """What code is compiled for, by LLVM's names; part of the key of compiled code."""

    triple: str
    name: str
    features: str

    @property
    def needs(self) -> list[str]:
        """Features that a machine must have to run such code."""
        return [name[1:] for name in self.features.split(",") if name.startswith("+")]

    def missing(self) -> list[str]:
        """What this machine lacks to run such code."""
        has = host_features()
        return [name for name in self.needs if not has.get(name)]


BASELINES = {
    "x86_64": (
        "x86-64-v3",  # Intel since Haswell (2013), AMD since Excavator (2015)
        "+64bit,+avx,+avx2,+bmi,+bmi2,+cmov,+crc32,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,"
        "+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave",
    ),
    "aarch64": ("generic", "+neon"),
}
"""Name and features of the baseline processor of an architecture."""


def baseline() -> Processor | None:
    """The baseline of this architecture, where one is known."""
    machine = platform.machine().lower()
    known = BASELINES.get({"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine))
    return None if known is None else Processor(llvm.get_process_triple(), *known)


def host_features() -> dict[str, bool]:
    """What this processor has, by LLVM's names; nothing where LLVM cannot tell."""
    try:
        return dict(llvm.get_host_cpu_features())
    except RuntimeError:
        return {}


def own() -> Processor:
    """What Numba compiles for by itself: this machine, or what NUMBA_CPU_NAME says."""
    from numba.core.registry import cpu_target

    return Processor(*cpu_target.target_context.codegen().magic_tuple())


def native() -> bool:
    """Whether `AMONTONS_NATIVE=1` asks for this machine's own code, whatever a wheel brings."""
    return _is_set("AMONTONS_NATIVE")


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


@functools.cache
def chosen() -> Processor:
    """What kernels are compiled for in this process; the baseline where this machine has it."""
    common = baseline()
    wanted = not native() and (_is_set("AMONTONS_BASELINE") or FOLDER.is_dir())
    return own() if not wanted or common is None or common.missing() else common


# A function's attributes stand in a numbered group, if it has any.
GROUP = re.compile(r"^(attributes #\d+ = \{)", re.MULTILINE)
BARE = re.compile(r"^(define (?:(?! #\d).)*\)(?: (?:local_)?unnamed_addr)?)((?:(?! #\d)[^)])*\{)$",
                  re.MULTILINE)  # fmt: skip


def compiled_for(module: llvm.ModuleRef, processor: Processor) -> llvm.ModuleRef:
    """The same module, all functions of which are for one processor, whatever compiles them."""
    said = f' "target-cpu"="{processor.name}" "target-features"="{processor.features}"'
    text = BARE.sub(rf"\1{said}\2", str(module))
    made = llvm.parse_assembly(GROUP.sub(rf"\1{said}", text))
    made.name = module.name
    return made
