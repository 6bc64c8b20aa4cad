"""Probes in scene files: what is measured while a run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amontons.checks.words import meant
from amontons.errors import InputError
from amontons.interchange.body_fields import POSITIVE
from amontons.interchange.context import Known, Names, given_name, has_body
from amontons.interchange.flow_fields import REGION
from amontons.interchange.joint_fields import NOT_NEGATIVE, BodyValue
from amontons.interchange.list_values import ListOf
from amontons.interchange.records import REQUIRED, Field, Record, first_sentence
from amontons.interchange.source import Node
from amontons.interchange.values import Choice, Number, Schema, Text, Value
from amontons.model.between import Between
from amontons.model.probes import OF_BODY, OF_REGION, Probe

NUMBER = Number()


@dataclass(frozen=True)
class Bound(Value):
    """A number, or the name of a body."""

    @property
    def words(self) -> str:
        return "number, or name of a body"

    def read(self, node: Node, known: Known) -> float | str:
        if not isinstance(node.value, str):
            return NUMBER.read(node, known)
        if not has_body(known.world, node.value):
            likely = meant(node.value, known.body_names())
            raise node.fault(f"there is no body called {node.value!r}{likely}")
        return node.value

    def write(self, value: Any, names: Names) -> float | str:
        if isinstance(value, float | str):
            return value
        name = given_name(names.world, names.world.id_of(value))
        if not name:
            raise InputError(f"is body {value.id}, which has no name; give it one")
        return name

    def schema(self) -> Schema:
        return {"anyOf": [NUMBER.schema(), Text().schema()]}


@dataclass(frozen=True)
class ThreeBounds(Value):
    """Bounds along x, y and z."""

    @property
    def words(self) -> str:
        return "3 of numbers and names of bodies"

    def read(self, node: Node, known: Known) -> list[float | str]:
        return ListOf(Bound(), least=3).read(node, known)

    def write(self, value: Any, names: Names) -> list[float | str]:
        return [Bound().write(each, names) for each in value]

    def schema(self) -> Schema:
        return ListOf(Bound(), least=3).schema() | {"maxItems": 3}


BETWEEN = Record(
    "between",
    (
        Field("low", ThreeBounds(), "along x, y and z [m]; or the face of a body", REQUIRED),
        Field("high", ThreeBounds(), "along x, y and z [m]; or the face of a body", REQUIRED),
    ),
    Between,
    first_sentence(Between),
)

MEASURE_NAMES = (*OF_REGION, *OF_BODY)


class MeasureName(Choice):
    """The name of a measure."""

    def write(self, value: Any, names: Names) -> str:
        if callable(value):
            raise InputError(
                f"{value.__name__} is a Python function; a file can only name measures"
            )
        return super().write(value, names)


def _probe(**given: Any) -> Probe:
    between = given.pop("between", None)
    if between is not None:
        if "region" in given:
            raise InputError("a probe has a region or is between bodies, not both")
        given["region"] = between
    return Probe(**given)


def _probe_parts(probe: Probe) -> Mapping[str, Any]:
    walls = isinstance(probe.region, Between)
    return {
        **vars(probe),
        "between": probe.region if walls else None,
        "region": None if walls else probe.region,
    }


PROBE = Record(
    "probe",
    (
        Field("name", Text(), "of the table", REQUIRED),
        Field("measures", ListOf(MeasureName(MEASURE_NAMES)), "columns of the table", REQUIRED),
        Field("region", REGION, "where; by default the box that just holds all bodies, or a cell"),
        Field("between", BETWEEN, "instead of a region: a box whose borders go with walls"),
        Field("body", BodyValue(world=False), "whose, instead of a region"),
        Field("area", POSITIVE, 'by which "traction" divides the force [m²]'),
        Field("every", POSITIVE, "time between two rows [s]; by default one after every step"),
        Field("since", NOT_NEGATIVE, "time of the first row, from which strains count [s]", 0.0),
    ),
    _probe,
    first_sentence(Probe),
    _probe_parts,
)
