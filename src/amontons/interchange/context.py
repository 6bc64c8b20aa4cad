"""What the names in a scene file stand for, while it is read or written."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amontons.errors import InputError
from amontons.model.materials import Material
from amontons.model.shapes import Shape
from amontons.model.world import World

WORLD = "world"
"""The word for the world itself, to which a joint may attach a body."""


@dataclass
class Known:
    """Names that a file has introduced so far."""

    folder: Path
    shapes: dict[str, Shape] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    world: World = field(default_factory=World)

    def body_names(self) -> list[str]:
        """Names of all named bodies."""
        ids = self.world.bodies.id.tolist()
        return [name for id in ids if (name := given_name(self.world, id))]


def has_body(world: World, name: str) -> bool:
    """Whether a body has that name."""
    try:
        world.body(name)
    except InputError:
        return False
    return True


@dataclass
class Names:
    """Names in the file that is being written."""

    world: World = field(default_factory=World)
    shapes: dict[Shape, str] = field(default_factory=dict)
    materials: list[str] = field(default_factory=list)

    def body(self, body: Any) -> str | int:
        """How a joint or load refers to a body: by its name, or else by its number."""
        if body is None:
            return WORLD
        id = self.world.id_of(getattr(body, "id", body))
        name = given_name(self.world, id)
        return id if name in ("", WORLD) else name

    def material(self, number: int) -> str:
        """Name of a material of the world."""
        if number >= len(self.materials):
            raise InputError(f"the world has no material {number}")
        return self.materials[number]


def given_name(world: World, id: int) -> str:
    """The name of a body, if it has one."""
    name = world.name_of(id)
    return name if name != f"body {id}" or has_body(world, name) else ""
