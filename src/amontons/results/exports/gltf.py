"""Runs as animated glTF 2.0 (`.glb`), for Blender, browsers and slides."""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.frames.frame import Frame
from amontons.frames.surfaces import Surface
from amontons.results.reader import Results
from amontons.storage.writing import replacing

FLOAT, UNSIGNED = 5126, 5125
Z_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
"""Quaternion (x, y, z, w) from amontons's axes to glTF's, in which y is up."""

COLOURS = ((0.36, 0.55, 0.78), (0.85, 0.45, 0.25), (0.35, 0.66, 0.45), (0.75, 0.60, 0.25))
GREY = (0.6, 0.6, 0.6)


class Buffer:
    """The binary part of a file, and the accessors that describe it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, array: NDArray[Any], kind: str) -> int:
        """Append an array of "SCALAR", "VEC3" or "VEC4"; return its accessor's number."""
        whole = array.dtype.kind in "iu"
        data = np.ascontiguousarray(array, dtype="<u4" if whole else "<f4")
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": data.nbytes})
        rows = data.reshape(len(data), -1)
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": UNSIGNED if whole else FLOAT,
                "count": len(data),
                "type": kind,
                "min": rows.min(axis=0).tolist(),
                "max": rows.max(axis=0).tolist(),
            }
        )
        self.parts.append(data.tobytes())
        self.size += data.nbytes
        return len(self.accessors) - 1


def write_gltf(results: Results, folder: Path, frames: Sequence[int]) -> list[Path]:
    """Write `run.glb`: one node per body, animated by keys at the frames."""
    if not len(frames):
        raise InputError(f"{results.path} has no frames to export yet")
    buffer = Buffer()
    bodies = results.bodies
    meshes = [_mesh(buffer, shape, i) for i, shape in enumerate(results.shapes)]
    first = _shown(results[frames[0]])
    there = ~np.isnan(results[frames[0]].whole().position[:, 0])
    nodes: list[dict[str, Any]] = [
        {
            "name": bodies.names[i],
            "scale": [float(there[i])] * 3,
            "mesh": int(bodies.shape[i]),
            "translation": first.position[i].tolist(),
            "rotation": _xyzw(first.orientation[i]).tolist(),
        }
        for i in range(len(bodies))
    ]
    nodes.append({"name": "world", "rotation": Z_UP, "children": list(range(len(bodies)))})
    document = {
        "asset": {"version": "2.0", "generator": f"amontons {results.version}"},
        "scene": 0,
        "scenes": [{"nodes": [len(bodies)]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [_material(colour) for colour in (*COLOURS, GREY)],
    }
    if len(frames) > 1 and not bodies.fixed.all():
        document["animations"] = [_animation(buffer, results, list(frames))]
    document |= {
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }
    path = folder / "run.glb"
    with replacing(path) as stream:
        stream.write(_glb(document, b"".join(buffer.parts)))
    return [path]


def _mesh(buffer: Buffer, shape: Surface, number: int) -> dict[str, Any]:
    """Flat-shaded triangles: each has its own corners and normals."""
    corners = shape.vertices[shape.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    grey = shape.kind in ("Plane", "Compound", "HeightField", "TriangleMesh")
    primitive = {
        "attributes": {
            "POSITION": buffer.add(corners.reshape(-1, 3), "VEC3"),
            "NORMAL": buffer.add(np.repeat(normals, 3, axis=0), "VEC3"),
        },
        "material": len(COLOURS) if grey else number % len(COLOURS),
    }
    return {"name": shape.kind, "primitives": [primitive]}


def _animation(buffer: Buffer, results: Results, frames: list[int]) -> dict[str, Any]:
    times = buffer.add(results.time[frames], "SCALAR")
    shown = [results[number].whole() for number in frames]
    there = np.stack([~np.isnan(each.position[:, 0]) for each in shown])
    position = np.stack([_shown(each).position for each in shown])
    rotation = _xyzw(np.stack([_shown(each).orientation for each in shown]))
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for body in np.flatnonzero(~results.bodies.fixed | ~there.all(axis=0)).tolist():
        comes = not there[:, body].all()  # jumps from one key to the next, without interpolation
        how = {"interpolation": "STEP"} if comes else {}
        keys = [("translation", position[:, body], "VEC3"), ("rotation", rotation[:, body], "VEC4")]
        if comes:
            keys.append(("scale", np.repeat(there[:, body, None], 3, axis=1).astype(float), "VEC3"))
        for path, values, kind in keys:
            target = {"node": body, "path": path}
            channels.append({"sampler": len(samplers), "target": target})
            samplers.append({"input": times, "output": buffer.add(values, kind), **how})
    return {"name": results.scene or "run", "samplers": samplers, "channels": channels}


def _shown(frame: Frame) -> Frame:
    """A frame with rows for all bodies; absent ones are at the origin, not rotated."""
    whole = frame.whole()
    gone = np.isnan(whole.position[:, 0])
    if not gone.any():
        return whole
    return dataclasses.replace(
        whole,
        position=np.where(gone[:, None], 0.0, whole.position),
        orientation=np.where(gone[:, None], (1.0, 0.0, 0.0, 0.0), whole.orientation),
    )


def _xyzw(quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.roll(quaternions, -1, axis=-1)


def _material(colour: tuple[float, float, float]) -> dict[str, Any]:
    look = {"baseColorFactor": [*colour, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}
    return {"pbrMetallicRoughness": look, "doubleSided": True}


def _glb(document: dict[str, Any], binary: bytes) -> bytes:
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    size = 12 + 8 + len(text) + 8 + len(binary)
    return b"".join(
        [
            struct.pack("<4sII", b"glTF", 2, size),
            struct.pack("<I4s", len(text), b"JSON"),
            text,
            struct.pack("<I4s", len(binary), b"BIN\0"),
            binary,
        ]
    )
