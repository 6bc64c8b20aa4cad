"""URDF or MJCF: told apart by the start of a robot file."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

from amontons.errors import FileFormatError, InputError
from amontons.storage.reading import no_file


def is_mjcf(path: str | os.PathLike[str]) -> bool:
    """Whether a file is MJCF and not URDF; the text of an MJCF file is accepted as well."""
    if isinstance(path, str) and path.lstrip().startswith("<"):
        return True
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no robot file {path}: it {no_file(path)}")
    try:
        _, root = next(iter(ElementTree.iterparse(path, events=("start",))))
    except (ElementTree.ParseError, StopIteration) as reason:
        line = reason.position[0] if isinstance(reason, ElementTree.ParseError) else 1
        raise FileFormatError(f"{path}, line {line}: this is not valid XML: {reason}") from None
    if root.tag not in ("robot", "mujoco", "mujocoinclude"):
        raise FileFormatError(
            f"{path} begins with <{root.tag}>; a robot is URDF (<robot>) or MJCF (<mujoco>)"
        )
    return bool(root.tag != "robot")
