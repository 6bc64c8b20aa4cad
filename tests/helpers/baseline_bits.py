"""Hashes of what a scene and two solvers come to, with kernels for the baseline processor.

python -m helpers.baseline_bits     # from tests/: prints them, as JSON

The answers are for versions of the compiler and of numpy that are stored beside them: another
version may round otherwise, another machine may not.
"""

import hashlib
import json
import platform

import llvmlite
import numba
import numpy as np
import scipy

import amontons as am
from amontons.scenes import BouncingBalls
from helpers import stored_problems

VERSIONS = {
    "python": ".".join(platform.python_version_tuple()[:2]),
    **{module.__name__: module.__version__ for module in (numba, llvmlite, np, scipy)},
}

SCENES = {
    "bouncing_balls": (BouncingBalls(40), 150),
}
"""Scenes, and how many of their steps are taken: kernels of one take a minute to compile."""

SOLVERS = {
    "APGD": am.APGD(tolerance=0.0, max_iterations=100),
    "GaussSeidel": am.GaussSeidel(tolerance=0.0, max_iterations=50),
}


def digest(*arrays):
    """Hash of the bits of arrays."""
    content = b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)
    return hashlib.sha256(content).hexdigest()[:16]


def after(scene, steps):
    """Hash of the bodies of a scene after its first steps."""
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    for _ in range(steps):
        sim.step()
    bodies = sim.bodies
    return digest(bodies.position, bodies.orientation, bodies.velocity, bodies.angular_velocity)


def found():
    """Hashes by what they are of."""
    hashes = {name: after(*scene) for name, scene in SCENES.items()}
    problems = {path.stem: path for path in stored_problems.own()}
    for name, solver in SOLVERS.items():
        solution = solver.solve(stored_problems.load(problems["packed_bed"]))
        hashes[f"{name} on packed_bed"] = digest(solution.impulses)
    return hashes


if __name__ == "__main__":
    print(json.dumps({"versions": VERSIONS, "hashes": found()}))
