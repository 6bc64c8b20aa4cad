"""Bases of joints: two bodies, compliance, strength, a name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar

from amontons.checks import finite_vector, not_negative, positive_or_infinite, unit_vector
from amontons.errors import InputError
from amontons.model.joints.checks import BodyLike, body_id, checked_limits
from amontons.model.joints.constraints import RIGID, JointConstraints, Softness
from amontons.model.joints.motors import checked_motor
from amontons.model.joints.strength import Strength

FIELD_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("point", "point_a", "point_b", "pitch_point"), finite_vector),
    **dict.fromkeys(("axis", "axis_a", "axis_b", "normal"), unit_vector),
    **dict.fromkeys(("limits", "angle_limits"), checked_limits),
    **dict.fromkeys(("motor", "angle_motor"), checked_motor),
    **dict.fromkeys(
        ("friction", "angle_friction", "load_friction", "armature", "break_time"), not_negative
    ),
    **dict.fromkeys(("break_force", "break_torque"), positive_or_infinite),
}
"""Fields with the same meaning in every connection, and functions that check and normalise them."""


@dataclass(frozen=True)
class Connection(ABC):
    """Something between two bodies that acts on both with opposite forces.

    Points and axes are in world coordinates, for the poses of the bodies when it is added.

    Parameters
    ----------
    a, b:
        The two bodies: handles, ids, or None for the world (one of them at most).
    name:
        For messages and readings.
    collide:
        Whether the two bodies collide with each other while it holds; once it is broken, they do.
    break_force, break_torque:
        Largest force [N] and torque [N m] at its point; it breaks where one is exceeded.
    strength:
        Largest loads in tension, compression, shear, bending and torsion, each by itself.
    break_time:
        Time over which loads are averaged before they are compared with what it bears [s]. With
        zero it is the force of one step, which in an impact of rigid bodies grows as the step
        shrinks.
    """

    a: BodyLike
    b: BodyLike
    _: KW_ONLY
    name: str = ""
    collide: bool = True
    break_force: float = math.inf
    break_torque: float = math.inf
    strength: Strength | None = None
    break_time: float = 0.0

    freedom: ClassVar[int] = 6
    """Degrees of freedom of B in A: six less the number of rigid rows."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InputError(f"name must be text, got {self.name!r}")
        if not isinstance(self.collide, bool):
            raise InputError(f"collide must be True or False, got {self.collide!r}")
        first, second = self.bodies
        if first == second:
            what = "the world" if first is None else f"body {first}"
            raise InputError(f"{self.title} joins {what} to itself; it needs two different bodies")
        for field in fields(self):
            if field.name in FIELD_CHECKS:
                self._check(field.name, FIELD_CHECKS[field.name])
        if self.strength is not None and not isinstance(self.strength, Strength):
            raise InputError(
                f"strength of {self.title} must be an amontons.Strength, such as "
                f"Strength(tension=100.0), got {self.strength!r}; break_force takes one number"
            )
        self.check()

    def check(self) -> None:
        """Check and normalise fields that are not in :data:`FIELD_CHECKS`; raises `InputError`."""

    @abstractmethod
    def constraints(self) -> JointConstraints:
        """Its coordinates and rows, in world coordinates as given."""

    @property
    def bodies(self) -> tuple[int | None, int | None]:
        """Ids of the two bodies; None is the world."""
        return body_id("a", self.a), body_id("b", self.b)

    @property
    def title(self) -> str:
        """For messages: its kind and name."""
        kind = type(self).__name__
        return f"{kind} {self.name!r}" if self.name else f"a {kind}"

    @property
    def weld(self) -> bool:
        """Whether it leaves B no freedom to move in A."""
        return False

    def _check(self, name: str, check: Callable[[str, Any], Any]) -> None:
        object.__setattr__(self, name, check(name, getattr(self, name)))


@dataclass(frozen=True, kw_only=True)
class Joint(Connection):
    """A connection that removes degrees of freedom. Joined bodies do not collide by default.

    Parameters
    ----------
    compliance, angular_compliance:
        Displacement per force [m/N] and rotation per torque [rad/(N m)]; zero is rigid.
    damping, angular_damping:
        Of a compliant joint [N s/m, N m s/rad].
    """

    collide: bool = False
    compliance: float = 0.0
    angular_compliance: float = 0.0
    damping: float = 0.0
    angular_damping: float = 0.0

    def __post_init__(self) -> None:
        for prefix in ("", "angular_"):
            self._check(f"{prefix}compliance", not_negative)
            self._check(f"{prefix}damping", not_negative)
            damping = getattr(self, f"{prefix}damping")
            if damping > 0.0 and getattr(self, f"{prefix}compliance") == 0.0:
                raise InputError(
                    f"{prefix}damping is {damping:g}, but the joint is rigid; "
                    f"give it a {prefix}compliance too"
                )
        super().__post_init__()

    @property
    def weld(self) -> bool:
        return self.freedom == 0 and self.compliance == self.angular_compliance == 0.0

    @property
    def linear(self) -> Softness:
        """Spring and damper of rows in metres."""
        return _softness(self.compliance, self.damping)

    @property
    def angular(self) -> Softness:
        """Spring and damper of rows in radians."""
        return _softness(self.angular_compliance, self.angular_damping)


def _softness(compliance: float, damping: float) -> Softness:
    return RIGID if compliance == 0.0 else Softness(1.0 / compliance, damping)
