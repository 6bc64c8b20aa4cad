"""Putting a robot somewhere by hand, with all that a run remembers of it forgotten."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from amontons.array_types import Floats
from amontons.dynamics.joints.tables import fresh_state
from amontons.robots.tree import Placed, Tree
from amontons.simulation.simulation import Simulation


def put(sim: Simulation, tree: Tree, at: Placed, moved: Floats, twist: Floats) -> None:
    """Put the bodies of a tree there, at these velocities, shape (branches, 6).

    `moved` is how far each joint is from where it was added [rad or m]: full turns count. Forces
    of the last step, contacts and commands are forgotten, so that what follows does not depend on
    what came before.
    """
    state, rows = sim.state.copy(), tree.rows
    bodies = state.bodies
    bodies.position[rows] = at.position
    bodies.orientation[rows] = Rotation.from_matrix(at.rotation).as_quat(scalar_first=True)
    bodies.twist[rows], bodies.turned[rows] = twist, twist[:, 3:]
    bodies.asleep[rows], bodies.still[rows], bodies.seen[rows] = False, 0.0, False
    touched = np.isin(state.contacts.bodies, rows).any(axis=1)
    contacts = state.contacts.take(np.flatnonzero(~touched))
    sim.state = state._replace(
        joints=_forgotten(sim, tree, moved, state.joints),
        contacts=contacts,
        watch=state.watch._replace(changed=True),
    )


def _forgotten(sim, tree, moved, joints):  # type: ignore[no-untyped-def]
    """The state of joints with those of a robot as if no step had loaded them."""
    tables, first = sim.joints.tables, sim.joints.model.first
    fresh, ends = fresh_state(tables), tables.joints.bodies
    own = np.isin(ends, tree.rows).any(axis=1)
    rows, terms = (
        own[tables.rows.joint],
        np.repeat(own[tables.coordinates.joint], tables.coordinates.terms),
    )
    which = {"angle": terms, "force": rows, "target": rows, "command": rows}
    new = type(joints)._make(
        np.where(_columns(which.get(name, own), here), there, here)
        for name, here, there in zip(joints._fields, joints, fresh, strict=True)
    )
    for number, joint in enumerate(tree.joints):
        row = sim.joints.index(joint)
        for c in np.flatnonzero(
            (tables.coordinates.joint == row) & (tables.coordinates.reading > 0)
        ):
            new.angle[first[c]] = moved[number]
    return new


def _columns(which, like):  # type: ignore[no-untyped-def]
    return which.reshape(-1, *(1 for _ in like.shape[1:]))
