"""Robots from files: URDF and MJCF."""

from __future__ import annotations

import os

from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.kinds import is_mjcf
from amontons.interchange.robots.mjcf import load_mjcf
from amontons.interchange.robots.mjcf_writing import save_mjcf
from amontons.interchange.robots.urdf import load_urdf
from amontons.interchange.robots.urdf_writing import save_urdf

__all__ = ["Imported", "load_mjcf", "load_robot", "load_urdf", "save_mjcf", "save_urdf"]


def load_robot(path: str | os.PathLike[str]) -> Imported:
    """A robot from URDF, which is put on a floor, or from MJCF; recognised by its content."""
    return load_mjcf(path) if is_mjcf(path) else load_urdf(path, floor=True)
