"""How a scene file is to be run: time, step, solver, output."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from amontons.errors import InputError
from amontons.interchange.context import Known, Names
from amontons.interchange.list_values import Numbers
from amontons.interchange.records import OneOf, Record, table
from amontons.interchange.source import Node
from amontons.interchange.values import Choice, Flag, Number, Schema, Text, Value, Whole
from amontons.problem.residuals import Measure
from amontons.simulation.rules import WATCHES
from amontons.simulation.sleep.sleeping import Sleeping
from amontons.simulation.step_size import AutomaticStep
from amontons.solvers import SOLVERS, ExactCoulomb, InteriorPoint, Solver

POSITIVE = Number(above=0.0)
NOT_NEGATIVE = Number(low=0.0)

PLAIN: dict[str, Value] = {
    "float": Number(infinite=True),
    "int": Whole(),
    "str": Text(),
    "bool": Flag(),
    "bool | None": Flag(),
    "float | None": Number(infinite=True),
    "int | None": Whole(),
    "str | None": Text(),
    "tuple[float, float]": Numbers(2),
    "Measure | str": Choice(tuple(str(each) for each in Measure)),
}
"""Values of solvers' settings by their annotations."""


def _solver_record(kind: type[Solver], word: str) -> Record:
    values = {each.name: setting_value(each.type) for each in dataclasses.fields(kind)}
    return Record.of(kind, word, values)


def setting_value(annotation: object) -> Value:
    """The value that a field of a solver takes, by its annotation: a type, or its name."""
    name = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    if name == "InteriorPoint":
        return _solver_record(InteriorPoint, "interior-point")
    if name not in PLAIN:
        raise TypeError(
            f"scene files know no solver's setting of type {name}; there are {[*PLAIN]}"
        )
    return PLAIN[name]


SOLVER: OneOf = table(
    "solver", {kind: _solver_record(kind, word) for word, kind in SOLVERS.items()}
)


@dataclass(frozen=True)
class StepLength(Value):
    """A number, or the limits of a step that is chosen by how fast bodies are."""

    @property
    def words(self) -> str:
        return "number > 0, or {smallest, largest, travel}"

    def read(self, node: Node, known: Known) -> float | AutomaticStep:
        if isinstance(node.value, dict):
            chosen: AutomaticStep = AUTOMATIC.read(node, known)
            return chosen
        return POSITIVE.read(node, known)

    def write(self, value: Any, names: Names) -> Any:
        one: Value = AUTOMATIC if isinstance(value, AutomaticStep) else POSITIVE
        return one.write(value, names)

    def schema(self) -> Schema:
        return {"anyOf": [POSITIVE.schema(), AUTOMATIC.schema()]}


AUTOMATIC = Record.of(
    AutomaticStep,
    "automatic step",
    dict.fromkeys(("smallest", "largest", "travel"), POSITIVE),
)
SLEEPING = Record.of(Sleeping, "sleeping", {"speed": POSITIVE, "time": NOT_NEGATIVE})


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a scene file is run: the arguments of `Simulation`, and the simulated time.

    Parameters
    ----------
    time:
        Simulated time [s].
    step:
        Length of a time step [s], or limits of one that is chosen by how fast bodies are.
    substeps:
        Equal parts in which each step is taken.
    friction:
        The convex relaxation, or Coulomb's law itself at 5 (few bodies) to 100 times the cost.
    solver:
        Solver of each step's problem; by default that of `Simulation`.
    sleeping:
        When resting bodies fall asleep; by default never.
    near, recovery_speed, bounce_speed:
        As `Simulation` has them [m, m/s, m/s]; by default from the bodies' sizes and gravity.
    watch:
        What to do when energy appears from nowhere: stop, note it and go on, or nothing (off).
    """

    time: float = 2.0
    step: float | AutomaticStep = 5e-3
    substeps: int = 1
    friction: str = "convex"
    solver: Solver | None = None
    sleeping: Sleeping | None = None
    near: float | None = None
    recovery_speed: float | None = None
    bounce_speed: float | None = None
    watch: str = "stop"

    def __post_init__(self) -> None:
        if self.solver is not None and type(self.solver) not in SOLVER.classes:
            raise InputError(
                f"the solver is a {type(self.solver).__name__}; a file can only hold one of "
                f"{', '.join(SOLVERS)}"
                + ("; say friction: exact instead" if isinstance(self.solver, ExactCoulomb) else "")
            )


RUN = Record.of(
    RunOptions,
    "run",
    {
        "time": POSITIVE,
        "step": StepLength(),
        "substeps": Whole(1, 10_000),
        "friction": Choice(("convex", "exact")),
        "solver": SOLVER,
        "sleeping": SLEEPING,
        "near": POSITIVE,
        "recovery_speed": NOT_NEGATIVE,
        "bounce_speed": NOT_NEGATIVE,
        "watch": Choice(WATCHES),
    },
)


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a run of a scene file records.

    Parameters
    ----------
    rate:
        Frames per simulated second [1/s].
    contacts:
        Whether contact points and forces are recorded too.
    """

    rate: float = 60.0
    contacts: bool = False


OUTPUT = Record.of(Output, "output", {"rate": POSITIVE, "contacts": Flag()})
