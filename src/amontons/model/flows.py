"""Open systems: where bodies are added and removed, and planes at which they are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from amontons.checks import finite_vector, positive, whole
from amontons.errors import InputError
from amontons.model.materials import Material
from amontons.model.regions import Region, region_part
from amontons.model.shapes import Part, Plane, Shape
from amontons.model.shapes.base import Volumeless
from amontons.model.sizes import Sizes


@dataclass(frozen=True, eq=False)
class Source:
    """Adds bodies to the world at a rate, at random positions in a region.

    Each is added when its whole mass is due, at a position where it touches no other body. If
    there is no room it waits, and a note says so; mass due meanwhile is not made up for, so that a
    source in a full hopper only tops it up.

    Parameters
    ----------
    region:
        Two corners of a box [m]; or a shape that has a volume, in the frame of the world; or a
        `Part`, which puts one elsewhere. Bodies start wholly inside.
    sizes:
        `Sizes` of spheres, or one diameter for all [m]; or a shape, or several that come equally
        often, turned at random.
    rate:
        Mass per time [kg/s].
    density:
        [kg/m³]
    velocity:
        With which they come [m/s].
    seed:
        Same world, same seed: the same bodies, bit by bit.
    limit:
        Mass after which the source is empty [kg].
    material:
        None is the usual one.
    name:
        By default "source 1" and so on.
    """

    region: Region
    sizes: Sizes | float | Shape | Sequence[Shape]
    rate: float
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    seed: int = 0
    density: float = 1000.0
    limit: float | None = None
    material: Material | None = None
    name: str = ""
    part: Part = field(init=False, repr=False)
    """The region as a shape with a pose."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "part", volume_part(self.region))
        put(self, "rate", positive("rate", self.rate))
        put(self, "density", positive("density", self.density))
        put(self, "velocity", finite_vector("velocity", self.velocity))
        put(self, "seed", whole("seed", self.seed))
        if self.limit is not None:
            put(self, "limit", positive("limit", self.limit))
        if self.material is not None and not isinstance(self.material, Material):
            raise InputError(f"material must be an amontons.Material, got {self.material!r}")
        check_name(self.name)
        put(self, "sizes", _sizes(self.sizes))
        low, high = self.part.shape.bounds
        least = float((np.asarray(high) - np.asarray(low)).min())
        if 2.0 * self.largest_radius > least:
            raise InputError(
                f"a body {2.0 * self.largest_radius:g} m across does not fit into the region of "
                f"this source, which is {least:g} m thick: nothing would ever come"
            )

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Shapes of the bodies; none for spheres of given sizes."""
        return () if isinstance(self.sizes, Sizes) else self.sizes  # type: ignore[return-value]

    @property
    def largest_radius(self) -> float:
        """Radius of a ball that contains the largest body [m]."""
        if isinstance(self.sizes, Sizes):
            return 0.5 * self.sizes.largest
        return max(ball_radius(shape) for shape in self.shapes)


@dataclass(frozen=True, eq=False)
class Sink:
    """Removes bodies whose centre of mass enters a region, at the end of the step.

    Joints and loads attached to them are removed too; fixed and kinematic bodies stay.

    Parameters
    ----------
    region:
        As that of a :class:`Source`.
    name:
        By default "sink 1" and so on.
    """

    region: Region
    name: str = ""
    part: Part = field(init=False, repr=False)
    """The region as a shape with a pose."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "part", volume_part(self.region))
        check_name(self.name)


@dataclass(frozen=True, eq=False)
class FlowMeter:
    """Counts bodies whose centre of mass passes a plane: their number, mass and speed.

    Parameters
    ----------
    plane:
        An `amontons.Plane`; forwards is along its normal.
    within:
        A region: only bodies that cross the plane inside it count. By default all do.
    name:
        By default "meter 1" and so on.
    """

    plane: Plane
    within: Region | None = None
    name: str = ""
    part: Part | None = field(init=False, repr=False)
    """The region as a shape with a pose."""

    def __post_init__(self) -> None:
        if not isinstance(self.plane, Plane):
            raise InputError(f"plane must be an amontons.Plane, got {self.plane!r}")
        part = None if self.within is None else volume_part(self.within, "within")
        object.__setattr__(self, "part", part)
        check_name(self.name)


Flow = Source | Sink | FlowMeter

KINDS: dict[type, str] = {Source: "source", Sink: "sink", FlowMeter: "meter"}


class Flows:
    """The sources, sinks and meters of a world, in the order in which they were added."""

    def __init__(self) -> None:
        self._all: list[tuple[str, Flow]] = []

    def add(self, flow: Any, kind: type[Flow]) -> None:
        """Add one, under its own name or a generated one."""
        word = KINDS[kind]
        if not isinstance(flow, kind):
            raise InputError(f"an amontons.{kind.__name__} was expected, got {flow!r}")
        if any(flow is other for _, other in self._all):
            raise InputError(f"this {word} is already in this world; create another one like it")
        number = 1 + sum(isinstance(other, kind) for _, other in self._all)
        name = flow.name or f"{word} {number}"
        if name in self.names:
            raise InputError(f"there is already a source, sink or meter called {name!r}")
        self._all.append((name, flow))

    @property
    def names(self) -> list[str]:
        """Names of all, in order."""
        return [name for name, _ in self._all]

    def of(self, kind: type) -> Iterator[tuple[int, str, Any]]:
        """Numbers, names and objects of one kind."""
        for number, (name, flow) in enumerate(self._all):
            if isinstance(flow, kind):
                yield number, name, flow

    def kind_of(self, number: int) -> str:
        """Source, sink or meter."""
        return KINDS[type(self._all[number][1])]

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return f"<Flows: {', '.join(self.names) or 'none'}>"


def volume_part(region: Region, name: str = "region") -> Part:
    """A region with an interior, as a shape with a pose."""
    part = region_part(region, name)
    if isinstance(part.shape, Volumeless):
        raise InputError(f"{name} must have a volume; a {type(part.shape).__name__} has none")
    _ = part.shape.volume  # an open mesh says so itself
    return part


def check_name(name: Any) -> None:
    """Raise if a name is not text."""
    if not isinstance(name, str):
        raise InputError(f"name must be text, got {name!r}")


def ball_radius(shape: Shape) -> float:
    """Radius of a ball about the centre of mass that contains a shape [m]."""
    low, high = (np.asarray(bound) for bound in shape.bounds)
    far = np.maximum(np.abs(low - shape.centre), np.abs(high - shape.centre))
    return float(np.linalg.norm(far)) if type(shape).__name__ != "Sphere" else float(high[0])


def _sizes(sizes: Any) -> Sizes | tuple[Shape, ...]:
    if isinstance(sizes, Sizes):
        return sizes
    if isinstance(sizes, int | float) and not isinstance(sizes, bool):
        return Sizes.single(positive("sizes", sizes))
    several = [sizes] if isinstance(sizes, Shape) else sizes
    if not isinstance(several, Sequence) or isinstance(several, str) or not several:
        raise InputError(
            f"sizes must be an amontons.Sizes, one diameter [m], a shape or several, got {sizes!r}"
        )
    for shape in several:
        if not isinstance(shape, Shape) or isinstance(shape, Volumeless):
            raise InputError(f"sizes must be shapes that have a volume, got {shape!r}")
        _ = shape.volume
    return tuple(several)
