"""The plan of a sweep: what is run, with which values, in which folders; kept in `sweep.json`."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import amontons
from amontons.errors import FileFormatError, InputError
from amontons.results.layout import LOCK_FILE, RUN_FILE
from amontons.scenes import Advice
from amontons.storage.targets import check_new_folder
from amontons.storage.writing import replacing
from amontons.sweeps.points import Vary, points_of
from amontons.sweeps.subjects import SETTINGS, Point, Subject

PLAN_FILE = "sweep.json"
VERSION = 1


@dataclass(frozen=True)
class Plan:
    """The content of a sweep, as stored in its folder."""

    name: str
    """Of the scene, the file or the function."""
    subject: dict[str, Any]
    """What was swept, and the values common to all runs."""
    settings: dict[str, Any]
    """Settings of all runs that are not swept."""
    output: dict[str, Any]
    """Frames per simulated second, and whether contacts are recorded."""
    points: tuple[Point, ...]
    """Values that differ, for each run."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the varied parameters."""
        return tuple(self.points[0])

    def run_name(self, number: int) -> str:
        """The folder of a run within that of the sweep."""
        return f"run-{number:05d}"

    def number_of(self, point: Point) -> int:
        """The number of the run with these values."""
        return self.points.index(point)

    def joined(self, new: Plan, folder: Path) -> Plan:
        """The union of its runs and those of another plan, which must be equal otherwise."""
        for what in ("subject", "settings", "output"):
            mine, other = getattr(self, what), _through_json(getattr(new, what))
            for key in sorted({*mine, *other}):
                if mine.get(key) != other.get(key):
                    raise InputError(_other(folder, key, mine.get(key), other.get(key)))
        if set(self.parameters) != set(new.parameters):
            raise InputError(
                _other(folder, "parameters", ", ".join(self.parameters), ", ".join(new.parameters))
            )
        known = [_comparable(point) for point in self.points]
        more = [point for point in new.points if _comparable(point) not in known]
        ordered = [{name: point[name] for name in self.parameters} for point in more]
        return dataclasses.replace(self, points=(*self.points, *ordered))

    def save(self, folder: Path) -> None:
        """Write it into the folder of the sweep."""
        content = {"amontons_sweep": VERSION, "version": amontons.__version__}
        text = json.dumps(content | dataclasses.asdict(self), indent=1, ensure_ascii=False)
        with replacing(folder / PLAN_FILE) as stream:
            stream.write(text.encode())


def _other(folder: Path, what: str, there: Any, here: Any) -> str:
    return (
        f"{folder} holds another sweep: its {what} is {there}, not {here}; choose another folder, "
        "or give the original value"
    )


def _comparable(point: Point) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(point.items()))


def _through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def make_plan(
    subject: Subject, vary: Vary, given: dict[str, Any], *, rate: float, contacts: bool
) -> Plan:
    """The plan of a new sweep; every single run's parameters are checked."""
    points = points_of(subject, vary)
    unknown = [name for name in given if name not in SETTINGS]
    if unknown:
        raise InputError(
            f"a sweep has no setting {unknown[0]!r}; it has {', '.join(SETTINGS)}; give parameters "
            "of a scene along with the varied ones, with one value"
        )
    both = [name for name in points[0] if given.get(name) is not None]
    if both:
        raise InputError(f"{both[0]} is both varied and set for all runs; give one of them")
    for point in points:
        settings_of(subject, given, point)
        subject.made(point)
    settings = dataclasses.asdict(subject.advice.changed(given))
    fixed = {name: value for name, value in settings.items() if name not in points[0]}
    return Plan(
        subject.name,
        _through_json(subject.described(tuple(points[0]))),
        fixed,
        {"rate": float(rate), "contacts": contacts},
        tuple(points),
    )


def settings_of(subject: Subject, given: dict[str, Any], point: Point) -> Advice:
    """The settings of one run."""
    swept = {name: value for name, value in point.items() if name in SETTINGS}
    return subject.advice.changed(given | swept)


def read_plan(folder: Path) -> Plan:
    """The plan stored in a folder."""
    path = folder / PLAN_FILE
    if not path.is_file():
        what = "holds one run, not a sweep" if (folder / RUN_FILE).exists() else "holds no sweep"
        if not folder.is_dir():
            what = "is not a folder"
        raise InputError(f"{folder} {what}; make one with `amontons sweep SCENE --set NAME=VALUES`")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("amontons_sweep") != VERSION:
            raise FileFormatError(f"{path} was made by a later version of amontons; update it")
        content.pop("version")
        points = tuple(
            {name: _tuples(value) for name, value in point.items()} for point in content["points"]
        )
        plan = Plan(**(content | {"points": points}))
        if not points or any(set(point) != set(points[0]) for point in points):
            raise ValueError("its runs set different parameters")
    except (ValueError, KeyError, TypeError, AttributeError) as reason:
        if isinstance(reason, FileFormatError):
            raise
        raise FileFormatError(f"{path} is damaged, or from another program: {reason}") from None
    return plan


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def holds_sweep(folder: Path) -> bool:
    """Whether a folder is that of a sweep."""
    return (folder / PLAN_FILE).is_file()


def check_sweep_folder(folder: Path) -> None:
    """Raise if a sweep can neither start nor continue in a folder."""
    if holds_sweep(folder):
        return
    if (folder / RUN_FILE).exists():
        raise InputError(f"{folder} holds one run, not a sweep; choose another folder")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; choose a folder for the sweep")
    check_new_folder(folder, (LOCK_FILE,), kind="sweep")
