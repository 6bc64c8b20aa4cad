"""Compiled code that comes with a wheel: for one baseline processor, one Numba and one Python.

A wheel that was built with `AMONTONS_BUILD_KERNELS=1` (see `hatch_build.py`) holds a filled kernel
cache, and a record of what it was made for. Where the record matches and the processor has all that
it names, kernels are loaded from there: a first run starts at once. Elsewhere kernels are compiled.
"""

from __future__ import annotations

import functools
import json
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba

from amontons._processor import FOLDER, Processor, baseline, chosen, native

RECORD = "made-for.json"


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
        python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
        target = chosen()
        return cls(numba.__version__, python, target.triple, target.name, target.features)

    @property
    def target(self) -> Processor:
        """The part of a kernel's key that says what processor it is for."""
        return Processor(self.triple, self.processor, self.features)

    def misfit(self, here: MadeFor) -> str | None:
        """Why a process that compiles for `here` must not load it."""
        for name, made, found in (
            ("Numba", self.numba, here.numba),
            ("Python", self.python, here.python),
            ("a system", self.triple, here.triple),
        ):
            if made != found:
                return f"made for {name} {made}, and this is {found}"
        missing = self.target.missing()
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
    if native():
        return Shipped(made_for, "not wanted (AMONTONS_NATIVE is set)")
    return Shipped(made_for, made_for.misfit(MadeFor.here()))


def require_baseline() -> None:
    """Raise RuntimeError where kernels that can be shipped cannot be compiled."""
    common = baseline()
    if common is None:
        raise RuntimeError(f"no baseline is known for a {platform.machine()}: ship no kernels")
    if common.missing():
        raise RuntimeError(
            f"kernels for {common.name} must be built on such a processor; this one lacks "
            f"{', '.join(common.missing())}"
        )


def sign(folder: Path) -> None:
    """Write down what this process compiles for, beside kernels that it has compiled."""
    text = json.dumps(asdict(MadeFor.here()), indent=2) + "\n"
    (folder / RECORD).write_text(text, encoding="utf-8")
