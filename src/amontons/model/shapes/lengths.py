"""Shapes that are fully described by lengths: checks and scaling."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

from amontons.checks import positive, positive_vector
from amontons.model.shapes.base import Shape


@dataclass(frozen=True)
class ShapeOfLengths(Shape):
    """A shape whose fields are lengths [m]: a positive number, or a `Vector` of three."""

    def __post_init__(self) -> None:
        for field in fields(self):
            check = positive_vector if field.type == "Vector" else positive
            object.__setattr__(self, field.name, check(field.name, getattr(self, field.name)))

    def scaled(self, factor: float) -> Self:
        factor = positive("factor", factor)
        lengths = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(
            self,
            **{
                name: tuple(factor * each for each in value)
                if isinstance(value, tuple)
                else factor * value
                for name, value in lengths.items()
            },
        )
