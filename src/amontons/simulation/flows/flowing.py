"""What happens between two steps of an open system: bodies are counted, go, and come."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.model.flows import FlowMeter, Sink, Source, ball_radius
from amontons.model.shapes import Part, Shape, Sphere
from amontons.model.sizes import Sizes
from amontons.model.world import World
from amontons.simulation.flows.flow_state import FlowState, tally
from amontons.simulation.flows.placing import Interior, Room
from amontons.simulation.model import Model
from amontons.simulation.reports.notes import WAITING_SOURCE, Note

Floats = NDArray[np.float64]


class Moment(NamedTuple):
    """The end of a step."""

    before: Floats  # where the bodies were at its start [m], (bodies, 3)
    length: float  # [s]
    number: int
    time: float  # [s]


class Grain(NamedTuple):
    """A body that is to come."""

    shape: Shape
    radius: float  # of a ball that holds it [m]
    mass: float  # [kg]


@lru_cache(maxsize=256)
def interior(part: Part) -> Interior:
    """The inside of a region, made once."""
    return Interior(part)


def flow(
    world: World, model: Model, state: FlowState, moment: Moment
) -> tuple[FlowState, list[Note]]:
    """Count bodies that passed, remove those in sinks, and add those that sources give."""
    state = FlowState._make(each.copy() for each in state)
    state = state.sized(len(world.flows), len(world.materials.list))
    room = Room(model, world)
    for number, _, meter in world.flows.of(FlowMeter):
        _count(world, meter, number, state, moment)
    for number, _, sink in world.flows.of(Sink):
        _drain(world, sink, number, state)
    notes = []
    for number, name, source in world.flows.of(Source):
        waited = bool(state.waiting[number])
        state = _feed(world, room, source, number, state, moment)
        if state.waiting[number] and not waited:
            notes.append(_waits(name, source, moment))
    return state, notes


def _count(world: World, meter: FlowMeter, number: int, state: FlowState, moment: Moment) -> None:
    bodies = world.bodies
    normal = np.array(meter.plane.normal)
    old = moment.before @ normal - meter.plane.offset
    new = bodies.position @ normal - meter.plane.offset
    passed = np.flatnonzero(((old < 0.0) != (new < 0.0)) & bodies.dynamic)
    if meter.part is not None and passed.size:
        share = (old[passed] / (old[passed] - new[passed]))[:, None]
        where = moment.before[passed] + share * (bodies.position - moment.before)[passed]
        passed = passed[interior(meter.part).depths(where) > 0.0]
    ahead = passed[new[passed] >= 0.0]
    back = passed[new[passed] < 0.0]
    material, mass = bodies.material.astype(np.int64), bodies.mass
    tally(state.number, state.mass, number, material[ahead], mass[ahead])
    tally(state.number_back, state.mass_back, number, material[back], mass[back])
    np.add.at(
        state.momentum[number], material[ahead], mass[ahead] * (bodies.velocity[ahead] @ normal)
    )


def _drain(world: World, sink: Sink, number: int, state: FlowState) -> None:
    bodies = world.bodies
    free = np.flatnonzero(bodies.dynamic)
    if not free.size:
        return
    gone = free[interior(sink.part).depths(bodies.position[free]) > 0.0]
    if not gone.size:
        return
    material = bodies.material.astype(np.int64)[gone]
    tally(state.number, state.mass, number, material, bodies.mass[gone])
    world.remove_bodies(bodies.id[gone].tolist())


def _feed(
    world: World, room: Room, source: Source, number: int, state: FlowState, moment: Moment
) -> FlowState:
    """Add what is due and finds room; what finds none is not made up for."""
    due = state.due[number] + source.rate * moment.length
    left = np.inf
    if source.limit is not None:
        left = source.limit - float(state.mass[number].sum())
    come: list[Grain] = []
    places: list[Floats] = []
    waiting = False
    while True:
        draw = int(state.drawn[number]) + len(come)
        grain = next_grain(source, draw)
        if grain.mass > due or grain.mass > left:
            break
        # the places that are tried differ from step to step, those of a step never
        rng = np.random.default_rng([source.seed, draw, moment.number])
        tried = interior(source.part).places(grain.radius, rng)
        place = room.take(tried, grain.radius)
        if place is None:
            waiting, due = True, min(due, grain.mass)
            break
        come.append(grain)
        places.append(place)
        due -= grain.mass
        left -= grain.mass
    state.due[number], state.waiting[number] = due, waiting
    if not come:
        return state
    state.drawn[number] += len(come)
    return _added(world, source, number, state, come, np.array(places))


def _added(
    world: World, source: Source, number: int, state: FlowState, come: list[Grain], places: Floats
) -> FlowState:
    """Add bodies to the world, and to the books of their source."""
    first = int(state.drawn[number]) - len(come)
    common: dict[str, Any] = {
        "position": places, "velocity": source.velocity, "density": source.density,
        "material": source.material,
    }  # fmt: skip
    if isinstance(source.sizes, Sizes):
        ids = world.add_spheres([grain.radius for grain in come], **common)
    else:
        turns = [_turn(source, first + i) for i in range(len(come))]
        ids = world.add_bodies([grain.shape for grain in come], orientation=turns, **common)
    state = state.sized(len(world.flows), len(world.materials.list))
    rows = np.searchsorted(world.bodies.id, ids)
    material = world.bodies.material.astype(np.int64)[rows]
    tally(state.number, state.mass, number, material, world.bodies.mass[rows])
    return state


def next_grain(source: Source, draw: int) -> Grain:
    """The body that a source gives after so many others."""
    chance = float(np.random.default_rng([source.seed, draw]).random())
    if isinstance(source.sizes, Sizes):
        sizes = source.sizes
        radius = 0.5 * float(np.interp(chance, sizes.below, sizes.edges))
        ball = Sphere(radius)
        return Grain(ball, radius, ball.volume * source.density)
    shape = source.shapes[int(chance * len(source.shapes))]
    return Grain(shape, ball_radius(shape), shape.volume * source.density)


def _turn(source: Source, draw: int) -> Floats:
    """A turn at random, all of them alike: four normal numbers."""
    turn = np.random.default_rng([source.seed, draw, 0, 1]).normal(size=4)
    return np.asarray(turn / np.linalg.norm(turn))


def _waits(name: str, source: Source, moment: Moment) -> Note:
    return Note(
        kind=WAITING_SOURCE,
        message=(
            f"{name} finds no room for the next body in its region and waits; it goes on as soon "
            "as there is some (a lower rate, a larger region or a higher velocity keeps it going)"
        ),
        step=moment.number,
        time=moment.time,
    )
