"""Workers: processes on this machine, or those of any Dask cluster."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amontons.checks import whole
from amontons.errors import InputError, OutputError

WORKER_LOG = "workers.log"

THREAD_VARIABLES = (
    "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
)  # fmt: skip

CONNECT = 10.0
"""Seconds within which a scheduler must answer."""

CLOSE = 2.0
"""Seconds that worker processes are given to end by themselves."""


@dataclass(frozen=True, kw_only=True)
class Workforce:
    """How many runs are executed at a time, and where.

    Parameters
    ----------
    jobs:
        Runs at a time on this machine; by default one per core.
    dask:
        Address of a Dask scheduler, whose workers execute the runs instead.
    threads:
        Of each run; by default cores by jobs, and one on a cluster.
    """

    jobs: int | None = None
    dask: str | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        for name in ("jobs", "threads"):
            value = getattr(self, name)
            if value is not None:
                whole(name, value, 1)
        if self.jobs is not None and self.dask is not None:
            raise InputError("jobs are for this machine; on a cluster there is one per worker")

    def shared_out(self, runs: int) -> tuple[int, int]:
        """Runs at a time on this machine, and threads of each."""
        from dask.system import CPU_COUNT

        cores = int(CPU_COUNT)
        jobs = min(self.jobs or cores, runs)
        return jobs, self.threads or max(1, cores // jobs)


def require_dask() -> Any:
    """The package `distributed`, and pandas for the table, or an `InputError` that names both."""
    try:
        import distributed
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as reason:
        raise InputError(f"a sweep needs {reason.name}: pip install 'amontons[sweep]'") from None
    return distributed


@dataclass(frozen=True)
class Crew:
    """Connected workers."""

    client: Any
    threads: int
    """Of each run."""
    check: Callable[[], None]
    """Raises if no worker can appear any more."""


@contextlib.contextmanager
def hired(force: Workforce, runs: int, folder: Path) -> Iterator[Crew]:
    """A context with workers for `count` runs."""
    distributed = require_dask()
    if force.dask is not None:
        with _connected(distributed, force.dask) as client:
            yield Crew(client, force.threads or 1, lambda: None)
        return
    jobs, threads = force.shared_out(runs)
    with (
        distributed.LocalCluster(
            n_workers=0, dashboard_address="127.0.0.1:0", silence_logs="ERROR", host="127.0.0.1"
        ) as cluster,
        _processes(cluster.scheduler_address, jobs, threads, folder / WORKER_LOG) as check,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield Crew(client, threads, check)


def _connected(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as reason:  # TimeoutError is an OSError
        why = str(reason).partition("\n")[0]
        raise InputError(
            f"no Dask scheduler answers at {address}: {why}; start one with `dask scheduler`, and "
            "give the address that it prints, such as tcp://host:8786"
        ) from None


@contextlib.contextmanager
def _processes(address: str, jobs: int, threads: int, log: Path) -> Iterator[Callable[[], None]]:
    """Worker processes of this machine, started as `dask worker` is.

    LocalCluster would start them with multiprocessing, which runs the user's script again in each
    unless that is guarded. They are in a session of their own: Ctrl-C is for the sweep, which has
    them stop in good order. A worker that dies is started again by its nanny.
    """
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    # a run may hold the GIL for long; that does not mean that its worker is dead
    environment["DASK_DISTRIBUTED__ADMIN__TICK__LIMIT"] = "1h"
    with tempfile.TemporaryDirectory(prefix="amontons-sweep-") as scratch, log.open("wb") as output:
        command = [
            sys.executable, "-m", "distributed.cli.dask_worker", address, "--nworkers", str(jobs),
            "--nthreads", "1", "--memory-limit", "0", "--no-dashboard", "--death-timeout", "60",
            "--local-directory", scratch,
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
            start_new_session=True,
        )  # fmt: skip

        def check() -> None:
            if process.poll() is not None:
                raise OutputError(
                    f"the workers have ended with code {process.returncode}; {log} says why; "
                    "finished runs are kept: start the sweep again"
                )

        try:
            yield check
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the workers, and the processes that they started."""
    process.terminate()
    try:
        process.wait(CLOSE)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
