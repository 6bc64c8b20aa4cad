"""Problems made to order: networks of joints and beds of spheres of any size.

The same arguments and seed give the same problem, bit for bit. :func:`generate` makes one from a
line of text, as the command line gives it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MappingProxyType, NoneType
from typing import Any, get_args, get_type_hints

from amontons.errors import InputError
from amontons.generators.network import bilateral_network
from amontons.generators.packing import frictionless_spheres, packing
from amontons.problem.problem import ConeProblem

__all__ = ["GENERATORS", "bilateral_network", "frictionless_spheres", "generate", "packing"]

GENERATORS: MappingProxyType[str, Callable[..., ConeProblem]] = MappingProxyType(
    {"b1": bilateral_network, "b2": frictionless_spheres, "packing": packing}
)
"""Generators by their names in :func:`generate`."""


def generate(spec: str) -> ConeProblem:
    """The problem that `spec` describes: a name, then arguments if there are any.

    "b1", "packing:10000" or "packing:4000,friction=0.1,slab_mass=1000": values without a name are
    the generator's first arguments, in order.
    """
    name, _, text = spec.partition(":")
    make = GENERATORS.get(name.strip().lower())
    if make is None:
        raise InputError(
            f"unknown generator {name.strip()!r} in {spec!r}; choose {', '.join(GENERATORS)}"
        )
    return make(**_arguments(make, name.strip().lower(), text))


def _arguments(make: Callable[..., ConeProblem], name: str, text: str) -> dict[str, Any]:
    """Arguments of `make` from "value,...,key=value,..."."""
    parameters = inspect.signature(make).parameters
    kinds = get_type_hints(make)
    plain = [key for key, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    found: dict[str, Any] = {}
    items = [item.strip() for item in text.split(",")] if text.strip() else []
    for place, item in enumerate(items):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            value = key
            if place >= len(plain):
                raise InputError(
                    f"{name} takes at most {len(plain)} values without a name: {text!r}"
                )
            key = plain[place]
        if key not in parameters:
            raise InputError(f"{name} has no parameter {key!r}; it has {', '.join(parameters)}")
        if key in found:
            raise InputError(f"{name} is given {key} twice: {text!r}")
        found[key] = _value(name, key, value, kinds[key])
    return found


def _value(name: str, key: str, text: str, kind: Any) -> Any:
    """`text` as the type that a parameter is declared to have."""
    kinds = get_args(kind) or (kind,)
    if NoneType in kinds and text.lower() == "none":
        return None
    if str in kinds:
        return text
    try:
        number = float(text)
        if int not in kinds:
            return number
        if number.is_integer():
            return int(number) if "e" in text.lower() or "." in text else int(text)
    except (ValueError, OverflowError):
        pass
    wanted = "a whole number" if int in kinds else "a number"
    raise InputError(f"{name}: {key} must be {wanted}, got {text!r}")
