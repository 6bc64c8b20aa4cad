"""A step of 750 bricks at rest with 50 iterations: amontons beside PyBullet with 50 at 1/240 s.

python benchmarks/wall.py
"""

from __future__ import annotations

import numpy as np

import amontons as am
from amontons.scenes import wall
from common import arguments, interleaved, write

STEP, ITERATIONS = 1.0 / 240.0, 50


def pybullet_wall(world: am.World, size: tuple[float, float, float]):
    """The same wall in PyBullet: its module, and the ids of the bricks."""
    import pybullet as p

    p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.81)
    p.setPhysicsEngineParameter(numSolverIterations=ITERATIONS, fixedTimeStep=STEP)
    floor = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    p.changeDynamics(floor, -1, lateralFriction=1.0)
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5 * s for s in size])
    moving = world.bodies.dynamic
    bricks = []
    for mass, place in zip(world.bodies.mass[moving], world.bodies.position[moving], strict=True):
        bricks.append(p.createMultiBody(mass, box, basePosition=place.tolist()))
        p.changeDynamics(bricks[-1], -1, lateralFriction=0.5, activationState=4)  # never sleeps
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
    p, bricks = pybullet_wall(world, (0.4, 0.2, 0.2))
    solver = getattr(am, args.solver)(tolerance=0.0, max_iterations=ITERATIONS)
    sim = am.Simulation(world, step=STEP, solver=solver)
    for _ in range(20):
        sim.step()
        p.stepSimulation()
    seconds = interleaved({"amontons": sim.step, "pybullet": p.stepSimulation}, args.repeats)
    report = sim.readings[-1]
    theirs = np.array([p.getBasePositionAndOrientation(brick)[0] for brick in bricks])
    figures = {
        "milliseconds": {name: 1e3 * value for name, value in seconds.items()},
        "pybullet_over_amontons": seconds["pybullet"] / seconds["amontons"],
        "contacts": report.contacts,
        "pybullet_contacts": len(p.getContactPoints()),
        "residual": report.residual,
        "stages_ms": (1e3 * sim.readings.seconds[-args.repeats :].mean(axis=0)).tolist(),
        "moved_mm": 1e3 * float(np.abs(world.bodies.position - start).max()),
        "pybullet_moved_mm": 1e3 * float(np.abs(theirs - start[1:]).max()),
    }
    print(
        f"750 bricks, {ITERATIONS} iterations: amontons {1e3 * seconds['amontons']:.1f} ms "
        f"({report.contacts} contacts, residual {report.residual:.1e}), PyBullet "
        f"{1e3 * seconds['pybullet']:.1f} ms ({figures['pybullet_contacts']} contacts): "
        f"{figures['pybullet_over_amontons']:.2f} times as long"
    )
    print("detect, assemble, solve, advance [ms]:", np.round(figures["stages_ms"], 2))
    print(
        f"farthest move since the start: {figures['moved_mm']:.3f} mm, "
        f"PyBullet {figures['pybullet_moved_mm']:.3f} mm"
    )
    write(args.json, figures)


if __name__ == "__main__":
    main()
