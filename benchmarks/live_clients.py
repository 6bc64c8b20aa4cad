"""Steps a second of a recorded run that is shown live, with and without clients that never read.

python benchmarks/live_clients.py [--clients 30] [--turns 4] [--json FILE]

Such a client asks for the page and then says nothing, as a browser whose machine went to sleep.
Both ways take turns in one run; printed are medians of the turns, and their ratio.
"""

from __future__ import annotations

import contextlib
import socket
import statistics
import tempfile
import time
import urllib.parse

from amontons.results import RecordedRun, begin
from amontons.scenes import PackedBed
from amontons.viewer.live import LiveServer
from common import arguments, write


def abandoned(url: str) -> socket.socket:
    """A connection that asks for the page and never reads the answer."""
    where = urllib.parse.urlsplit(url)
    client = socket.create_connection((where.hostname, where.port), timeout=5.0)
    client.sendall(f"GET {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
    return client


def steps_a_second(run: RecordedRun, steps: int) -> float:
    """By the wall clock, which clients that are served in other threads take from."""
    begun = time.perf_counter()
    for _ in range(steps):
        run.recorder(run.simulation.step())
    return steps / (time.perf_counter() - begun)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument("--bodies", type=int, default=300)
    parser.add_argument("--steps", type=int, default=150, help="in a turn")
    parser.add_argument("--turns", type=int, default=4, help="of each way")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = begin(PackedBed(args.bodies), folder, rate=1000.0)
        found: dict[int, list[float]] = {0: [], args.clients: []}
        with run.recorder, LiveServer(folder) as server:
            steps_a_second(run, args.steps)  # compiles, too
            for _ in range(args.turns):
                for count in found:
                    with contextlib.ExitStack() as clients:
                        for _ in range(count):
                            clients.enter_context(abandoned(server.url))
                        found[count].append(steps_a_second(run, args.steps))
    alone, crowd = (statistics.median(each) for each in found.values())
    print(f"{alone:.1f} steps a second without clients, {crowd:.1f} with {args.clients} abandoned")
    print(f"ratio {crowd / alone:.2f}")
    write(args.json, {"alone": found[0], "abandoned": found[args.clients], "ratio": crowd / alone})


if __name__ == "__main__":
    main()
