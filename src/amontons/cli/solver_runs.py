"""Every solver on every problem, for `amontons compare`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from amontons.cli.loading import SUFFIXES, load_problem
from amontons.cli.output import complain, describe
from amontons.cli.progress import Display, Interrupt, Watch
from amontons.cli.settings import prepare
from amontons.errors import AmontonsError, UnsupportedProblemError

if TYPE_CHECKING:
    from amontons.problem.problem import ConeProblem
    from amontons.problem.solution import Solution
    from amontons.solvers import Solver

NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class SolverRun:
    """One solver on one problem; without a solution if it does not support such problems."""

    file: Path
    problem: str
    solver: str
    solution: Solution | None

    @property
    def status(self) -> str:
        """How it ended, or that it could not start."""
        return NOT_APPLICABLE if self.solution is None else self.solution.status.value

    @property
    def converged(self) -> bool:
        """Whether there is a solution within the tolerance."""
        return self.solution is not None and self.solution.converged


@dataclass
class SolverRuns:
    """All runs of the comparison."""

    solvers: list[str]
    several: bool
    """Whether more than one problem was requested."""
    done: list[SolverRun] = field(default_factory=list)
    failed: list[Path] = field(default_factory=list)
    """Files that are not problems."""
    interrupted: bool = False

    @property
    def problems(self) -> list[str]:
        """Names of the problems on which every solver was tried."""
        names = [run.problem for run in self.done]
        return [name for name in dict.fromkeys(names) if names.count(name) == len(self.solvers)]

    def of(self, problem: str) -> list[SolverRun]:
        """The runs on one problem."""
        return [run for run in self.done if run.problem == problem]

    def column(self, quantity: str) -> dict[str, list[float]]:
        """Times or iterations of each solver, problem by problem; infinite where unsolved."""
        table: dict[str, list[float]] = {name: [] for name in self.solvers}
        complete = set(self.problems)
        for run in self.done:
            if run.problem in complete:
                value = getattr(run.solution, quantity) if run.converged else math.inf
                table[run.solver].append(float(value))
        return table


def run_solvers(paths: Sequence[Path], methods: dict[str, Solver]) -> SolverRuns:
    """Run every solver on every file; Ctrl-C ends the series after the current iteration."""
    runs = SolverRuns(list(methods), several=len(paths) > 1)
    names = _short_names(paths)
    with Interrupt() as interrupt, Display() as display:
        for i, path in enumerate(paths):
            try:
                problem = load_problem(path)
            except (AmontonsError, OSError, MemoryError) as reason:
                complain(describe(reason))
                runs.failed.append(path)
                continue
            for j, (solver, method) in enumerate(methods.items()):
                watch = Watch(
                    display=display,
                    interrupt=interrupt,
                    label=f"{names[i]}, {solver}: ",
                    done=(i + j / len(methods)) / len(paths),
                    part=1.0 / (len(paths) * len(methods)),
                )
                solution = _attempt(method, problem, watch)
                runs.interrupted = interrupt.requested
                if runs.interrupted:
                    return runs
                runs.done.append(SolverRun(path, names[i], solver, solution))
    return runs


def _attempt(method: Solver, problem: ConeProblem, watch: Watch) -> Solution | None:
    """A run whose time is that of the method alone, without compilation."""
    try:
        prepare(method, problem)
        return watch.solve(method, problem)
    except UnsupportedProblemError:
        return None


def _short_names(paths: Sequence[Path]) -> list[str]:
    """File names without suffix if these are distinct, else whole paths."""
    stems = [path.stem if path.suffix in SUFFIXES else path.name for path in paths]
    return [
        stem if stems.count(stem) == 1 else str(path)
        for stem, path in zip(stems, paths, strict=True)
    ]
