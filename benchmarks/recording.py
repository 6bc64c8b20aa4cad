"""What recording costs: time within the recorder by the time of the run, and the size of the file.

python benchmarks/recording.py --bodies 10000
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from amontons.results import Results, begin
from amontons.scenes import PackedBed
from amontons.viewer import write_page
from common import arguments, write


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument("--settle", type=float, default=0.1, help="simulated seconds before")
    parser.add_argument("--time", type=float, default=0.5, help="simulated seconds")
    parser.add_argument("--rate", type=float, default=60.0, help="frames a simulated second")
    parser.add_argument("--contacts", action="store_true", help="record contacts, too")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = begin(PackedBed(args.bodies), folder, rate=args.rate, contacts=args.contacts)
        run.simulation.run(args.settle)  # compiles, too
        spent = 0.0

        def on_step(report: object) -> None:
            nonlocal spent
            begun = time.perf_counter()
            run.recorder(report)
            spent += time.perf_counter() - begun

        begun = time.perf_counter()
        run.simulation.run(args.time, on_step=on_step)
        total = time.perf_counter() - begun
        run.recorder.close()
        size = (Path(folder) / "run.h5").stat().st_size
        with Results(folder) as results:
            begun = time.perf_counter()
            write_page(results, Path(folder) / "view.html")
            page = time.perf_counter() - begun
            figures = {
                "bodies": args.bodies,
                "frames": results.frames,
                "run_seconds": total,
                "recording_seconds": spent,
                "overhead_percent": 100.0 * spent / (total - spent),
                "bytes_a_body_and_frame": size / results.frames / args.bodies,
                "page_seconds": page,
                "page_megabytes": (Path(folder) / "view.html").stat().st_size / 1e6,
            }
    print(
        f"{args.bodies} bodies, {figures['frames']} frames at {args.rate:g} Hz: recording took "
        f"{spent:.2f} of {total:.2f} s ({figures['overhead_percent']:.1f} % more), "
        f"{figures['bytes_a_body_and_frame']:.0f} bytes a body and frame; page "
        f"{figures['page_megabytes']:.1f} MB in {page:.1f} s"
    )
    write(args.json, figures)


if __name__ == "__main__":
    main()
