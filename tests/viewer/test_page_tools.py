"""What the page offers beside playing: curves, cuts, legends, distances, keys, pictures, films."""

import numpy as np
import pytest
from PIL import Image

import amontons as am
from amontons.results import Results
from helpers.pages import move_slider, picture, pixel_of


@pytest.fixture
def balls(shown, pages):
    """The page of some balls at their start, without containers, and their recorded run."""
    page = shown("bouncing_balls")
    move_slider(page, 0.0)
    page.uncheck("#glass")
    with Results(pages / "bouncing_balls") as results:
        yield page, results


def nearest(page, results, count):
    """Rows and places of the balls nearest to the eye; nothing hides the first."""
    away = np.linalg.norm(results.position[0] - page.evaluate("viewer.camera.eye"), axis=1)
    rows = np.argsort(np.where(results.bodies.dynamic, away, np.inf))[:count]
    return rows.tolist(), results.position[0][rows]


def choose(page, row):
    """As a click on it would, even where another body is before it."""
    page.evaluate("row => { viewer.options.chosen = row; viewer.follow(); }", row)


def test_curves_are_the_recorded_ones(balls):
    page, results = balls
    (row,), _ = nearest(page, results, 1)
    choose(page, row)
    speeds, heights = page.evaluate(
        "row => { const s = viewer.run.times.map((_, i) => viewer.panel.state(row, i));"
        " return [s.map(x => x.speed), s.map(x => x.place[2])]; }",
        row,
    )
    frames = [results[i] for i in range(results.frames)]
    np.testing.assert_allclose(speeds, [frame.speed[row] for frame in frames], rtol=1e-6)
    np.testing.assert_allclose(heights, [frame.position[row, 2] for frame in frames], rtol=1e-6)
    assert page.is_visible("#curves")
    box = page.locator("#curves").bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 30)
    middle = 0.5 * (results.frames - 1)
    assert page.evaluate("viewer.frame") == pytest.approx(middle, abs=0.05 * results.frames)


def test_shift_click_measures_the_distance(balls):
    page, results = balls
    rows, places = nearest(page, results, 12)
    page.mouse.click(*pixel_of(page, places[0]))
    assert page.evaluate("viewer.options.chosen") == rows[0]
    page.keyboard.down("Shift")
    for row, place in zip(rows[1:], places[1:], strict=True):
        page.mouse.click(*pixel_of(page, place))
        if page.evaluate("viewer.options.second") == row:  # nothing hides it
            break
    page.keyboard.up("Shift")
    apart, name = page.text_content("#body").split("\n")[-1].split(" m to ")
    assert float(apart) == pytest.approx(np.linalg.norm(place - places[0]), rel=1e-3)
    assert name == results.bodies.names[row]
    page.keyboard.press("Escape")
    assert page.is_hidden("#chosen")


def test_a_cut_leaves_out_what_is_beyond_it(balls):
    page, results = balls
    (row,), (place,) = nearest(page, results, 1)
    spot = pixel_of(page, place)
    page.select_option("#cut", "z")
    for share, seen in ((1.0, True), (-1.0, False)):
        page.evaluate(
            "share => { const at = document.getElementById('cut-at'); at.value = share;"
            " at.dispatchEvent(new Event('input')); }",
            share,
        )
        page.mouse.click(*spot)
        assert (page.evaluate("viewer.options.chosen") == row) is seen
    page.select_option("#cut", "")
    assert page.is_hidden("#cut-at")
    page.mouse.click(*spot)
    assert page.evaluate("viewer.options.chosen") == row


def test_the_trail_is_where_the_body_was(balls):
    page, results = balls
    (row,), _ = nearest(page, results, 1)
    move_slider(page, 1.0)
    choose(page, row)
    path = page.evaluate("row => Array.from(viewer.panel.path(row))", row)
    np.testing.assert_allclose(
        np.reshape(path, (-1, 3)), results.position[:, row], rtol=1e-6, atol=1e-6
    )
    with_trail = picture(page)
    page.uncheck("#trail")
    assert picture(page) != with_trail


def test_legends_say_what_colours_mean(balls):
    page, _ = balls
    assert page.is_hidden("#legend")
    for colour, scale, text in (("0", "speed", "[m/s]"), ("2", "load", "[N]")):
        page.select_option("#colour", colour)
        assert text in page.text_content("#legend-name")
        largest = float(page.text_content("#legend-marks").split("≥")[1])
        expected = page.evaluate(f"viewer.run.scales.{scale}")
        assert largest == pytest.approx(expected, rel=0.05)
    page.select_option("#colour", "1")
    assert page.is_hidden("#legend")


def test_the_legend_has_the_colours_of_the_bodies(balls):
    page, _ = balls
    stops = page.evaluate("[0, 0.5, 1].map(heat)")
    in_the_shader = page.evaluate("HEAT_GLSL")
    for stop in (stops[0], stops[-1]):
        assert "vec3(" + ",".join(f"{each:g}" for each in stop) + ")" in in_the_shader
    assert 0.0 <= np.min(stops) <= np.max(stops) <= 1.0


def test_keys(balls):
    page, results = balls
    page.keyboard.press("End")
    assert page.evaluate("viewer.frame") == results.frames - 1
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("viewer.frame") == results.frames - 2
    page.keyboard.press("Home")
    assert page.evaluate("viewer.frame") == 0
    page.keyboard.press("c")
    assert page.evaluate("viewer.options.colouring") == 0
    page.keyboard.press("f")
    assert page.evaluate("viewer.options.forces") == "arrows"
    light = picture(page)
    page.keyboard.press("d")
    assert picture(page) != light
    page.keyboard.press("3")
    assert page.evaluate("viewer.camera.height") == pytest.approx(1.5)
    page.keyboard.press("r")
    assert page.evaluate("viewer.camera.height") == pytest.approx(0.42)
    page.keyboard.press("?")
    help_text = page.text_content("#help")
    assert "measure the distance" in help_text
    assert "play or pause" in help_text
    page.keyboard.press("Control+c")  # belongs to the browser
    assert page.evaluate("viewer.options.colouring") == 0


@pytest.mark.slow
def test_shade_darkens_where_bodies_are_close_and_nowhere_brightens(balls):
    page, _ = balls
    read = """() => { viewer.redraw(); const gl = viewer.renderer.gl, c = viewer.renderer.canvas;
      const pixels = new Uint8Array(4 * c.width * c.height);
      gl.readPixels(0, 0, c.width, c.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return Array.from(pixels); }"""
    move_slider(page, 1.0)
    shaded = np.array(page.evaluate(read))
    page.uncheck("#shade")
    plain = np.array(page.evaluate(read))
    change = plain.reshape(-1, 4)[:, :3].sum(axis=1) - shaded.reshape(-1, 4)[:, :3].sum(axis=1)
    # the edges of bodies are smoothed by each card in its own way: a few pixels
    assert (change < -12).mean() < 5e-3
    assert (change > 30).mean() > 5e-3


def test_pictures_and_films_can_be_saved(balls, tmp_path):
    page, _ = balls
    with page.expect_download() as download:
        page.click("#picture")
    assert download.value.suggested_filename == "bouncing_balls.png"
    download.value.save_as(tmp_path / "picture.png")
    with Image.open(tmp_path / "picture.png") as image:
        canvas = page.locator("#canvas").bounding_box()
        assert image.size == (canvas["width"], canvas["height"])
        assert len(image.convert("RGB").getcolors(1 << 20)) > 100
    with page.expect_download(timeout=60_000) as download:
        page.click("#film")
        assert page.text_content("#film") == "end film"
    assert download.value.suggested_filename.endswith((".webm", ".mp4"))
    download.value.save_as(tmp_path / "film")
    assert (tmp_path / "film").stat().st_size > 1000
    assert page.text_content("#film") == "film"


def test_two_fingers_zoom_and_move(balls):
    page, _ = balls
    before, target = page.evaluate("[viewer.camera.distance, viewer.camera.target]")
    page.evaluate("""() => {
      const canvas = document.getElementById("canvas");
      canvas.setPointerCapture = () => {};  // these fingers are made up
      const touch = (kind, id, x) => canvas.dispatchEvent(new PointerEvent(kind, {
        pointerId: id, clientX: x, clientY: 100, pointerType: "touch", bubbles: true }));
      touch("pointerdown", 1, 200); touch("pointerdown", 2, 300);
      touch("pointermove", 1, 150); touch("pointermove", 2, 400);
      touch("pointerup", 1, 150); touch("pointerup", 2, 400);
    }""")
    after, moved = page.evaluate("[viewer.camera.distance, viewer.camera.target]")
    assert after == pytest.approx(before * 100 / 250)
    assert not np.allclose(moved, target)
    assert page.evaluate("viewer.options.chosen") == -1


def test_a_narrow_page_shows_all_and_keeps_its_controls_behind_a_button(shown, pages):
    page = shown("bouncing_balls")
    page.set_viewport_size({"width": 400, "height": 700})
    page.reload()
    page.wait_for_function("window.viewer && viewer.drawn > 0", timeout=60_000)
    page.evaluate("viewer.play(false)")
    assert page.is_hidden("#colour")
    page.click("#more")
    assert page.is_visible("#colour")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    with Results(pages / "bouncing_balls") as results:
        places = results.position[:][:, results.bodies.dynamic].reshape(-1, 3)
    across = [pixel_of(page, place)[0] for place in (places.min(axis=0), places.max(axis=0))]
    assert 20 < min(across) < max(across) < 380
    first, *others = (page.locator(f"#{name}").bounding_box() for name in ("play", "time", "keys"))
    assert all(abs(box["y"] - first["y"]) < 20 for box in others)


@pytest.mark.slow
def test_runs_side_by_side_move_together(browser, pages):
    page_of_both = am.view(pages / "bouncing_balls", pages / "drum")
    page_of_both.save(pages / "both.html")
    context = browser.new_context(viewport={"width": 1000, "height": 400}, offline=True)
    page = context.new_page()
    page.goto((pages / "both.html").as_uri())
    page.wait_for_function("pages.every(page => page.viewer && page.viewer.drawn)", timeout=60_000)
    page.evaluate("pages.forEach(page => page.viewer.play(false))")
    page.evaluate("pages[0].viewer.show(4.5); pages[0].viewer.camera.turn(100, 20)")
    page.wait_for_function("Math.abs(timeOf(pages[1].viewer) - timeOf(pages[0].viewer)) < 1e-9")
    turned, other = page.evaluate("pages.map(page => page.viewer.camera.azimuth)")
    assert turned == other != pytest.approx(-1.0)
    page.mouse.click(750, 100)  # now the other one leads
    page.evaluate("pages[1].viewer.show(2)")
    page.wait_for_function(
        "Math.abs(timeOf(pages[0].viewer) - pages[1].viewer.run.times[2]) < 1e-9"
    )
    context.close()


def test_too_many_runs_side_by_side(pages):
    with pytest.raises(am.InputError, match="at most 6 runs side by side, got 7"):
        am.view(*[pages / "drum"] * 7)
