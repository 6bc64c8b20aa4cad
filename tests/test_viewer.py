"""The viewer: what is packed, and what Chromium shows of it."""

import base64
import json
import re
import shutil
import zlib

import numpy as np
import pytest

import amontons as am
from amontons.results import Results, begin
from amontons.scenes import BouncingBalls, Drum
from amontons.viewer import write_page
from amontons.viewer.meshes import corners_of
from amontons.viewer.packing import LOOK, STATE, packed


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


def unpack(text, dtype):
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype)


@pytest.mark.parametrize("name", ["bouncing_balls", "drum"])
def test_states_are_the_frames(pages, name):
    with Results(pages / name) as results:
        data = json.loads(json.dumps(packed(results, 2)))
        states = unpack(data["states"], STATE).reshape(len(data["times"]), data["moving"])
        rows = data["rows"]
        assert sorted(rows) == list(range(len(results.bodies)))
        moving = rows[: data["moving"]]
        assert sorted(moving) == np.flatnonzero(~results.bodies.fixed).tolist()
        np.testing.assert_allclose(data["times"], results.time[::2], atol=1e-9)
        for i, number in enumerate(range(0, results.frames, 2)):
            frame = results[number]
            np.testing.assert_allclose(states[i]["place"], frame.position[moving], atol=1e-6)
            turn = np.roll(frame.orientation[moving], -1, axis=1)
            np.testing.assert_allclose(states[i]["turn"] / 32767.0, turn, atol=2e-5)
            np.testing.assert_allclose(states[i]["speed"], frame.speed[moving], rtol=1e-6)
        still = unpack(data["places"], STATE)
        np.testing.assert_allclose(still["place"], results.position[0][rows[data["moving"] :]])


def test_balls_of_all_sizes_share_a_mesh(pages):
    with Results(pages / "bouncing_balls") as results:
        data = packed(results, 1)
        look = unpack(data["look"], LOOK)
        assert sum(group["moving"] for group in data["groups"]) == 1
        for each in look[: data["moving"]]:
            shape = results.shapes[results.bodies.shape[int(each["number"])]]
            np.testing.assert_allclose(each["scale"], shape.half, rtol=1e-6)


def test_corners_of_a_box_are_flat_and_those_of_a_ball_round():
    corners = corners_of(*am.Box.cube(2.0).surface_mesh())
    assert corners.shape == (36, 6)
    np.testing.assert_allclose(np.abs(corners[:, 3:]).max(axis=1), 1.0)
    ball = corners_of(*am.Sphere(2.0).surface_mesh(32))
    np.testing.assert_allclose(ball[:, 3:], ball[:, :3] / 2.0, atol=0.05)


def test_contacts_of_each_frame(pages):
    with Results(pages / "bouncing_balls") as results:
        data = packed(results, 1)["contacts"]
        rows = unpack(data["rows"], "<f4").reshape(-1, 6)
        assert sum(count for _, count in data["ranges"]) == len(rows) > 0
        for number, (first, count) in enumerate(data["ranges"]):
            found = results.contacts(number)
            expected = np.hstack([found.points, found.force])
            np.testing.assert_allclose(rows[first : first + count], expected, rtol=1e-5, atol=1e-5)


def test_a_page_asks_for_nothing_from_elsewhere(pages):
    page = (pages / "drum.html").read_text()
    assert not re.search(r"https?://|<link|src=|import\(|fetch\(", page)
    for mark in ("/*DATA*/", "/*SCRIPT*/", "/*STYLE*/"):
        assert mark not in page


# -- in a browser ---------------------------------------------------------------------------------


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


@pytest.fixture
def shown(browser, pages):
    """A function that opens a page without a network; it must not complain in the end."""
    context = browser.new_context(viewport={"width": 480, "height": 320}, offline=True)
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


def picture(page):
    """Pixels of the canvas, once it has been drawn anew."""
    before = page.evaluate("(viewer.stale = true, viewer.drawn)")
    page.wait_for_function(f"viewer.drawn > {before}")
    return page.evaluate("document.getElementById('canvas').toDataURL()")


def move_slider(page, share):
    page.evaluate(
        "share => { const slider = document.getElementById('slider');"
        " slider.value = share * slider.max; slider.dispatchEvent(new Event('input')); }",
        share,
    )


@pytest.mark.parametrize("name", ["bouncing_balls", "drum"])
def test_moving_the_slider_moves_the_bodies(shown, name):
    page = shown(name)
    move_slider(page, 0.0)
    first = picture(page)
    assert picture(page) == first  # nothing moves by itself
    move_slider(page, 0.7)
    assert picture(page) != first
    assert page.text_content("#time").startswith("0.2")
    move_slider(page, 0.0)
    assert picture(page) == first


def test_it_plays_to_the_end(shown):
    page = shown("bouncing_balls")
    page.evaluate("viewer.show(0)")
    page.click("#play")
    page.wait_for_function("!viewer.playing && viewer.frame === viewer.frames - 1", timeout=60_000)


def test_colours_forces_and_containers_change_the_picture(shown):
    page = shown("bouncing_balls")
    counts = page.evaluate("viewer.run.contacts.ranges.map(range => range[1])")
    move_slider(page, np.argmax(counts) / (len(counts) - 1))
    pictures = [picture(page)]
    page.select_option("#colour", "0")
    pictures.append(picture(page))
    page.check("#forces")
    pictures.append(picture(page))
    page.uncheck("#glass")
    pictures.append(picture(page))
    page.evaluate("viewer.camera.turn(50, 10)")
    pictures.append(picture(page))
    assert len(set(pictures)) == 5
    assert page.is_hidden("#forces-label") is False
    assert shown("drum").is_hidden("#forces-label")


def test_a_click_picks_the_body_that_is_there(shown, pages):
    page = shown("bouncing_balls")
    move_slider(page, 0.0)
    page.uncheck("#glass")
    with Results(pages / "bouncing_balls") as results:
        row = int(np.argmax(results.position[0][:, 2] + 9.0 * results.bodies.dynamic))
        spot = results.position[0][row].tolist()
        name = results.bodies.names[row]
    matrix = page.evaluate("Array.from(viewer.renderer.matrix(viewer.camera))")
    x, y, _, w = np.reshape(matrix, (4, 4)).T @ [*spot, 1.0]
    page.mouse.click(480 * (0.5 + 0.5 * x / w), 320 * (0.5 - 0.5 * y / w))
    assert page.text_content("#body").startswith(name)
    assert "m/s" in page.text_content("#body")
    page.mouse.click(3, 60)  # nothing but sky
    assert page.is_hidden("#body")
