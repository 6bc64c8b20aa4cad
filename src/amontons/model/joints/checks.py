"""Checks of the arguments of joints and forces, and their error messages."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, Protocol

from amontons.checks import LARGEST, finite
from amontons.errors import InputError
from amontons.model.joints.constraints import Signal


class HasId(Protocol):
    """A handle of a body."""

    @property
    def id(self) -> int:
        """The number that the body keeps for life."""
        ...


BodyLike = int | HasId | None
"""A body's id, something that has one, or None for the world."""

Limits = tuple[float, float] | None


def body_id(name: str, body: Any) -> int | None:
    """Id of a body, or None for the world."""
    if body is None:
        return None
    number = getattr(body, "id", body)
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 0:
        raise InputError(
            f"{name} must be a body (or its id, a whole number ≥ 0), or None for the world; "
            f"got {body!r}"
        )
    return int(number)


def some_body(name: str, body: Any) -> int:
    """Id of a body; the world is not allowed."""
    number = body_id(name, body)
    if number is None:
        raise InputError(f"{name} must be a body or its id; the world cannot be moved")
    return number


def signal(name: str, value: Any) -> Signal:
    """A number, or a function of time."""
    if callable(value):
        return value  # type: ignore[no-any-return]
    return finite(name, value)


def checked_limits(name: str, limits: Any) -> Limits:
    """Lowest and highest value of a coordinate that is zero now; infinities allowed."""
    if limits is None:
        return None
    try:
        low, high = (float(bound) for bound in limits)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be two numbers, low and high, got {limits!r}") from None
    if math.isnan(low) or math.isnan(high) or low == math.inf or high == -math.inf:
        raise InputError(f"{name} are ({low}, {high}); they must be numbers, low then high")
    if low > high:
        raise InputError(f"{name} are ({low:g}, {high:g}): the low one is above the high one")
    if not low <= 0.0 <= high:
        raise InputError(
            f"{name} are ({low:g}, {high:g}), but the joint is at 0 when it is added; "
            "limits count from there"
        )
    if max(abs(bound) for bound in (low, high, 0.0) if math.isfinite(bound)) > LARGEST:
        raise InputError(f"{name} are ({low:g}, {high:g}); use math.inf for no limit")
    return low, high
