"""Weak scaling of ranks as the cost model predicts it: arithmetic, no measurement.

    python benchmarks/ranks_predicted.py [--gigabits 10 --latency 2e-6 --iterations 100]

Two tables for beds of spheres: of what is built, where every rank has all bodies and all that
contacts remember, and there are 256 units at most; and of the iterations alone, as if the rest were
divided, too, and there were a unit for each rank. Figures of one core come from
`benchmarks/ranks.py`, those of memory from `benchmarks/ranks_memory.py`, and the number of ghosts
from the pieces of a bed of 200 000 spheres.
"""

from __future__ import annotations

import argparse
from math import log2

CONTACTS = 2.8
"""Of a body, those within the margin."""

PROPOSALS = 1.3
"""Of an iteration."""

PROPOSAL = 36e-9
"""Time that a proposal takes for each contact of a rank [s]."""

DIVIDED, WHOLE = 3.0e-6, 0.5e-6
"""Time of all else in a step for each body: what ranks divide, and what all of them do [s]."""

KEPT, SHARED, BASE = 1.8, 3.5, 0.25e6
"""Memory of a rank [kB]: of every body, of every body that is its own, and with none."""

UNITS = 256
"""At most; a rank without one has nothing to do."""


def ghosts(bodies: float) -> float:
    """Bodies of others that a rank with so many hears of."""
    return 7.0 * bodies ** (2.0 / 3.0)


def messages(ranks: int, bodies: float, units: int, latency: float, bandwidth: float) -> float:
    """Time of one exchange and one reduction [s]."""
    told = (48.0 * ghosts(bodies) + 48.0 * units) / bandwidth
    return latency + latency * log2(ranks) + told if ranks > 1 else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=100, help="of a step")
    parser.add_argument("--latency", type=float, default=2e-6, help="of a message [s]")
    parser.add_argument("--gigabits", type=float, default=10.0, help="a second, of each rank")
    given = parser.parse_args()
    bandwidth, proposals = given.gigabits / 8.0 * 1e9, PROPOSALS * given.iterations
    print("PREDICTED. What is built:")
    for bodies in (1e5, 1e6):
        alone = bodies * (CONTACTS * PROPOSAL * proposals + DIVIDED + WHOLE)
        for ranks in (1, 2, 10, 100, 1000, 10_000):
            everybody = bodies * ranks
            own = proposals * CONTACTS * bodies * PROPOSAL + DIVIDED * bodies
            same = WHOLE * everybody
            say = proposals * messages(ranks, bodies, UNITS, given.latency, bandwidth)
            if ranks > 1:  # names and forces of contacts, velocities and numbers of bodies
                say += everybody * (32.0 * CONTACTS + 56.0) / bandwidth
            memory = (BASE + KEPT * everybody + SHARED * bodies) / 1e6
            step = f"{own + same + say:.1f} s a step, {alone / (own + same + say):.0%}"
            print(
                f"  {bodies:.0e} bodies a rank, {ranks} ranks: "
                f"{step if ranks <= UNITS else 'more ranks than units'}, {memory:.1f} GB a rank"
            )
    print("PREDICTED. Iterations alone, were all else divided, and a unit for each rank:")
    for bodies in (1e5, 1e6):
        own = CONTACTS * bodies * PROPOSAL
        for ranks in (100, 1000, 10_000):
            say = messages(ranks, bodies, max(UNITS, ranks), given.latency, bandwidth)
            print(
                f"  {bodies:.0e} bodies a rank, {ranks} ranks: a proposal takes "
                f"{1e3 * (own + say):.1f} ms, of which messages {1e3 * say:.2f}: "
                f"{own / (own + say):.0%}"
            )


if __name__ == "__main__":
    main()
