"""The base of scenes: parameters, a world made from them, and advice on how to run it.

Parameters are declared once, as fields of a dataclass, with unit, limits and help.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

from amontons.checks import positive
from amontons.errors import InputError
from amontons.model.world import World
from amontons.solvers import SOLVERS, Solver

Value = int | float | tuple[float, ...]

PATIENT = 10_000
"""Most iterations of a step where a finer tolerance is asked for than the scene advises."""


def parameter(
    default: Value,
    help: str,
    *,
    unit: str = "",
    low: float = -math.inf,
    high: float = math.inf,
) -> Any:
    """A field of a scene: a whole number, a number or several, from `low` to `high`."""
    metadata = {"help": help, "unit": unit, "low": low, "high": high}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a scene: its kind is that of its default."""

    name: str
    default: Value
    unit: str
    help: str
    low: float
    high: float

    @classmethod
    def of(cls, field: dataclasses.Field[Any]) -> Parameter:
        """The parameter that a field of a scene stands for."""
        default: Any = field.default
        return cls(name=field.name, default=default, **field.metadata)

    @property
    def limits(self) -> str:
        """Its range in words, or nothing."""
        if math.isinf(self.low) and math.isinf(self.high):
            return ""
        if math.isinf(self.high):
            return f"at least {self.low:g}"
        if math.isinf(self.low):
            return f"at most {self.high:g}"
        return f"{self.low:g} to {self.high:g}"

    def check(self, value: object) -> Value:
        """The value as this parameter's kind, or `InputError`."""
        if not isinstance(self.default, tuple):
            return self._one(value)
        if not isinstance(value, tuple | list) or len(value) != len(self.default):
            raise InputError(
                f"{self.name} must be {len(self.default)} numbers such as "
                f"{','.join(f'{each:g}' for each in self.default)}, got {value!r}"
            )
        return tuple(float(self._one(each)) for each in value)

    def _one(self, value: object) -> int | float:
        whole = isinstance(self.default, int)
        kind = Integral if whole else Real
        if isinstance(value, bool) or not isinstance(value, kind):
            what = "a whole number" if whole else "a number"
            raise InputError(f"{self.name} must be {what}, got {value!r}")
        number = int(value) if isinstance(value, Integral) and whole else float(value)
        if not (math.isfinite(number) and self.low <= number <= self.high):
            unit = f" {self.unit}" if self.unit else ""
            raise InputError(
                f"{self.name} is {number:g}{unit}; it must be {self.limits or 'finite'}"
            )
        return number

    def parse(self, text: str) -> Value:
        """The value that a word of the command line stands for."""
        try:
            if isinstance(self.default, tuple):
                return self.check(tuple(float(each) for each in text.split(",")))
            return self.check(int(text) if isinstance(self.default, int) else float(text))
        except InputError:
            raise
        except ValueError:
            what = {int: "a whole number", float: "a number"}.get(
                type(self.default), "numbers separated by commas"
            )
            raise InputError(f"{self.name} must be {what}, got {text!r}") from None


@dataclass(frozen=True, kw_only=True)
class Advice:
    """Default settings for running a scene."""

    time: float
    """Simulated time that is worth watching [s]."""
    step: float
    """Length of a time step [s]."""
    solver: str = "apgd"
    """Name in `amontons.solvers.SOLVERS`."""
    tolerance: float = 1e-3
    max_iterations: int = 200
    friction: str | None = None
    """"convex" or "exact", or None for the default of simulations."""
    rate: float = 60.0
    """Frames per simulated second that a run records [1/s]."""

    def make_solver(self) -> Solver:
        """The solver of every step."""
        kind: Any = SOLVERS.get(self.solver)
        if kind is None:
            raise InputError(f"unknown solver {self.solver!r}; choose one of {', '.join(SOLVERS)}")
        if self.friction not in (None, "convex", "exact"):
            raise InputError(f"friction must be convex or exact, got {self.friction!r}")
        made: Solver = kind(tolerance=self.tolerance, max_iterations=self.max_iterations)
        return made

    def changed(self, given: Mapping[str, Any], *, prefix: str = "") -> Advice:
        """The same with given values instead, checked; messages prefix names with `prefix`."""
        chosen = {name: value for name, value in given.items() if value is not None}
        for name in ("time", "step", "tolerance"):
            if name in chosen:
                positive(f"{prefix}{name}", chosen[name])
        if "max_iterations" not in chosen and chosen.get("tolerance", 1.0) < self.tolerance:
            chosen["max_iterations"] = PATIENT  # the scene's limit is for the scene's tolerance
        settings = dataclasses.replace(self, **chosen)
        settings.make_solver()
        return settings


@dataclass(frozen=True)
class Scene(ABC):
    """A world to be made. A subclass is a frozen dataclass; each field is a `parameter`."""

    name: ClassVar[str]
    """Its name on the command line."""
    summary: ClassVar[str]
    """What there is to see, in one line."""
    advice: ClassVar[Advice]
    counted: ClassVar[str] = ""
    """The parameter for the number of bodies, which `--bodies` sets."""

    def __post_init__(self) -> None:
        for each in self.parameters():
            object.__setattr__(self, each.name, each.check(getattr(self, each.name)))
        self.check()

    def check(self) -> None:
        """Raise `InputError` if parameters are inconsistent."""

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
