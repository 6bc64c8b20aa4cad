"""Files that commands take in place of a scene's name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amontons.interchange.file_scene import FileScene

SCENE_FILES = (".yaml", ".yml", ".toml", ".json")
ROBOT_FILES = (".urdf", ".xml", ".mjcf")


def names_a_file(word: str) -> bool:
    """Whether a word is the path of a file, which may not exist, rather than a scene's name."""
    endings = (*SCENE_FILES, *ROBOT_FILES)
    return word.lower().endswith(endings) or os.sep in word or Path(word).is_file()


def open_scene(path: Path) -> FileScene:
    """The scene of a scene file, or of a robot; what is not taken over of that is said."""
    from amontons.interchange.file_scene import load_scene

    return load_scene(path)
