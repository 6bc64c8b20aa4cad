"""Two ranks on two machines that a wire of 1 Gbit/s joins: equal bits, and what messages cost.

    python benchmarks/ranks_network.py                     # needs root, `ip`, `tc` and MPICH
    python benchmarks/ranks_network.py --bodies 100000 --steps 4 --rate 100mbit

The machines are two network namespaces of this one, joined by a pair of virtual cards, each with a
token bucket of the given rate. First the wire is measured with messages of many sizes, by the same
calls that a simulation makes: the time of a message of s bytes is fitted by λ + s/B, for exchanges
and for reductions. Then a bed is run over the wire and once more without it, with a barrier before
every message, so that no rank's time has a wait for the other's work in it. Printed are both
states, the time that messages took, and that which the model says from their numbers and sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import amontons as am
from amontons.ranks.communicator import Letters
from amontons.ranks.mpi import MpiRank
from amontons.testing.shared_worlds import bed

SIZES = (48, 480, 2_400, 4_800, 12_000, 24_000, 48_000, 120_000, 480_000, 1_200_000)
"""Of messages that the wire is measured with [bytes]."""

REPEATS = 30

KINDS = ("exchange", "reduction")


class TimedRank(MpiRank):
    """A rank that waits for all others before every message, and takes down what each cost."""

    def __init__(self) -> None:
        super().__init__()
        self.log: dict[str, list[tuple[int, float]]] = {kind: [] for kind in KINDS}

    def exchange(self, outgoing: Letters, incoming: Letters) -> None:
        size = sum(array.nbytes for _, array in outgoing)
        before = self._begun()
        super().exchange(outgoing, incoming)
        self.log["exchange"].append((size, time.perf_counter() - before))

    def joined(self, part: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
        before = self._begun()
        together = super().joined(part, sizes)
        # what came is what took the time where parts differ: the longest of them
        self.log["reduction"].append((8 * max(sizes), time.perf_counter() - before))
        return together

    def _begun(self) -> float:
        from mpi4py import MPI

        MPI.COMM_WORLD.Barrier()
        return time.perf_counter()


def measured_wire(ranks: TimedRank) -> dict[str, tuple[float, float]]:
    """λ [s] and 1/B [s/byte] of each kind of message: medians of times, fitted by their ratios."""
    other = 1 - ranks.rank
    for size in SIZES:
        out, into = np.zeros(size // 8), np.zeros(size // 8)
        for _ in range(REPEATS):
            ranks.exchange([(other, out)], [(other, into)])
            ranks.joined(out, [out.size] * 2)
    found = {}
    for kind in KINDS:
        times = [
            np.median([seconds for of, seconds in ranks.log[kind] if of == size]) for size in SIZES
        ]
        rows = np.column_stack([np.ones(len(SIZES)), SIZES]) / np.array(times)[:, None]
        latency, each = np.linalg.lstsq(rows, np.ones(len(SIZES)), rcond=None)[0]
        found[kind] = float(latency), float(each)
        ranks.log[kind].clear()
    return found


def take_part(bodies: int, steps: int, told: Path) -> None:
    """Be one of two ranks: measure the wire, run the bed, and tell of both."""
    ranks = TimedRank()
    am.set_threads(1)
    wire = measured_wire(ranks)
    solver = am.APGD(tolerance=1e-6, max_iterations=20)
    simulation = am.Simulation(bed(bodies), step=2e-3, solver=solver, ranks=ranks)
    simulation.step()  # may compile
    for kind in KINDS:
        ranks.log[kind].clear()
    start = time.perf_counter()
    for _ in range(steps):
        simulation.step()
    row: dict[str, Any] = {"hash": simulation.state.hash(), "seconds": time.perf_counter() - start}
    for kind in KINDS:
        latency, each = wire[kind]
        sizes, seconds = np.array(ranks.log[kind]).T
        row[kind] = {
            "number": sizes.size,
            "bytes": int(sizes.sum()),
            "seconds": float(seconds.sum()),
            "model": float(sizes.size * latency + each * sizes.sum()),
            "latency": latency,
            "bandwidth": 1.0 / each,
        }
    if ranks.leads:
        told.write_text(json.dumps(row))


@contextmanager
def two_machines(rate: str) -> Iterator[tuple[str, str]]:
    """Names of two namespaces; the card of each is `wire`, with address 10.77.0.1 and .2."""
    names = tuple(f"amontons-{os.getpid()}-{k}" for k in (1, 2))
    try:
        for name in names:
            run("ip", "netns", "add", name)
        run("ip", "link", "add", "wire", "netns", names[0], "type", "veth", "peer", "name", "wire",
            "netns", names[1])  # fmt: skip
        for k, name in enumerate(names, start=1):
            run("ip", "-n", name, "addr", "add", f"10.77.0.{k}/24", "dev", "wire")
            for card in ("wire", "lo"):
                run("ip", "-n", name, "link", "set", card, "up")
            run("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "wire", "root", "tbf",
                "rate", rate, "burst", "32kb", "latency", "100ms")  # fmt: skip
        yield names[0], names[1]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False)


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def told_by_two(bodies: int, steps: int, rate: str | None) -> dict[str, Any]:
    """What two ranks tell: over a wire of this rate, or within one machine."""
    beside = str(Path(sys.executable).parent)
    launcher = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if launcher is None:
        raise SystemExit("there is no mpiexec: pip install 'amontons[mpi]'")
    env = os.environ | {"NUMBA_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        told = folder / "told.json"
        work = [sys.executable, __file__, "--bodies", str(bodies), "--steps", str(steps)]
        work += ["--take-part", str(told)]
        if rate is None:
            subprocess.run([launcher, "-n", "2", *work], env=env, check=True)
            return dict(json.loads(told.read_text()))
        with two_machines(rate) as names:
            login = folder / "login"  # as ssh: the address, then a command
            login.write_text(
                '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nname=${1##*.}\nshift\n'
                f'exec ip netns exec {names[0][:-1]}$name sh -c "$*"\n'
            )
            login.chmod(0o755)
            command = ["ip", "netns", "exec", names[0], launcher, "-launcher", "ssh"]
            command += ["-launcher-exec", str(login), "-localhost", "10.77.0.1"]
            command += ["-hosts", "10.77.0.1,10.77.0.2", "-ppn", "1", "-n", "2", *work]
            env |= {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "wire"}
            subprocess.run(command, env=env, check=True)
        return dict(json.loads(told.read_text()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--rate", default="1gbit", help="of the wire, as `tc` has it")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--take-part", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.take_part:
        take_part(given.bodies, given.steps, given.take_part)
        return
    if os.geteuid() or not shutil.which("ip") or not shutil.which("tc"):
        raise SystemExit("two machines are made of namespaces, by root with `ip` and `tc`")
    found = {
        f"a wire of {given.rate}": told_by_two(given.bodies, given.steps, given.rate),
        "one machine": told_by_two(given.bodies, given.steps, None),
    }
    for where, row in found.items():
        print(f"{where}: state {row['hash']}, {row['seconds'] / given.steps:.3f} s a step")
        took, model = 0.0, 0.0
        for kind in KINDS:
            of = row[kind]
            took, model = took + of["seconds"], model + of["model"]
            print(
                f"  {kind}s: {of['number'] / given.steps:.0f} a step of "
                f"{of['bytes'] / of['number'] / 1e3:.1f} kB, "
                f"{1e3 * of['seconds'] / given.steps:.2f} ms a step, by the model "
                f"{1e3 * of['model'] / given.steps:.2f} ms "
                f"(λ {1e6 * of['latency']:.0f} µs, B {of['bandwidth'] / 1e6:.0f} MB/s)"
            )
        print(f"  messages by the model: {took / model:.2f}")
    same = len({row["hash"] for row in found.values()}) == 1
    print(f"states are {'equal' if same else 'NOT EQUAL'}; load {os.getloadavg()}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
    if not same:
        sys.exit(1)


if __name__ == "__main__":
    main()
