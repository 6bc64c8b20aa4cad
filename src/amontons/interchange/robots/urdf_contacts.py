"""Friction and stiffness of URDF's links: `<contact>`, as PyBullet reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amontons.checks import not_negative
from amontons.errors import InputError
from amontons.interchange.robots.urdf_links import naming
from amontons.model.materials import Material

FRICTIONS = {
    "lateral_friction": "friction",
    "rolling_friction": "rolling_friction",
    "spinning_friction": "spinning_friction",
    "restitution": "restitution",
}
"""Tags, and the properties of a material that they are."""

STIFF = ("stiffness", "damping")
"""Of a contact [N/m, N s/m]: a spring in series with that of the other body."""


def materials_of(path: Path, root: Any) -> dict[str, Material]:
    """Materials of the links that say something about contacts, by their names."""
    found = {}
    for link in root.findall("link"):
        contact = link.find("contact")
        if contact is None:
            continue
        name = str(link.get("name"))
        with naming(f"{path}, link {name!r}, <contact>"):
            given = {tag.tag: _value(tag) for tag in contact if tag.tag in (*FRICTIONS, *STIFF)}
        material = {ours: given[theirs] for theirs, ours in FRICTIONS.items() if theirs in given}
        if given.get("stiffness", 0.0) > 0.0:
            material["compliance"] = 1.0 / given["stiffness"]
            material["damping"] = given.get("damping", 0.0) / given["stiffness"]
        with naming(f"{path}, link {name!r}, <contact>"):
            found[name] = Material(**material)
    return found


def _value(tag: Any) -> float:
    """The number of a tag."""
    text = tag.get("value", "")
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{tag.tag} is {text!r}, which is not a number") from None
    return not_negative(str(tag.tag), number)
