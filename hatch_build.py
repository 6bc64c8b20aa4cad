"""Build hook: compiled kernels in the wheel, where `AMONTONS_BUILD_KERNELS=1` asks for them.

Off by default, so that editable and ordinary installs stay quick and wheels serve every platform.
With it, the wheel is for the Python, the Numba and the kind of machine that built it; see
`docs/releasing.md` and `src/amontons/_shipped_kernels.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SWITCH = "AMONTONS_BUILD_KERNELS"

SIGN = "import sys, pathlib, amontons._shipped_kernels as s; s.sign(pathlib.Path(sys.argv[1]))"
CHECK = "import amontons._shipped_kernels as s; s.require_baseline()"


class KernelsInTheWheel(BuildHookInterface):  # type: ignore[misc]
    """Fills a kernel cache for the baseline processor, and puts it into the wheel."""

    def dependencies(self) -> list[str]:
        """What has to be installed to compile: all that a run needs."""
        return list(self.metadata.core.dependencies) if self._wanted("standard") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, before the wheel is put together."""
        if not self._wanted(version):
            return
        self._folder = Path(tempfile.mkdtemp(prefix="amontons-kernels-"))
        fill(self._folder, Path(self.root) / "src")
        build_data["force_include"][str(self._folder)] = "amontons/_compiled"
        build_data["pure_python"] = False
        build_data["tag"] = wheel_tag()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Clear up."""
        if self._wanted(version):
            shutil.rmtree(self._folder, ignore_errors=True)

    def _wanted(self, version: str) -> bool:
        return version == "standard" and os.environ.get(SWITCH, "0") not in ("", "0")


def fill(folder: Path, sources: Path) -> None:
    """Compile every kernel for the baseline into `folder`."""
    given = os.environ.get("PYTHONPATH")  # where pip has put what the build needs
    path = os.pathsep.join((str(sources), given) if given else (str(sources),))
    environment = {**os.environ, "PYTHONPATH": path, "AMONTONS_CACHE_DIR": str(folder)}
    environment |= {
        "AMONTONS_BASELINE": "1",
        "AMONTONS_NATIVE": "0",
        "NUMBA_DISABLE_INTEL_SVML": "1",  # a library that other machines need not have
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def python(*arguments: str) -> None:
        command = [sys.executable, *arguments]
        subprocess.run(command, env=environment, check=True, stdout=sys.stderr)

    python("-c", CHECK)
    python("-m", "amontons", "warmup")
    python("-c", SIGN, str(folder))
    for lock in folder.rglob("*.lock"):
        lock.unlink()


def wheel_tag() -> str:
    """Tag of a wheel for this interpreter on this system.

    The wheel holds no shared library, so on Linux no version of the C library matters to it: the
    oldest `manylinux` that indexes take is as true as any other.
    """
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if system.startswith("linux_"):
        system = system.replace("linux_", "manylinux_2_17_", 1)
    return f"{python}-{python}-{system}"
