"""What all loads have: the bodies they act on, and a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from amontons.errors import InputError
from amontons.model.joints.checks import BodyLike, some_body

Bodies = BodyLike | Sequence[BodyLike]
"""One body or several; None means all."""


@dataclass(frozen=True)
class Load(ABC):
    """Something that acts on bodies from outside, without a reaction on another body.

    Parameters
    ----------
    name:
        For messages.
    """

    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InputError(f"name must be text, got {self.name!r}")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Check and normalise the fields of the subclass; raises `InputError`."""

    @property
    def title(self) -> str:
        """For messages: its kind and name."""
        kind = type(self).__name__
        return f"{kind} {self.name!r}" if self.name else f"a {kind}"

    @property
    @abstractmethod
    def ids(self) -> tuple[int, ...] | None:
        """Ids of the bodies it acts on; None means all."""

    @property
    def given(self) -> list[Any]:
        """Its bodies as given, by handle or id; empty if it acts on all."""
        bodies = vars(self).get("bodies", vars(self).get("body"))
        if bodies is None:
            return list(self.ids or ())
        return list(bodies) if _several(bodies) else [bodies]

    def _check(self, name: str, check: Callable[[str, Any], Any]) -> None:
        object.__setattr__(self, name, check(name, getattr(self, name)))


def body_ids(name: str, bodies: Any) -> tuple[int, ...] | None:
    """Ids of one body or several; None for all."""
    if bodies is None:
        return None
    ids = tuple(some_body(name, body) for body in (bodies if _several(bodies) else [bodies]))
    if not ids:
        raise InputError(f"{name} is empty; leave it out to mean all bodies")
    if len(set(ids)) != len(ids):
        raise InputError(f"{name} names a body twice")
    return ids


def _several(bodies: Any) -> bool:
    return isinstance(bodies, Sequence | np.ndarray)
