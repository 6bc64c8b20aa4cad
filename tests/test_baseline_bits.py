"""Machines of the baseline agree in every bit with answers that others have stored."""

import json
import os
import subprocess
import sys

import pytest
from numpy._core import _multiarray_umath as numpy_core

from amontons._processor import baseline
from helpers.baseline_bits import VERSIONS
from helpers.paths import ROOT

STORED = json.loads((ROOT / "tests" / "helpers" / "baseline_bits.json").read_text())
TRIED = os.environ.get("AMONTONS_MACHINES", "").split()
"""Names of other processors, such as haswell and skylake-avx512; each compiles for a minute."""

BEYOND = [name for name in numpy_core.__cpu_dispatch__ if "512" in name or name == "X86_V4"]
SETTINGS = {
    "AMONTONS_BASELINE": "1",  # kernels; and what chooses code by processor beside them:
    "NPY_DISABLE_CPU_FEATURES": " ".join(BEYOND),
    "OPENBLAS_CORETYPE": "Haswell",
}
"""What asks for the same bits on all machines that have AVX2 (docs/start.md)."""

pytestmark = pytest.mark.skipif(
    (common := baseline()) is None or common.name != "x86-64-v3" or bool(common.missing()),
    reason="the baseline is that of PCs with AVX2",
)


def hashes(**more):
    """Hashes by what they are of, from a process with these settings."""
    done = subprocess.run(
        [sys.executable, "-m", "helpers.baseline_bits"],
        env={**os.environ, **SETTINGS, **more},
        cwd=ROOT / "tests",
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["hashes"]


@pytest.mark.slow
@pytest.mark.skipif(
    STORED["versions"] != VERSIONS,
    reason=f"the stored bits are those of {STORED['versions']}: other versions may round otherwise",
)
@pytest.mark.parametrize("machine", ["this one", *TRIED])
def test_bits_are_those_that_another_machine_stored(machine, tmp_path):
    other = {"NUMBA_CPU_NAME": machine, "AMONTONS_CACHE_DIR": str(tmp_path)}
    assert hashes(**{} if machine == "this one" else other) == STORED["hashes"]
