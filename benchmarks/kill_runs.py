"""Kill a run at random moments: every file must open, and every resumed run be the unbroken one.

python benchmarks/kill_runs.py --times 20
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from amontons.results import Results, begin, resume
from amontons.results.layout import STAGES
from amontons.scenes import BouncingBalls
from common import arguments, write

SCENE = BouncingBalls(40, height=0.05)
RUN = """
import sys
from amontons.results import begin
from amontons.scenes import BouncingBalls
run = begin(BouncingBalls(40, height=0.05), sys.argv[1], contacts=True, checkpoint_every=0.1)
with run.recorder:
    print("begun", flush=True)
    run.simulation.run(1000.0, on_step=run.recorder)
"""


def killed(folder: Path, after: float) -> float:
    """Start a run, kill it after some seconds, and say how far its frames go [s]."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
    with Results(folder) as results:
        assert results.frames >= 1
        assert np.isfinite(results.position[:]).all()
        return float(results.time[-1])


def same(first: Path, second: Path) -> None:
    """Raise where two runs differ in a single bit, wall-clock times and lengths apart."""
    with Results(first) as a, Results(second) as b:
        frames, steps = min(a.frames, b.frames), min(a.steps, b.steps)
        for name in ("position", "orientation", "twist", "time"):
            here, there = getattr(a, name)[:frames], getattr(b, name)[:frames]
            np.testing.assert_array_equal(here, there, err_msg=name)
        for name in a.columns:
            if name not in STAGES:
                np.testing.assert_array_equal(a.readings(name)[:steps], b.readings(name)[:steps])
        for number in range(frames):
            here, there = a.contacts(number), b.contacts(number)
            np.testing.assert_array_equal(here.bodies, there.bodies)
            np.testing.assert_array_equal(here.force, there.force)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--longest", type=float, default=2.0, help="seconds before a kill")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    moments = np.random.default_rng(args.seed).uniform(0.0, args.longest, args.times)
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        reached = [killed(folder / str(i), after) for i, after in enumerate(moments)]
        whole = begin(SCENE, folder / "whole", contacts=True)
        with whole.recorder:
            whole.simulation.run(max(reached) + 0.1, on_step=whole.recorder)
        for i, end in enumerate(reached):
            run = resume(folder / str(i), time=end + 0.1)
            lost = end - run.simulation.time
            with run.recorder:
                run.simulation.run(run.left, on_step=run.recorder)
            same(folder / "whole", folder / str(i))
            print(
                f"killed after {moments[i]:.2f} s at {end:.2f} s of the run, made {lost:.2f} s "
                "again: the same bit for bit",
                flush=True,
            )
    print(f"{args.times} of {args.times} opened, went on, and are the unbroken run")
    write(args.json, {"kills": args.times, "reached": reached})


if __name__ == "__main__":
    main()
