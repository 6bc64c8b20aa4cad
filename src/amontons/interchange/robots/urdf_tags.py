"""Content of a URDF file that yourdfpy ignores."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from amontons.errors import FileFormatError
from amontons.interchange.robots.left_out import LeftOut

UNBOUND_PREFIX = expat.errors.codes[expat.errors.XML_ERROR_UNBOUND_PREFIX]
"""Left over from xacro in many files, and corrected by yourdfpy."""

KNOWN = {
    "robot": {"link", "joint", "material"},
    "link": {"inertial", "visual", "collision", "contact"},
    "contact": {
        "lateral_friction", "rolling_friction", "spinning_friction", "restitution", "stiffness",
        "damping",
    },
    "inertial": {"origin", "mass", "inertia"},
    "visual": {"origin", "geometry", "material"},
    "collision": {"origin", "geometry"},
    "geometry": {"box", "cylinder", "sphere", "mesh"},
    "joint": {
        "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration",
        "safety_controller",
    },
    "material": {"color", "texture"},
}  # fmt: skip
"""Tags that are read or reported elsewhere, by their parent tag."""


def list_unknown_tags(path: Path, left_out: LeftOut) -> ElementTree.Element | None:
    """Note tags that are ignored, colours among them, and how many there are.

    Returns the whole tree, unless its prefixes are undeclared.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as reason:
        if reason.code != UNBOUND_PREFIX:
            raise FileFormatError(f"{path} cannot be read as URDF: {reason}") from None
        left_out.add(f"tags with undeclared prefixes ({reason})")
        return None
    found: Counter[str] = Counter()
    waiting = [root]
    while waiting:
        element = waiting.pop()
        known = KNOWN.get(str(element.tag))
        for child in element:
            if known is not None and child.tag not in known:
                found[f"<{child.tag}> in <{element.tag}>"] += 1
            elif isinstance(child.tag, str):
                waiting.append(child)
            if child.tag in ("color", "texture"):
                found["colours and textures"] += 1
    for what, count in sorted(found.items()):
        left_out.add(f"{what} ({count})")
    return root
