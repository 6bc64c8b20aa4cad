"""What campaigns do with a damaged input: read it as users do, and use it a little."""

import amontons as am


def problem(path):
    """An archive or FCLIB file: a solve follows, as what was read must be fit for one."""
    found = am.ConeProblem.load(path)
    if found.rows < 3000:
        am.APGD(max_iterations=5).solve(found)


def scene(path):
    """A scene file, with a simulation of it and one step."""
    _one_step(am.load_scene(path).world)


def urdf(path):
    _one_step(am.load_urdf(path).world)


def mjcf(path):
    _one_step(am.load_mjcf(path).world)


def mesh(path):
    am.TriangleMesh.load(path)


def _one_step(world):
    am.Simulation(world, step=1e-3).step()


READERS = {"problem": problem, "scene": scene, "urdf": urdf, "mjcf": mjcf, "mesh": mesh}
