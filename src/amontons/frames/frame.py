"""`Frame`: the bodies of a run at one instant, and `BodyList`: their constant properties."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.frames.cell import FrameCell
from amontons.frames.surfaces import Surface
from amontons.simulation.reports.contacts import Contacts

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class Inventory(Protocol):
    """What frames know about their run: all bodies that were ever in it, and all shapes."""

    @property
    def bodies(self) -> BodyList: ...

    @property
    def shapes(self) -> Sequence[Surface]: ...


@dataclass(frozen=True, repr=False)
class Frame:
    """All bodies that exist at one instant, in the order of their ids."""

    number: int
    step: int
    """Steps taken before it."""
    time: float
    """[s]"""
    position: Floats
    """Centres of mass [m], shape (bodies, 3)."""
    orientation: Floats
    """Unit quaternions (w, x, y, z), shape (bodies, 4)."""
    twist: Floats
    """Velocity and angular velocity in world axes [m/s, rad/s], shape (bodies, 6)."""
    contacts: Contacts | None
    """Contacts of the step that ended here, if they were recorded."""
    run: Inventory | None = field(default=None, compare=False)
    """The run that the frame is of, which knows the bodies and their shapes."""
    row: Rows | None = field(default=None, compare=False)
    """Rows of the bodies in `run.bodies`, shape (bodies,); None for all, in the same order."""
    cell: FrameCell | None = field(default=None, compare=False)
    """The periodic cell, if there is one."""

    @property
    def bodies(self) -> BodyList:
        """Ids, shapes, masses and names of the bodies in this frame."""
        if self.run is None:
            raise InputError("this frame does not know its bodies: take one from Results")
        return self.run.bodies if self.row is None else self.run.bodies.take(self.row)

    @property
    def id(self) -> Rows:
        """Ids of the bodies in this frame, shape (bodies,)."""
        return self.bodies.id

    def whole(self) -> Frame:
        """The same with a row for every body of the run: NaN for those that are absent."""
        if self.run is None or self.row is None:
            return self
        arrays: dict[str, Any] = {}
        for name in ("position", "orientation", "twist"):
            mine = getattr(self, name)
            arrays[name] = np.full((len(self.run.bodies), mine.shape[1]), np.nan)
            arrays[name][self.row] = mine
        return dataclasses.replace(self, **arrays, row=None)

    @property
    def velocity(self) -> Floats:
        """Of the centres of mass [m/s], shape (bodies, 3)."""
        return self.twist[:, :3]

    @property
    def speed(self) -> Floats:
        """Of the centres of mass [m/s], shape (bodies,)."""
        return np.asarray(np.linalg.norm(self.velocity, axis=1))

    def __repr__(self) -> str:
        return (
            f"<Frame {self.number}: {len(self.position)} bodies at {self.time:.4g} s, after "
            f"{self.step} steps>"
        )


@dataclass(frozen=True, repr=False)
class BodyList:
    """Constant properties of the bodies of a run; one entry per body, in the order of ids."""

    id: NDArray[np.int64]
    shape: NDArray[np.int32]
    """Numbers of shapes."""
    mass: Floats
    """[kg]"""
    fixed: NDArray[np.bool_]
    kinematic: NDArray[np.bool_]
    names: list[str]
    material: NDArray[np.int32] | None = None
    """Numbers of materials; −1 in files of older releases, which do not record them."""

    @property
    def dynamic(self) -> NDArray[np.bool_]:
        """Which bodies move freely."""
        return ~(self.fixed | self.kinematic)

    def take(self, rows: Rows) -> BodyList:
        """The bodies in given rows."""
        names = [self.names[row] for row in rows.tolist()] if self.names else []
        return BodyList(
            self.id[rows], self.shape[rows], self.mass[rows], self.fixed[rows],
            self.kinematic[rows], names, None if self.material is None else self.material[rows],
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.id)

    def __repr__(self) -> str:
        moving, fixed = int(self.dynamic.sum()), int(self.fixed.sum())
        return (
            f"<BodyList: {moving} dynamic, {fixed} fixed, {len(self) - moving - fixed} kinematic>"
        )
