"""Sources, sinks and flow meters in scene files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from amontons.errors import InputError
from amontons.interchange.body_fields import POSITIVE, VECTOR, MaterialName
from amontons.interchange.list_values import ListOf, Numbers
from amontons.interchange.records import REQUIRED, Field, OneOf, Record, first_sentence
from amontons.interchange.shape_fields import ShapeValue
from amontons.interchange.values import Choice, Number, Text, Whole
from amontons.model.flows import FlowMeter, Sink, Source
from amontons.model.regions import Region
from amontons.model.shapes import Part, Plane, Shape
from amontons.model.sizes import Sizes

BY = Field("by", Choice(("count", "mass")), "what shares are shares of")
SHARE = Number(low=0.0, high=1.0)


def _recipe(sizes: Sizes) -> Mapping[str, Any]:
    return sizes.recipe


def _size_record(kind: str, *fields: Field) -> Record:
    make = getattr(Sizes, kind)
    return Record(kind, fields, make, first_sentence(make), _recipe)


SIZE_RECORDS = (
    _size_record("single", Field("d", POSITIVE, "diameter [m]", REQUIRED)),
    _size_record(
        "uniform", Field("low", POSITIVE, "smallest diameter [m]", REQUIRED),
        Field("high", POSITIVE, "largest diameter [m]", REQUIRED), BY,
    ),
    _size_record(
        "lognormal", Field("median", POSITIVE, "diameter [m]", REQUIRED),
        Field("sigma", POSITIVE, "standard deviation of ln d", REQUIRED), BY,
        Field("cut", POSITIVE, "standard deviations beyond which the distribution is cut off"),
    ),
    _size_record(
        "weibull", Field("scale", POSITIVE, "diameter [m]", REQUIRED),
        Field("shape", POSITIVE, "exponent", REQUIRED), BY,
        Field("low", POSITIVE, "smallest diameter [m]"),
        Field("high", POSITIVE, "largest diameter [m]"),
    ),
    _size_record(
        "sieve", Field("d", ListOf(POSITIVE, least=2), "diameters of sieves [m]", REQUIRED),
        Field("passing", ListOf(SHARE, least=2), "shares that pass them, from 0 to 1", REQUIRED),
        BY,
    ),
)  # fmt: skip


class SizesFamily(OneOf):
    """Sizes of grains; their kind is the constructor that made them."""

    def write(self, value: Any, names: Any) -> dict[str, Any]:
        kind = str(value.recipe.get("kind")) if isinstance(value, Sizes) else ""
        if kind not in self.kinds:
            raise InputError("is not a distribution that a file can hold")
        return {"kind": kind, **self.kinds[kind].write(value, names)}


SIZES = SizesFamily("sizes", {each.title: each for each in SIZE_RECORDS}, {})


def _region(**given: Any) -> Region:
    if "shape" in given:
        if "low" in given or "high" in given:
            raise InputError("a region is a box from low to high, or a shape, not both")
        return Part(**given)
    if set(given) != {"low", "high"}:
        raise InputError("a region needs its low and high corners, or a shape")
    return np.array([given["low"], given["high"]])


def _region_parts(region: Region) -> Mapping[str, Any]:
    if isinstance(region, Shape):
        return {"shape": region}
    if isinstance(region, Part):
        return vars(region)
    low, high = np.asarray(region, dtype=np.float64).tolist()
    return {"low": low, "high": high}


REGION = Record(
    "region",
    (
        Field("low", VECTOR, "low corner of a box [m]"),
        Field("high", VECTOR, "high corner of a box [m]"),
        Field("shape", ShapeValue(), "instead of a box: a shape that has a volume"),
        Field("position", VECTOR, "of that shape's frame [m]", (0.0, 0.0, 0.0)),
        Field("orientation", Numbers(4), "quaternion (w, x, y, z)", (1.0, 0.0, 0.0, 0.0)),
    ),
    _region,
    "A box from its low to its high corner, or a shape at a place.",
    _region_parts,
)


def _source(**given: Any) -> Source:
    spheres, shapes = given.pop("sizes", None), given.pop("shapes", None)
    if (spheres is None) == (shapes is None):
        raise InputError("a source needs either sizes of spheres, or shapes")
    return Source(sizes=shapes if spheres is None else spheres, **given)


def source_parts(source: Source, name: str, material: int) -> Mapping[str, Any]:
    """The fields of a source of this name, and the number of its material."""
    what = {"sizes": source.sizes} if isinstance(source.sizes, Sizes) else {"shapes": source.shapes}
    return {**vars(source), "sizes": None, **what, "name": name, "material": material}


SOURCE = Record(
    "source",
    (
        Field("name", Text(), "by default source 1 and so on"),
        Field("region", REGION, "where bodies appear; they start wholly inside", REQUIRED),
        Field("sizes", SIZES, "of spheres"),
        Field("shapes", ListOf(ShapeValue()), "instead of spheres: shapes, each equally often"),
        Field("rate", POSITIVE, "mass per time [kg/s]", REQUIRED),
        Field("density", POSITIVE, "[kg/m³]", 1000.0),
        Field("velocity", VECTOR, "velocity of new bodies [m/s]", (0.0, 0.0, 0.0)),
        Field("seed", Whole(), "of its random numbers", 0),
        Field("limit", POSITIVE, "mass after which it is empty [kg]"),
        Field("material", MaterialName(), "by default friction 0.5 and nothing else"),
    ),
    _source,
    first_sentence(Source),
)

SINK = Record(
    "sink",
    (
        Field("name", Text(), "by default sink 1 and so on"),
        Field("region", REGION, "where bodies are removed, by their centres of mass", REQUIRED),
    ),
    Sink,
    first_sentence(Sink),
)


def _meter(*, normal: Any, offset: float = 0.0, **given: Any) -> FlowMeter:
    return FlowMeter(Plane(normal, offset), **given)


def meter_parts(meter: FlowMeter, name: str) -> Mapping[str, Any]:
    """The fields of a meter of this name."""
    return {
        "name": name, "normal": meter.plane.normal, "offset": meter.plane.offset,
        "within": meter.within,
    }  # fmt: skip


METER = Record(
    "meter",
    (
        Field("name", Text(), "by default meter 1 and so on"),
        Field("normal", VECTOR, "of the plane: forwards", REQUIRED),
        Field("offset", Number(), "of the plane from the origin, along the normal [m]", 0.0),
        Field("within", REGION, "only bodies that cross the plane inside it count"),
    ),
    _meter,
    first_sentence(FlowMeter),
)
