"""Bodies that the page draws with one call: same mesh, moving or not, glass or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.results import Frame
from amontons.viewer.extent import Recording, extent, is_glass
from amontons.viewer.meshes import SCALED, SOLIDS, Mesh, mesh_of, plane_mesh


@dataclass
class InstanceGroup:
    """Bodies that are adjacent in the buffers."""

    mesh: int
    moving: bool
    glass: bool
    kind: str
    """Of the shape."""
    rows: list[int] = field(default_factory=list)


class Grouping:
    """All bodies of a run in groups, those that move before those that stand."""

    def __init__(self, run: Recording) -> None:
        self.meshes: list[Mesh] = []
        self.scale = np.ones((len(run.bodies), 3))
        """Of each body's mesh."""
        self.middle, self.size = extent(run)
        groups = self._groups(run)
        self.groups = sorted(groups, key=lambda group: (not group.moving, group.glass))
        self.moving = _rows(group for group in self.groups if group.moving)
        self.still = _rows(group for group in self.groups if not group.moving)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of bodies in the order of the buffers."""
        return np.concatenate([self.moving, self.still])

    def _groups(self, run: Recording) -> list[InstanceGroup]:
        bodies, frame = run.bodies, run[0].whole()
        passing = passing_bodies(run)
        number: dict[Any, int] = {}
        groups: dict[tuple[int, bool, bool, str], InstanceGroup] = {}
        for row, which in enumerate(bodies.shape.tolist()):
            shape = run.shapes[which]
            unit, plane = SCALED.get(shape.kind), shape.kind == "Plane"
            key: Any = ("plane", row) if plane else unit or which
            if key not in number:
                number[key] = len(self.meshes)
                if plane:  # its pose when it first appears
                    frame = frame_with(run, frame, row)
                    turn = rotation_matrices(frame.orientation[row][None])[0]
                    where = frame.position[row], turn, self.middle, self.size
                    self.meshes.append(plane_mesh(shape, *where))
                else:
                    self.meshes.append(mesh_of(shape))
            if unit:
                self.scale[row] = shape.half
            moving = bool(passing[row] or not bodies.fixed[row])
            alike = (number[key], moving, is_glass(bodies, row, shape))
            place = (*alike, shape.kind)
            groups.setdefault(place, InstanceGroup(*place)).rows.append(row)
        return list(groups.values())

    def described(self, run: Recording) -> list[dict[str, Any]]:
        """Groups in the page's terms; `first` counts among those that move, or those that stand."""
        first, described = {True: 0, False: 0}, []
        for group in self.groups:
            described.append(
                {
                    "mesh": group.mesh,
                    "moving": group.moving,
                    "glass": group.glass,
                    "solid": _solid(group.kind),
                    "extents": self._extents(run, group),
                    "reach": self._reach(run, group),
                    "first": first[group.moving],
                    "count": len(group.rows),
                }
            )
            first[group.moving] += len(group.rows)
        return described

    def _extents(self, run: Recording, group: InstanceGroup) -> list[float]:
        """Half extents of the bodies of a group [m] that do not follow from their scales."""
        if group.kind in SCALED:
            return [1.0, 1.0, 1.0]
        half = run.shapes[run.bodies.shape[group.rows[0]]].half
        return [float(each) for each in half]

    def _reach(self, run: Recording, group: InstanceGroup) -> float:
        """Half the diagonal of the largest body of a group [m]."""
        half = [run.shapes[which].half for which in np.unique(run.bodies.shape[group.rows])]
        return float(np.linalg.norm(half, axis=1).max())


def passing_bodies(run: Recording) -> NDArray[np.bool_]:
    """Fixed bodies that are not in all frames, shape (bodies,)."""
    passing = np.zeros(len(run.bodies), dtype=bool)
    if not run.come_and_go or not run.bodies.fixed.any():
        return passing
    for number in range(run.frames):
        passing |= np.isnan(run[number].whole().position[:, 0])
    return passing & run.bodies.fixed


def frame_with(run: Recording, frame: Frame, row: int) -> Frame:
    """A frame that contains a body: this one, or the first."""
    number = 0
    while np.isnan(frame.position[row, 0]):
        frame, number = run[number].whole(), number + 1
    return frame


def _solid(kind: str) -> int:
    """Number of a kind that the page can ray-trace, or −1."""
    return SOLIDS.index(kind) if kind in SOLIDS else -1


def _rows(groups: Any) -> NDArray[np.int64]:
    return np.array([row for group in groups for row in group.rows], dtype=np.int64)
