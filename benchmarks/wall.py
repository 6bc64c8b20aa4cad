"""A step of 750 bricks at rest with 50 iterations: amontons beside PyBullet with 50 at 1/240 s.

python benchmarks/wall.py

PyBullet is measured twice: with rigid bodies (useMaximalCoordinates), and with the multibodies of
one link that it makes by default, which are several times slower.
"""

from __future__ import annotations

import numpy as np

import amontons as am
from amontons.scenes import wall
from common import arguments, interleaved, write

STEP, ITERATIONS = 1.0 / 240.0, 50


def pybullet_wall(world: am.World, size: tuple[float, float, float], *, maximal: bool):
    """The same wall in PyBullet: its client, and the ids of the bricks.

    With `maximal` of rigid bodies, else of multibodies of one link, PyBullet's slower default.
    """
    import pybullet
    from pybullet_utils.bullet_client import BulletClient

    p = BulletClient(pybullet.DIRECT)
    p.setGravity(0, 0, -9.81)
    p.setPhysicsEngineParameter(numSolverIterations=ITERATIONS, fixedTimeStep=STEP)
    floor = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    p.changeDynamics(floor, -1, lateralFriction=1.0)
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5 * s for s in size])
    moving = world.bodies.dynamic
    bricks = []
    for mass, place in zip(world.bodies.mass[moving], world.bodies.position[moving], strict=True):
        at = place.tolist()
        brick = p.createMultiBody(mass, box, basePosition=at, useMaximalCoordinates=maximal)
        bricks.append(brick)
        p.changeDynamics(brick, -1, lateralFriction=0.5, activationState=4)  # never sleeps
    return p, bricks


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--solver", choices=("APGD", "GaussSeidel"), default="APGD")
    args = parser.parse_args()
    am.set_threads(args.threads)
    world = wall()
    start = world.bodies.position.copy()
    rivals = {
        "PyBullet": pybullet_wall(world, (0.4, 0.2, 0.2), maximal=True),
        "PyBullet's default": pybullet_wall(world, (0.4, 0.2, 0.2), maximal=False),
    }
    solver = getattr(am, args.solver)(tolerance=0.0, max_iterations=ITERATIONS)
    sim = am.Simulation(world, step=STEP, solver=solver)
    tasks = {"amontons": sim.step, **{name: p.stepSimulation for name, (p, _) in rivals.items()}}
    for _ in range(20):
        for task in tasks.values():
            task()
    seconds = interleaved(tasks, args.repeats)
    report = sim.readings[-1]
    figures = {
        "milliseconds": {name: 1e3 * value for name, value in seconds.items()},
        "contacts": report.contacts,
        "residual": report.residual,
        "stages_ms": (1e3 * sim.readings.seconds[-args.repeats :].mean(axis=0)).tolist(),
        "moved_mm": 1e3 * float(np.abs(world.bodies.position - start).max()),
    }
    print(
        f"750 bricks, {ITERATIONS} iterations: amontons {1e3 * seconds['amontons']:.1f} ms "
        f"({report.contacts} contacts, residual {report.residual:.1e}, farthest move since the "
        f"start {figures['moved_mm']:.1f} mm)"
    )
    print("  detect, assemble, solve, advance [ms]:", np.round(figures["stages_ms"], 2))
    for name, (p, bricks) in rivals.items():
        theirs = np.array([p.getBasePositionAndOrientation(brick)[0] for brick in bricks])
        figures[name] = {
            "over_amontons": seconds[name] / seconds["amontons"],
            "contacts": len(p.getContactPoints()),
            "moved_mm": 1e3 * float(np.abs(theirs - start[1:]).max()),
        }
        print(
            f"{name}: {1e3 * seconds[name]:.1f} ms, {figures[name]['over_amontons']:.2f} times as "
            f"long ({figures[name]['contacts']} contacts, {figures[name]['moved_mm']:.1f} mm)"
        )
    write(args.json, figures)


if __name__ == "__main__":
    main()
