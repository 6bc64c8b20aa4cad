"""A campaign against the kernel cache: a damaged file is never run, and is healed.

Every input is a damage to the files of compiled code; after each, a new dispatcher of the same
kernel must give the right answer and leave sound files. A crash ends the process that counts.
`AMONTONS_CAMPAIGN=n` tries n inputs, each in a process of its own.
"""

import os
import subprocess
import sys

import pytest

INPUTS = int(os.environ.get("AMONTONS_CAMPAIGN", "0"))

KERNEL = """
from amontons._jit import kernel, prange

@kernel
def doubled_sum(x, out):
    for i in prange(x.size):
        out[i] = 2.0 * x[i]
    return out[0] + out[x.size - 1]
"""

CAMPAIGN = """
import random, shutil, sys
from pathlib import Path
import numpy as np
from amontons._jit import Kernel
from kernel_under_attack import doubled_sum

cache, begin, end = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

def answer():
    fresh = Kernel(doubled_sum.__wrapped__)
    found = [form(np.ones(5), np.zeros(5)) for form in (fresh.serial, fresh.parallel)]
    hits = [sum(form.stats.cache_hits.values()) for form in (fresh.serial, fresh.parallel)]
    return found, hits

def damage(path, rng):
    data = bytearray(path.read_bytes())
    kinds = ["flip", "flips", "cut", "splice", "empty", "zeros", "swap", "folder", "long"]
    kind = rng.choice(kinds)
    if kind == "flip":
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "flips":
        for _ in range(50):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == "cut":
        del data[rng.randrange(len(data)):]
    elif kind == "splice":
        at = rng.randrange(len(data))
        data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 99)))
    elif kind == "empty":
        data.clear()
    elif kind == "zeros":
        at = rng.randrange(len(data))
        data[at:at + 4096] = bytes(len(data[at:at + 4096]))
    elif kind == "swap":  # another kernel's file, whole and sealed
        others = [other for other in path.parent.parent.rglob("*.nbc") if other != path]
        data = bytearray(others[0].read_bytes())
    elif kind == "long":
        data += bytes(data)
    path.unlink()
    if kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(data)
    return kind

answer()
right = [4.0, 4.0]
failures = 0
for seed in range(begin, end):
    files = sorted(path for path in cache.rglob("*.nbc") if path.is_file())
    rng = random.Random(seed)
    kind = damage(rng.choice(files), rng)
    try:
        ok = answer()[0] == right
    except Exception as reason:
        ok = False
        print(seed, kind, repr(reason), file=sys.stderr)
    for folder in [path for path in cache.rglob("*.nbc") if path.is_dir()]:
        folder.rmdir()  # nothing can be kept in its place: the one damage that is not healed
    answer()
    failures += not (ok and answer() == (right, [1, 1]))
print(end - begin, failures)
"""


def attack(folder, begin, end):
    """Number of inputs and of failures; a process that dies fails the test."""
    (folder / "kernel_under_attack.py").write_text(KERNEL)
    (folder / "campaign.py").write_text(CAMPAIGN)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    cache = folder / "cache"
    done = subprocess.run(
        [sys.executable, str(folder / "campaign.py"), str(cache), str(begin), str(end)],
        env={**os.environ, "PYTHONPATH": path, "AMONTONS_CACHE_DIR": str(cache)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    inputs, failures = done.stdout.split()
    assert failures == "0", done.stderr
    return int(inputs)


@pytest.mark.slow
def test_damaged_files_are_compiled_anew_and_healed(tmp_path):
    assert attack(tmp_path, 0, 8) == 8


@pytest.mark.skipif(not INPUTS, reason="AMONTONS_CAMPAIGN does not say how many inputs to try")
def test_each_damage_in_a_process_of_its_own(tmp_path):
    assert sum(attack(tmp_path, seed, seed + 1) for seed in range(INPUTS)) == INPUTS


FULL = """
import resource, signal
import numpy as np
from kernel_under_attack import doubled_sum
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # writes fail after 100 bytes
print(doubled_sum.serial(np.ones(5), np.zeros(5)))
"""


@pytest.mark.slow
def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    pytest.importorskip("resource")
    (tmp_path / "kernel_under_attack.py").write_text(KERNEL)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", FULL],
        env={**os.environ, "PYTHONPATH": path, "AMONTONS_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "4.0\n"), done.stderr
    assert done.stderr.count("compiled code cannot be kept") == 1
    assert not list((tmp_path / "cache").rglob("*.nbc*"))
