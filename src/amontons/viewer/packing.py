"""The data of a run in the page: meshes, groups of bodies that share one, and frames."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.results import Frame
from amontons.viewer.colouring import Scales, loads, rows_of
from amontons.viewer.extent import Recording
from amontons.viewer.grouping import Grouping

STATE = np.dtype([("place", "<f4", 3), ("turn", "<i2", 4), ("speed", "<f4"), ("load", "<f4")])
"""A body in a frame: [m], a unit quaternion (x, y, z, w) times 32767, [m/s], [N]; 28 bytes."""

LOOK = np.dtype([("scale", "<f4", 3), ("number", "<f4")])
"""Constants of a body: the scale of its mesh, and its row; 16 bytes."""

CONTACT = np.dtype([("point", "<f4", 3), ("force", "<f4", 3), ("arms", "<f2", (2, 3))])
"""A contact: [m], [N], and from the point to the centres of both bodies [m]; 36 bytes."""


class Packing:
    """A run prepared for the page; frames are packed in parts as they come."""

    def __init__(self, run: Recording) -> None:
        if not run.frames:
            raise InputError(f"{run.path} has no frames to show yet")
        self.run = run
        self.grouping = Grouping(run)

    def page(self, every: int = 1) -> dict[str, Any]:
        """Everything that the page's script reads, ready for JSON."""
        with np.errstate(over="ignore", invalid="ignore"):  # nothing farther away is visible
            return self.header() | self.part(range(0, self.run.frames, every))

    def header(self) -> dict[str, Any]:
        """Everything that does not change."""
        run, grouping = self.run, self.grouping
        rows, meshes = grouping.rows, grouping.meshes
        look = np.zeros(len(rows), dtype=LOOK)
        look["scale"], look["number"] = grouping.scale[rows], rows
        corners = np.cumsum([0, *(len(mesh.corners) for mesh in meshes)]).tolist()
        firsts = np.cumsum([0, *(len(mesh.triangles) for mesh in meshes)]).tolist()
        return {
            "title": run.scene or "run",
            "version": run.version,
            "middle": grouping.middle.tolist(),
            "size": grouping.size,
            "meshes": [
                {"corner": corner, "first": first, "count": len(mesh.triangles),
                 "closed": mesh.closed, "plane": mesh.plane}
                for mesh, corner, first in zip(meshes, corners, firsts, strict=False)
            ],
            "groups": grouping.described(run),
            "moving": len(grouping.moving),
            "rows": rows.tolist(),
            "names": run.bodies.names,
            "mass": [_finite(mass) for mass in run.bodies.mass],
            "corners": _text([mesh.corners for mesh in meshes]),
            "triangles": _text([mesh.triangles for mesh in meshes]),
            "look": _text([look]),
            "places": _text([self._state(run[0], grouping.still)]),
        }  # fmt: skip

    def part(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Some frames: times, states of moving bodies, and contacts if there are any."""
        run = self.run
        press, states = zlib.compressobj(6), []
        touching: list[NDArray[Any]] = []
        for number in numbers:  # one at a time, to save memory
            frame = run[number]
            states.append(press.compress(self._state(frame, self.grouping.moving).tobytes()))
            if run.has_contacts:
                touching.append(self._contacts(frame))
        states.append(press.flush())
        counts = [len(each) for each in touching]
        starts = np.cumsum([0, *counts]).tolist()
        times = run.time
        return {
            "times": [round(float(times[number]), 9) for number in numbers],
            "states": base64.b64encode(b"".join(states)).decode(),
            "contacts": _text(touching) if run.has_contacts else None,
            "ranges": [list(each) for each in zip(starts, counts, strict=False)]
            if run.has_contacts
            else None,
            "scales": vars(Scales.of(run, numbers)),
        }

    def _state(self, frame: Frame, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Bodies in a frame; absent ones have a zero quaternion and are not drawn."""
        state = np.zeros(len(rows), dtype=STATE)
        whole = frame.whole()
        here = np.flatnonzero(~np.isnan(whole.position[rows, 0]))
        there = rows[here]
        state["place"][here] = whole.position[there]
        state["turn"][here] = np.rint(32767.0 * np.roll(whole.orientation[there], -1, axis=1))
        state["speed"][here] = whole.speed[there]
        state["load"][here] = loads(self.run.bodies, frame.contacts)[there]
        return state

    def _contacts(self, frame: Frame) -> NDArray[Any]:
        """Contacts of a frame; arms to bodies that do not move freely are zero."""
        contacts, bodies = frame.contacts, self.run.bodies
        assert contacts is not None
        packed = np.zeros(len(contacts), dtype=CONTACT)
        packed["point"], packed["force"] = contacts.points, contacts.force
        rows = rows_of(bodies, contacts.bodies)
        arms = frame.whole().position[rows] - contacts.points[:, None]
        packed["arms"] = np.where(bodies.dynamic[rows][..., None], arms, 0.0)
        return packed


def _text(arrays: Sequence[NDArray[Any]]) -> str:
    whole = b"".join(array.tobytes() for array in arrays)
    return base64.b64encode(zlib.compress(whole, 6)).decode()


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
