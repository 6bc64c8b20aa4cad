"""Sweeps: workers killed while they work, and two runs at a time against one at a time.

    python benchmarks/sweep.py [--runs 40] [--kills 2] [--json FILE]

First a sweep whose workers are killed with SIGKILL: every run must come to an end once, and only
runs that a killed worker had begun may have begun twice. Then the same sweep with one job and with
two, in turns; the ratio of their wall-clock times is printed. It says nothing on a machine that is
busy with something else ("cores at work" below the number of jobs); for that case there is what the
processor time of both, and the share of the time in which jobs had a run to do, would allow.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import amontons as am
from amontons.sweeps.outcomes import read_log


def make(runs: int, folder: Path, jobs: int, seconds: float) -> am.Sweep:
    """A sweep of small drums, one thread each."""
    return am.sweep(
        "drum", {"seed": range(runs), "balls": [200]}, folder, jobs=jobs, threads=1,
        time=seconds, progress=False,
    )  # fmt: skip


def running(folder: Path) -> list[tuple[str, int]]:
    """Runs that have begun and not ended, and the processes that do them."""
    found = []
    for run in sorted(folder.glob("run-*")):
        lines = read_log(run)
        if lines and lines[-1]["event"] == "start":
            found.append((run.name, int(lines[-1]["process"])))
    return found


def kill_some(folder: Path, kills: int, killed: list[str], over: threading.Event) -> None:
    """Kill a worker that is in the middle of a run, several times, some runs apart."""
    victims: set[int] = set()
    while len(killed) < kills and not over.wait(0.02):
        ended = len(list(folder.glob("run-*/outcome.json")))
        busy = [each for each in running(folder) if each[1] not in victims]
        if busy and ended >= 5 * (len(killed) + 1):
            name, process = busy[0]
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
            victims.add(process)
            killed.append(name)


def with_kills(runs: int, kills: int, seconds: float) -> dict[str, object]:
    """Counts of a sweep whose workers were killed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, killed, over = Path(scratch) / "sweep", [], threading.Event()
        killer = threading.Thread(target=kill_some, args=(folder, kills, killed, over))
        killer.start()
        done = make(runs, folder, 2, seconds)
        over.set()
        killer.join()
        logs = {run.name: read_log(run) for run in sorted(folder.glob("run-*"))}
        starts = {name: sum(x["event"] == "start" for x in log) for name, log in logs.items()}
        ends = {
            name: sum(x["event"] == "end" and x["status"] == "done" for x in log)
            for name, log in logs.items()
        }
        table = done.table
        return {
            "runs": runs,
            "workers killed": len(killed),
            "runs that were under way": killed,
            "results": int((table.status == "done").sum()),
            "starts": sum(starts.values()),
            "begun more than once": [name for name, count in starts.items() if count > 1],
            "came to an end": sum(ends.values()),
            "came to an end twice": [name for name, count in ends.items() if count > 1],
        }


def one_against_two(runs: int, seconds: float, turns: int) -> dict[str, object]:
    """Wall-clock and processor seconds with one job and with two, in turns."""
    wall: dict[int, list[float]] = {1: [], 2: []}
    work: dict[int, list[float]] = {1: [], 2: []}
    busy: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(turns):
        for jobs in (1, 2):
            with tempfile.TemporaryDirectory() as scratch:
                done = make(runs, Path(scratch) / "sweep", jobs, seconds)
                logs = [read_log(run) for run in sorted(done.folder.glob("run-*"))]
                stamps = [x["at"] for log in logs for x in log]
                wall[jobs].append(_seconds(min(stamps), max(stamps)))
                work[jobs].append(float(done.table.cpu_seconds.sum()))
                busy[jobs].append(float(done.table.wall_seconds.sum()) / jobs / wall[jobs][-1])
    ratios = [one / two for one, two in zip(wall[1], wall[2], strict=True)]
    return {
        "wall [s]": wall,
        "processor [s]": work,
        "cores at work": {n: sum(work[n]) / sum(wall[n]) for n in (1, 2)},
        "share of the time that jobs had a run": busy,
        "two jobs against one, by the clock": ratios,
        "two jobs against one, were both cores free": (
            2.0 * sum(work[1]) / sum(work[2]) * sum(busy[2]) / sum(busy[1])
        ),
    }


def _seconds(first: str, last: str) -> float:
    from datetime import datetime

    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=40)
    arguments.add_argument("--kills", type=int, default=2)
    arguments.add_argument("--seconds", type=float, default=0.4, help="simulated, of each run")
    arguments.add_argument("--turns", type=int, default=2)
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    began = time.perf_counter()
    figures = {
        "killed": with_kills(given.runs, given.kills, given.seconds),
        "speed": one_against_two(max(2, given.runs // 2), given.seconds, given.turns),
        "load of the machine": os.getloadavg(),
    }
    for part, told in figures.items():
        print(f"{part}: {json.dumps(told, indent=1)}")
    print(f"took {time.perf_counter() - began:.0f} s")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
