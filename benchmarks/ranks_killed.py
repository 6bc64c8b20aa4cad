"""Kill one of several processes at a random moment, again and again, and go on with what is there.

    python benchmarks/ranks_killed.py --times 20

Each time a run of several ranks is started, one of them is killed (SIGKILL), and how long the
others last is measured, and their exit code; then 1, 2 and 4 ranks go on from copies of the
checkpoint.
Their states must be that of a run that nobody disturbed.
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
from pathlib import Path

END, STEP, LIMIT = 0.2, 2e-3, 5.0


def take_part(folder: Path, place: Path) -> None:
    """Be one of the ranks: go on with a run in `folder`, and tell of it in `place`."""
    import amontons as am
    from amontons.testing.shared_worlds import bed

    ranks = am.ranks.here()
    simulation = am.Simulation(
        bed(), step=STEP, solver=am.APGD(tolerance=1e-4, max_iterations=60), ranks=ranks
    )
    checkpoint = folder / "checkpoint.npz"
    if checkpoint.exists():
        simulation.restore(checkpoint)
    (place / f"{ranks.rank}.pid").write_text(str(os.getpid()))

    def on_step(_: object) -> None:
        if ranks.leads and simulation.steps % 5 == 0:
            simulation.save(checkpoint)

    simulation.run(until=END, on_step=on_step)
    if ranks.leads:
        (place / "hash").write_text(simulation.state.hash())


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
        [*command, str(folder), str(place)], stderr=subprocess.PIPE, text=True,
        env=os.environ | {"NUMBA_NUM_THREADS": "1"},
    )  # fmt: skip


def ended(count: int, folder: Path, place: Path) -> str:
    """The state that so many ranks end in."""
    run = started(count, folder, place)
    _, errors = run.communicate()
    if run.returncode:
        raise SystemExit(f"{count} ranks failed:\n{errors}")
    return (place / "hash").read_text()


def killed(count: int, folder: Path, place: Path, moment: random.Random) -> tuple[float, int, bool]:
    """Seconds that the others last, their code, and whether they say a word."""
    run = started(count, folder, place)
    pids = [place / f"{rank}.pid" for rank in range(count)]
    while not all(each.exists() and each.read_text() for each in pids):
        time.sleep(0.01)
    time.sleep(moment.uniform(0.0, 3.0))
    victim = int(moment.choice(pids).read_text())
    if run.poll() is not None:
        raise SystemExit("the run was over before a rank could be killed: take more steps")
    os.kill(victim, signal.SIGKILL)
    start = time.perf_counter()
    _, errors = run.communicate()
    return time.perf_counter() - start, run.returncode, bool(errors.strip())


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
    moment = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        whole = ended(1, home / "whole", home / "told-whole")
        wrong = 0
        for turn in range(given.times):
            folder = home / f"run-{turn}"
            seconds, code, word = killed(given.ranks, folder, home / f"told-{turn}", moment)
            states = []
            for count in (1, 2, 4):
                copy = shutil.copytree(folder, home / f"copy-{turn}-{count}")
                states.append(ended(count, copy, home / f"told-{turn}-{count}"))
            same = set(states) == {whole}
            fine = same and code != 0 and word and seconds < LIMIT
            wrong += not fine
            print(
                f"{turn}: ended after {seconds:.2f} s with code {code}, "
                f"{'a word' if word else 'NO WORD'}, resumed: {'equal' if same else 'NOT EQUAL'}",
                flush=True,
            )
    print(f"{given.times - wrong} of {given.times} ended and went on as they should")
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
