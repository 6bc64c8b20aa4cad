"""What the benchmarks share: fair timing on a noisy machine, shared problems, JSON."""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import amontons as am

PROBLEMS = Path(
    os.environ.get("AMONTONS_PROBLEMS", Path(__file__).parents[2] / "shared" / "problems")
)


def load(name: str) -> am.ConeProblem:
    """A problem of the shared collection, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", am.ProblemWarning)
        return am.ConeProblem.load(PROBLEMS / f"{name}.npz")


def interleaved(tasks: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median seconds of each task, taken in turns: what disturbs one disturbs them all."""
    return {name: float(np.median(values)) for name, values in turns(tasks, repeats).items()}


def turns(tasks: dict[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Seconds of each turn of each task."""
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for _ in range(repeats):
        for name, task in tasks.items():
            task()  # once unseen: the task before has filled the caches with its own data
            start = time.perf_counter()
            task()
            samples[name].append(time.perf_counter() - start)
    return samples


def arguments(description: str) -> argparse.ArgumentParser:
    """A parser with the option that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser


def write(path: Path | None, figures: Any) -> None:
    """Write figures as JSON, if asked to."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=1, default=float) + "\n")
