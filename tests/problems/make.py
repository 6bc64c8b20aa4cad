"""Make the problems of this folder and their reference solutions: steps of our own scenes.

python tests/problems/make.py [--folder tests/problems]

They serve where the shared problems, which other people's simulators made, are not at hand, and
have their layout: version 1 of `.npz` ("local" with W and q, "global" with M, H, f and w), frames
(normal, t1, t2), and beside them `refs/NAME.ref.npz`. Problems with joints, cohesion or spinning
friction do not fit into that and are stored as they are (version 2).

References have `ccp_r`, `ccp_u`, `ccp_objective` and `ccp_residual_scaled` of the convex problem,
and `exact_r`, `exact_u`, `exact_error_scaled` of exact Coulomb friction. `APGD` must
agree with `InteriorPoint`, whose solutions the convex ones are, on the objective.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import amontons as am
from amontons.scenes import (
    Dominoes,
    MixedPile,
    PackedBed,
    Plates,
    PressedBed,
    Scene,
    Snowball,
    WalkingRobot,
    Wall,
)

HERE = Path(__file__).parent
AGREEMENT = 1e-9
"""Relative difference of two objectives that are called the same."""


def step_of(scene: Scene, steps: int) -> am.ConeProblem:
    """The problem of one step of a scene, run as advised."""
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    for _ in range(steps):
        sim.step()
    return sim.problem()


def rolling_balls(spin: float) -> am.ConeProblem:
    """Balls that resist rolling, on a slope and on each other."""
    world = am.World(gravity=(3.0, 0.0, -9.0))
    felt = am.Material(friction=0.6, rolling_friction=0.01, spinning_friction=spin)
    world.add_body(am.Plane(), fixed=True, material=felt)
    places = [(0.198 * i, 0.199 * j, 0.0999) for i in range(4) for j in range(3)]
    places += [(0.198 * i + 0.1, 0.199 * j + 0.1, 0.2399) for i in range(3) for j in range(2)]
    for place in places:
        world.add_body(am.Sphere(0.1), position=place, density=1000.0, material=felt)
    sim = am.Simulation(world, step=5e-3)
    for _ in range(10):
        sim.step()
    return sim.problem()


MAKERS: dict[str, tuple[str, Callable[[], am.ConeProblem]]] = {
    # stacked bricks: four times as many impulses as the bodies' freedom can tell apart
    "wall": ("global", lambda: step_of(Wall(3, 4), 1)),
    # a thousandfold mass on top of light plates
    "plates": ("local", lambda: step_of(Plates(4), 5)),
    # dominoes that strike one another: sliding contacts
    "dominoes": ("local", lambda: step_of(Dominoes(8), 40)),
    # a heavy slab on settled spheres
    "pressed_bed": ("global", lambda: step_of(PressedBed(60, width=1.0), 61)),
    # equal spheres that have come to rest
    "packed_bed": ("local", lambda: step_of(PackedBed(40), 150)),
    # shapes of every sort, settled
    "mixed_pile": ("global", lambda: step_of(MixedPile(12), 150)),
    "rolling_balls": ("global", lambda: rolling_balls(spin=0.0)),
    "spinning_balls": ("as it is", lambda: rolling_balls(spin=0.005)),
    "snowball": ("as it is", lambda: step_of(Snowball(20), 40)),
    "walking_robot": ("as it is", lambda: step_of(WalkingRobot(), 40)),
}
"""How each problem is stored and what it is."""


# -- problems in version 1 ------------------------------------------------------------------------


def version_1(problem: am.ConeProblem, kind: str, name: str) -> dict[str, np.ndarray]:
    """Entries of a file of version 1, of a problem that has contacts without extras alone."""
    with tempfile.TemporaryDirectory() as folder:
        problem.save(Path(folder) / "p.npz")
        with np.load(Path(folder) / "p.npz") as file:
            stored = dict(file)
    if str(stored["kind"]) != "bodies" or {"cohesion", "compliance"} & set(stored):
        raise SystemExit(f"{name} is not a problem of plain contacts")
    (family,) = stored["set_kind"]
    rolling = family == "spinning"
    if rolling and stored["spinning"].any():
        raise SystemExit(f"{name} has spinning friction, for which version 1 has no room")
    R = frames(stored["normal"], rolling)
    M, D = masses_and_directions(stored)
    H = sp.csc_array(D @ R)
    q = R.T @ stored["linear"]
    entries = {
        "format_version": np.array(1),
        "name": np.array(name),
        "family": np.array("amontons"),
        "kind": np.array(kind),
        "dimension": np.array(5 if rolling else 3),
        "n_contacts": np.array(len(stored["normal"])),
        "mu": stored["friction"],
    }
    if rolling:
        entries["mu_rolling"] = stored["rolling"]
    inverse = sp.csc_array(sp.linalg.inv(sp.csc_matrix(M)))
    if kind == "local":
        W = sp.csr_array(H.T @ inverse @ H)
        W.eliminate_zeros()
        return entries | {"q": q} | parts_of("W", sp.csr_array((W + W.T) / 2))
    weight = np.tile([0.0, 0.0, -0.05, 0.0, 0.0, 0.0], M.shape[0] // 6)
    f = M @ weight  # the impulse of gravity in about 5 ms; w is the rest of q
    w = q - H.T @ (inverse @ f)
    return entries | {"f": f, "w": w} | parts_of("M", sp.csc_array(M)) | parts_of("H", H)


def frames(normals: np.ndarray, rolling: bool) -> sp.csr_array:
    """Columns (n, t1, t2), and with rolling friction t1 and t2 of torques, of every contact."""
    blocks = []
    for n in normals:
        t1 = np.cross(n, np.eye(3)[np.abs(n).argmin()])
        t1 /= np.linalg.norm(t1)
        frame = np.column_stack([n, t1, np.cross(n, t1)])
        blocks.append(sp.coo_array(frame))
        if rolling:
            blocks.append(sp.coo_array(frame[:, 1:]))
    return sp.csr_array(sp.block_diag(blocks))


def masses_and_directions(stored: dict[str, np.ndarray]) -> tuple[sp.csr_array, sp.csr_array]:
    """Mass matrix of the bodies that can move, and D with the wrench of every row on them."""
    moves = np.flatnonzero(stored["inverse_mass"] > 0.0)
    number = {body: i for i, body in enumerate(moves)}
    inertia = stored["inverse_inertia"][:, (0, 1, 2, 1, 3, 4, 2, 4, 5)].reshape(-1, 3, 3)
    parts = []
    for body in moves:
        parts += [np.eye(3) / stored["inverse_mass"][body], np.linalg.inv(inertia[body])]
    contacts = len(stored["normal"])
    width = len(stored["linear"]) // contacts
    D = sp.lil_array((6 * len(moves), width * contacts))
    for c in range(contacts):
        for sign, body, arm in zip((-1, 1), stored["body"][c], stored["arms"][c], strict=True):
            if body in number:
                row, column = 6 * number[body], width * c
                D[row : row + 3, column : column + 3] = sign * np.eye(3)
                D[row + 3 : row + 6, column : column + 3] = sign * np.cross(arm, np.eye(3)).T
                if width == 6:
                    D[row + 3 : row + 6, column + 3 : column + 6] = sign * np.eye(3)
    return sp.csr_array(sp.block_diag([sp.coo_array(part) for part in parts])), sp.csr_array(D)


def parts_of(key: str, matrix: sp.csr_array | sp.csc_array) -> dict[str, np.ndarray]:
    matrix.sort_indices()
    return {
        f"{key}_data": matrix.data,
        f"{key}_indices": matrix.indices.astype(np.int32),
        f"{key}_indptr": matrix.indptr.astype(np.int32),
        f"{key}_shape": np.array(matrix.shape),
    }


# -- references -----------------------------------------------------------------------------------


def reference(problem: am.ConeProblem) -> dict[str, np.ndarray]:
    """Solutions of the convex problem and of exact Coulomb friction."""
    convex = am.InteriorPoint(tolerance=1e-11, max_iterations=100).solve(problem)
    other = am.APGD(tolerance=1e-9, max_iterations=100_000).solve(problem)
    if not abs(convex.objective - other.objective) <= AGREEMENT * abs(convex.objective):
        raise SystemExit(f"two methods disagree: {convex.objective} and {other.objective}")
    solver = am.ExactCoulomb(tolerance=1e-10, max_iterations=20_000)
    exact = solver.solve(problem, guess=convex.impulses)
    if not (convex.residual <= 1e-10 and exact.residual <= 1e-10):
        raise SystemExit(f"no reference: errors {convex.residual} and {exact.residual}")
    return {
        "ccp_r": convex.impulses,
        "ccp_u": convex.velocities,
        "ccp_objective": np.array(convex.objective),
        "ccp_residual_scaled": np.array(convex.residual),
        "ccp_W_shift": np.array(0.0),
        "exact_r": exact.impulses,
        "exact_u": exact.velocities,
        "exact_error_scaled": np.array(exact.residual),
    }


def make(name: str, folder: Path) -> None:
    """Write one problem and its reference."""
    kind, maker = MAKERS[name]
    problem = maker()
    path = folder / f"{name}.npz"
    (folder / "refs").mkdir(parents=True, exist_ok=True)
    if kind == "as it is":
        problem.name = name
        problem.save(path)
    else:
        np.savez_compressed(path, **version_1(problem, kind, name))
    problem = am.ConeProblem.load(path)
    found = reference(problem)
    np.savez_compressed(folder / "refs" / f"{name}.ref.npz", **found)
    print(
        f"{name:15} {problem.blocks:4} sets, {problem.rows:4} rows, {path.stat().st_size:6} bytes, "
        f"objective {found['ccp_objective']:.9g}, errors {found['ccp_residual_scaled']:.0e} "
        f"and {found['exact_error_scaled']:.0e}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=HERE, help="where to write them")
    folder = parser.parse_args().folder
    for name in MAKERS:
        make(name, folder)


if __name__ == "__main__":
    main()
