"""Progress on a terminal; Ctrl-C and similar signals, which end a run with its best iterate."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import signal
import threading
import time
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from amontons.cli.output import INTERRUPTED, complain, console

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from amontons.problem.problem import ConeProblem
    from amontons.problem.solution import Solution
    from amontons.solvers import Callback, Progress, Solver

PATIENCE = 1.0
"""Seconds that a command may take before it shows progress."""

PAUSE = 0.1
"""Seconds between two updates."""


class Interrupt:
    """Within its context, the first Ctrl-C sets `requested`; a second one interrupts as usual.

    SIGTERM (of `kill`, of a batch system, of a machine that shuts down) and SIGHUP (of a terminal
    that is closed) do the same; one that is ignored, as under `nohup`, stays so.
    """

    def __init__(self, when: str = "after this iteration", *, tell: bool = True) -> None:
        self.requested = False
        self._tell = tell
        self.exit_code = INTERRUPTED
        """Exit code of a process that ends because of it."""
        self._when = when
        self._usual: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            names = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
            for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
                if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
                    self._usual[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        for number, usual in self._usual.items():
            signal.signal(number, usual)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested, self.exit_code = True, 128 + number
        if not self._tell:
            return
        with contextlib.suppress(OSError):  # the terminal may be gone
            complain(
                f"{self._when}; press Ctrl-C again to give up at once",
                kind="stopping",
                style="bold yellow",
            )


class Display:
    """A bar on standard error, on terminals only, and only for work that takes over a second."""

    def __init__(self, *, shown: bool = True) -> None:
        self.shown = shown and console(stderr=True).is_terminal
        self._start = self._last = time.perf_counter()
        self._bars: Bars | None = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    @property
    def due(self) -> bool:
        """Whether it is time for an update."""
        now = time.perf_counter()
        begun = self._bars is not None or now - self._start > PATIENCE
        return self.shown and begun and now - self._last > PAUSE

    def announce(self, text: str) -> None:
        """Show `text` and an empty bar at once; the first update is due at once, too."""
        if self.shown:
            self.update(text, 0.0)
            self._last = -math.inf

    def update(self, text: str, share: float | None) -> None:
        """Show `text` and a bar that is filled to `share`, from 0 to 1; None leaves the bar."""
        if self._bars is None:
            self._bars = _bars()
            self._task = self._bars.add_task(text, total=1.0)
            self._bars.start()
        self._last = time.perf_counter()
        filled = None if share is None else min(max(share, 0.0), 1.0)
        self._bars.update(self._task, description=text, completed=filled)


def _bars() -> Bars:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        BarColumn(bar_width=24),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console(stderr=True),
        transient=True,
    )


@dataclass(kw_only=True)
class Watch:
    """A solver's callback: reports to a display, and stops the run after Ctrl-C."""

    display: Display
    interrupt: Interrupt
    label: str = ""
    done: float = 0.0
    """Share of the whole work that was done before this run."""
    part: float = 1.0
    """Share of the whole work that this run is."""
    _first: float = math.nan

    def __call__(self, progress: Progress) -> bool:
        """Take note of an iteration; True asks the solver to stop."""
        if math.isnan(self._first):
            self._first = progress.residual
        if self.display.due:
            self.display.update(self._text(progress), self.done + self.part * self._share(progress))
        return self.interrupt.requested

    def _text(self, progress: Progress) -> str:
        return (
            f"{self.label}iteration {progress.iteration}, "
            f"residual {progress.best_residual:.1e} of {progress.tolerance:.0e}"
        )

    def _share(self, progress: Progress) -> float:
        """Progress of the residual towards the tolerance, counted in decades."""
        best = progress.best_residual
        if not 0.0 < progress.tolerance < self._first or not 0.0 < best < self._first:
            return 0.0
        return math.log(self._first / best) / math.log(self._first / progress.tolerance)

    def inner(self, progress: Progress) -> bool:
        """The same for a run inside another one; the bar does not move."""
        if self.display.due:
            self.display.update(f"{self._text(progress)} (inner problem)", None)
        return self.interrupt.requested

    def solve(self, method: Solver, problem: ConeProblem, guess: Any = None) -> Solution:
        """Solve under watch."""
        from amontons.solvers import ExactCoulomb

        if isinstance(method, ExactCoulomb):
            method = dataclasses.replace(method, inner=_asking(method.inner, self.inner))
        return method.solve(problem, guess=guess, callback=self)


def _asking(method: Solver, callback: Callback) -> Solver:
    """A solver that calls `callback` in every run, even when another solver starts it.

    Exact Coulomb friction calls its own callback only between inner problems, minutes apart.
    """
    kind: type[Solver] = type(method)

    class Asking(kind):  # type: ignore[misc, valid-type]
        def solve(self, problem: ConeProblem, *, guess: Any = None, **_: Any) -> Solution:
            solution: Solution = super().solve(problem, guess=guess, callback=callback)
            return solution

    settings = {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}
    asking: Solver = Asking(**settings)
    return asking
