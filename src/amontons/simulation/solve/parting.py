"""The second problem of a step, which parts bodies that overlap by a motion that does not last."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.contact_laws import ContactTerms
from amontons.dynamics.joints.law import JointRows
from amontons.problem.solution import Solution

Floats = NDArray[np.float64]

YIELDING = 0.01
"""Share ε of a contact's own inverse mass by which it gives way where bodies are parted."""


def come_too_slowly_apart(terms: ContactTerms, solution: Solution) -> bool:
    """Whether contacts that overlap need a push beside the velocities that were found."""
    assert terms.parting is not None
    count, width = len(terms), terms.width
    u = solution.velocities[: width * count].reshape(count, width)[:, :3]
    along = np.einsum("ci,ci->c", u, terms.contacts.normals)
    return bool((along + terms.parting < 0.0).any())


def parting_terms(terms: ContactTerms, solution: Solution, inverse_mass: Floats) -> ContactTerms:
    """Contacts of the problem that parts bodies, on top of the velocities that were found.

    They have no friction, and give a little, E = ε(1/m_A + 1/m_B): then no jam asks for the
    impossible. A pair that nothing else holds is parted in full, as b is larger by ε.
    """
    assert terms.parting is not None
    count, width = len(terms), terms.width
    impulse = solution.impulses[: width * count].reshape(count, width)[:, :3]
    carried = np.einsum("ci,ci->c", impulse, terms.contacts.normals)
    give = YIELDING * inverse_mass[terms.contacts.bodies].sum(axis=1)
    soft = np.zeros(count) if terms.compliance is None else terms.compliance
    none = np.zeros(count)
    return dataclasses.replace(
        terms,
        friction=none,
        offset=terms.offset + YIELDING * terms.parting + soft * carried,
        rolling=None if terms.rolling is None else none,
        spinning=None if terms.spinning is None else none,
        compliance=soft + give,
        cohesion=None,
    )


def parting_rows(rows: JointRows, solution: Solution) -> JointRows:
    """Rows of joints in that problem: what they may add to the impulses that were found."""
    carried = solution.impulses[solution.impulses.size - rows.offset.size :]
    bounded = carried[rows.free + rows.one_sided :]
    return rows._replace(
        offset=rows.offset + rows.compliance * carried,
        lower=np.minimum(rows.lower - bounded, 0.0),
        upper=np.maximum(rows.upper - bounded, 0.0),
    )
