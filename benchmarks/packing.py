"""A bed of spheres from loose to rest: amontons beside PyBullet and MuJoCo, CPU time and overlap.

    python benchmarks/packing.py                     # 4000 spheres, all three engines
    python benchmarks/packing.py --spheres 16000 --engines amontons pybullet

PyBullet runs with its rigid bodies (useMaximalCoordinates), which are some four times as fast as
the multibodies of one link that it makes by default (engine pybullet-default).

All engines start from the same places. Overlaps are measured on the positions that each gives, by
the same function.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.spatial import cKDTree

import amontons as am
from amontons.scenes import packed_bed
from common import arguments, write

RADIUS, MASS, FRICTION = 0.15, 1.0, 0.5


def overlaps(place: np.ndarray, half: float) -> np.ndarray:
    """Overlaps of spheres with one another and with the box [m], those above zero."""
    pairs = cKDTree(place).query_pairs(2 * RADIUS, output_type="ndarray")
    between = 2 * RADIUS - np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1)
    walls = np.concatenate([RADIUS - place[:, 2], (np.abs(place[:, :2]) + RADIUS - half).ravel()])
    found = np.concatenate([between, walls])
    return found[found > 0.0]


def measured(
    advance: Callable[[], None], places: Callable[[], np.ndarray], step: float, half: float, args
) -> dict[str, float]:
    """Run an engine; CPU seconds a simulated second, loose and at rest, and overlaps at rest."""
    start = time.process_time()
    for _ in range(round(args.settle / step)):
        advance()
    settled = time.process_time()
    deepest, mean = [], []
    spent = 0.0
    steps = round(args.rest / step)
    before = places()
    for k in range(steps):
        begin = time.process_time()
        advance()
        spent += time.process_time() - begin
        if k % max(1, steps // 10) == 0:
            found = overlaps(places(), half)
            deepest.append(found.max(initial=0.0))
            mean.append(found.mean() if found.size else 0.0)
    moved = np.linalg.norm(places() - before, axis=1)
    total = (settled - start) + spent
    return {
        "cpu_per_second": total / (args.settle + args.rest),
        "cpu_per_second_loose": (settled - start) / args.settle,
        "cpu_per_second_rest": spent / args.rest,
        "deepest_overlap_mm": 1e3 * float(np.max(deepest)),
        "mean_overlap_mm": 1e3 * float(np.mean(mean)),
        "median_move_at_rest_mm": 1e3 * float(np.median(moved)),
        "highest_m": float(places()[:, 2].max()),
    }


def run_amontons(world: am.World, half: float, args) -> dict[str, float]:
    am.set_threads(1)
    solver = am.APGD(tolerance=args.tolerance, max_iterations=args.iterations)
    warm = am.Simulation(world.copy(), step=args.step, solver=solver)
    for _ in range(3):
        warm.step()  # compiles
    sim = am.Simulation(world, step=args.step, solver=solver)
    figures = measured(
        sim.step, lambda: sim.bodies.position[sim.bodies.dynamic], args.step, half, args
    )
    readings = sim.readings
    figures["iterations"] = float(readings.iterations.mean())
    figures["contacts"] = float(readings.contacts[-1])
    figures["stages_ms"] = (1e3 * readings.seconds[-50:].mean(axis=0)).round(2).tolist()
    return figures


def run_pybullet(places: np.ndarray, half: float, args, *, maximal: bool) -> dict[str, float]:
    """PyBullet with rigid bodies (`maximal`), or with its default, multibodies of one link."""
    import pybullet as p

    client = p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.81)
    step = 1.0 / 240.0
    p.setPhysicsEngineParameter(numSolverIterations=50, fixedTimeStep=step)
    for normal in ((0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        plane = p.createCollisionShape(p.GEOM_PLANE, planeNormal=normal)
        at = [-half * normal[0], -half * normal[1], 0]
        p.changeDynamics(p.createMultiBody(0, plane, basePosition=at), -1, lateralFriction=1.0)
    sphere = p.createCollisionShape(p.GEOM_SPHERE, radius=RADIUS)
    bodies = [
        p.createMultiBody(MASS, sphere, basePosition=at.tolist(), useMaximalCoordinates=maximal)
        for at in places
    ]
    for body in bodies:  # Bullet multiplies the coefficients of the two bodies
        p.changeDynamics(
            body, -1, lateralFriction=FRICTION**0.5, rollingFriction=0, spinningFriction=0,
            restitution=0, linearDamping=0, angularDamping=0,
        )  # fmt: skip

    def where() -> np.ndarray:
        return np.array([p.getBasePositionAndOrientation(body)[0] for body in bodies])

    figures = measured(p.stepSimulation, where, step, half, args)
    p.disconnect(client)
    return figures


def run_mujoco(places: np.ndarray, half: float, args) -> dict[str, float]:
    import mujoco

    walls = "".join(
        f'<geom type="plane" size="0 0 1" pos="{-half * x} {-half * y} 0" zaxis="{x} {y} {z}"/>'
        for x, y, z in ((0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    )
    balls = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom size="{RADIUS}" mass="{MASS}"/></body>'
        for x, y, z in places
    )
    text = f"""<mujoco><option timestep="0.002" solver="CG" cone="elliptic"/>
      <size memory="4G"/><default><geom friction="{FRICTION} 0 0" condim="3"/></default>
      <worldbody>{walls}{balls}</worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    step = partial(mujoco.mj_step, model, data)
    return measured(step, data.qpos.reshape(-1, 7)[:, :3].copy, 0.002, half, args)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, default=4000)
    parser.add_argument("--settle", type=float, default=3.0, help="seconds before the rest")
    parser.add_argument("--rest", type=float, default=1.0, help="seconds at rest")
    parser.add_argument("--step", type=float, default=0.015, help="step of amontons [s]")
    parser.add_argument("--iterations", type=int, default=40, help="most iterations of amontons")
    parser.add_argument("--tolerance", type=float, default=1e-2, help="tolerance of amontons")
    engines = ("amontons", "pybullet", "pybullet-default", "mujoco")
    parser.add_argument(
        "--engines", nargs="+", choices=engines, default=("amontons", "pybullet", "mujoco")
    )
    args = parser.parse_args()
    world = packed_bed(args.spheres, radius=RADIUS, mass=MASS, friction=FRICTION)
    half = float(world.body("right").position[0])
    places = world.bodies.position[world.bodies.dynamic].copy()
    runs = {
        "amontons": lambda: run_amontons(world, half, args),
        "pybullet": lambda: run_pybullet(places, half, args, maximal=True),
        "pybullet-default": lambda: run_pybullet(places, half, args, maximal=False),
        "mujoco": lambda: run_mujoco(places, half, args),
    }
    figures: dict[str, dict[str, float]] = {}
    for name in args.engines:
        figures[name] = case = runs[name]()
        print(
            f"{name:9s} {args.spheres} spheres: {case['cpu_per_second']:.2f} CPU s a simulated s "
            f"(loose {case['cpu_per_second_loose']:.2f}, rest {case['cpu_per_second_rest']:.2f}), "
            f"overlap mean {case['mean_overlap_mm']:.4f} mm, deepest "
            f"{case['deepest_overlap_mm']:.3f} mm, top at {case['highest_m']:.2f} m, median move "
            f"in the last second {case['median_move_at_rest_mm']:.3f} mm",
            flush=True,
        )
        if name != "amontons" and "amontons" in figures:
            ratio = case["cpu_per_second"] / figures["amontons"]["cpu_per_second"]
            print(f"          {name} takes {ratio:.1f} times the CPU time of amontons")
    write(args.json, figures)


if __name__ == "__main__":
    main()
