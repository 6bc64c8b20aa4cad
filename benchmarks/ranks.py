"""One bed by one process, by one rank and by several under MPI: clock time of a step, in turns.

    python benchmarks/ranks.py                    # 100 000 spheres, 1 and 2 ranks
    python benchmarks/ranks.py --bodies 10000 --ranks 1 2 4 --json ranks.json
    python benchmarks/ranks.py --threads 2 --lammps  # beside threads, and LAMMPS on as many ranks

All have one thread a process, but for those of `--threads`. Every contender takes its step while
the others sleep, and ratios are medians of those of each turn: to the plain process, and to one
rank; by the clock, and by the time of the processor that a step took in the busiest of the ranks,
without what MPI spends on messages and waiting (of threads: by the mean). States are compared by
their hashes. LAMMPS takes many of its short steps in a turn, on a bed of the same spheres that lies
close from the start; its speed-up is by itself alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAUSE = 0.02
"""Seconds between two looks at whose turn it is."""

ITERATIONS, SHORT_STEPS = 100, 100
"""Of APGD in a step, and steps that LAMMPS takes in a turn."""


def contend(name: str, folder: Path, bodies: int) -> None:
    """Be one of the contenders: do the work of a turn whenever it is this one's."""
    engine, count = name.split("-")[0], name.split("-")[-1]
    if engine == "lammps":
        speaks, work = of_lammps(bodies)
    else:
        speaks, work = of_amontons(name, int(count) if engine == "threads" else 1, bodies)
    turn = 0
    while True:
        wanted = (folder / "turn").read_text() if (folder / "turn").exists() else ""
        if wanted == "end":
            return
        if wanted != f"{name} {turn}":
            time.sleep(PAUSE)
            continue
        told = work()
        if speaks:
            (folder / f"{name} {turn}.part").write_text(json.dumps(told))
            (folder / f"{name} {turn}.part").rename(folder / f"{name} {turn}.json")
        turn += 1


def of_lammps(bodies: int) -> tuple[bool, Callable[[], dict[str, Any]]]:
    """Whether this process of LAMMPS speaks for all, and its work of a turn."""
    from engines.base import Settings
    from engines.grains import bed
    from engines.lammps_engine import LammpsEngine

    engine = LammpsEngine(bed(bodies, spacing=1.004), Settings())

    def work() -> dict[str, Any]:
        start = time.perf_counter()
        engine.advance(SHORT_STEPS)
        return {"seconds": time.perf_counter() - start}

    return engine.lammps.extract_setting("world_rank") == 0, work


def of_amontons(name: str, threads: int, bodies: int) -> tuple[bool, Callable[[], dict[str, Any]]]:
    """Whether this process speaks for all, and its work of a turn: a step."""
    import numpy as np

    import amontons as am
    from amontons.scenes.packed_bed import packed_bed

    ranks = am.ranks.here() if name.startswith("ranks") else None
    am.set_threads(threads)
    world, rng = packed_bed(spheres=bodies, spacing=1.004), np.random.default_rng(0)
    moving = ~world.bodies.fixed
    world.bodies.velocity[moving] = rng.uniform(-0.3, 0.3, (int(moving.sum()), 3))
    precision = "mixed" if name == "plain" else "double"
    solver = am.APGD(tolerance=1e-6, max_iterations=ITERATIONS, precision=precision)
    simulation = am.Simulation(world, step=2e-3, solver=solver, ranks=ranks)

    def work() -> dict[str, Any]:
        traffic = None if ranks is None else ranks.traffic
        before = None if traffic is None else dict(vars(traffic))
        start, used = time.perf_counter(), time.process_time()
        report = simulation.step()
        seconds, used = time.perf_counter() - start, time.process_time() - used
        if traffic is not None and before is not None and ranks is not None:
            used = ranks.largest(used - (traffic.processor - before["processor"]))
        told: dict[str, Any] = {
            "seconds": seconds,
            "processor": used / threads,
            "stages": np.round(report.seconds, 4).tolist(),
            "iterations": report.iterations,
            "contacts": report.contacts,
            "hash": simulation.state.hash(),
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        }
        if traffic is not None and before is not None:
            told["traffic"] = {key: value - before[key] for key, value in vars(traffic).items()}
            told["traffic"]["reductions"] -= 1  # that of the times
        return told

    return ranks is None or ranks.leads, work


def in_turns(
    bodies: int, ranks: list[int], turns: int, threads: list[int], lammps: bool
) -> dict[str, list[dict[str, Any]]]:
    """What each contender tells of its turns, by name, but for the first, which may compile."""
    beside = str(Path(sys.executable).parent)
    launcher = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if launcher is None:
        raise SystemExit("there is no mpiexec: pip install 'amontons[mpi]'")
    commands: dict[str, list[str]] = {"plain": [], "plain-double": []}
    commands |= {f"threads-{count}": [] for count in threads}
    for engine in ("ranks", "lammps") if lammps else ("ranks",):
        commands |= {f"{engine}-{count}": [launcher, "-n", str(count)] for count in ranks}
    told: dict[str, list[dict[str, Any]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        here = [sys.executable, __file__, "--folder", place, "--bodies", str(bodies)]
        running = []
        for name, command in commands.items():
            most = name.split("-")[-1] if name.startswith("threads") else "1"
            libraries = str(Path(sys.prefix) / "lib")  # where LAMMPS finds MPI
            env = {"NUMBA_NUM_THREADS": most, "OMP_NUM_THREADS": "1", "LD_LIBRARY_PATH": libraries}
            process = [*command, *here, "--contend", name]
            running.append(subprocess.Popen(process, env=os.environ | env))
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


def of_traffic(steps: list[dict[str, Any]], seconds: float) -> dict[str, float]:
    """Rounds for each proposal, proposals for each iteration, and the share of time in them."""
    sums = {key: sum(step["traffic"][key] for step in steps) for key in steps[0]["traffic"]}
    return {
        "proposals an iteration": sums["proposals"] / sum(step["iterations"] for step in steps),
        "exchanges a proposal": sums["exchanges"] / sums["proposals"],
        "reductions a proposal": sums["reductions"] / sums["proposals"],
        "waiting": sums["seconds"] / seconds,
    }


def main() -> None:
    import numpy as np

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=100_000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--threads", type=int, nargs="*", default=[], help="one process, threads")
    parser.add_argument("--lammps", action="store_true", help="LAMMPS, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--contend", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contend:
        contend(given.contend, given.folder, given.bodies)
        return
    told = in_turns(given.bodies, given.ranks, given.turns, given.threads, given.lammps)
    seconds = {name: np.array([each["seconds"] for each in all_]) for name, all_ in told.items()}
    rows, processor = {}, {"plain-double": np.array([x["processor"] for x in told["plain-double"]])}
    for name, steps in told.items():
        engine = name.split("-")[0]
        alone = f"{engine}-{given.ranks[0]}" if engine in ("ranks", "lammps") else "plain-double"
        row: dict[str, Any] = {"seconds": float(np.median(seconds[name]))}
        if engine != "lammps":
            row["speed"] = float(np.median(seconds["plain-double"] / seconds[name]))
            processor[name] = np.array([each["processor"] for each in steps])
            row["processor"] = float(np.median(processor[name]))
            row["speed by it"] = float(np.median(processor["plain-double"] / processor[name]))
            row["stages"] = np.median([each["stages"] for each in steps], axis=0).round(3).tolist()
            row["MB"] = max(each["memory"] for each in steps)
            row["hash"] = steps[-1]["hash"]
        row[f"by {alone}"] = float(np.median(seconds[alone] / seconds[name]))
        if engine == "ranks":
            row |= of_traffic(steps, float(seconds[name].sum()))
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
