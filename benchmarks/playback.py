"""How fast the viewer plays: pictures a second in headless Chromium, drawn by the processor.

python benchmarks/playback.py --bodies 10000

Chromium draws with SwiftShader, WebGL without a graphics card, so these are the slowest figures
that anybody will see. "Drawing" is the time of a picture at full resolution until its pixels can be
read, with the processor time of all of Chromium, which other programs disturb less; "playing" is
what a user sees, the page lowering its resolution by itself where the machine is slow.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from amontons.results import Results, begin
from amontons.scenes import MixedPile, PackedBed
from amontons.viewer import write_page
from common import arguments, write

SOFTWARE = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SCENES = {"spheres": PackedBed, "mixed": MixedPile}

SETTLE = 5000
"""Milliseconds in which the page may find its resolution."""

DRAW = """pictures => {
  const { renderer, camera, options } = viewer, gl = renderer.gl, pixel = new Uint8Array(4);
  const once = (i) => {
    renderer.draw(camera, (i * 0.37) % (viewer.frames - 1), options);
    gl.readPixels(9, 9, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  };
  once(0);
  const begun = performance.now();
  for (let i = 1; i <= pictures; i++) once(i);
  return (performance.now() - begun) / pictures;
}"""


def processor_seconds() -> float:
    """Processor time of all processes that this one started, and of those that they did."""
    times: dict[int, float] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:  # it has just ended
                continue
            parents[int(entry.name)] = int(fields[1])
            times[int(entry.name)] = int(fields[11]) + int(fields[12])
    ours, found = {os.getpid()}, 0
    while len(ours) > found:
        found = len(ours)
        ours |= {process for process, parent in parents.items() if parent in ours}
    return sum(times.get(process, 0.0) for process in ours) / os.sysconf("SC_CLK_TCK")


def page_of(kind: str, bodies: int, folder: Path) -> Path:
    """A short run and its page."""
    run = begin(SCENES[kind](bodies), folder / "run", rate=30.0)
    with run.recorder:
        run.simulation.run(0.2, on_step=run.recorder)
    with Results(folder / "run") as results:
        write_page(results, folder / "view.html")
    return folder / "view.html"


def measured(page: Page, seconds: float) -> dict[str, float]:
    """Milliseconds of a picture, and pictures a second while it plays."""
    page.wait_for_function("window.viewer && viewer.drawn > 0", timeout=300_000)
    page.evaluate("viewer.play(false)")
    page.evaluate(DRAW, 1)
    before = processor_seconds()
    drawing = page.evaluate(DRAW, 5)
    effort = 1e3 * (processor_seconds() - before) / 6  # it draws one before it measures
    # so slowly that it plays as long as it is measured
    page.evaluate("pace => pace.innerHTML = '<option value=0.005>'", page.query_selector("#pace"))
    page.evaluate("viewer.show(viewer.frames / 2)")
    page.evaluate("viewer.play(true)")
    page.wait_for_timeout(SETTLE)
    before, begun = page.evaluate("viewer.drawn"), time.perf_counter()
    page.wait_for_timeout(1000.0 * seconds)
    if not page.evaluate("viewer.playing"):
        raise RuntimeError("the run ended while it was measured; measure fewer seconds")
    drawn, passed = page.evaluate("viewer.drawn") - before, time.perf_counter() - begun
    return {"drawing_ms": drawing, "processor_ms": effort, "playing_per_second": drawn / passed}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument("--scene", choices=SCENES, default="spheres")
    parser.add_argument("--page", type=Path, help="measure this page instead")
    parser.add_argument("--seconds", type=float, default=5.0, help="of playing")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        path = args.page or page_of(args.scene, args.bodies, Path(kept))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=SOFTWARE
        )
        page = browser.new_page(viewport={"width": 960, "height": 600})
        begun = time.perf_counter()
        page.goto(path.resolve().as_uri())
        figures = measured(page, args.seconds)
        figures["loading_seconds"] = time.perf_counter() - begun
        browser.close()
    load = os.getloadavg()[0]
    print(
        f"{path.name}, 960 × 600, SwiftShader, {os.cpu_count()} cores with load {load:.1f}: "
        f"{figures['drawing_ms']:.0f} ms a picture "
        f"({figures['processor_ms']:.0f} ms of processor time), "
        f"{figures['playing_per_second']:.1f} pictures a second while playing"
    )
    write(args.json, figures | {"load": load})


if __name__ == "__main__":
    main()
