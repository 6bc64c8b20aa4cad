"""What is drawn of a run: balls, triangles, planes and containers, and their poses in a frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from amontons.algebra.rotations import rotation_matrices
from amontons.array_types import Floats, Longs
from amontons.model.shapes import Box
from amontons.results import Frame
from amontons.viewer.extent import Recording, extent, is_glass
from amontons.viewer.meshes import CLOSED, corners_of
from amontons.viewer.pictures.balls import Balls
from amontons.viewer.pictures.facets import Facets
from amontons.viewer.pictures.view import Camera

ROUND = ("Sphere", "Ellipsoid")


def there(frame: Frame, rows: list[int]) -> Longs:
    """Which of some bodies are in a frame: their places in the list."""
    return np.flatnonzero(~np.isnan(frame.position[rows, 0]))


@dataclass
class Cast:
    """Bodies that share triangles: their rows and scales."""

    corners: Floats
    """Corners and their normals in the body's frame, shape (triangles, 3, 6)."""
    closed: bool
    glass: bool
    rows: list[int] = field(default_factory=list)
    scale: list[Floats] = field(default_factory=list)

    def placed(self, frame: Frame) -> tuple[Floats, Floats, Longs]:
        """Corners [m] and normals in the world, each of shape (bodies · triangles, 3, 3).

        And the row of each triangle's body. The frame has a row for every body of the run.
        """
        some = there(frame, self.rows)
        rows = np.array(self.rows, dtype=np.int64)[some]
        turns = rotation_matrices(frame.orientation[rows])
        scale = np.array(self.scale)[some][:, None, None]
        points, normals = self.corners[None, ..., :3] * scale, self.corners[None, ..., 3:] / scale
        places = frame.position[rows][:, None, None]
        moved = np.einsum("bij,btcj->btci", turns, points) + places
        turned = np.einsum("bij,btcj->btci", turns, normals)
        owner = np.repeat(rows, len(self.corners))
        return moved.reshape(-1, 3, 3), turned.reshape(-1, 3, 3), owner


@dataclass(frozen=True)
class Ground:
    """A plane as the camera sees it: a square next to the middle of the scene."""

    point: Floats
    normal: Floats
    half: float
    """Of its sides [m]."""

    def depth(self, camera: Camera, x: Longs, y: Longs) -> Floats:
        """Depth of the plane along the rays of pixels [m]; infinite where it is not visible."""
        u, v = camera.slopes(x, y)
        across, upward, ahead = camera.axes @ self.normal
        falling = u * across + v * upward + ahead
        above = float((self.point - camera.eye) @ self.normal)
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = np.where(falling < 0.0, above / falling, np.inf)
        depth[~(depth > camera.near)] = np.inf
        spot = self._offset(camera, u, v, depth)
        depth[~(np.abs(spot) <= self.half).all(axis=1)] = np.inf
        return np.asarray(depth)

    def _offset(self, camera: Camera, u: Floats, v: Floats, depth: Floats) -> Floats:
        """Along the two sides of the square [m], shape (pixels, 2)."""
        side = np.cross(self.normal, [0.0, 0.0, 1.0] if abs(self.normal[2]) < 0.9 else [1.0, 0, 0])
        sides = np.stack([side, np.cross(self.normal, side)]) / np.linalg.norm(side)
        across, upward, ahead = camera.axes @ sides.T
        start = sides @ (camera.eye - self.point)
        with np.errstate(invalid="ignore"):
            rays = u[:, None] * across + v[:, None] * upward + ahead
            return np.asarray(start + depth[:, None] * rays)


class Stage:
    """A run prepared for pictures of any of its frames."""

    def __init__(self, run: Recording) -> None:
        self.bodies, self.shapes = run.bodies, run.shapes
        self.middle, self.size = extent(run)
        half = np.array([shape.half.max() for shape in self.shapes])[self.bodies.shape]
        moving = half[self.bodies.dynamic]
        self.typical = float(np.median(moving)) if moving.size else 0.1 * self.size
        """Half the length of a body [m]."""
        self.balls: list[int] = []
        self.planes: list[int] = []
        casts: dict[tuple[object, bool], Cast] = {}
        for row, which in enumerate(self.bodies.shape.tolist()):
            shape = self.shapes[which]
            if shape.kind in ROUND:
                self.balls.append(row)
            elif shape.kind == "Plane":
                self.planes.append(row)
            else:
                box, glass = shape.kind == "Box", is_glass(self.bodies, row, shape)
                key = ("box" if box else which, glass)
                if key not in casts:
                    casts[key] = self._cast(which, glass)
                casts[key].rows.append(row)
                casts[key].scale.append(shape.half if box else np.ones(3))
        self.casts = list(casts.values())
        still = [*self.planes, *(row for cast in self.casts if cast.glass for row in cast.rows)]
        fixed = bool(self.bodies.fixed[np.array(still, dtype=np.int64)].all())
        self.backdrop_moves = run.come_and_go or not fixed
        """Whether planes or containers move, appear or disappear."""

    def _cast(self, which: int, glass: bool) -> Cast:
        shape = self.shapes[which]
        if shape.kind == "Box":
            corners = corners_of(*Box.cube(2.0).surface_mesh())
        else:
            corners = corners_of(shape.vertices, shape.triangles)
        triangles = corners.reshape(-1, 3, 6).astype(np.float64)
        return Cast(triangles, shape.kind in CLOSED, glass)

    def round_bodies(self, frame: Frame) -> tuple[Balls, Longs]:
        """Spheres and ellipsoids of a frame, and the rows of their bodies."""
        rows = np.array(self.balls, dtype=np.int64)[there(frame, self.balls)]
        half = np.array([self.shapes[which].half for which in self.bodies.shape[rows]])
        turns = rotation_matrices(frame.orientation[rows])
        return Balls(frame.position[rows], turns, half.reshape(-1, 3)), rows

    def facets(self, frame: Frame, camera: Camera, *, glass: bool) -> tuple[Facets, Longs]:
        """Triangles of all bodies of glass, or of all others, and the row of each one's body."""
        casts = [cast for cast in self.casts if cast.glass is glass]
        nothing = np.empty((0, 3, 3))
        placed = [cast.placed(frame) for cast in casts]
        owner = [rows for *_, rows in placed]
        closed = [np.full(len(rows), cast.closed) for cast, rows in zip(casts, owner, strict=True)]
        made = Facets(
            camera,
            np.concatenate([nothing, *(points for points, *_ in placed)]),
            np.concatenate([nothing, *(normals for _, normals, _ in placed)]),
            np.concatenate([np.empty(0, dtype=bool), *closed]),
        )
        return made, np.concatenate([np.empty(0, dtype=np.int64), *owner])

    def grounds(self, frame: Frame) -> list[Ground]:
        """Planes of a frame."""
        found = []
        for row in (self.planes[i] for i in there(frame, self.planes)):
            shape = self.shapes[self.bodies.shape[row]]
            turn = rotation_matrices(frame.orientation[row][None])[0]
            normal = turn @ corners_of(shape.vertices, shape.triangles)[0, 3:]
            point = frame.position[row] + turn @ shape.vertices.mean(axis=0)
            beside = self.middle - ((self.middle - point) @ normal) * normal
            reach = 3.0 if abs(normal[2]) > 0.9 else 0.6
            found.append(Ground(beside, normal, reach * self.size))
        return found
