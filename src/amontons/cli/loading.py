"""Reading the inputs of commands."""

from __future__ import annotations

import glob
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amontons.cli.output import tidy_warnings
from amontons.errors import FileFormatError, InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from amontons.problem.problem import ConeProblem

SUFFIXES = (".npz", ".hdf5", ".h5")
"""Suffixes of the files in a folder that count as problems."""


def load_problem(path: Path) -> ConeProblem:
    """The problem that an argument stands for: a file, or a generated one."""
    from amontons.problem.problem import ConeProblem

    with tidy_warnings(path.name):
        if not path.exists() and is_spec(str(path)):
            from amontons.generators import generate

            return generate(str(path))
        return ConeProblem.load(path)


def is_spec(argument: str) -> bool:
    """Whether an argument asks for a generated problem: "b1", "packing:4000,friction=0.1"."""
    from amontons.generators import GENERATORS

    return argument.partition(":")[0].strip().lower() in GENERATORS


def load_guess(path: Path) -> NDArray[np.float64]:
    """Impulses to start from: a file that `solve --out` wrote, or an array saved as `.npy`."""
    import numpy as np

    try:
        with path.open("rb") as stream:
            content: Any = np.load(stream, allow_pickle=False)
            if isinstance(content, np.ndarray):
                return np.asarray(content, dtype=np.float64)
            return np.asarray(content["impulses"], dtype=np.float64)
    except KeyError:
        found = ", ".join(sorted(content.files)) or "nothing"
        raise FileFormatError(
            f"{path} has no 'impulses' to start from, only: {found}; "
            "give a file that `amontons solve --out` wrote, or a .npy array"
        ) from None
    except (ValueError, EOFError, zipfile.BadZipFile) as reason:
        raise FileFormatError(
            f"{path} holds no impulses that can be read ({reason}); "
            "give a file that `amontons solve --out` wrote, or a .npy array"
        ) from None


def expand(arguments: Sequence[Path]) -> list[Path]:
    """Problem files, from files, folders (all problems in them) and patterns (`data/*.npz`)."""
    found: list[Path] = []
    for argument in arguments:
        for path in _expand_one(argument):
            if path not in found:
                found.append(path)
    return found


def _expand_one(argument: Path) -> list[Path]:
    if argument.is_dir():
        inside = sorted(p for p in argument.iterdir() if p.suffix in SUFFIXES and p.is_file())
        if not inside:
            raise InputError(f"{argument} is a folder without problems ({', '.join(SUFFIXES)})")
        return inside
    if not argument.exists() and glob.has_magic(str(argument)):
        matches = sorted(Path(match) for match in glob.glob(str(argument), recursive=True))
        if not matches:
            raise InputError(f"no file matches {argument}")
        return matches
    return [argument]
