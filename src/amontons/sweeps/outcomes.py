"""The outcome of a run of a sweep: `outcome.json` in its folder, and a log of its starts."""

from __future__ import annotations

import datetime
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

from amontons.results import RecordedRun, Results
from amontons.storage.writing import replacing

OUTCOME_FILE = "outcome.json"
LOG_FILE = "starts.jsonl"

Outcome = dict[str, Any]
"""`status` (done, failed or stopped), `error`, and `results` by name."""


def read_outcome(folder: Path) -> Outcome | None:
    """The outcome of a run, or None if it is not finished."""
    try:
        outcome: Outcome = json.loads((folder / OUTCOME_FILE).read_text(encoding="utf-8"))
        return outcome if {"status", "error", "results"} <= set(outcome) else None
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
        return None


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write the outcome of a run, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / OUTCOME_FILE) as stream:
        stream.write(json.dumps(outcome, indent=1, ensure_ascii=False).encode())


def log(folder: Path, event: str, **facts: Any) -> None:
    """Add a line to the log of a run; only the process that has claimed the run may do so."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    line = {"event": event, "at": now, "host": platform.node(), "process": os.getpid(), **facts}
    with (folder / LOG_FILE).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; one left incomplete by a killed process is skipped."""
    try:
        lines = (folder / LOG_FILE).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def mean_height(run: RecordedRun) -> float:
    """Height of the centre of mass of all moving bodies, against gravity [m]."""
    world = run.simulation.world
    bodies, gravity = world.bodies, np.asarray(world.gravity, dtype=np.float64)
    pull = float(np.linalg.norm(gravity))
    up = -gravity / pull if pull > 0.0 else np.array([0.0, 0.0, 1.0])
    moves = ~(np.asarray(bodies.fixed) | np.asarray(bodies.kinematic))
    if not moves.any():
        return 0.0
    mass = np.asarray(bodies.mass)[moves]
    return float(mass @ (np.asarray(bodies.position)[moves] @ up) / mass.sum())


def final_readings(run: RecordedRun) -> dict[str, Any]:
    """The numbers of a finished run in a sweep's table."""
    with Results(run.recorder.folder) as results:
        totals, steps = results.totals(), results.steps
        return {
            "time": run.simulation.time,
            "steps": steps,
            "bodies": int(results.bodies.dynamic.sum()),
            "kinetic_energy": totals["kinetic_energy"],
            "potential_energy": totals["potential_energy"],
            "dissipated_energy": totals["dissipated_energy"],
            "mean_height": mean_height(run),
            "contacts": int(results.readings("contacts")[-1]) if steps else 0,
            "most_contacts": int(totals["contacts"]),
            "iterations": totals["iterations"],
            "converged": totals["converged"] / steps if steps else 1.0,
            "residual": totals["residual"],
            "overlap": totals["penetration"],
            "joint_error": totals["joint_error"],
            "notes": ", ".join(each.kind for each in results.note_summaries),
        }


UNITS = {
    "time": "s", "kinetic_energy": "J", "potential_energy": "J", "dissipated_energy": "J",
    "mean_height": "m", "overlap": "m", "cpu_seconds": "s", "wall_seconds": "s",
}  # fmt: skip
"""Units of the columns of a sweep's table."""
