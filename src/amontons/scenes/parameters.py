"""Parameters of scenes: declared once, as fields of a dataclass, with unit, limits and help."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from amontons.errors import InputError

Value = int | float | tuple[float, ...]


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
