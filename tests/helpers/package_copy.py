"""A copy of the package that a test may change: with a tiny kernel of its own, and a cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import amontons as am

PACKAGE = Path(am.__file__).parent

HELPER = """
from amontons._jit import helper

@helper
def factor(x):
    return {factor} * x
"""

KERNEL = """
from amontons._jit import kernel, prange
from amontons.tiny_helper import factor

@kernel
def scaled_sum(x, out):
    for i in prange(x.size):
        out[i] = factor(x[i])
    return out[0] + out[x.size - 1]
"""

SCRIPT = """
import sys
import numpy as np
from amontons import _jit, _kernel_cache
from amontons.tiny_kernel import scaled_sum

form = sys.argv[1] if len(sys.argv) > 1 else "serial"
x, out = np.ones(3), np.zeros(3)
answer = getattr(scaled_sum, form)(x, out)
print(answer, len(_jit.announcer.compiled))
"""


class PackageCopy:
    """A copy of the package with a tiny kernel of its own, and a cache of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.package = folder / "site" / "amontons"
        self.cache = folder / "cache"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (self.package / "tiny_kernel.py").write_text(KERNEL)
        self.set_factor(2)
        (folder / "script.py").write_text(SCRIPT)

    def set_factor(self, factor):
        (self.package / "tiny_helper.py").write_text(HELPER.format(factor=float(factor)))

    def run(self, *arguments, cache=None, **settings):
        """Answer of the kernel, how many functions were compiled, and standard error."""
        environment = {
            **os.environ,
            **settings,
            "PYTHONPATH": str(self.folder / "site"),
            "AMONTONS_CACHE_DIR": str(self.cache if cache is None else cache),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", str(self.folder / "script.py"), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        answer, compiled = done.stdout.split()
        return float(answer), int(compiled), done.stderr
