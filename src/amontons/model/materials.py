"""Materials, and how two of them combine in a contact."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from amontons.checks import finite
from amontons.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Material:
    """Properties of a surface. All values are zero or more.

    Parameters
    ----------
    friction:
        Coulomb's coefficient μ of a sliding contact (and of a sticking one by default).
    static_friction:
        Coefficient of a contact that sticks, at least `friction`; None: the same.
    rolling_friction, spinning_friction:
        Lengths ρ and σ [m]: the torques ρ F_n against rolling and σ F_n against spinning.
    rolling_resistance, spinning_resistance:
        The same without a unit, for grains of any size: μ_r R* F_n, where 1/R* is 1/R_A + 1/R_B
        with the distances of the contact from the two centres of mass; a body that is fixed or has
        a motion counts as flat. Where both are given, the torques add up.
    cohesion:
        Force [N] that it takes to pull two touching bodies apart. It belongs to the pair of
        bodies: their contact points share it.
    surface_energy_jkr, surface_energy_dmt:
        Work of adhesion w [J/m²]: what it takes to part one square metre of the two surfaces. The
        pull of two touching bodies scales with their reduced radius, 1.5 π w R* (JKR, soft and
        large) or 2 π w R* (DMT, hard and small): one of the two. Spheres, alone or in compounds of
        equal ones, on each other and on flat faces; flat faces do not pull each other.
    surface_tension:
        Of a liquid that wets the surface, γ [N/m]. Two wet bodies that have touched are held by a
        liquid bridge until they are too far apart: see `bridge_volume` and `bridge_ratio`. Shapes
        as for the surface energy.
    contact_angle:
        Of that liquid on the surface, θ [rad], below π/2.
    bridge_volume, bridge_ratio:
        Volume V of a bridge: in cubic metres, or by R³ (without a unit) with the harmonic mean R
        of the two radii: one of the two. The bridge ruptures at the distance (1 + θ/2) ∛V.
    restitution:
        Share of the approach speed that an impact gives back, from 0 to 1.
    compliance:
        Depth per newton at a contact point [m/N]; 0 is rigid.
    damping:
        Time [s] in which a compliant contact's dashpot relaxes its spring: c/k.
    """

    friction: float = 0.5
    static_friction: float | None = None
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0
    cohesion: float = 0.0
    restitution: float = 0.0
    compliance: float = 0.0
    damping: float = 0.0
    rolling_resistance: float = 0.0
    spinning_resistance: float = 0.0
    surface_energy_jkr: float = 0.0
    surface_energy_dmt: float = 0.0
    surface_tension: float = 0.0
    contact_angle: float = 0.0
    bridge_volume: float = 0.0
    bridge_ratio: float = 0.0

    def __post_init__(self) -> None:
        for name in PROPERTIES:
            value = getattr(self, name)
            if name == "static_friction" and value is None:
                continue
            number = finite(name, value)
            if number < 0.0:
                raise InputError(f"{name} is {number:g}; it must not be negative")
            object.__setattr__(self, name, number)
        if self.surface_energy_jkr > 0.0 and self.surface_energy_dmt > 0.0:
            raise InputError(
                "surface_energy_jkr and surface_energy_dmt are two models of one thing: give one"
            )
        self._check_liquid()
        if self.restitution > 1.0:
            raise InputError(
                f"restitution is {self.restitution:g}; more than 1 would create energy"
            )
        if self.static_friction is not None and self.static_friction < self.friction:
            raise InputError(
                f"static_friction {self.static_friction:g} is below friction {self.friction:g}; "
                "a contact that sticks holds at least as well as one that slides"
            )

    def _check_liquid(self) -> None:
        if self.contact_angle >= 0.5 * math.pi:
            raise InputError(
                f"contact_angle is {self.contact_angle:g} rad; it must be below π/2: a liquid that "
                "does not wet a surface makes no bridge (120 degrees are not 120 rad, either)"
            )
        if self.bridge_volume > 0.0 and self.bridge_ratio > 0.0:
            raise InputError(
                "bridge_volume and bridge_ratio are two ways to say how large a liquid bridge is: "
                "give one"
            )
        sized = self.bridge_volume > 0.0 or self.bridge_ratio > 0.0
        if sized != (self.surface_tension > 0.0):
            raise InputError(
                f"surface_tension is {self.surface_tension:g}, bridge_volume "
                f"{self.bridge_volume:g} and bridge_ratio {self.bridge_ratio:g}: a liquid bridge "
                "needs a surface tension and one of the other two"
            )

    def property(self, name: str) -> float:
        """A property by name; static friction is never None."""
        value = getattr(self, name)
        return self.friction if value is None else float(value)


PROPERTIES = tuple(field.name for field in dataclasses.fields(Material))

RULES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "minimum": np.minimum,
    "maximum": np.maximum,
    "mean": lambda a, b: 0.5 * (a + b),
    "product": np.multiply,
    "geometric": lambda a, b: np.sqrt(a * b),
    "sum": np.add,
}
"""Rules that combine the values of two materials."""

USUAL_RULES = {
    "friction": "minimum",
    "static_friction": "minimum",
    "rolling_friction": "minimum",
    "spinning_friction": "minimum",
    "cohesion": "minimum",
    "restitution": "minimum",
    "compliance": "sum",  # two springs in a row
    "damping": "maximum",
    "rolling_resistance": "minimum",
    "spinning_resistance": "minimum",
    "surface_energy_jkr": "geometric",
    "surface_energy_dmt": "geometric",
    "surface_tension": "minimum",  # no bridge to what is dry
    "contact_angle": "mean",
    "bridge_volume": "maximum",
    "bridge_ratio": "maximum",
}


@dataclass(frozen=True, eq=False)
class PairTable:
    """Properties of a contact between materials i and j, each of shape (materials, materials)."""

    friction: Floats
    static_friction: Floats
    rolling_friction: Floats
    spinning_friction: Floats
    cohesion: Floats
    restitution: Floats
    compliance: Floats
    damping: Floats
    rolling_resistance: Floats
    spinning_resistance: Floats
    surface_energy_jkr: Floats
    surface_energy_dmt: Floats
    surface_tension: Floats
    contact_angle: Floats
    bridge_volume: Floats
    bridge_ratio: Floats

    @cached_property
    def sticks(self) -> bool:
        """Whether any contact has static friction above its sliding friction."""
        return bool((self.static_friction != self.friction).any())

    @cached_property
    def resists_turning(self) -> bool:
        """Whether any contact resists rolling or spinning."""
        lengths = self.rolling_friction.any() or self.spinning_friction.any()
        return bool(lengths or self.resists_by_size)

    @cached_property
    def resists_by_size(self) -> bool:
        """Whether any resistance to rolling or spinning grows with the size of the bodies."""
        return bool(self.rolling_resistance.any() or self.spinning_resistance.any())

    @cached_property
    def yields(self) -> bool:
        """Whether any contact is compliant."""
        return bool(self.compliance.any())

    @cached_property
    def pulls(self) -> bool:
        """Whether any contact is cohesive or adheres."""
        return bool(self.cohesion.any() or self.adheres)

    @cached_property
    def adheres(self) -> bool:
        """Whether any contact adheres, the more the larger its bodies are."""
        return bool(self.surface_energy_jkr.any() or self.surface_energy_dmt.any())

    @cached_property
    def by_radius(self) -> bool:
        """Whether any contact's pull depends on the radii of its bodies."""
        return self.adheres or self.wets

    @cached_property
    def wets(self) -> bool:
        """Whether any contact may have a liquid bridge."""
        return bool(self.surface_tension.any())

    @cached_property
    def plain(self) -> bool:
        """Whether all contacts have friction and restitution alone, as compiled steps ask for."""
        return not (self.resists_turning or self.yields or self.pulls or self.wets or self.sticks)


PAIRED = tuple(field.name for field in dataclasses.fields(PairTable))


class Materials:
    """All materials of a world, the rules that combine them, and exceptions for single pairs."""

    usual: ClassVar[Material] = Material()

    def __init__(self, rules: Mapping[str, str] | None = None) -> None:
        self.rules = dict(USUAL_RULES)
        for name, rule in (rules or {}).items():
            if name not in PROPERTIES:
                raise InputError(f"no material has {name!r}; choose from {', '.join(PROPERTIES)}")
            if not isinstance(rule, str) or rule not in RULES:
                raise InputError(f"unknown rule {rule!r}; choose from {', '.join(RULES)}")
            self.rules[name] = rule
            if name == "friction" and "static_friction" not in (rules or {}):
                self.rules["static_friction"] = rule
        self.list: list[Material] = []
        self._number: dict[Material, int] = {}
        self.pairs: dict[tuple[int, int], Material] = {}
        """Exceptions by the numbers of both materials, in either order."""
        self._table: PairTable | None = None

    def number(self, material: Material | None) -> int:
        """Number of a material, which is added if it is new; None is the default one."""
        if material is None:
            material = self.usual
        if not isinstance(material, Material):
            raise InputError(f"material must be an amontons.Material, got {material!r}")
        if material not in self._number:
            self._number[material] = len(self.list)
            self.list.append(material)
            self._table = None
        return self._number[material]

    def numbers(
        self, material: Material | Sequence[Material | None] | None, count: int
    ) -> NDArray[np.int32]:
        """Numbers of the materials of `count` bodies, given one for all or one per body."""
        if material is None or isinstance(material, Material):
            return np.full(count, self.number(material), dtype=np.int32)
        if isinstance(material, str) or not isinstance(material, Iterable):
            raise InputError(f"material must be an amontons.Material, got {material!r}")
        listed = list(material)
        for i, each in enumerate(listed):
            if not (each is None or isinstance(each, Material)):
                raise InputError(f"material[{i}] must be an amontons.Material, got {each!r}")
        if len(listed) != count:
            raise InputError(f"{len(listed)} materials for {count} bodies")
        return np.array([self.number(each) for each in listed], dtype=np.int32)

    def keep(self, count: int) -> None:
        """Forget all materials but the first `count`."""
        self.list = self.list[:count]
        self._number = {each: number for number, each in enumerate(self.list)}
        self.pairs = {pair: each for pair, each in self.pairs.items() if max(pair) < count}
        self._table = None

    def set_pair(self, first: Material, second: Material, contact: Material) -> None:
        """Set the properties of contacts between two materials, whatever the rules."""
        if not isinstance(contact, Material):
            raise InputError(f"contact must be an amontons.Material, got {contact!r}")
        i, j = self.number(first), self.number(second)
        self.pairs[i, j] = self.pairs[j, i] = contact
        self._table = None

    @property
    def table(self) -> PairTable:
        """The contact properties of every pair of materials."""
        if self._table is None:
            combined = {name: self._combined(name) for name in PAIRED}
            # whatever the rules: restitution at most 1, static friction at least sliding friction
            np.minimum(combined["restitution"], 1.0, out=combined["restitution"])
            static = combined["static_friction"]
            np.maximum(static, combined["friction"], out=static)
            self._table = PairTable(**combined)
        return self._table

    def _combined(self, name: str) -> Floats:
        own = np.array([material.property(name) for material in self.list])
        both = np.asarray(RULES[self.rules[name]](own[:, None], own[None, :]), dtype=np.float64)
        for pair, contact in self.pairs.items():
            both[pair] = contact.property(name)
        return np.ascontiguousarray(both)

    def __repr__(self) -> str:
        return f"<Materials: {len(self.list)}>"
