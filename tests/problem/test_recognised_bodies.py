"""Rigid bodies recognised in M and H: the same products, and what is no rigid body is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

import amontons as am
from amontons.problem import kernels
from amontons.problem.operators import BodyOperator
from amontons.testing import naive
from amontons.testing.problems import RigidScene
from helpers.kernel_samples import close

pytestmark = pytest.mark.usefixtures("one_thread")


def recognised(scene, H=None, M=None, **options):
    mass, jacobian = scene.global_matrices()
    mass, jacobian = (mass if M is None else M), (jacobian if H is None else H)
    options.setdefault("friction", np.full(scene.contacts, 0.5))
    return am.ConeProblem.from_bodies(
        sp.csr_array(mass), sp.csr_array(jacobian), np.ones(mass.shape[0]), form="bodies", **options
    )


def rigid(seed, **options):
    options = {"bodies": 5, "contacts": 14, "immovable": False, **options}
    return RigidScene(np.random.default_rng(seed), **options)


@pytest.mark.parametrize(
    "kind", ["plain", "left-handed", "parallel-arms", "no-arms", "one-contact"]
)
@pytest.mark.parametrize("seed", range(4))
def test_recognised_bodies_give_the_same_products(kind, seed):
    scene = rigid(seed, contacts=1 if kind == "one-contact" else 14)
    if kind == "left-handed":
        scene.frames[::2, :, 2] *= -1.0
    elif kind == "parallel-arms":
        scene.arms[:] = scene.arms[0, 0] * np.random.default_rng(1).uniform(-1, 1, (2, 14, 1))
    elif kind == "no-arms":
        scene.arms[:] = 0.0
    M, H = scene.global_matrices()
    problem = recognised(scene)
    assert isinstance(problem.operator, BodyOperator)
    N = H.T @ np.linalg.solve(M, H)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        gamma = rng.standard_normal(problem.rows)
        x = problem.unknowns(gamma)
        close(problem.impulses(x), gamma)
        close(problem._outward(problem.product(x)), N @ gamma, digits=11)
    q = H.T @ np.linalg.solve(M, np.ones(M.shape[0]))
    close(problem.velocities(problem.unknowns(None)), q, digits=11)
    # the cone is around the same normal in either frame
    block = naive.blocks_of([am.CoulombCone(np.full(scene.contacts, 0.5))])
    inner = x.copy()
    kernels.project.serial(problem.sets.arrays, inner)
    close(problem._outward(inner), naive.project(block, gamma))


def refused(scene, **options):
    with pytest.raises(am.InputError, match="not those of rigid bodies"):
        recognised(scene, **options)


def test_bodies_that_are_not_rigid_are_refused():
    scene = rigid(0)
    M, H = scene.global_matrices()
    bent = H.copy()
    bent[3, 0] += 1e-4 * np.abs(H).max()
    touched = np.flatnonzero(H[:, 0])
    bent[touched[-1], 0] *= 1.01
    refused(scene, H=bent)
    stretched = H.copy()
    stretched[:, 3:6] *= 1.5
    refused(scene, H=stretched)
    third = H.copy()
    idle = next(b for b in range(5) if not H[6 * b : 6 * b + 6, :3].any())
    third[6 * idle : 6 * idle + 3, :3] = np.eye(3)
    refused(scene, H=third)
    coupled = M.copy()
    coupled[0, 6] = coupled[6, 0] = 0.1
    refused(scene, M=coupled)
    uneven = M.copy()
    uneven[1, 1] *= 1.1
    refused(scene, M=uneven)
    offset = M.copy()
    offset[0, 4] = offset[4, 0] = 0.1
    refused(scene, M=offset)
    refused(scene, friction=None, sets=[am.NonNegative(H.shape[1])])


def test_unknowns_that_are_no_bodies_are_refused_and_auto_still_solves():
    rng = np.random.default_rng(0)
    M, H = np.diag(rng.uniform(1, 2, 8)), rng.standard_normal((8, 6))
    with pytest.raises(am.InputError, match="not those of rigid bodies"):
        am.ConeProblem.from_bodies(M, H, np.ones(8), friction=0.5, form="bodies")
    auto = am.ConeProblem.from_bodies(M, H, np.ones(8), friction=0.5)
    assert am.APGD().solve(auto).converged
