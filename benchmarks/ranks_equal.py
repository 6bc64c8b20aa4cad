"""Whether states are equal bit for bit on 1, 2, 4 and 8 ranks, world by world.

    python benchmarks/ranks_equal.py                               # 200 steps, ranks are threads
    python benchmarks/ranks_equal.py --worlds "packed bed" --steps 20 --friction exact
    mpiexec -n 4 python benchmarks/ranks_equal.py --json four.json # of MPI: compare the files

Each world is printed with its hash after the last step, contacts, and what every rank had to do.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import amontons as am
from amontons.ranks import Communicator, run_in_threads
from amontons.ranks.mpi import under_mpi
from amontons.testing.shared_worlds import SHARED_WORLDS


def told(name: str, steps: int, friction: str, ranks: Communicator) -> dict[str, Any]:
    """What one rank tells of a run."""
    made = SHARED_WORLDS[name]
    simulation = am.Simulation(
        made.make(), step=made.step, solver=am.APGD(tolerance=1e-4, max_iterations=60),
        friction=friction, ranks=ranks,
    )  # fmt: skip
    for _ in range(steps):
        simulation.step()
    contacts = simulation.readings.contacts
    return {
        "hash": simulation.state.hash(),
        "contacts": int(contacts.max()) if contacts.size else 0,
        "notes": len(simulation.readings.notes),
        "exchanges": ranks.traffic.exchanges,
        "reductions": ranks.traffic.reductions,
        "MB": round(ranks.traffic.bytes / 1e6, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", nargs="+", default=list(SHARED_WORLDS))
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--friction", default="convex")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, dict[int, list[dict[str, Any]]]] = {}
    different = []
    for name in given.worlds:

        def run(ranks: Communicator, name: str = name) -> dict[str, Any]:
            return told(name, given.steps, given.friction, ranks)

        if under_mpi():
            ranks = am.ranks.here()
            of_this = run(ranks)
            if ranks.leads:
                print(f"{name}: {ranks.count} ranks, {of_this}", flush=True)
                found[name] = {ranks.count: [of_this]}
            continue
        found[name] = {count: run_in_threads(count, run) for count in given.ranks}
        hashes = {each["hash"] for runs in found[name].values() for each in runs}
        same = "equal" if len(hashes) == 1 else f"NOT EQUAL: {sorted(hashes)}"
        different += [name] * (len(hashes) > 1)
        first = next(iter(found[name].values()))[0]
        print(
            f"{name}: {same} on {given.ranks} ranks after {given.steps} steps, {first}", flush=True
        )
    if given.json and found:
        given.json.write_text(json.dumps(found, indent=2))
    if different:
        sys.exit(f"different on different ranks: {', '.join(different)}")


if __name__ == "__main__":
    main()
