"""What every scene is: parameters, a world made from them, and advice on how to run it."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from amontons.errors import InputError
from amontons.model.world import World
from amontons.scenes.parameters import Parameter, Value
from amontons.solvers import SOLVERS, Solver


@dataclass(frozen=True, kw_only=True)
class Advice:
    """How a scene is run where nobody says otherwise."""

    time: float
    """Simulated time in which what is worth seeing happens [s]."""
    step: float
    """Length of a time step [s]."""
    solver: str = "apgd"
    """Name in `amontons.solvers.SOLVERS`."""
    tolerance: float = 1e-3
    max_iterations: int = 200

    def make_solver(self) -> Solver:
        """The solver of every step."""
        kind: Any = SOLVERS.get(self.solver)
        if kind is None:
            raise InputError(f"unknown solver {self.solver!r}; choose one of {', '.join(SOLVERS)}")
        made: Solver = kind(tolerance=self.tolerance, max_iterations=self.max_iterations)
        return made


@dataclass(frozen=True)
class Scene(ABC):
    """A world to be made. A subclass is a frozen dataclass; each field is a `parameter`."""

    name: ClassVar[str]
    """How the command line calls it."""
    summary: ClassVar[str]
    """What there is to see, in one line."""
    advice: ClassVar[Advice]
    counted: ClassVar[str] = ""
    """The parameter that says how many bodies there are, which `--bodies` sets."""

    def __post_init__(self) -> None:
        for each in self.parameters():
            object.__setattr__(self, each.name, each.check(getattr(self, each.name)))
        self.check()

    def check(self) -> None:
        """Raise `InputError` where parameters do not go together."""

    def _ordered(self, smaller: str, larger: str) -> None:
        low, high = getattr(self, smaller), getattr(self, larger)
        if low > high:
            raise InputError(f"{smaller} is {low:g}, above {larger}, which is {high:g}")

    @abstractmethod
    def build(self) -> World:
        """The world at its start; the same parameters give the same world, bit for bit."""

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """All parameters, in order."""
        return tuple(Parameter.of(field) for field in dataclasses.fields(cls))

    @classmethod
    def parsed(cls, texts: Mapping[str, str]) -> Self:
        """A scene from words of the command line, by the names of parameters."""
        known = {each.name: each for each in cls.parameters()}
        for name in texts:
            if name not in known:
                raise InputError(
                    f"the scene {cls.name} has no parameter {name!r}; it has {', '.join(known)}"
                )
        return cls(**{name: known[name].parse(text) for name, text in texts.items()})

    def values(self) -> dict[str, Value]:
        """All parameters' values by name."""
        return {each.name: getattr(self, each.name) for each in self.parameters()}
