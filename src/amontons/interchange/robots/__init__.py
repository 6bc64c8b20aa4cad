"""Robots from files: URDF and MJCF."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

from amontons.errors import FileFormatError, InputError
from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.mjcf import load_mjcf
from amontons.interchange.robots.urdf import load_urdf

__all__ = ["Imported", "load_mjcf", "load_robot", "load_urdf"]


def load_robot(path: str | os.PathLike[str]) -> Imported:
    """A robot from URDF, which is put on a floor, or from MJCF; what the file begins with says."""
    path = Path(path)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(f"there is no robot file {path}: it {what}")
    try:
        _, root = next(iter(ElementTree.iterparse(path, events=("start",))))
    except (ElementTree.ParseError, StopIteration) as reason:
        line = reason.position[0] if isinstance(reason, ElementTree.ParseError) else 1
        raise FileFormatError(f"{path}, line {line}: this is not valid XML: {reason}") from None
    if root.tag == "robot":
        return load_urdf(path, floor=True)
    if root.tag in ("mujoco", "mujocoinclude"):
        return load_mjcf(path)
    raise FileFormatError(
        f"{path} begins with <{root.tag}>; a robot is URDF (<robot>) or MJCF (<mujoco>)"
    )
