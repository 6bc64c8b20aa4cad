"""What is swept: a built-in scene, a scene file, or a function that makes a world."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from amontons.errors import InputError
from amontons.interchange import FileScene, load_scene
from amontons.model.world import World
from amontons.scenes import Advice, Parameter, Scene, find_scene
from amontons.sweeps.ranges import as_word, read_values

Point = dict[str, Any]
"""Values of the swept parameters of one run, by name."""

SETTINGS: dict[str, Callable[[str], Any]] = {
    "time": float, "step": float, "solver": str, "tolerance": float, "max_iterations": int,
}  # fmt: skip
"""What else can be swept: how a scene is run."""

USUAL = Advice(time=2.0, step=5e-3)
"""Default settings for worlds made by functions."""


class Subject(ABC):
    """A scene with parameters that can be set."""

    name: str
    """Its name in messages, tables and figures."""

    @abstractmethod
    def check_name(self, name: str) -> None:
        """Raise `InputError` for unknown parameters."""

    @abstractmethod
    def values(self, name: str, text: str) -> list[Any]:
        """Values of a parameter from a text such as `0.1:0.8:8`."""

    @abstractmethod
    def made(self, point: Point) -> Scene | FileScene:
        """The scene with these parameters, checked."""

    @abstractmethod
    def described(self, swept: tuple[str, ...]) -> dict[str, Any]:
        """Everything that must be equal when a sweep is continued, as JSON data."""

    @property
    def advice(self) -> Advice:
        """Its default settings."""
        return USUAL


def _setting(name: str, text: str) -> Any:
    try:
        return SETTINGS[name](text)
    except ValueError:
        what = "a whole number" if SETTINGS[name] is int else "a number"
        raise InputError(f"{name} must be {what}, got {text!r}") from None


@dataclass(frozen=True)
class SceneSubject(Subject):
    """A scene whose parameters are the fields of a dataclass."""

    base: Scene

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.base.name

    @property
    def advice(self) -> Advice:
        return self.base.advice

    def _parameter(self, name: str) -> Parameter | None:
        return {each.name: each for each in self.base.parameters()}.get(name)

    def check_name(self, name: str) -> None:
        if self._parameter(name) is None and name not in SETTINGS:
            known = ", ".join(each.name for each in self.base.parameters())
            raise InputError(
                f"the scene {self.name} has no parameter {name!r}; it has {known}, and every scene "
                f"has {', '.join(SETTINGS)}"
            )

    def values(self, name: str, text: str) -> list[Any]:
        parameter = self._parameter(name)
        if parameter is None:
            return read_values(name, text, lambda word: _setting(name, word))
        rows = isinstance(parameter.default, tuple)
        return read_values(name, text, parameter.parse, rows=rows)

    def made(self, point: Point) -> Scene:
        own = {name: value for name, value in point.items() if self._parameter(name)}
        return dataclasses.replace(self.base, **own)

    def described(self, swept: tuple[str, ...]) -> dict[str, Any]:
        fixed = {name: value for name, value in self.base.values().items() if name not in swept}
        return {"scene": self.name, "fixed": fixed}


@dataclass(frozen=True)
class FileSubject(Subject):
    """A scene file; a parameter is the place of a value in it: `materials.sand.friction`."""

    path: Path
    base: FileScene = field(repr=False)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.base.name

    @property
    def advice(self) -> Advice:
        return self.base.advice

    def check_name(self, name: str) -> None:
        """Whether a place is in the file is checked when it is read with another value there."""

    def values(self, name: str, text: str) -> list[Any]:
        if name in SETTINGS:
            return read_values(name, text, lambda word: _setting(name, word))
        return read_values(name, text, as_word)

    def made(self, point: Point) -> FileScene:
        return load_scene(self.path, {k: v for k, v in point.items() if k not in SETTINGS})

    def described(self, swept: tuple[str, ...]) -> dict[str, Any]:
        return {"file": hashlib.sha256(self.path.read_bytes()).hexdigest()}


@dataclass(frozen=True)
class FunctionSubject(Subject):
    """A function that makes a `World` from its arguments."""

    function: Callable[..., World]

    @property
    def name(self) -> str:  # type: ignore[override]
        return getattr(self.function, "__name__", type(self.function).__name__)

    def _takes(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)

    def check_name(self, name: str) -> None:
        takes = self._takes()
        anything = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in takes.values())
        if not (anything or name in takes or name in SETTINGS):
            raise InputError(
                f"{self.name}() has no argument {name!r}; it has {', '.join(takes) or 'none'}, and "
                f"every sweep has {', '.join(SETTINGS)}"
            )

    def values(self, name: str, text: str) -> list[Any]:
        if name in SETTINGS and name not in self._takes():
            return read_values(name, text, lambda word: _setting(name, word))
        return read_values(name, text, as_word)

    def made(self, point: Point) -> Scene:
        takes = self._takes()
        own = {k: v for k, v in point.items() if k in takes or k not in SETTINGS}
        try:
            inspect.signature(self.function).bind(**own)
        except TypeError as reason:
            raise InputError(f"{self.name}() cannot be called with {own}: {reason}") from None
        return WorldOf(self.function, own)

    def described(self, swept: tuple[str, ...]) -> dict[str, Any]:
        return {"function": self.name}


@dataclass(frozen=True)
class WorldOf(Scene):
    """A call of a function that makes a world; it cannot be found by a name."""

    function: Callable[..., World]
    arguments: Mapping[str, Any]

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    advice: ClassVar[Advice] = USUAL

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        return ()

    def values(self) -> dict[str, Any]:
        return dict(self.arguments)

    def build(self) -> World:
        world = self.function(**self.arguments)
        if not isinstance(world, World):
            raise InputError(
                f"{getattr(self.function, '__name__', 'the function')}() must return a World, not "
                f"a {type(world).__name__}"
            )
        return world


Swept = str | os.PathLike[str] | Scene | type[Scene] | Callable[..., World]
"""What `sweep` accepts as a scene."""


def subject_of(scene: Swept) -> Subject:
    """The subject that a word, a path, a scene or a function denotes."""
    if isinstance(scene, Scene):
        return SceneSubject(scene)
    if isinstance(scene, type):
        return _subject_of_class(scene)
    if isinstance(scene, os.PathLike) or (isinstance(scene, str) and _is_path(scene)):
        path = Path(os.path.abspath(scene))
        return FileSubject(path, load_scene(path))
    if isinstance(scene, str):
        return SceneSubject(find_scene(scene)())
    if callable(scene):
        return FunctionSubject(scene)
    raise InputError(
        "a sweep takes the name of a scene, a scene file, a Scene or a function that makes a "
        f"World, not {scene!r}"
    )


def _subject_of_class(kind: type) -> Subject:
    if not issubclass(kind, Scene):
        raise InputError(f"a sweep takes a Scene or a function; {kind.__name__} is neither")
    return SceneSubject(kind())


def _is_path(word: str) -> bool:
    return word.lower().endswith((".yaml", ".yml", ".toml", ".json")) or os.sep in word
