"""Accuracy of contacts: every pair of shapes against coal, in thousands of random poses.

    python benchmarks/contacts.py [--poses 2000] [--json out.json]

Coal's own answer has errors, so both normals are judged by the definition: the separation of two
convex shapes along a unit normal n is −h_A(n) − h_B(−n) with h their support functions, and the gap
is its maximum over n. Errors are in parts of the size of a pair (the sum of bounding radii).
"""

from __future__ import annotations

import itertools
from typing import Any

import coal
import numpy as np

import amontons as am
from amontons.algebra.rotations import rotation_matrices
from common import arguments, write

UNIQUE = 1e-9
"""A normal whose separation is short of the best by less is as good as the best."""


def shapes_of(rng: np.random.Generator, count: int) -> dict[str, list[am.Shape]]:
    """Shapes of each kind in a few random sizes."""

    def several(make: Any) -> list[am.Shape]:
        return [make(*rng.uniform(0.2, 1.0, 3)) for _ in range(count)]

    return {
        "plane": [am.Plane() for _ in range(count)],
        "sphere": several(lambda a, b, c: am.Sphere(a)),
        "capsule": several(lambda a, b, c: am.Capsule(a, 2 * b)),
        "box": several(lambda a, b, c: am.Box((2 * a, 2 * b, 2 * c))),
        "cylinder": several(lambda a, b, c: am.Cylinder(a, 2 * b)),
        "cone": several(lambda a, b, c: am.Cone(a, 2 * b)),
        "ellipsoid": several(lambda a, b, c: am.Ellipsoid((a, b, c))),
        "hull": several(lambda a, b, c: am.ConvexHull(rng.standard_normal((14, 3)) * (a, b, c))),
    }


def to_coal(shape: am.Shape) -> tuple[Any, np.ndarray]:
    """The shape in coal's terms, and where its origin is in ours."""
    origin = np.zeros(3)
    match shape:
        case am.Plane():
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), origin
        case am.Sphere():
            return coal.Sphere(shape.radius), origin
        case am.Capsule():
            return coal.Capsule(shape.radius, shape.length), origin
        case am.Box():
            return coal.Box(*shape.size), origin
        case am.Cylinder():
            return coal.Cylinder(shape.radius, shape.height), origin
        case am.Cone():  # coal has its origin half way up
            return coal.Cone(shape.radius, shape.height), np.array([0.0, 0.0, shape.height / 4])
        case am.Ellipsoid():
            return coal.Ellipsoid(*shape.semi_axes), origin
        case am.ConvexHull():
            points = coal.StdVec_Vec3s()
            points.extend([np.array(p) for p in np.asarray(shape.points)])
            return coal.Convex.convexHull(points, False, ""), origin
    raise TypeError(shape)


def coal_distance(a: Any, b: Any, poses: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, Any]:
    """Signed distance and normal from a to b by coal."""
    request = coal.DistanceRequest(True, True)
    request.gjk_tolerance, request.epa_tolerance = 1e-9, 1e-9
    request.gjk_max_iterations, request.epa_max_iterations = 500, 250
    result = coal.DistanceResult()
    transforms = [coal.Transform3s(R, x) for R, x in poses]
    distance = coal.distance(a, transforms[0], b, transforms[1], request, result)
    return distance, np.array(result.normal)


def separation(a: am.Shape, b: am.Shape, poses: Any, n: np.ndarray) -> float:
    """Of two shapes along a unit normal from a to b; −∞ where it makes no sense."""
    (R_a, x_a), (R_b, x_b) = poses
    if not np.isfinite(n).all() or not abs(np.linalg.norm(n) - 1.0) < 1e-6:
        return -np.inf
    low = ((b.support((R_b.T @ -n)[None])[0] @ R_b.T) + x_b) @ n
    if isinstance(a, am.Plane):
        m = R_a[:, 2]
        return float(low - x_a @ n) if n @ m > 1.0 - 1e-12 else -np.inf
    high = ((a.support((R_a.T @ n)[None])[0] @ R_a.T) + x_a) @ n
    return float(low - high)


def size_of(shape: am.Shape) -> float:
    if isinstance(shape, am.Plane):
        return 0.0
    low, high = shape.bounds
    return float(np.linalg.norm(high - low)) / 2


def random_turns(rng: np.random.Generator, count: int) -> np.ndarray:
    q = rng.standard_normal((count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def compare(kinds: tuple[str, str], poses: int, seed: int) -> dict[str, Any]:
    """Worst errors of one pair of kinds."""
    rng = np.random.default_rng(seed)
    library = shapes_of(rng, 10)
    which = [rng.integers(0, 10, poses) for _ in range(2)]
    bodies = [[library[kind][i] for i in w] for kind, w in zip(kinds, which, strict=True)]
    turns = [random_turns(rng, poses) for _ in range(2)]
    rotations = [rotation_matrices(q) for q in turns]
    sizes = np.array([size_of(a) + size_of(b) for a, b in zip(*bodies, strict=True)])
    theirs = [[to_coal(shape) for shape in side] for side in bodies]
    place = np.zeros((2, poses, 3))
    direction = rng.standard_normal((poses, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    place[1] = direction * (sizes * rng.uniform(0.2, 1.2, poses))[:, None]
    margin = 0.2
    wanted = rng.uniform(-0.15, 1.0, poses) * margin
    wanted[::3] = 1e-9 * rng.standard_normal(len(wanted[::3]))  # touching
    reference = []
    for i in range(poses):

        def at(side: int, i: int = i) -> tuple[np.ndarray, np.ndarray]:
            R = rotations[side][i]
            return R, place[side, i] + R @ theirs[side][i][1]

        gap, normal = coal_distance(theirs[0][i][0], theirs[1][i][0], [at(0), at(1)])
        sane = np.isfinite(normal).all() and abs(gap) < 10.0 * sizes[i]  # coal fails now and then
        if sane and i % 4 != 3:  # the others stay where chance put them
            place[1, i] += (wanted[i] - gap) * normal
            gap, normal = coal_distance(theirs[0][i][0], theirs[1][i][0], [at(0), at(1)])
        reference.append((gap, normal))
    return judge(bodies, turns, place, rotations, sizes, margin, reference)


def judge(
    bodies: Any, turns: Any, place: Any, rotations: Any, sizes: Any, margin: float, reference: Any
) -> dict[str, Any]:
    """Ours beside theirs, each by the definition; in both orders of the two bodies."""
    poses = len(reference)
    ours = [detect(bodies, turns, place, margin, swap) for swap in (False, True)]
    worst = {"gap": 0.0, "normal": 0.0, "symmetry": 0.0, "coal_gap": 0.0}
    missed, invented, in_reach, overlapping = 0, 0, 0, 0
    for i in range(poses):
        a, b = bodies[0][i], bodies[1][i]
        where = [(rotations[side][i], place[side, i]) for side in range(2)]
        gap, normal = reference[i]
        best = separation(a, b, where, normal)
        mine = ours[0].get(i)
        if mine is not None:
            best = max(best, separation(a, b, where, mine[1]))
        if best > margin + 1e-6 * sizes[i] and mine is not None:
            invented += 1
        if best > margin - 1e-6 * sizes[i]:
            continue
        in_reach += 1
        overlapping += best < 0.0
        if mine is None or ours[1].get(i) is None:
            missed += 1
            continue
        worst["gap"] = max(worst["gap"], abs(mine[0] - best) / sizes[i])
        worst["coal_gap"] = max(worst["coal_gap"], abs(gap - best) / sizes[i])
        if separation(a, b, where, mine[1]) < best - UNIQUE * sizes[i]:
            angle = np.linalg.norm(np.cross(mine[1], normal))
            worst["normal"] = max(worst["normal"], float(angle))
        worst["symmetry"] = max(worst["symmetry"], abs(mine[0] - ours[1][i][0]) / sizes[i])
    return {
        "in_reach": in_reach,
        "overlapping": int(overlapping),
        "missed": missed,
        "invented": invented,
        **worst,
    }


def detect(bodies: Any, turns: Any, place: Any, margin: float, swap: bool) -> dict[int, Any]:
    """Gap and normal of the deepest contact of each pose that has any."""
    poses = len(bodies[0])
    order = (1, 0) if swap else (0, 1)
    shapes = [bodies[side][i] for i in range(poses) for side in order]
    turn = np.stack([turns[side] for side in order], axis=1).reshape(-1, 4)
    position = np.stack([place[side] for side in order], axis=1).reshape(-1, 3)
    # every pose has a bit of its own, 30 at a time
    found: dict[int, Any] = {}
    for first in range(0, poses, 30):
        part = slice(2 * first, 2 * min(first + 30, poses))
        number = np.arange(part.stop - part.start) // 2
        detector = am.CollisionDetector(
            shapes[part],
            margin=margin,
            fixed=np.zeros(len(number), dtype=bool),
            groups=1 << number,
            masks=1 << number,
        )
        contacts = detector.detect(position[part], turn[part])
        for c in np.argsort(-contacts.gaps, kind="stable"):
            sign = -1.0 if swap else 1.0
            pose = first + int(contacts.bodies[c, 0]) // 2
            found[pose] = (contacts.gaps[c], sign * contacts.normals[c])
    return found


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--kinds", nargs="*", help="only pairs of these")
    options = parser.parse_args()
    names = list(shapes_of(np.random.default_rng(0), 1))
    if options.kinds:
        names = [name for name in names if name in options.kinds]
    pairs = [
        pair for pair in itertools.combinations_with_replacement(names, 2) if pair[1] != "plane"
    ]
    print(f"{'pair':22s} poses overlap missed invented      gap   normal symmetry coal's gap")
    table = {}
    for seed, pair in enumerate(pairs):
        row = compare(pair, options.poses, seed)
        table["-".join(pair)] = row
        print(
            f"{pair[0] + ' - ' + pair[1]:22s} {row['in_reach']:5d} {row['overlapping']:7d} "
            f"{row['missed']:6d} {row['invented']:8d} {row['gap']:8.1e} {row['normal']:8.1e} "
            f"{row['symmetry']:8.1e} {row['coal_gap']:8.1e}",
            flush=True,
        )
    rows = table.values()
    gap, normal = (max(row[name] for row in rows) for name in ("gap", "normal"))
    missed = sum(row["missed"] for row in rows)
    print(f"worst: gap {gap:.1e} of size, normal {normal:.1e}; {missed} contacts missed")
    write(options.json, table)


if __name__ == "__main__":
    main()
