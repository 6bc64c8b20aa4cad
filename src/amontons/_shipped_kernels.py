"""Compiled code that comes with a wheel: for one baseline processor, one Numba and one Python.

A wheel that was built with `AMONTONS_BUILD_KERNELS=1` (see `hatch_build.py`) holds a kernel cache
that was filled for a baseline processor, and a record of what it was made for. Where the record
matches and the processor has all that the baseline has, kernels are loaded from there: a first run
starts at once, and every such machine runs the same instructions. Elsewhere kernels are compiled.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding as llvm

from amontons._kernel_cache import PACKAGE

FOLDER = PACKAGE / "_compiled"
"""Where a wheel has its kernels; a clone has no such folder."""

RECORD = "made-for.json"

BASELINES = {
    "x86_64": (
        "x86-64-v3",  # Intel since Haswell (2013), AMD since Excavator (2015)
        "+64bit,+avx,+avx2,+bmi,+bmi2,+cmov,+crc32,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,"
        "+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave",
    ),
    "aarch64": ("generic", "+neon"),
}
"""LLVM's name and features of the processor that wheels are compiled for, by architecture."""


@dataclass(frozen=True)
class MadeFor:
    """What compiled code was made for; `triple`, `processor` and `features` are LLVM's."""

    numba: str
    python: str
    triple: str
    processor: str
    features: str

    @classmethod
    def here(cls) -> MadeFor:
        """What this process compiles for."""
        from numba.core.registry import cpu_target

        magic = cpu_target.target_context.codegen().magic_tuple()
        python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
        return cls(numba.__version__, python, *magic)

    @property
    def target(self) -> tuple[str, str, str]:
        """The part of a kernel's key that says what processor it is for."""
        return self.triple, self.processor, self.features

    def misfit(self, here: MadeFor, has: dict[str, bool]) -> str | None:
        """Why a process that compiles for `here`, on a processor that `has`, must not load it."""
        for name, made, found in (
            ("Numba", self.numba, here.numba),
            ("Python", self.python, here.python),
            ("a system", self.triple, here.triple),
        ):
            if made != found:
                return f"made for {name} {made}, and this is {found}"
        needed = [name[1:] for name in self.features.split(",") if name.startswith("+")]
        missing = [name for name in needed if not has.get(name)]
        if missing:
            return f"made for {self.processor}, and this processor lacks {', '.join(missing)}"
        return None


@dataclass(frozen=True)
class Shipped:
    """Kernels that came with the package, and why they cannot be used, where they cannot."""

    made_for: MadeFor | None = None
    misfit: str | None = None

    @property
    def usable(self) -> bool:
        """Whether kernels are loaded from them."""
        return self.made_for is not None and self.misfit is None


@functools.cache
def shipped() -> Shipped:
    """The kernels of this installation, looked at once per process."""
    return look_at(FOLDER)


def look_at(folder: Path) -> Shipped:
    """The kernels in a folder; `AMONTONS_NATIVE=1` asks for code of this processor's own."""
    try:
        fields: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        made_for = MadeFor(**{name: str(fields[name]) for name in MadeFor.__dataclass_fields__})
    except FileNotFoundError:
        return Shipped()
    except (OSError, ValueError, KeyError, TypeError) as reason:
        return Shipped(misfit=f"not described in {folder / RECORD} ({reason})")
    if os.environ.get("AMONTONS_NATIVE", "0") not in ("", "0"):
        return Shipped(made_for, "not wanted (AMONTONS_NATIVE is set)")
    return Shipped(made_for, made_for.misfit(MadeFor.here(), host_features()))


def host_features() -> dict[str, bool]:
    """What this processor has, by LLVM's names; nothing where LLVM cannot tell."""
    try:
        return dict(llvm.get_host_cpu_features())
    except RuntimeError:
        return {}


def baseline_settings() -> dict[str, str]:
    """Environment of a process that compiles for the baseline of this architecture."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    if machine not in BASELINES:
        known = ", ".join(BASELINES)
        raise RuntimeError(f"kernels can be shipped for {known}, and this machine is {machine}")
    processor, features = BASELINES[machine]
    has = host_features()
    missing = [name[1:] for name in features.split(",") if not has.get(name[1:])]
    if missing:
        raise RuntimeError(
            f"kernels for {processor} must be built on such a processor; this one lacks "
            f"{', '.join(missing)}"
        )
    return {
        "NUMBA_CPU_NAME": processor,
        "NUMBA_CPU_FEATURES": features,
        "NUMBA_DISABLE_INTEL_SVML": "1",  # a library that other machines need not have
    }


def sign(folder: Path) -> None:
    """Write down what this process compiles for, beside kernels that it has compiled."""
    text = json.dumps(asdict(MadeFor.here()), indent=2) + "\n"
    (folder / RECORD).write_text(text, encoding="utf-8")
