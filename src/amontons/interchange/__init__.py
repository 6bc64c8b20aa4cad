"""Worlds from and to files: scene files in YAML and TOML, robots, particles of other programs."""

from amontons.interchange.file_scene import FileScene, load_scene, save_scene
from amontons.interchange.particles import Particles, load_particles
from amontons.interchange.robots import (
    Imported,
    load_mjcf,
    load_robot,
    load_urdf,
    save_mjcf,
    save_urdf,
)
from amontons.interchange.run_fields import Output, RunOptions
from amontons.interchange.scene_fields import json_schema

__all__ = [
    "FileScene",
    "Imported",
    "Output",
    "Particles",
    "RunOptions",
    "json_schema",
    "load_mjcf",
    "load_particles",
    "load_robot",
    "load_scene",
    "load_urdf",
    "save_mjcf",
    "save_scene",
    "save_urdf",
]
