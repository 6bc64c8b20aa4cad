"""Rigid bodies recognised in the matrices of a global problem, to solve it matrix-free.

Simulators export M and H = D with contact frames R and, mostly, angular velocities in body axes.
A contact's block on a body is then (±R; ±Aᵀ[r]×R) with R the frame (columns n, t1, t2), r the arm
and A the body's rotation, neither of which is in the file. With F = ±R and G = ±Aᵀ[r]×R,

    K = G Fᵀ = Aᵀ[r]×

has K r = 0, which gives the arm up to its sign, and A v = ... up to a half turn about r; the body's
other contacts settle the sign. Where they cannot (all arms parallel), both signs give the same N.
The recovered operator is compared with H before it is used: a wrong guess is never returned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.problem.operators.bodies import WORLD, BodyOperator, cross_matrix
from amontons.problem.sets import CoulombCone, Run

Floats = NDArray[np.float64]

TOLERANCE = 1e-9
"""Largest relative error of a recovered Jacobian against the one given."""


@dataclass(frozen=True)
class RecognisedBodies:
    """A world-frame operator with the frames that lead back to the caller's coordinates."""

    operator: BodyOperator
    runs: list[Run]
    tangents: Floats  # t1 of the right-handed contact frame (n, t1, t2), shape (contacts, 3)


def recognise_bodies(M: sp.csr_array, H: sp.csc_array, runs: list[Run]) -> RecognisedBodies | None:
    """Rigid bodies behind M and H, or None if they are not of that form."""
    if H.shape[0] % 6 or len(runs) != 1 or not isinstance(runs[0], CoulombCone):
        return None
    masses = _masses(M)
    blocks = _contact_blocks(H)
    if masses is None or blocks is None:
        return None
    inverse_mass, inverse_inertia = masses
    pairs, linear, angular = blocks  # (contacts, 2), (contacts, 2, 3, 3) twice
    present = pairs != WORLD
    sign, frames = _frames(linear, present)
    if frames is None:
        return None
    contact, side = np.nonzero(present)
    # K = G Fᵀ: the sign of a side cancels, since both its halves carry it
    K = angular[contact, side] @ linear[contact, side].transpose(0, 2, 1)
    arms = np.zeros((pairs.shape[0], 2, 3))
    rotation, arms[contact, side] = _rotations_and_arms(K, pairs[contact, side], H.shape[0] // 6)
    rebuilt = np.einsum(
        "kji,kjl,klm->kim",
        rotation[pairs[contact, side]],
        cross_matrix(arms[contact, side]),
        linear[contact, side],
    )
    scale = np.abs(angular).max(initial=1e-300)
    if np.abs(rebuilt - angular[contact, side]).max(initial=0.0) > TOLERANCE * scale:
        return None
    # side 0 must be the one with −R: swap the pairs in the opposite order
    swap = sign[:, 0] > 0
    pairs[swap] = pairs[swap, ::-1]
    arms[swap] = arms[swap, ::-1]
    world_inertia = rotation @ inverse_inertia @ rotation.transpose(0, 2, 1)
    operator = BodyOperator(
        inverse_mass=inverse_mass,
        inverse_inertia=(world_inertia + world_inertia.transpose(0, 2, 1)) / 2,
        bodies_a=pairs[:, 0],
        bodies_b=pairs[:, 1],
        arms_a=arms[:, 0],
        arms_b=arms[:, 1],
    )
    cone = CoulombCone(np.asarray(runs[0].friction), frames[:, :, 0])
    return RecognisedBodies(operator, [cone], np.ascontiguousarray(frames[:, :, 1]))


def _masses(M: sp.csr_array) -> tuple[Floats, Floats] | None:
    """Inverse masses and body-frame inverse inertias of a block-diagonal M."""
    bodies = M.shape[0] // 6
    coo = M.tocoo()
    if (coo.row // 6 != coo.col // 6).any():
        return None
    dense = np.zeros((bodies, 6, 6))
    dense[coo.row // 6, coo.row % 6, coo.col % 6] = coo.data
    mass = dense[:, 0, 0]
    if (mass <= 0).any() or np.abs(dense[:, :3, 3:]).max(initial=0.0) > 0:
        return None
    if not np.allclose(dense[:, :3, :3], mass[:, None, None] * np.eye(3), rtol=1e-14, atol=0):
        return None
    return 1.0 / mass, np.linalg.inv(dense[:, 3:, 3:])


def _contact_blocks(H: sp.csc_array) -> tuple[NDArray[np.int64], Floats, Floats] | None:
    """Bodies of each contact and its 3 × 3 linear and angular blocks on them (rows of H)."""
    contacts = H.shape[1] // 3
    coo = H.tocoo()
    contact, body = coo.col // 3, coo.row // 6
    touched = np.unique(contact.astype(np.int64) * (H.shape[0] // 6) + body)
    owner, who = np.divmod(touched, H.shape[0] // 6)
    count = np.bincount(owner, minlength=contacts)
    if contacts == 0 or count.max() > 2 or count.min() < 1:
        return None
    pairs = np.full((contacts, 2), WORLD, dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    pairs[:, 0] = who[first]
    two = count == 2
    pairs[two, 1] = who[first[two] + 1]
    side = (pairs[contact, 1] == body).astype(np.int64)
    dense = np.zeros((contacts, 2, 6, 3))
    dense[contact, side, coo.row % 6, coo.col % 3] = coo.data
    return pairs, dense[:, :, :3], dense[:, :, 3:]


def _frames(linear: Floats, present: NDArray[np.bool_]) -> tuple[Floats, Floats | None]:
    """Sign of each side, and the right-handed contact frame that both sides must share."""
    contacts = linear.shape[0]
    sign = np.zeros((contacts, 2))
    sign[present] = np.sign(np.linalg.det(linear[present]))
    one_sided = ~present[:, 1]
    sign[one_sided, 1] = -sign[one_sided, 0]
    frames = sign[:, 0, None, None] * linear[:, 0]
    other = sign[:, 1, None, None] * linear[:, 1]
    orthonormal = np.abs(frames.transpose(0, 2, 1) @ frames - np.eye(3)).max(initial=0.0)
    shared = np.abs(other - frames)[present[:, 1]].max(initial=0.0)
    opposite = (sign[:, 0] == -sign[:, 1]).all()
    if orthonormal > TOLERANCE or shared > TOLERANCE or not opposite:
        return sign, None
    return sign, frames


def _rotations_and_arms(K: Floats, owner: NDArray[np.int64], bodies: int) -> tuple[Floats, Floats]:
    """A of each body and r of each contact side from K = Aᵀ[r]×."""
    _, size, right_t = np.linalg.svd(K)
    length = size[:, 0]
    axis = right_t[:, 2]  # K r = 0
    # for v ⟂ r the map v ↦ K v is Aᵀ(r × v): two such v and their images fix A, given r's sign
    v1, v2 = right_t[:, 0], right_t[:, 1]
    safe = np.where(length > 0, length, 1.0)[:, None]
    image1 = (K @ v1[..., None])[..., 0] / safe
    image2 = (K @ v2[..., None])[..., 0] / safe
    body_frame = np.stack([image1, image2, np.cross(image1, image2)], axis=-1)
    turned1, turned2 = np.cross(axis, v1), np.cross(axis, v2)
    world_frame = np.stack([turned1, turned2, np.cross(turned1, turned2)], axis=-1)
    rotation = np.tile(np.eye(3), (bodies, 1, 1))
    # the side with the longest arm decides for its body; the other choice is half a turn away
    order = np.lexsort((-length, owner))
    lead = order[np.concatenate([[True], owner[order][1:] != owner[order][:-1]])]
    lead = lead[length[lead] > 0]
    plain = world_frame[lead] @ body_frame[lead].transpose(0, 2, 1)
    half_turn = 2.0 * axis[lead, :, None] * axis[lead, None, :] - np.eye(3)
    misfit = np.zeros((2, bodies))
    choices = np.stack([plain, half_turn @ plain])
    for choice in range(2):
        trial = rotation.copy()
        trial[owner[lead]] = choices[choice]
        skew = trial[owner] @ K
        np.add.at(misfit[choice], owner, np.square(skew + skew.transpose(0, 2, 1)).sum((1, 2)))
    better = (misfit[1] < misfit[0])[owner[lead]].astype(np.intp)
    rotation[owner[lead]] = choices[better, np.arange(lead.size)]
    skew = rotation[owner] @ K
    arms = 0.5 * np.stack(
        [
            skew[:, 2, 1] - skew[:, 1, 2],
            skew[:, 0, 2] - skew[:, 2, 0],
            skew[:, 1, 0] - skew[:, 0, 1],
        ],
        axis=-1,
    )
    return rotation, arms
