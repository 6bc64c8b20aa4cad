"""Table 2 of paper 5: what a warm start saves the interior point method."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from amontons.model.shapes import Box, Sphere
from amontons.reproduce.drop import Drop, balls_in_a_box, single
from amontons.reproduce.experiment import Experiment
from amontons.reproduce.notebook import Cell, Notebook
from amontons.solvers import APGD, InteriorPoint

KINDS = ("none", "partial", "full")


class Test(NamedTuple):
    """One row of table 2."""

    make: Callable[[], Drop]
    calls: int
    settle: int  # cheap steps before the calls
    paper: tuple[int, int, int]  # iterations without, with a partial and with a full warm start
    saving: float  # largest share of the iterations that a full warm start may take


TESTS = {
    "balls in a box": Test(lambda: balls_in_a_box(150), 50, 60, (935, 927, 747), 0.9),
    "single brick": Test(lambda: single(Box((0.2, 0.1, 0.05)), 0.03), 100, 0, (499, 370, 81), 0.3),
    "single ball": Test(lambda: single(Sphere(0.1), 0.105), 100, 0, (720, 515, 90), 0.3),
}
"""`saving` is the paper's share (0.80, 0.16, 0.13) with some room."""


def total_iterations(test: Test, warm: str, calls: int) -> int:
    """Iterations of so many calls to a scaled error of 1e-8."""
    scene = test.make()
    for _ in range(test.settle):
        scene.advance(APGD(tolerance=1e-6, max_iterations=5000))
    solver = InteriorPoint(tolerance=1e-8, warm=warm)
    total = done = 0
    while done < calls:
        if warm == "none":
            scene.memory.forget()  # the guess is not even looked at
        solution = scene.advance(solver)
        if solution is not None:
            total, done = total + solution.iterations, done + 1
    return total


class WarmStart(Experiment):
    """Iterations of all calls, without and with warm starts."""

    name: ClassVar[str] = "ip-warm-start"
    paper: ClassVar[int] = 5
    shows: ClassVar[str] = "table 2"
    summary: ClassVar[str] = "interior point iterations without, with partial and full warm start"
    minutes: ClassVar[float] = 0.5

    def run(self, notebook: Notebook) -> None:
        rows: list[tuple[Cell, ...]] = []
        for number, (name, test) in enumerate(TESTS.items()):
            calls = self.pick(5 if test.settle else 40, test.calls, test.calls)
            found: list[int] = []
            for kind in KINDS:
                notebook.say(f"{name}, {kind}", (number + len(found) / 3.0) / len(TESTS))
                found.append(total_iterations(test, kind, calls))
            rows.append((f"{name} ({calls})", *found, *test.paper))
            none, partial, full = found
            for what, count, theirs, high in (
                ("partial", partial, test.paper[1], 1.0),
                ("full", full, test.paper[2], test.saving),
            ):
                notebook.band(
                    f"{name}: iterations with {what} warm start, of those without",
                    count / none,
                    paper=f"{theirs / test.paper[0]:.2f} ({theirs} / {test.paper[0]})",
                    high=high,
                    reason="it saves something" if what == "partial" else "the paper's, with room",
                )
        titles = ("none", "partial", "full", "paper's none", "paper's partial", "paper's full")
        notebook.table("Table 2: iterations of all calls", ("test (calls)", *titles), rows)
        notebook.differs(
            "Each call ends at a scaled error of 1e-8, which does not depend on units, instead of "
            "eq. 38; our partial warm start keeps velocities and takes impulses that go with them."
        )
