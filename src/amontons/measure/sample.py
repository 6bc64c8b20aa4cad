"""`Sample`: bodies and contacts at one instant, whatever their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from amontons.collision.images.lattice import Lattice
from amontons.errors import InputError
from amontons.frames import BodyList, Frame, SingleFrame, Surface
from amontons.frames.surfaces import shape_arrays, surfaces_of
from amontons.measure.cells import CellRegion, SampledCell
from amontons.measure.regions import MeasuredRegion, measured_region, region_between
from amontons.measure.walls import Everybody
from amontons.model.between import Between
from amontons.model.regions import Region
from amontons.model.shapes.surfaces import enclosed
from amontons.model.world import World
from amontons.simulation.cell.cell_state import CellState
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Freely moving bodies, and the contacts of all; arrays with one row per body."""

    time: float
    """[s]; NaN of a world that is not simulated."""
    id: Ints
    position: Floats
    """Centres of mass [m], shape (bodies, 3)."""
    orientation: Floats
    velocity: Floats
    """[m/s], shape (bodies, 3)."""
    mass: Floats
    """[kg]"""
    shape: NDArray[np.int32]
    """Numbers in `shapes`."""
    shapes: Sequence[Surface]
    touching: Contacts | None
    """Contacts of all bodies; None if unknown."""
    cell: SampledCell | None = None
    """The cell that repeats itself, where there is one."""
    everybody: Everybody | None = None
    """Walls included."""

    def __len__(self) -> int:
        return len(self.id)

    @property
    def contacts(self) -> Contacts:
        """Contacts of all bodies, or an error if they are unknown."""
        if self.touching is None:
            raise InputError(
                "no contacts are known here: a simulation has them after a step, a run where they "
                "are recorded (Recorder(..., contacts=True), `amontons run --contacts`)"
            )
        return self.touching

    @property
    def radius(self) -> Floats:
        """Of spheres [m], NaN for other shapes; shape (bodies,)."""
        return self._of_shapes(lambda s: float(s.half[0]) if s.kind == "Sphere" else np.nan)

    @property
    def volume(self) -> Floats:
        """[m³], shape (bodies,); parts of a compound that overlap count twice."""
        return self._of_shapes(_volume)

    @property
    def reach(self) -> Floats:
        """Radius of a ball about the centre of mass that holds the body [m], shape (bodies,)."""
        return self._of_shapes(
            lambda s: (
                float(s.half[0])
                if s.kind == "Sphere"
                else float(np.linalg.norm(s.half + np.abs(s.middle)))
            )
        )

    def _of_shapes(self, value: Callable[[Surface], float]) -> Floats:
        numbers, rows = np.unique(self.shape, return_inverse=True)
        found = [value(self.shapes[number]) for number in numbers.tolist()]
        return np.array(found, dtype=np.float64)[rows]

    def bounds(self) -> tuple[Floats, Floats]:
        """Low and high corner of the box that just holds the bodies [m]; balls about those that
        are no spheres.
        """
        if not len(self):
            raise InputError("there is no body that moves freely, so there is nothing to measure")
        reach = self.reach[:, None]
        return (self.position - reach).min(axis=0), (self.position + reach).max(axis=0)

    def region(self, region: Region | Between | None) -> MeasuredRegion:
        """The region that was asked for, by default the box that just holds the bodies.

        That of a cell which repeats itself along all axes is the cell.
        """
        if region is None and self.cell is not None and self.cell.repeats:
            return CellRegion(self.cell.lattice.lengths)
        if isinstance(region, Between):
            return region_between(region, *self.borders(region))
        return measured_region(self.bounds() if region is None else region)

    def borders(self, region: Between) -> tuple[Floats, Floats]:
        """Low and high corner of a region between bodies [m]."""
        assert self.everybody is not None
        return self.everybody.borders(region)

    def rows_of(self, ids: Ints) -> Ints:
        """Rows of bodies by their ids; −1 for those that are fixed or kinematic."""
        if not len(self):
            return np.full(np.shape(ids), -1)
        rows = np.minimum(np.searchsorted(self.id, ids), len(self) - 1)
        return np.where(self.id[rows] == ids, rows, -1)

    def arms(self) -> tuple[Ints, Floats, Floats, Floats]:
        """Each end of a contact that is a body of the sample.

        Returns rows of bodies, their centres when the contacts were found [m], contact points [m],
        and forces on the bodies [N].
        """
        contacts = self.contacts
        rows = self.rows_of(contacts.bodies)
        back = 0.0 if np.isnan(contacts.step) else contacts.step
        ends = []
        for side, sign in ((0, -1.0), (1, 1.0)):
            mine = np.flatnonzero(rows[:, side] >= 0)
            row = rows[mine, side]
            # contacts are those at the start of the step that led here
            centre = self.position[row] - back * self.velocity[row]
            point = contacts.points[mine]
            if self.cell is not None:  # the image that is touched there
                centre = point - self.cell.nearest(point - centre)
            ends.append((row, centre, point, sign * contacts.force[mine]))
        row, centre, point, force = (np.concatenate(each) for each in zip(*ends, strict=True))
        return row, centre, point, force


Source = Simulation | World | Frame | SingleFrame | Sample
"""What can be measured."""


def sample_of(source: Source, region: Region | Between | None = None) -> Sample:
    """What there is to measure of a simulation, a world or a frame; a sample is one already.

    Bodies that are borders of a region are walls, also where they move freely.
    """
    if isinstance(region, Between):
        return _without_borders(sample_of(source), region)
    if isinstance(source, Sample):
        return source
    if isinstance(source, SingleFrame):
        source = source[0]
    if isinstance(source, Frame):
        made = source.bodies  # or it says that it does not know them
        assert source.run is not None
        shapes = source.run.shapes
        return _sample(
            source.time, made, source.position, source.orientation, source.velocity, shapes,
            source.contacts, _cell_of_frame(source),
        )  # fmt: skip
    if isinstance(source, Simulation | World):
        world = source.world if isinstance(source, Simulation) else source
        bodies = world.bodies
        made = BodyList(bodies.id, bodies.shape, bodies.mass, bodies.fixed, bodies.kinematic, [])
        contacts, time = None, np.nan
        if isinstance(source, Simulation):
            last, time = source.contacts, source.time
            contacts = None if np.isnan(last.step) else last.among(bodies.id)
        return _sample(
            time, made, bodies.position, bodies.orientation, bodies.velocity,
            surfaces_of(shape_arrays(world.shapes, world.origins)), contacts, _cell(source),
            {name: id for id, name in world.names.items()},
        )  # fmt: skip
    raise InputError(
        "measures take a Simulation, a World or a frame of Results (results[-1]), got "
        f"{type(source).__name__}"
    )


def _without_borders(sample: Sample, region: Between) -> Sample:
    """A sample without the bodies that a region is between."""
    everybody = sample.everybody
    assert everybody is not None
    walls = everybody.id[[everybody.row(each) for each in region.borders]]
    kept = ~np.isin(sample.id, walls)
    rows = ("id", "position", "orientation", "velocity", "mass", "shape")
    return replace(sample, **{name: getattr(sample, name)[kept] for name in rows})


def _sample(
    time: float,
    made: BodyList,
    position: Floats,
    orientation: Floats,
    velocity: Floats,
    shapes: Sequence[Surface],
    contacts: Contacts | None,
    cell: SampledCell | None = None,
    names: Mapping[str, int] | None = None,
) -> Sample:
    free = np.flatnonzero(made.dynamic)
    if names is None:
        names = dict(zip(made.names, made.id.tolist(), strict=False))
    return Sample(
        time,
        made.id[free],
        position[free],
        orientation[free],
        velocity[free],
        made.mass[free],
        made.shape[free],
        shapes,
        contacts,
        cell,
        Everybody(made.id, names, position, orientation, made.shape, shapes),
    )


def _cell(source: Simulation | World) -> SampledCell | None:
    """The current cell of a simulation, or the cell of a world as created."""
    world = source.world if isinstance(source, Simulation) else source
    cell, step = world.cell, np.nan
    if cell is None:
        return None
    state = CellState.of(cell, 0)
    if isinstance(source, Simulation):
        state, step = source.cell, source.contacts.step
    lattice = Lattice(state.edges, np.array(cell.periodic), np.array(cell.origin))
    return SampledCell.of(lattice, state.gradient, step)


def _cell_of_frame(frame: Frame) -> SampledCell | None:
    """The cell of a frame, and where it was when its contacts were found."""
    if frame.cell is None:
        return None
    step = np.nan if frame.contacts is None else frame.contacts.step
    return SampledCell.of(frame.cell.lattice, frame.cell.gradient, step)


def _volume(surface: Surface) -> float:
    """Of a shape [m³], from its half extents where these say all about it."""
    a, b, c = surface.half.tolist()
    match surface.kind:
        case "Sphere" | "Ellipsoid":
            return float(4.0 / 3.0 * np.pi * a * b * c)
        case "Box":
            return float(8.0 * a * b * c)
        case "Cylinder":
            return float(2.0 * np.pi * a * a * c)
        case "Cone":
            return float(2.0 / 3.0 * np.pi * a * a * c)
        case "Capsule":
            return float(np.pi * a * a * (2.0 * (c - a) + 4.0 / 3.0 * a))
    return float(enclosed(surface.vertices.astype(np.float64), surface.triangles)[0])
