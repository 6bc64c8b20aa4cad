"""One run of a sweep, in a worker: started or resumed, to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from amontons._jit import max_threads, set_threads
from amontons.errors import InputError, OutputError, SimulationError
from amontons.interchange import FileScene
from amontons.results import RecordedRun, Results, begin
from amontons.results.claim import is_claimed
from amontons.results.layout import LOCK_FILE
from amontons.scenes import Advice, Scene
from amontons.sweeps.outcomes import (
    Outcome,
    final_readings,
    log,
    read_log,
    read_outcome,
    write_outcome,
)
from amontons.sweeps.plan import PLAN_FILE

Measure = Callable[[Results], Mapping[str, Any] | float]
"""A user's own measure of a finished run: numbers or texts by name, or one number."""

TOKEN_FILE = ".sweep.running"
"""Name of the file that exists for as long as a sweep wants its runs to continue."""

LOOK = 0.5
"""Seconds between two checks of that file."""

PATIENCE = 60.0
"""Seconds to wait for a run that another process, believed dead, is still writing."""


@dataclass(frozen=True)
class Task:
    """Everything that a worker has to know about a run."""

    folder: Path
    """Folder of the run, within that of the sweep."""
    token: str
    scene: Scene | FileScene
    settings: Advice
    rate: float
    contacts: bool
    threads: int
    measure: Measure | None = None

    @property
    def wanted(self) -> bool:
        """Whether the sweep of this run is still going on."""
        try:
            return (self.folder.parent / TOKEN_FILE).read_text(encoding="utf-8") == self.token
        except OSError:
            return False


def carry_out(task: Task) -> Outcome:
    """Complete a run, and return its outcome.

    A failure that would recur, as every run is repeatable, is an outcome; all other errors are
    raised, and Dask tries again.
    """
    sweep = task.folder.parent
    if not (sweep / PLAN_FILE).is_file():
        raise OutputError(
            f"this worker does not see {sweep}: a sweep's folder must be on a file system that all "
            "workers share"
        )
    outcome = read_outcome(task.folder)
    if outcome is None or outcome["status"] != "done":
        if not task.wanted:
            return _stopped()
        set_threads(min(task.threads, max_threads()))
        outcome = _simulated(task)
    if outcome["status"] == "done" and task.measure is not None:
        outcome = outcome | _measured(task.folder, task.measure)
        write_outcome(task.folder, outcome)
    return outcome


def compile_for(task: Task) -> None:
    """Take two steps of a run, so that one process compiles what all others can load."""
    scene, settings = task.scene, task.settings
    if isinstance(scene, FileScene):
        simulation = scene.simulation(settings)
    else:
        from amontons.simulation.simulation import Simulation

        simulation = Simulation(scene.build(), step=settings.step, solver=settings.make_solver())
    for _ in range(2):
        simulation.step()


def _simulated(task: Task) -> Outcome:
    folder = task.folder
    until = time.monotonic() + PATIENCE
    while (folder / LOCK_FILE).exists() and is_claimed(folder) and time.monotonic() < until:
        time.sleep(LOOK)
    began, used = time.perf_counter(), time.process_time()
    try:
        run = begin(
            task.scene, folder, settings=task.settings, rate=task.rate, contacts=task.contacts,
            resume=True,
        )  # fmt: skip
    except InputError as reason:
        return _ended(folder, "failed", str(reason), {})
    log(folder, "start", step=run.simulation.steps, time=run.simulation.time)
    error, whole = _run(run, task)
    status = "failed" if error else "done" if whole else "stopped"
    spent = {
        "cpu_seconds": time.process_time() - used, "wall_seconds": time.perf_counter() - began,
    }  # fmt: skip
    log(folder, "end", status=status, step=run.simulation.steps, **spent)
    if status == "stopped":
        return _stopped()
    return _ended(folder, status, error, final_readings(run) | _spent(folder))


def _run(run: RecordedRun, task: Task) -> tuple[str, bool]:
    """Run to the end; return what went wrong, and whether the end was reached."""
    looked, stop = time.monotonic(), False

    def on_step(report: Any) -> bool:
        nonlocal looked, stop
        run.recorder(report)
        run.simulation.readings.clear()  # they are in the file
        if time.monotonic() - looked > LOOK:
            looked, stop = time.monotonic(), not task.wanted
        return stop

    error = ""
    with run.recorder:
        try:
            run.simulation.run(until=run.settings.time, on_step=on_step)
        except SimulationError as reason:  # the recorder has all steps up to here
            error = str(reason)
    return error, run.left <= 1e-9 * run.settings.time


def _spent(folder: Path) -> dict[str, float]:
    """Total seconds of all finished starts of a run, and their number."""
    lines = read_log(folder)
    ends = [line for line in lines if line.get("event") == "end"]
    return {
        "starts": sum(line.get("event") == "start" for line in lines),
        **{
            name: sum(float(line.get(name, 0.0)) for line in ends)
            for name in ("cpu_seconds", "wall_seconds")
        },
    }


def _stopped() -> Outcome:
    return {"status": "stopped", "error": "", "results": {}, "measured": {}}


def _ended(folder: Path, status: str, error: str, results: dict[str, Any]) -> Outcome:
    outcome = {"status": status, "error": error, "results": results, "measured": {}}
    write_outcome(folder, outcome)
    return outcome


def _measured(folder: Path, measure: Measure) -> dict[str, Any]:
    """The result of a user's measure of a run, or its failure."""
    name = getattr(measure, "__name__", "measure")
    try:
        with Results(folder) as results:
            found = measure(results)
        if not isinstance(found, Mapping):
            found = {name: found}
        told = {str(key): _plain(value) for key, value in found.items()}
        return {"measured": told, "measure_error": ""}
    except Exception as reason:  # user code may raise anything
        return {"measured": {}, "measure_error": f"{name}(): {type(reason).__name__}: {reason}"}


def _plain(value: Any) -> Any:
    """A measured value as JSON holds it."""
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        value = value.item()  # NumPy's
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"it must give numbers or texts, not {type(value).__name__}")
