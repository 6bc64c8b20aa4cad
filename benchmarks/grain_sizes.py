"""What grains of many sizes cost beside equal ones: file, memory, time to set up, detection.

    python benchmarks/grain_sizes.py [--spheres 100000] [--json out.json]

Both worlds have as many spheres in the same solid fraction; sizes are spread by a factor of two.
Detection is timed in turns, on one thread, with a margin of 5 % of a radius.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

import amontons as am
from common import arguments, turns, write

FRACTION, LOW, HIGH = 0.5, 0.7, 1.4


def grains(sizes: am.Sizes, spheres: int, tile: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and radii, from packed tiles beside each other."""
    side = np.cbrt(tile * sizes.mean_volume / FRACTION)
    packed = am.pack(((0, 0, 0), (side,) * 3), sizes, fraction=FRACTION)
    copies = int(np.ceil(np.cbrt(spheres / len(packed.radius))))
    corner = np.stack(np.meshgrid(*[np.arange(copies)] * 3, indexing="ij"), -1).reshape(-1, 3)
    place = (side * corner[:, None] + packed.position).reshape(-1, 3)[:spheres]
    return place, np.tile(packed.radius, len(corner))[:spheres]


def world_of(place: np.ndarray, radius: Any) -> am.World:
    world = am.World()
    world.add_spheres(radius, position=place, density=1000.0)
    return world


def set_up(place: np.ndarray, radius: Any, folder: Path) -> dict[str, float]:
    """Time, memory and bytes on the disk of a world, its model and the file of a run."""
    begin = time.perf_counter()
    tracemalloc.start()
    simulation = am.Simulation(world_of(place, radius), step=1e-3)
    memory = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    with am.Recorder(simulation, folder):
        pass
    seconds = time.perf_counter() - begin
    return {
        "MB of memory": memory / 1e6,
        "MB of run.h5": (folder / "run.h5").stat().st_size / 1e6,
        "s to set up": seconds,
    }


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--spheres", type=int, default=100_000)
    parser.add_argument("--tile", type=int, default=3000, help="spheres that are packed")
    parser.add_argument("--repeats", type=int, default=7)
    chosen = parser.parse_args()
    am.set_threads(1)
    place, radius = grains(am.Sizes.uniform(LOW, HIGH), chosen.spheres, chosen.tile)
    # copies of a tile share their radii; no two shall
    radius = radius * (1.0 - 1e-6 * np.arange(len(radius)) / len(radius))
    even, one = grains(am.Sizes.single(1.0), chosen.spheres, chosen.tile)
    found: dict[str, Any] = {"spheres": chosen.spheres, "radii": len(np.unique(radius))}
    with tempfile.TemporaryDirectory() as folder:
        found["equal"] = set_up(even, one, Path(folder) / "equal")
        found["spread"] = set_up(place, radius, Path(folder) / "spread")
    alike = am.CollisionDetector.of_spheres(one, margin=0.025)
    mixed = am.CollisionDetector.of_spheres(radius, margin=0.025)
    times = turns(
        {"equal": lambda: alike.detect(even), "spread": lambda: mixed.detect(place)}, chosen.repeats
    )
    for name, seconds in times.items():
        found[name]["ms of detection"] = 1e3 * float(np.median(seconds))
    ratios = np.divide(times["spread"], times["equal"])
    found["ratio of detection"] = float(np.median(ratios))
    found["MB of run.h5 for the radii"] = (
        found["spread"]["MB of run.h5"] - found["equal"]["MB of run.h5"]
    )
    for name, value in found.items():
        print(f"{name}: {value}")
    write(chosen.json, found)


if __name__ == "__main__":
    main()
