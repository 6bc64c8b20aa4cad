"""Resetting a robot, along with everything that a run remembers about it."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from amontons.array_types import Floats
from amontons.dynamics.joints.tables import JointState, fresh_state
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


def _forgotten(sim: Simulation, tree: Tree, moved: Floats, joints: JointState) -> JointState:
    """The state of joints with those of a robot as if no step had loaded them."""
    tables, first = sim.joints.tables, sim.joints.model.first
    of = tables.coordinates
    own = np.asarray(np.isin(tables.joints.bodies, tree.rows).any(axis=1))
    rows, terms = own[tables.rows.joint], np.repeat(own[of.joint], of.terms)
    which = {"angle": terms, "force": rows, "target": rows, "command": rows}
    new = joints.copy()
    fresh = fresh_state(tables)
    for name in new._fields:
        mine = which.get(name, own)
        getattr(new, name)[mine] = getattr(fresh, name)[mine]
    for number, joint in enumerate(tree.joints):
        row = sim.joints.index(joint)
        for c in np.flatnonzero((of.joint == row) & (of.reading > 0)):
            new.angle[first[c]] = moved[number]
    return new
