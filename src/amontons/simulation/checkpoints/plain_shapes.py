"""Shapes as plain data, to the last bit: for checkpoints, which must not run code to be read."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from amontons.errors import FileFormatError
from amontons.model import shapes as known
from amontons.model.shapes import Part, Shape
from amontons.model.shapes.base import Faces

Plain = dict[str, Any]


def plain_shape(shape: Shape) -> Plain | None:
    """What makes a shape; None for one of a class that is not of amontons."""
    if getattr(known, type(shape).__name__, None) is not type(shape):
        return None
    out: Plain = {"kind": type(shape).__name__}
    for field in dataclasses.fields(shape):  # type: ignore[arg-type]
        out[field.name] = _plain(getattr(shape, field.name))
    if isinstance(shape, known.ConvexHull):  # another order would be another hull
        out["polygons"] = [_plain(each) for each in shape.polygons]
    return out


def shape_from(data: Any) -> Shape:
    """The shape that :func:`plain_shape` told of."""
    kind = getattr(known, str(data.get("kind")), None) if isinstance(data, dict) else None
    if not isinstance(kind, type) or not issubclass(kind, Shape):
        raise FileFormatError(f"there is no shape of the kind {data!r:.80}")
    values = {name: _value(each) for name, each in data.items() if name != "kind"}
    names = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    polygons = values.pop("polygons", None)
    if set(values) != names:
        raise FileFormatError(f"a {kind.__name__} has other fields than {', '.join(values)}")
    shape: Shape = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(shape, name, value)
    if polygons is not None:
        shape.__dict__["polygons"] = Faces(*polygons)
    return shape


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "type": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, Part):
        turn = list(value.orientation)
        return {"part": plain_shape(value.shape), "at": list(value.position), "turn": turn}
    if isinstance(value, Shape):  # a compound's solid
        return {"within": plain_shape(value)}
    if isinstance(value, tuple):
        return {"tuple": [_plain(each) for each in value]}
    return value


def _value(data: Any) -> Any:
    if not isinstance(data, dict):
        return [_value(each) for each in data] if isinstance(data, list) else data
    if "array" in data:
        array = np.array(data["array"], dtype=np.dtype(data["type"])).reshape(data["shape"])
        array.flags.writeable = False
        return array
    if "within" in data:
        return shape_from(data["within"])
    if "part" in data:
        part = object.__new__(Part)  # a turn of unit length keeps its last digits
        object.__setattr__(part, "shape", shape_from(data["part"]))
        object.__setattr__(part, "position", tuple(data["at"]))
        object.__setattr__(part, "orientation", tuple(data["turn"]))
        return part
    return tuple(_value(each) for each in data["tuple"])
