"""Kill one of several processes at a random moment, again and again, and go on with what is there.

    python benchmarks/ranks_killed.py --times 20

Each time a run of several ranks is started, one of them is killed (SIGKILL), and how long the
others last is measured, and their exit code; then 1, 2, 4 and 8 ranks, threads of this process, go
on from copies of the checkpoint. Their states must be that of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import amontons as am
from amontons.ranks import Communicator, run_in_threads
from amontons.testing.shared_worlds import bed

END, STEP, LIMIT = 0.2, 2e-3, 5.0

RESUMED_ON = (1, 2, 4, 8)


def take_part(folder: Path, place: Path) -> None:
    """Be one of the ranks: begin a run in `folder`, and tell of it in `place`."""
    ranks = am.ranks.here()

    def begun() -> None:
        (place / f"{ranks.rank}.pid").write_text(str(os.getpid()))

    run(ranks, folder, begun)


def run(ranks: Communicator, folder: Path, begun: Callable[[], None] = lambda: None) -> str:
    """Go on with a run in a folder to its end; the state that it ends in."""
    simulation = am.Simulation(
        bed(), step=STEP, solver=am.APGD(tolerance=1e-4, max_iterations=60), ranks=ranks
    )
    checkpoint = folder / "checkpoint.npz"
    if checkpoint.exists():
        simulation.restore(checkpoint)
    begun()

    def on_step(_: object) -> None:
        if ranks.leads and simulation.steps % 5 == 0:
            simulation.save(checkpoint)

    simulation.run(until=END, on_step=on_step)
    return simulation.state.hash()


def started(count: int, folder: Path, place: Path) -> subprocess.Popen[str]:
    """So many ranks that go on in a folder."""
    beside = str(Path(sys.executable).parent)
    launcher = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if launcher is None:
        raise SystemExit("there is no mpiexec: pip install 'amontons[mpi]'")
    place.mkdir(parents=True)
    folder.mkdir(exist_ok=True)
    command = [launcher, "-n", str(count), sys.executable, __file__, "--take-part"]
    return subprocess.Popen(
        [*command, str(folder), str(place)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=os.environ | {"NUMBA_NUM_THREADS": "1"},
    )  # fmt: skip


def waited_for(count: int, place: Path) -> list[Path]:
    """Files of all ranks with their numbers of processes, once they have begun."""
    pids = [place / f"{rank}.pid" for rank in range(count)]
    while not all(each.exists() and each.read_text() for each in pids):
        time.sleep(0.01)
    return pids


def duration(count: int, folder: Path, place: Path) -> float:
    """Seconds from the beginning of a run that nobody disturbs to its end."""
    process = started(count, folder, place)
    waited_for(count, place)
    start = time.perf_counter()
    said, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{count} ranks failed:\n{said}")
    return time.perf_counter() - start


def killed(
    count: int, folder: Path, place: Path, after: float, rank: int
) -> tuple[float, int, bool] | None:
    """Seconds that the others last, their code, and whether they say a word; None: it was over."""
    process = started(count, folder, place)
    pids = waited_for(count, place)
    time.sleep(after)
    if process.poll() is not None:
        return None
    os.kill(int(pids[rank].read_text()), signal.SIGKILL)
    start = time.perf_counter()
    said, _ = process.communicate()
    return time.perf_counter() - start, process.returncode, bool(said.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--take-part", type=Path, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.take_part:
        take_part(*given.take_part)
        return
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "whole").mkdir()
        whole = run_in_threads(1, lambda ranks: run(ranks, home / "whole"))[0]
        lasts = duration(given.ranks, home / "timed", home / "told-timed")
        turn = fine = late = 0
        while turn < given.times:
            folder = home / f"run-{turn}-{late}"
            after, rank = chance.uniform(0.0, 0.9 * lasts), chance.randrange(given.ranks)
            end = killed(given.ranks, folder, home / f"told-{turn}-{late}", after, rank)
            if end is None:
                late += 1
                continue
            seconds, code, word = end
            states = set()
            for count in RESUMED_ON:
                copy = shutil.copytree(folder, home / f"copy-{turn}-{count}")
                states |= set(run_in_threads(count, partial(run, folder=copy)))
            same = states == {whole}
            fine += same and code != 0 and word and seconds < LIMIT
            print(
                f"{turn}: rank {rank} killed after {after:.2f} s of {lasts:.2f}, ended after "
                f"{seconds:.2f} s with code {code}, {'a word' if word else 'NO WORD'}, resumed: "
                f"{'equal' if same else 'NOT EQUAL'}",
                flush=True,
            )
            turn += 1
    print(
        f"{fine} of {given.times} ended and went on as they should; {late} more were over before "
        "a rank could be killed"
    )
    if fine < given.times:
        sys.exit(1)


if __name__ == "__main__":
    main()
