"""The viewer: what is packed, and what Chromium shows of it."""

import json
import re

import numpy as np
import pytest
from scipy.ndimage import binary_opening

import amontons as am
from amontons.results import Results
from amontons.viewer import write_page
from amontons.viewer.meshes import corners_of
from amontons.viewer.packing import CONTACT, LOOK, STATE, Packing
from helpers.pages import move_slider, picture, pixel_of, unpack


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bouncing_balls", "drum"])
def test_states_are_the_frames(pages, name):
    with Results(pages / name) as results:
        data = json.loads(json.dumps(Packing(results).page(2)))
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
            load = np.zeros(len(results.bodies))
            if results.has_contacts:
                for pair, force in zip(frame.contacts.bodies, frame.contacts.force, strict=True):
                    load[np.isin(results.bodies.id, pair)] += np.linalg.norm(force)
            np.testing.assert_allclose(states[i]["load"], load[moving], rtol=1e-5)
        still = unpack(data["places"], STATE)
        np.testing.assert_allclose(still["place"], results.position[0][rows[data["moving"] :]])


def test_balls_of_all_sizes_share_a_mesh(pages):
    with Results(pages / "bouncing_balls") as results:
        data = Packing(results).page()
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
        data = Packing(results).page()
        rows = unpack(data["contacts"], CONTACT)
        assert sum(count for _, count in data["ranges"]) == len(rows) > 0
        for number, (first, count) in enumerate(data["ranges"]):
            found = results.contacts(number)
            mine = rows[first : first + count]
            np.testing.assert_allclose(mine["point"], found.points, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(mine["force"], found.force, rtol=1e-5, atol=1e-5)
            for pair, arms, point in zip(found.bodies, mine["arms"], found.points, strict=True):
                for body, arm in zip(pair, arms, strict=True):
                    row = int(np.flatnonzero(results.bodies.id == body)[0])
                    moves = results.bodies.dynamic[row]
                    exact = results[number].position[row] - point if moves else np.zeros(3)
                    np.testing.assert_allclose(arm, exact, atol=1e-3)


def test_a_page_asks_for_nothing_from_elsewhere(pages):
    page = (pages / "drum.html").read_text()
    assert not re.search(r"https?://|<link|src=|import\(|fetch\(", page)
    for mark in ("/*DATA*/", "/*SCRIPT*/", "/*STYLE*/"):
        assert mark not in page


# -- in a browser ---------------------------------------------------------------------------------


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


@pytest.mark.slow
def test_colours_forces_and_containers_change_the_picture(shown):
    page = shown("bouncing_balls")
    counts = page.evaluate("viewer.run.ranges.map(range => range[1])")
    move_slider(page, np.argmax(counts) / (len(counts) - 1))
    pictures = [picture(page)]
    page.select_option("#colour", "0")
    pictures.append(picture(page))
    page.select_option("#colour", "2")
    pictures.append(picture(page))
    for kind in ("arrows", "chains"):
        page.select_option("#forces", kind)
        pictures.append(picture(page))
    page.uncheck("#glass")
    pictures.append(picture(page))
    page.evaluate("viewer.camera.turn(50, 10)")
    pictures.append(picture(page))
    assert len(set(pictures)) == 7
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
    page.mouse.click(*pixel_of(page, spot))
    assert page.text_content("#body").startswith(name)
    assert "m/s" in page.text_content("#body")
    page.mouse.click(3, 60)  # nothing but sky
    assert page.is_hidden("#body")


# -- many bodies ----------------------------------------------------------------------------------


def crowd(kinds, count):
    """A simulation of many bodies of some shapes in free fall, far from each other."""
    world = am.World()
    side = round(count ** (1 / 3)) + 1
    places = np.stack(np.meshgrid(*[np.arange(side) * 0.5] * 3), axis=-1).reshape(-1, 3)[:count]
    turns = np.random.default_rng(0).normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    for i, shape in enumerate(kinds):
        mine = slice(i, None, len(kinds))
        world.add_bodies(shape, position=places[mine], orientation=turns[mine], mass=1.0)
    return am.Simulation(world, step=0.02)


@pytest.fixture(scope="module")
def crowds(tmp_path_factory):
    """Pages of ten thousand spheres, and of a thousand of every shape that rays cut."""
    folder = tmp_path_factory.mktemp("crowds")
    shapes = [
        am.Sphere(0.2), am.Ellipsoid((0.1, 0.2, 0.15)), am.Box((0.2, 0.3, 0.15)),
        am.Capsule(0.1, 0.2), am.Cylinder(0.12, 0.3),
    ]  # fmt: skip
    for name, kinds, count in (("spheres", shapes[:1], 10_000), ("mixed", shapes, 1010)):
        sim = crowd(kinds, count)
        with am.Recorder(sim, folder / name, rate=50.0) as recorder:
            sim.run(0.4, on_step=recorder)
        with Results(folder / name) as results:
            write_page(results, folder / f"{name}.html")
    return folder


@pytest.fixture
def opened(browser, crowds):
    context = browser.new_context(viewport={"width": 640, "height": 400}, offline=True)

    def opened(name):
        page = context.new_page()
        page.goto((crowds / f"{name}.html").as_uri())
        page.wait_for_function("window.viewer && viewer.drawn > 0", timeout=60_000)
        page.evaluate("viewer.play(false)")
        return page

    yield opened
    context.close()


@pytest.mark.slow
def test_ten_thousand_bodies_load_and_move(opened):
    page = opened("spheres")
    assert page.evaluate("viewer.run.moving") == 10_000
    assert page.evaluate("viewer.renderer.asPoints(viewer.run.groups[0], viewer.camera)")
    move_slider(page, 0.0)
    first = picture(page)
    move_slider(page, 1.0)
    assert picture(page) != first
    page.evaluate("viewer.play(true)")
    page.wait_for_function("!viewer.playing && viewer.frame === viewer.frames - 1", timeout=60_000)
    page.mouse.click(320, 160)
    assert "m/s" in page.text_content("#body")


PIXELS = """() => {
  const gl = viewer.renderer.gl, { width, height } = viewer.renderer.canvas;
  viewer.renderer.draw(viewer.camera, 3.5, viewer.options);
  const pixels = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return { pixels: Array.from(pixels), width, height };
}"""


def pixels_of(page):
    """Colours of the canvas, shape (height, width, 3)."""
    seen = page.evaluate(PIXELS)
    return np.array(seen["pixels"]).reshape(seen["height"], seen["width"], 4)[..., :3]


@pytest.mark.slow
def test_bodies_look_the_same_cut_by_rays_and_as_triangles(opened):
    page = opened("mixed")
    page.evaluate("viewer.camera.distance *= 0.9")
    page.uncheck("#shade")  # which sees the edges that differ from afar
    assert page.evaluate("viewer.run.groups.map(group => group.solid)") == [0, 1, 2, 3, 4]
    cut = pixels_of(page)
    page.evaluate("viewer.renderer.asPoints = () => false")
    meshed = pixels_of(page)
    assert (cut != cut[0, 0]).any(axis=-1).mean() > 0.2  # bodies are in sight
    different = np.abs(cut - meshed).max(axis=-1) > 40
    # triangles cut edges off, and smoothing softens them: that is one or two pixels wide
    assert binary_opening(different, np.ones((3, 3))).mean() < 1e-3
