"""Real processes, started by `mpiexec`."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import amontons as am
from amontons.ranks import run_in_threads
from helpers.shared_beds import bed

LAUNCHER = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        LAUNCHER is None or importlib.util.find_spec("mpi4py") is None,
        reason="needs mpiexec and mpi4py: pip install 'amontons[mpi]'",
    ),
]

SOLVER = am.APGD(tolerance=1e-4, max_iterations=60)

SCRIPT = """
import pathlib, sys
import amontons as am
from helpers.shared_beds import bed

ranks = am.ranks.here()
simulation = am.Simulation(
    bed(), step=2e-3, solver=am.APGD(tolerance=1e-4, max_iterations=60), ranks=ranks
)
def on_step(report):
    if FAILING and ranks.rank == 1:
        raise ValueError("only here")
simulation.run(until=0.0119, on_step=on_step)
told = f"{ranks.rank} {ranks.count} {am.get_threads()} {simulation.state.hash()}"
pathlib.Path(sys.argv[1], f"{ranks.rank}.txt").write_text(told)
"""


def launched(count, *command):
    """A command as so many processes, and what became of it."""
    folder = Path(__file__).parents[1]
    path = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(
        [LAUNCHER, "-n", str(count), *map(str, command)], capture_output=True, text=True,
        timeout=300, check=False,
        env=os.environ | {"PYTHONPATH": path, "NUMBA_NUM_THREADS": "2"},
    )  # fmt: skip


def python(count, folder, failing=False):
    """The script, of which every process leaves a file."""
    script = SCRIPT.replace("FAILING", str(failing))
    return launched(count, sys.executable, "-c", script, folder)


@pytest.mark.parametrize("count", [2, 4])
def test_processes_come_to_the_state_of_threads(one_thread, tmp_path, count):
    done = python(count, tmp_path)
    assert done.returncode == 0, done.stderr
    told = [each.read_text().split() for each in sorted(tmp_path.iterdir())]

    def run(ranks):
        simulation = am.Simulation(bed(), step=2e-3, solver=SOLVER, ranks=ranks)
        simulation.run(until=0.0119)
        return simulation.state.hash()

    state = run_in_threads(1, run)[0]
    # two or more share two cores
    assert told == [[str(rank), str(count), "1", state] for rank in range(count)]


def test_an_exception_in_one_process_ends_all(tmp_path):
    done = python(2, tmp_path, failing=True)
    assert done.returncode != 0
    assert not list(tmp_path.iterdir())
    assert "rank 1 of 2" in done.stderr
    assert "ValueError: only here" in done.stderr


def amontons(count, *words):
    return launched(count, sys.executable, "-m", "amontons", *words)


def test_a_run_is_recorded_once_and_goes_on_with_other_ranks(tmp_path):
    scene = ("packed_bed", "--bodies", 3000, "--set", "spacing=1.01", "--tolerance", 1e-4)
    for name, counts in (("whole", (1,)), ("parts", (2, 3))):
        folder = tmp_path / name
        first = 0.04 if len(counts) == 1 else 0.02
        done = amontons(counts[0], "run", *scene, "--time", first, "--out", folder, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["finished"]  # one account of it, by rank 0
        for count in counts[1:]:
            done = amontons(count, "resume", folder, "--time", 0.04, "--json")
            assert done.returncode == 0, done.stderr
    with am.Results(tmp_path / "whole") as whole, am.Results(tmp_path / "parts") as parts:
        assert whole.steps == parts.steps == 8
        assert whole.readings("contacts")[-1] > 4032  # enough to be divided
        assert np.array_equal(whole[-1].position, parts[-1].position)
        assert np.array_equal(whole[-1].velocity, parts[-1].velocity)


def test_bad_input_is_told_once(tmp_path):
    done = amontons(3, "run", "packed_bed", "--solver", "auto", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert done.stderr.count("processes cannot share Auto") == 1
    assert "--solver apgd" in done.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 8 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as reason:
        pytest.skip(f"no file system can be mounted here: {reason}")
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_ends_all_and_the_run_goes_on_elsewhere(small_disk, tmp_path):
    """Rank 0 alone writes, and the other would wait for it for ever."""
    scene = ("packed_bed", "--bodies", 3000, "--set", "spacing=1.01", "--tolerance", 1e-2)
    run = ("--time", 2.0, "--frames", 200, "--out", small_disk / "run")
    done = amontons(2, "run", *scene, *run)
    assert done.returncode not in (0, None)
    assert "disk is full" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    with am.Results(small_disk / "run") as results:
        frames = results.frames
        assert frames >= 2
        kept = results[frames - 1].position
    shutil.copytree(small_disk / "run", tmp_path / "moved")
    with am.Results(tmp_path / "moved") as results:
        assert np.array_equal(results[frames - 1].position, kept)
