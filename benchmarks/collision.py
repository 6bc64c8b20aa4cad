"""Cost of collision detection: equal and mixed spheres, a wall of bricks, memory.

    python benchmarks/collision.py [--bodies 10000 100000 1000000] [--json out.json]

It needs the extra `bench`. Rivals, each in the same run and in turns: scipy's cKDTree (build and
query_pairs alone) on one thread, and PyBullet's performCollisionDetection on the same wall.
"""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import amontons as am
from amontons.generators.bed import make_bed
from common import arguments, interleaved, turns, write

MARGIN = 0.05  # of the diameter of the smallest sphere
RATIO = 100.0


def settled(spheres: int) -> np.ndarray:
    """Centres of a jammed bed of spheres of radius 1."""
    bed = make_bed(spheres, round(3.25 * spheres), 0.0, False, np.random.default_rng(0))
    return np.ascontiguousarray(bed.position)


def same(a: am.ContactSet, b: am.ContactSet) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in vars(a))


def equal_spheres(spheres: int, repeats: int) -> dict[str, Any]:
    """Detection of settled equal spheres beside a kd-tree, on one thread and on all."""
    centre = settled(spheres)
    margin = 2.0 * MARGIN
    detector = am.CollisionDetector.of_spheres(np.ones(spheres), margin=margin)
    most = am.max_threads()
    am.set_threads(most)
    contacts = detector.detect(centre)
    am.set_threads(1)
    identical = same(detector.detect(centre), contacts)

    def detect(threads: int) -> None:
        am.set_threads(threads)
        detector.detect(centre)

    def tree() -> None:
        cKDTree(centre).query_pairs(2.0 + margin, output_type="ndarray")

    taken = turns({"one": lambda: detect(1), "all": lambda: detect(most), "tree": tree}, repeats)
    seconds = {name: float(np.median(values)) for name, values in taken.items()}
    least = {name: min(values) for name, values in taken.items()}
    am.set_threads(1)
    return {
        "bodies": spheres,
        "contacts": len(contacts),
        "ns_a_body": 1e9 * seconds["one"] / spheres,
        "over_kd_tree": seconds["one"] / seconds["tree"],
        "least_ns_a_body": 1e9 * least["one"] / spheres,
        "least_over_kd_tree": least["one"] / least["tree"],
        "speed_up": seconds["one"] / seconds["all"],
        "speed_up_of_least": least["one"] / least["all"],
        "threads": most,
        "same_contacts": identical,
        **memory(detector, centre),
    }


def memory(detector: am.CollisionDetector, centre: np.ndarray) -> dict[str, float]:
    """Peak memory of a detector and its detection, result included, in bytes."""
    tracemalloc.start()
    again = am.CollisionDetector.of_spheres(np.ones(len(centre)), margin=detector.margin)
    contacts = again.detect(centre)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    allowed = 400 * len(centre) + 200 * len(contacts)
    return {"peak_bytes": peak, "peak_over_allowed": peak / allowed}


def mixed_spheres(spheres: int, law: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Centres and radii from 1 to 100 at random, none with its centre inside another.

    Octaves of the radius have equal numbers ("numbers") or equal volumes ("volumes").
    """
    octaves = int(np.ceil(np.log2(RATIO)))
    share = np.ones(octaves) if law == "numbers" else 8.0 ** -np.arange(octaves)
    count = np.maximum(1, np.round(spheres * share / share.sum())).astype(int)
    radii = [
        2.0**k * np.minimum(2.0, RATIO / 2.0**k) ** rng.random(count[k]) for k in range(octaves)
    ]
    volume = sum(float((4.0 / 3.0 * np.pi * r**3).sum()) for r in radii)
    side = (volume / 0.45) ** (1 / 3)
    centres: list[Any] = []
    for r in reversed(radii):  # the large ones first; small ones fill what they leave
        here = rng.uniform(0.0, side, (2 * len(r) + 50, 3))
        free = np.ones(len(here), dtype=bool)
        for other, big in zip(centres, reversed(radii), strict=False):
            distance, nearest = cKDTree(other).query(here)
            free &= distance > big[nearest]
        centres.append(here[free][: len(r)])
    kept = [r[: len(c)] for r, c in zip(reversed(radii), centres, strict=True)]
    order = rng.permutation(sum(len(c) for c in centres))
    return np.concatenate(centres)[order], np.concatenate(kept)[order]


def mixed(spheres: int, repeats: int) -> dict[str, Any]:
    """Spheres of sizes 1:100 beside equal ones in as random an order, a body."""
    am.set_threads(1)
    rng = np.random.default_rng(1)
    centre = settled(spheres)[rng.permutation(spheres)]
    equal = am.CollisionDetector.of_spheres(np.ones(spheres), margin=2.0 * MARGIN)
    tasks = {"equal": lambda: equal.detect(centre)}
    numbers = {"equal": spheres}
    contacts = {"equal": len(equal.detect(centre))}
    for law in ("numbers", "volumes"):
        where, radii = mixed_spheres(spheres, law, rng)
        detector = am.CollisionDetector.of_spheres(radii, margin=2.0 * MARGIN)
        tasks[law] = lambda detector=detector, where=where: detector.detect(where)
        numbers[law], contacts[law] = len(radii), len(detector.detect(where))
    seconds = interleaved(tasks, repeats)
    each = {name: seconds[name] / numbers[name] for name in tasks}
    return {
        "bodies": numbers,
        "contacts": contacts,
        "over_equal": {law: each[law] / each["equal"] for law in ("numbers", "volumes")},
    }


def wall(rows: int = 30, columns: int = 25) -> tuple[Any, Any]:
    """Places of bricks in running bond, and their size [m]."""
    size = np.array([0.39, 0.25, 0.2])
    step = size + np.array([0.002, 0.0, 0.0])
    places = [
        ((c + 0.5 * (r % 2)) * step[0], 0.0, (r + 0.5) * step[2] - 1e-4 * r)
        for r in range(rows)
        for c in range(columns)
    ]
    return np.array(places), size


def bricks(repeats: int) -> dict[str, Any]:
    """A wall of 750 bricks on a floor, beside PyBullet."""
    place, size = wall()
    margin = 0.02  # PyBullet's own threshold of contact
    detector = am.CollisionDetector(
        [am.Box(size), am.Plane()], which=[0] * len(place) + [1], margin=margin
    )
    where = np.concatenate([place, [[0.0, 0.0, 0.0]]])
    rivals = {
        "PyBullet": pybullet_wall(place, size, maximal=True),
        "PyBullet's default": pybullet_wall(place, size, maximal=False),
    }
    most = am.max_threads()

    def detect(threads: int) -> None:
        am.set_threads(threads)
        detector.detect(where)

    tasks = {"one": lambda: detect(1), "all": lambda: detect(most)}
    taken = turns(
        {**tasks, **{name: rival.performCollisionDetection for name, rival in rivals.items()}},
        repeats,
    )
    seconds = {name: float(np.median(values)) for name, values in taken.items()}
    least = {name: min(values) for name, values in taken.items()}
    return {
        "bricks": len(place),
        "contacts": len(detector.detect(where)),
        "threads": most,
        "microseconds": 1e6 * seconds["one"],
        "least_microseconds": 1e6 * least["one"],
        "rivals": {
            name: {
                "contacts": len(rival.getContactPoints()),
                "over_one_thread": seconds[name] / seconds["one"],
                "least_over_one_thread": least[name] / least["one"],
                "over_all_threads": seconds[name] / seconds["all"],
            }
            for name, rival in rivals.items()
        },
    }


def pybullet_wall(place: Any, size: Any, *, maximal: bool) -> Any:
    """The wall in PyBullet: of rigid bodies (`maximal`), or of multibodies of one link."""
    import pybullet
    from pybullet_utils.bullet_client import BulletClient

    client = BulletClient(pybullet.DIRECT)
    client.createMultiBody(0, client.createCollisionShape(pybullet.GEOM_PLANE))
    box = client.createCollisionShape(pybullet.GEOM_BOX, halfExtents=(0.5 * size).tolist())
    for at in place.tolist():
        client.createMultiBody(1.0, box, basePosition=at, useMaximalCoordinates=maximal)
    client.performCollisionDetection()
    return client


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    figures: dict[str, Any] = {"bricks": bricks(301)}
    case = figures["bricks"]
    print(
        f"wall of {case['bricks']} bricks: {case['microseconds']:.0f} µs (least "
        f"{case['least_microseconds']:.0f}), {case['contacts']} contacts"
    )
    for name, rival in case["rivals"].items():
        print(
            f"  {name} takes {rival['over_one_thread']:.2f} times as long (least "
            f"{rival['least_over_one_thread']:.2f}; {rival['contacts']} contacts), "
            f"{rival['over_all_threads']:.2f} times as long as {case['threads']} threads"
        )
    figures["equal"] = []
    for spheres in options.bodies:
        case = equal_spheres(spheres, 15 if spheres < 1e6 else 5)
        figures["equal"].append(case)
        print(
            f"{spheres} settled spheres, {case['contacts']} contacts: {case['ns_a_body']:.0f} ns a "
            f"body (least {case['least_ns_a_body']:.0f}), {case['over_kd_tree']:.2f} of a kd-tree "
            f"(least {case['least_over_kd_tree']:.2f}); {case['threads']} threads "
            f"{case['speed_up']:.2f} x (least {case['speed_up_of_least']:.2f}), same contacts "
            f"{case['same_contacts']}; memory "
            f"{case['peak_bytes'] / spheres:.0f} B a body, {case['peak_over_allowed']:.2f} of "
            "400 B a body and 200 B a contact"
        )
    # least times as well: other machines on this host slow what needs the memory most
    for kind in ("ns_a_body", "least_ns_a_body"):
        growth = figures["equal"][-1][kind] / figures["equal"][0][kind]
        name = "least time" if kind.startswith("least") else "time"
        print(f"{name} a body, {options.bodies[0]} to {options.bodies[-1]} bodies: x {growth:.2f}")
        figures["growth of " + name] = growth
    figures["mixed"] = mixed(100_000, 9)
    case = figures["mixed"]
    for law, ratio in case["over_equal"].items():
        print(
            f"sizes 1:100 with equal {law} in each octave ({case['bodies'][law]} bodies, "
            f"{case['contacts'][law]} contacts): {ratio:.2f} of equal spheres, a body"
        )
    write(options.json, figures)


if __name__ == "__main__":
    main()
