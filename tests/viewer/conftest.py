"""Pages, and a browser for those who look at them."""

import shutil

import pytest

from amontons.results import Results, begin
from amontons.scenes import BouncingBalls, Drum
from amontons.viewer import write_page


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    software = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=software)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Two runs and their pages."""
    folder = tmp_path_factory.mktemp("pages")
    for scene in (BouncingBalls(12, height=0.3, restitution=0.0), Drum(8, width=0.2)):
        run = begin(scene, folder / scene.name, rate=30.0, contacts=scene.name != "drum")
        with run.recorder:
            run.simulation.run(0.4, on_step=run.recorder)
        with Results(folder / scene.name) as results:
            write_page(results, folder / f"{scene.name}.html")
    return folder


@pytest.fixture
def shown(browser, pages):
    """A function that opens a page without a network; it must not complain in the end."""
    context = browser.new_context(viewport={"width": 640, "height": 400}, offline=True)
    complaints = []

    def opened(name):
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((pages / f"{name}.html").as_uri())
        page.wait_for_function("window.viewer && viewer.drawn > 0", timeout=60_000)
        page.evaluate("viewer.play(false)")
        return page

    yield opened
    context.close()
    assert [text for text in complaints if "GPU stall" not in text] == []
