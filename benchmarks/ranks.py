"""One bed by one process, by one rank and by several under MPI: clock time of a step, in turns.

    python benchmarks/ranks.py                    # 100 000 spheres, 1 and 2 ranks
    python benchmarks/ranks.py --bodies 10000 --ranks 1 2 4 --json ranks.json

All have one thread a process. Every contender takes its step while the others sleep, and the ratio
to the plain process is the median of those of each turn. States are compared by their hashes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAUSE = 0.02
"""Seconds between two looks at whose turn it is."""

ITERATIONS = 100


def contend(name: str, folder: Path, bodies: int) -> None:
    """Be one of the contenders: take a step whenever it is this one's turn."""
    import numpy as np

    import amontons as am
    from amontons.scenes.packed_bed import packed_bed

    ranks = None if name.startswith("plain") else am.ranks.here()
    am.set_threads(1)
    world, rng = packed_bed(spheres=bodies, spacing=1.004), np.random.default_rng(0)
    moving = ~world.bodies.fixed
    world.bodies.velocity[moving] = rng.uniform(-0.3, 0.3, (int(moving.sum()), 3))
    precision = "mixed" if name == "plain" else "double"
    solver = am.APGD(tolerance=1e-6, max_iterations=ITERATIONS, precision=precision)
    simulation = am.Simulation(world, step=2e-3, solver=solver, ranks=ranks)
    speaks = ranks is None or ranks.leads
    turn = 0
    while True:
        wanted = (folder / "turn").read_text() if (folder / "turn").exists() else ""
        if wanted == "end":
            return
        if wanted != f"{name} {turn}":
            time.sleep(PAUSE)
            continue
        traffic = None if ranks is None else ranks.traffic
        before = None if traffic is None else dict(vars(traffic))
        start = time.perf_counter()
        report = simulation.step()
        told = {
            "seconds": time.perf_counter() - start,
            "stages": np.round(report.seconds, 4).tolist(),
            "iterations": report.iterations,
            "contacts": report.contacts,
            "hash": simulation.state.hash(),
        }
        if traffic is not None and before is not None:
            told["traffic"] = {key: value - before[key] for key, value in vars(traffic).items()}
        if speaks:
            (folder / f"{name} {turn}.part").write_text(json.dumps(told))
            (folder / f"{name} {turn}.part").rename(folder / f"{name} {turn}.json")
        turn += 1


def in_turns(bodies: int, ranks: list[int], turns: int) -> dict[str, list[dict[str, object]]]:
    """What each contender tells of its steps, by name, but for the first, which may compile."""
    beside = str(Path(sys.executable).parent)
    launcher = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if launcher is None:
        raise SystemExit("there is no mpiexec: pip install 'amontons[mpi]'")
    commands: dict[str, list[str]] = {"plain": [], "plain-double": []}
    commands |= {f"ranks-{count}": [launcher, "-n", str(count)] for count in ranks}
    told: dict[str, list[dict[str, object]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        here = [sys.executable, __file__, "--folder", place, "--bodies", str(bodies)]
        one_thread = os.environ | {"NUMBA_NUM_THREADS": "1"}
        running = [
            subprocess.Popen([*command, *here, "--contend", name], env=one_thread)
            for name, command in commands.items()
        ]
        try:
            for turn in range(turns + 1):
                for name in commands:
                    (folder / "next").write_text(f"{name} {turn}")
                    (folder / "next").rename(folder / "turn")
                    answer = folder / f"{name} {turn}.json"
                    while not answer.exists():
                        if any(each.poll() for each in running):
                            raise SystemExit(f"a contender has failed in turn {turn} of {name}")
                        time.sleep(PAUSE)
                    if turn:
                        told[name].append(json.loads(answer.read_text()))
        finally:
            (folder / "turn").write_text("end")
            for each in running:
                each.wait(timeout=60)
    return told


def main() -> None:
    import numpy as np

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=100_000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--contend", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contend:
        contend(given.contend, given.folder, given.bodies)
        return
    told = in_turns(given.bodies, given.ranks, given.turns)
    base = np.array([each["seconds"] for each in told["plain-double"]])
    rows = {}
    for name, steps in told.items():
        seconds = np.array([each["seconds"] for each in steps])
        row = {"seconds": float(np.median(seconds)), "speed": float(np.median(base / seconds))}
        row["stages"] = np.median([each["stages"] for each in steps], axis=0).round(3).tolist()
        if "traffic" in steps[0]:
            its = sum(each["iterations"] for each in steps)
            for key in ("exchanges", "reductions"):
                row[key] = sum(each["traffic"][key] for each in steps) / its
            row["waiting"] = sum(each["traffic"]["seconds"] for each in steps) / float(
                seconds.sum()
            )
        row["hash"] = steps[-1]["hash"]
        rows[name] = row
        print(f"{name:13}", {k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()})
    print(
        f"{given.bodies} spheres, {told['plain'][-1]['contacts']} contacts, load {os.getloadavg()}"
    )
    shared = {row["hash"] for name, row in rows.items() if name.startswith("ranks")}
    print("states of all numbers of ranks are", "equal" if len(shared) == 1 else "NOT EQUAL")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
