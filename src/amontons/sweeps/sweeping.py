"""`sweep`: executes the missing runs of a plan with Dask, and writes the table of all."""

from __future__ import annotations

import math
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from amontons.checks import positive, whole
from amontons.results.claim import FolderClaim
from amontons.storage.writing import replacing
from amontons.sweeps.bar import bar
from amontons.sweeps.one_run import TOKEN_FILE, Measure, Task
from amontons.sweeps.opened import Sweep, read_outcomes
from amontons.sweeps.outcomes import Outcome, write_outcome
from amontons.sweeps.parcels import carry_out_packed, compile_for_packed, packed
from amontons.sweeps.plan import (
    Plan,
    check_sweep_folder,
    holds_sweep,
    make_plan,
    read_plan,
    settings_of,
)
from amontons.sweeps.points import Vary
from amontons.sweeps.subjects import Subject, Swept, subject_of
from amontons.sweeps.table import table_of, write_table
from amontons.sweeps.workers import Crew, Workforce, hired, require_dask

PAUSE = 0.05
"""Seconds between two checks of progress."""

SAVE_EVERY = 5.0
"""Seconds between two updates of the table while runs are going on."""

STOPPING = 120.0
"""Seconds within which runs must finish their step when asked to stop."""


@dataclass
class Tally:
    """The progress of a sweep."""

    total: int
    """Number of runs that this call is to finish."""
    done: int = 0
    failed: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} runs"
        if self.failed:
            text += f", {self.failed} failed"
        if 0 < self.done < self.total:
            left = self.seconds * (self.total - self.done) / self.done
            text += f", about {left:.0f} s to go"
        return text


class SweepWatcher(Protocol):
    """Called with the progress of a sweep; returning True stops it."""

    def __call__(self, tally: Tally) -> bool: ...


def sweep(
    scene: Swept,
    vary: Vary,
    folder: str | os.PathLike[str],
    *,
    measure: Measure | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    threads: int | None = None,
    rate: float = 60.0,
    contacts: bool = False,
    retries: int = 2,
    progress: bool = True,
    **settings: Any,
) -> Sweep:
    """Run a scene with many values of its parameters; when called again, do only what is missing.

    ::

        done = am.sweep("drum", {"friction": "0.1:0.8:8", "seed": range(5)}, "folder", time=2.0)
        done.table.groupby("friction").mean_height.mean()

    Parameters
    ----------
    scene:
        The name of a scene, a `Scene`, the path of a scene file, or a function that takes the
        parameters by name and returns a `World`.
    vary:
        Values by parameter, of which every combination is run: any collection of numbers or texts,
        or a text such as `0.1:0.8:8` (evenly spaced), `0:9` (whole numbers), `1e-4:1:5:log` or
        `0.2,0.5`. Or a list of mappings, one for each run. In a scene file, a parameter is the
        place of a value: `materials.sand.friction`, `bodies[2].mass`.
    folder:
        Made if it is not there. Every run is a folder in it, as `amontons run` makes them.
    measure:
        Is given the `Results` of each finished run, and returns a number, or several by name, which
        become columns of the table. It is called anew each time, also for runs that were done.
    jobs:
        Runs at a time on this machine; by default one per core.
    dask:
        Address of a Dask scheduler (`tcp://host:8786`), whose workers do the runs instead.
    threads:
        Of each run; by default cores by jobs, and one on a cluster.
    rate, contacts:
        Frames per simulated second [1/s], and whether contacts are recorded.
    retries:
        How often a run is tried again that failed for a reason which may pass. One that became
        unstable would do so again, as every run is repeatable, and is not.
    progress:
        Whether to show a bar.
    settings:
        `time`, `step`, `solver`, `tolerance`, `max_iterations` of all runs, instead of those that
        the scene advises; each can be varied, too.
    """
    force = Workforce(jobs=jobs, dask=dask, threads=threads)
    whole("retries", retries)
    subject = subject_of(scene)
    rate = positive("rate", rate)
    plan = make_plan(subject, vary, settings, rate=rate, contacts=contacts)
    job = Job(Path(os.path.abspath(folder)), subject, plan, settings, measure, retries)
    with bar(progress) as watch:
        conduct(job, force, watch)
    return Sweep(folder)


@dataclass(frozen=True)
class Job:
    """A sweep to be executed."""

    folder: Path
    subject: Subject
    plan: Plan
    """The requested runs; the folder may hold more."""
    given: dict[str, Any]
    """Settings that differ from the scene's advice."""
    measure: Measure | None = None
    retries: int = 2


def conduct(job: Job, force: Workforce, watch: SweepWatcher) -> bool:
    """Do what is missing; return False if `watch` stopped it."""
    require_dask()
    check_sweep_folder(job.folder)
    claim = FolderClaim(job.folder)
    try:
        plan = job.plan
        if holds_sweep(job.folder):
            plan = read_plan(job.folder).joined(plan, job.folder)
        plan.save(job.folder)
        return _Conductor(job, plan, watch).conduct(force)
    finally:
        claim.release()


class _Conductor:
    """Executes the runs of a plan."""

    def __init__(self, job: Job, plan: Plan, watch: SweepWatcher) -> None:
        self._job, self._plan, self._watch = job, plan, watch
        self._outcomes = read_outcomes(job.folder, plan)
        asked = [plan.number_of(point) for point in _as_in(plan, job.plan)]
        self._todo = [
            number
            for number in asked
            if job.measure is not None or self._outcomes.get(number, {}).get("status") != "done"
        ]
        self._tally = Tally(len(self._todo))
        self._token = secrets.token_hex(8)

    def conduct(self, force: Workforce) -> bool:
        """Do what is missing; return False if it was stopped."""
        try:
            if not self._todo:
                return True
            folder = self._job.folder
            with _running(folder, self._token), hired(force, len(self._todo), folder) as crew:
                return self._with(crew)
        finally:
            write_table(table_of(self._plan, self._outcomes), self._job.folder)

    def _task(self, number: int, threads: int) -> Task:
        job, point = self._job, self._plan.points[number]
        return Task(
            job.folder / self._plan.run_name(number),
            self._token,
            job.subject.made(point),
            settings_of(job.subject, job.given, point),
            job.plan.output["rate"],
            job.plan.output["contacts"],
            threads,
            job.measure,
        )

    def _with(self, crew: Crew) -> bool:
        began = time.monotonic()
        client, todo = crew.client, self._todo
        tasks = {number: packed(self._task(number, crew.threads)) for number in todo}
        new = [n for n in todo if self._outcomes.get(n, {}).get("status") != "done"]
        if new:
            first = client.submit(compile_for_packed, tasks[new[0]], pure=False)
            while not first.done():  # the run itself will report what is wrong
                crew.check()
                if self._watch(self._tally):
                    return False
                time.sleep(PAUSE)
        numbers = {
            client.submit(carry_out_packed, task, retries=self._job.retries, pure=False): number
            for number, task in tasks.items()
        }
        try:
            return self._gathered(numbers, crew, began)
        except KeyboardInterrupt:
            self._stop_runs()
            last = time.monotonic() + STOPPING
            while not all(each.done() for each in numbers) and time.monotonic() < last:
                time.sleep(PAUSE)
            raise

    def _gathered(self, numbers: dict[Any, int], crew: Crew, began: float) -> bool:
        """Record runs as they finish; return False if the sweep was stopped."""
        waiting = require_dask().as_completed(list(numbers), loop=crew.client.loop)
        saved, last = began, math.inf
        while not waiting.is_empty() and time.monotonic() < last:
            crew.check()
            ready = list(waiting.next_batch(block=False)) if waiting.has_ready() else []
            for future in ready:
                self._take(numbers[future], future)
            now = time.monotonic()
            self._tally.seconds = now - began
            if self._watch(self._tally) and last == math.inf:
                last = now + STOPPING
                self._stop_runs()
            if ready and now - saved > SAVE_EVERY:
                saved = now
                write_table(table_of(self._plan, self._outcomes), self._job.folder)
            if not ready:
                time.sleep(PAUSE)
        return last == math.inf

    def _stop_runs(self) -> None:
        """Stop runs after their step, with a checkpoint; waiting ones are not started."""
        (self._job.folder / TOKEN_FILE).unlink(missing_ok=True)

    def _take(self, number: int, future: Any) -> None:
        """Record a finished run."""
        if future.status == "finished":
            outcome: Outcome = future.result()
        else:
            outcome = {"status": "failed", "error": _said(future), "results": {}, "measured": {}}
            write_outcome(self._job.folder / self._plan.run_name(number), outcome)
        if outcome["status"] == "stopped":
            return
        self._outcomes[number] = outcome
        self._tally.done += 1
        if outcome["status"] == "failed" or outcome.get("measure_error"):
            self._tally.failed += 1


def _as_in(plan: Plan, asked: Plan) -> Iterator[dict[str, Any]]:
    """Points with parameters in the order of the folder's plan."""
    for point in asked.points:
        yield {name: point[name] for name in plan.parameters}


def _said(future: Any) -> str:
    """Why Dask gave a run up, in one line."""
    reason = future.exception()
    if type(reason).__name__ == "KilledWorker":
        return "its worker died again and again: killed, or out of memory"
    return " ".join(f"{type(reason).__name__}: {reason}".split())


@contextmanager
def _running(folder: Path, token: str) -> Iterator[None]:
    """A context in which runs continue; those left behind by an earlier sweep stop."""
    with replacing(folder / TOKEN_FILE) as stream:
        stream.write(token.encode())
    try:
        yield
    finally:
        (folder / TOKEN_FILE).unlink(missing_ok=True)
