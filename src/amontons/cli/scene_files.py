"""Files that commands take in place of a scene's name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from amontons.cli.output import complain

if TYPE_CHECKING:
    from amontons.interchange import FileScene, Imported

SCENE_FILES = (".yaml", ".yml", ".toml", ".json")
ROBOT_FILES = (".urdf", ".xml", ".mjcf")


def names_a_file(word: str) -> bool:
    """Whether a word is the path of a file, which may not exist, rather than a scene's name."""
    endings = (*SCENE_FILES, *ROBOT_FILES)
    return word.lower().endswith(endings) or os.sep in word or Path(word).is_file()


def open_scene(path: Path) -> FileScene:
    """The scene of a scene file, or of a robot, with a list of what is not supported."""
    from amontons.interchange import load_robot, load_scene

    if path.suffix.lower() not in ROBOT_FILES:
        return load_scene(path)
    robot = load_robot(path)
    say_untaken(path, robot)
    return robot.scene()


def say_untaken(path: Path, robot: Imported) -> None:
    """List on standard error what a robot's file contains and its world does not."""
    if robot.unsupported:
        lines = "".join(f"\n  - {line}" for line in robot.unsupported)
        complain(f"{path}: not carried over:{lines}", kind="note", style="bold yellow")
