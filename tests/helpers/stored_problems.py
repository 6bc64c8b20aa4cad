"""Problems in files with reference solutions: ten of our own, and the shared ones where they are.

Ours are steps of our own scenes (`tests/problems/make.py`). The shared ones were made by other
people's simulators; they are beside the clone, in `../shared/problems`, or where the environment
variable AMONTONS_PROBLEMS says. Tests run on all that are there and skip nothing.
"""

import importlib.util
import os
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

import amontons as am
from helpers import plain_loader
from helpers.paths import ROOT

OWN = ROOT / "tests" / "problems"
SHARED = Path(os.environ.get("AMONTONS_PROBLEMS", ROOT.parent / "shared" / "problems"))
HAS_SHARED = (SHARED / "load_fc.py").exists()


def own(*, contacts_only: bool = False) -> list[Path]:
    """Our problems: all, or those of contacts without extras, which plain loaders can read."""
    paths = sorted(OWN.glob("*.npz"))
    return [path for path in paths if not contacts_only or version(path) == 1]


def shared(names: Iterable[str] | None = None) -> list[Path]:
    """The shared problems, or those with these names; none where they are not at hand."""
    if not HAS_SHARED:
        return []
    paths = sorted(SHARED.glob("*.npz"))
    return [path for path in paths if names is None or path.stem in names]


def version(path: Path) -> int:
    with np.load(path) as file:
        return int(file["format_version"])


def load(path: Path) -> am.ConeProblem:
    """The problem, without the warnings that some of the shared ones give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", am.ProblemWarning)
        return am.ConeProblem.load(path)


def reference(path: Path) -> dict[str, np.ndarray]:
    """Solutions of the convex problem (`ccp_r`, …) and of exact Coulomb friction (`exact_r`, …)."""
    with np.load(path.parent / "refs" / f"{path.stem}.ref.npz") as file:
        return dict(file)


@cache
def loader(folder: Path):
    """A module that reads and judges problems in plain numpy; others wrote that of the shared."""
    if folder != SHARED:
        return plain_loader
    spec = importlib.util.spec_from_file_location("load_fc", SHARED / "load_fc.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOADERS = {"plain": plain_loader, **({"shared": loader(SHARED)} if HAS_SHARED else {})}
"""Every loader at hand, by name."""
