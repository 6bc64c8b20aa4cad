"""Make the pictures of the scenes and of the viewer: runs all, and needs playwright and Chromium.

python docs/make_pictures.py [SCENE ...] [viewer]
"""

from __future__ import annotations

import dataclasses
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from amontons.results import Results, begin
from amontons.scenes import SCENES, PackedBed, Scene
from amontons.viewer import write_page

FIGURES = Path(__file__).parent / "figures"
MOMENT = {
    "bouncing_balls": 0.8, "mixed_pile": 1.2, "wrecking_ball": 1.5, "dominoes": 2.0, "drum": 2.0,
    "hourglass": 1.2, "mixer": 1.5, "conveyor": 1.5, "chain": 0.6, "vehicle": 1.6, "plates": 0.1,
    "packed_bed": 0.8, "pressed_bed": 1.5, "wall": 0.05, "four_bar": 0.8, "crater": 0.2,
    "snowball": 0.2, "shaker": 1.5, "pebble_bed": 1.0,
    "tracked_vehicle": 4.0, "bulldozer": 3.4, "walking_robot": 1.7, "gripper": 2.2,
    "packaging": 3.3, "ragdolls": 1.0, "odd_shapes": 1.0, "sandcastle": 0.06, "brittle_plate": 0.02,
}  # fmt: skip
"""When each scene is worth a picture [s]."""

VIEWER = "viewer"
"""Instead of a scene: the page itself."""


def page_of(scene: Scene, time: float, folder: Path, **options: object) -> Path:
    """Run a scene and write its page."""
    settings = dataclasses.replace(scene.advice, time=time)
    run = begin(scene, folder / scene.name, settings=settings, **options)
    with run.recorder:
        run.simulation.run(time, on_step=run.recorder)
    with Results(folder / scene.name) as results:
        write_page(results, folder / f"{scene.name}.html")
    return folder / f"{scene.name}.html"


def photograph(
    browser: Browser, page: Path, out: Path, prepare: str, size: tuple[int, int]
) -> None:
    """A picture of a page's last frame, after some lines of script."""
    view = browser.new_page(viewport={"width": size[0], "height": size[1]})
    view.goto(page.as_uri())
    view.wait_for_function("window.viewer && viewer.drawn > 0", timeout=120_000)
    view.evaluate("viewer.play(false); viewer.show(viewer.frames - 1);" + prepare)
    view.wait_for_timeout(1500)
    view.screenshot(path=out, type="jpeg", quality=82)
    view.close()
    print(out, flush=True)


def photograph_viewer(browser: Browser, folder: Path) -> None:
    """The page with all that is on it: force chains in a bed, and a ball that was picked."""
    forces = page_of(PackedBed(600), 1.2, folder / "forces", contacts=True, rate=20.0)
    clicks = "viewer.options.forces = document.getElementById('forces').value = 'chains';"
    clicks += "viewer.options.colouring = document.getElementById('colour').value = 2;"
    photograph(browser, forces, FIGURES / "viewer-forces.jpg", clicks, (960, 600))
    balls = page_of(SCENES["bouncing_balls"](), MOMENT["bouncing_balls"], folder / "balls")
    photograph(browser, balls, FIGURES / "viewer.jpg", "viewer.choose(480, 300);", (960, 600))


def main(names: list[str]) -> None:
    FIGURES.mkdir(exist_ok=True)
    software = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    bare = "document.getElementById('bar').hidden = true; viewer.resize();"
    bare += "document.getElementById('bar').style.display = 'none';"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=software
        )
        for name in names or [*SCENES, VIEWER]:
            if name == VIEWER:
                photograph_viewer(browser, folder)
                continue
            page = page_of(SCENES[name](), MOMENT[name], folder)
            photograph(browser, page, FIGURES / f"scene-{name}.jpg", bare, (560, 350))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
