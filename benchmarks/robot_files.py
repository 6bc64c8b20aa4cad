"""Robot files of public packages: which load, how they agree with MuJoCo and PyBullet.

    python benchmarks/robot_files.py            the table: loaded, or refused with a reason
    python benchmarks/robot_files.py --falls    what loads falls for 2 s: none may explode
    python benchmarks/robot_files.py --motion   a controlled arm and A1 beside PyBullet, 3 s

Looks for pybullet_data, gymnasium, dm_control and robosuite; what is not installed is left out, and
said. `--every 40` takes every 40th file of each package.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import amontons as am

PACKAGES = {"pybullet_data": "*.urdf", "gymnasium": "*.xml", "dm_control": "*.xml",
            "robosuite": "*.xml"}  # fmt: skip

STEP = 1e-3
ARM = ("kuka_iiwa/model.urdf", [0.2, 0.4, -0.3, -0.8, 0.2, 0.5, 0.1],
       [100, 100, 50, 50, 10, 5, 1], [10, 10, 5, 5, 0.5, 0.3, 0.05])  # fmt: skip
A1 = ("a1/a1.urdf", [0.0, 0.9, -1.8] * 4, [20.0] * 12, [0.2] * 12)
"""File, pose, and the stiffness and damping of the controllers of its joints."""


def files(packages: list[str]) -> Iterator[tuple[str, Path, Path]]:
    """Package, its folder and a robot file, one after the other."""
    for package in packages:
        pattern = PACKAGES[package]
        found = importlib.util.find_spec(package)
        if found is None or found.origin is None:
            print(f"{package} is not installed")
            continue
        folder = Path(found.origin).parent
        for path in sorted(folder.rglob(pattern)):
            head = path.read_text(encoding="utf-8", errors="replace")
            if "<robot" in head or ("<mujoco" in head and "<worldbody" in head):
                yield package, folder, path


def others_load(path: Path) -> bool:
    """Whether PyBullet or MuJoCo loads a file."""
    if path.suffix == ".urdf":
        import pybullet

        client = pybullet.connect(pybullet.DIRECT)
        try:
            return int(pybullet.loadURDF(str(path), physicsClientId=client)) >= 0
        except pybullet.error:
            return False
        finally:
            pybullet.disconnect(client)
    import mujoco

    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return False
    return True


def row(package: str, folder: Path, path: Path) -> dict[str, Any]:
    """What becomes of one file."""
    found: dict[str, Any] = {"package": package, "file": str(path.relative_to(folder))}
    found["elsewhere"] = others_load(path)
    try:
        robot = am.Robot.load(path)
    except am.AmontonsError as reason:
        text = " ".join(str(reason).replace(str(folder), "").split())
        return {**found, "loaded": False, "reason": text}
    return {
        **found,
        "loaded": True,
        "joints": len(robot.joint_names),
        "controls": len(robot.control_names),
        "left out": [line.partition(":")[0] for line in robot.unsupported],
    }


def fall(path: Path, seconds: float) -> dict[str, Any]:
    """What becomes of a robot that falls, upon a floor if its file can be given one."""
    floor = {"floor": True} if path.suffix == ".urdf" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = am.Robot.load(path, **floor)
        if not robot.world.bodies.dynamic.any():
            return {"moves": False}
        sim = robot.simulation(watch="stop")
        begun = time.process_time()
        try:
            sim.run(seconds)
        except am.AmontonsError as reason:
            return {"moves": True, "exploded": " ".join(str(reason).split())}
    speeds = np.linalg.norm(sim.bodies.velocity, axis=1)
    return {
        "moves": True, "speed": float(speeds.max()), "staged because": sim.staged_because,
        "us per step": 1e6 * (time.process_time() - begun) / sim.steps,
        "overlap": float(sim.readings.penetration.max()),
    }  # fmt: skip


def falls(packages: list[str], every: int, seconds: float) -> list[dict[str, Any]]:
    """Falls of every so manieth file of each package that loads."""
    rows: list[dict[str, Any]] = []
    for package, folder, path in _every(packages, every):
        name = str(path.relative_to(folder))
        try:
            found = fall(path, seconds)
        except am.AmontonsError:
            continue  # the table says why it does not load
        rows.append({"package": package, "file": name, **found})
        # a free fall of so long is this fast, and limbs on long arms a few times as fast
        bad = found.get("exploded") or (found.get("speed", 0.0) > 50.0 * seconds and "too fast")
        print(f"{package:14} {name[-60:]:60} {bad or found}", flush=True)
    bad = [each for each in rows if "exploded" in each]
    moving = sum(each["moves"] for each in rows)
    print(f"{moving} of {len(rows)} files have something that moves; {len(bad)} exploded")
    return rows


def _every(packages: list[str], every: int) -> Iterator[tuple[str, Path, Path]]:
    """Every so manieth file of each package."""
    seen: dict[str, int] = {}
    for package, folder, path in files(packages):
        seen[package] = seen.get(package, -1) + 1
        if seen[package] % every == 0:
            yield package, folder, path


def table(packages: list[str], every: int) -> list[dict[str, Any]]:
    """All files, or every so manieth of each package."""
    rows: list[dict[str, Any]] = []
    for package, folder, path in _every(packages, every):
        rows.append(row(package, folder, path))
        last = rows[-1]
        said = f"{last['joints']} joints" if last["loaded"] else f"REFUSED: {last['reason'][:150]}"
        mark = " " if last["elsewhere"] else "x"
        print(f"{mark} {package:14} {last['file'][-60:]:60} {said}", flush=True)
    for package in packages:
        own = [each for each in rows if each["package"] == package]
        there = [each for each in own if each["elsewhere"]]
        loaded = sum(each["loaded"] for each in there)
        print(f"{package}: {loaded} of the {len(there)} that PyBullet or MuJoCo load ({len(own)})")
    return rows


def beside_pybullet(file: str, pose: Any, stiffness: Any, damping: Any, seconds: float) -> float:
    """Largest difference of a joint's angle from PyBullet's [rad], both controlled alike."""
    import pybullet
    import pybullet_data

    path, start = str(Path(pybullet_data.getDataPath()) / file), np.array(pose, dtype=float)
    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0, 0, -9.81)
    pybullet.setTimeStep(STEP)
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE
    twin = pybullet.loadURDF(path, [0, 0, 2], useFixedBase=True, flags=flags)
    robot = am.Robot.load(path, position=(0, 0, 2), fixed_base=True, motors="torque")
    sim = robot.simulation(step=STEP)
    robot.reset(start)
    numbers = range(pybullet.getNumJoints(twin))
    named = {pybullet.getJointInfo(twin, i)[1].decode(): i for i in numbers}
    own = [named[name] for name in robot.joint_names]
    for i in (-1, *numbers):  # what PyBullet adds of its own: damping, and contacts of neighbours
        pybullet.changeDynamics(
            twin, i, linearDamping=0, angularDamping=0, jointDamping=0, maxJointVelocity=1e9
        )
        pybullet.setCollisionFilterGroupMask(twin, i, 0, 0)
    for i, value in zip(own, start, strict=True):
        pybullet.resetJointState(twin, i, value)
        pybullet.setJointMotorControl2(twin, i, pybullet.VELOCITY_CONTROL, force=0)
    worst, pull, slow = 0.0, np.array(stiffness), np.array(damping)
    for k in range(round(seconds / STEP)):
        goal = start + 0.3 * np.sin(2.0 * k * STEP)
        q, qd = np.array([pybullet.getJointState(twin, i)[:2] for i in own]).T
        worst = max(worst, float(np.abs(q - robot.q).max()))
        pybullet.setJointMotorControlArray(
            twin, own, pybullet.TORQUE_CONTROL, forces=pull * (goal - q) - slow * qd
        )
        pybullet.stepSimulation()
        robot.ctrl = pull * (goal - robot.q) - slow * robot.qd
        sim.step()
    pybullet.disconnect(client)
    return worst


def main() -> None:
    """Print the table, or the differences of motions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--motion", action="store_true")
    parser.add_argument("--falls", action="store_true", help="let all fall for 2 s, instead")
    parser.add_argument("--seconds", type=float, default=3.0, help="of the motions")
    parser.add_argument("--packages", nargs="+", choices=PACKAGES, default=list(PACKAGES))
    parser.add_argument("--every", type=int, default=1, help="of the files of a package")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result: Any
    if options.motion:
        result = {each[0]: beside_pybullet(*each, options.seconds) for each in (ARM, A1)}
        for file, worst in result.items():
            print(f"{file}: at most {worst:.1e} rad from PyBullet over {options.seconds:g} s")
    elif options.falls:
        result = falls(options.packages, options.every, 2.0)
    else:
        result = table(options.packages, options.every)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
