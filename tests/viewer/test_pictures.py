"""Pictures without a browser: each kind of thing against rays cast one by one, and whole files."""

import io
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.algebra.rotations import rotation_matrices
from amontons.results import Results, begin
from amontons.scenes import BouncingBalls, Drum
from amontons.viewer.pictures import Look, Painter, View, nearest, render
from amontons.viewer.pictures.balls import Balls
from amontons.viewer.pictures.facets import Facets
from amontons.viewer.pictures.fragments import Boxes, Visibility
from amontons.viewer.pictures.paint import creased, of_rows, of_shares
from amontons.viewer.pictures.png import png_bytes
from amontons.viewer.pictures.video import moments, write_video
from amontons.viewer.pictures.view import ANGLE, Camera
from helpers.command_line import run as invoke

CAMERA = Camera.looking(View(azimuth=20.0), np.zeros(3), 1.0, 40, 24)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run with contacts and containers, and one whose container turns."""
    folder = tmp_path_factory.mktemp("runs")
    for scene in (BouncingBalls(12, height=0.02, restitution=0.0), Drum(8, width=0.2)):
        run = begin(scene, folder / scene.name, rate=30.0, contacts=scene.name != "drum")
        with run.recorder:
            run.simulation.run(0.3, on_step=run.recorder)
    return folder


def ray(camera, x, y):
    """Direction of the ray through a pixel's middle, of depth one."""
    tangent = np.tan(0.5 * ANGLE)
    u = (2.0 * (x + 0.5) / camera.width - 1.0) * tangent * camera.width / camera.height
    v = (1.0 - 2.0 * (y + 0.5) / camera.height) * tangent
    return camera.forward + u * camera.right + v * camera.up


def random_turns(rng, count):
    q = rng.normal(size=(count, 4))
    return rotation_matrices(q / np.linalg.norm(q, axis=1, keepdims=True))


# -- who is seen where ----------------------------------------------------------------------------


@given(st.lists(st.tuples(*[st.integers(-3, 12)] * 4), max_size=6))
def test_fragments_are_the_pixels_of_the_boxes(boxes):
    edges = np.array(boxes, dtype=float).reshape(-1, 4).T
    made = Boxes.around(*edges, 9, 7)
    found = [tuple(map(int, each)) for part in made.fragments() for each in zip(*part, strict=True)]
    expected = [
        (row, x, y)
        for row, (left, right, top, bottom) in enumerate(boxes)
        for y in range(max(top, 0), min(bottom, 7))
        for x in range(max(left, 0), min(right, 9))
    ]
    assert found == expected


def test_fragments_come_in_parts_when_there_are_many(monkeypatch):
    monkeypatch.setattr("amontons.viewer.pictures.fragments.AT_ONCE", 10)
    made = Boxes.around(np.zeros(5), np.full(5, 4.0), np.zeros(5), np.full(5, 3.0), 9, 9)
    parts = list(made.fragments())
    assert len(parts) == 5  # each alone is more than ten
    assert sum(len(owner) for owner, _, _ in parts) == 60


@given(st.permutations(range(6)))
def test_the_order_of_drawing_does_not_matter(order):
    depth = np.array([3.0, 1.0, 2.0, 1.0, 5.0, 4.0])
    pixel = np.array([0, 0, 0, 1, 1, 3])
    seen = Visibility(2, 2)
    for i in order:
        seen.offer(pixel[[i]], depth[[i]], np.array([i]))
    assert seen.number.tolist() == [1, 3, -1, 5]
    assert seen.depth.tolist() == [1.0, 1.0, np.inf, 4.0]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_balls_are_where_rays_meet_them(seed):
    rng = np.random.default_rng(seed)
    balls = Balls(
        rng.uniform(-0.3, 0.3, (4, 3)), random_turns(rng, 4), rng.uniform(0.05, 0.3, (4, 3))
    )
    seen = Visibility(CAMERA.width, CAMERA.height)
    balls.draw(CAMERA, seen, 10)
    for x, y in itertools.product(range(0, 40, 3), range(0, 24, 3)):
        hits = []
        for i in range(4):
            inward = (balls.turn[i] / balls.radii[i]).T
            eye, along = inward @ (CAMERA.eye - balls.centre[i]), inward @ ray(CAMERA, x, y)
            a, b, c = along @ along, eye @ along, eye @ eye - 1.0
            if b * b >= a * c:
                hits.append(((-b - np.sqrt(b * b - a * c)) / a, i))
        at = y * CAMERA.width + x
        assert seen.number[at] == (min(hits)[1] + 10 if hits else -1)
        if hits:
            depth = min(hits)[0]
            assert seen.depth[at] == pytest.approx(depth, rel=1e-6)
            i = min(hits)[1]
            found = balls.normals(
                CAMERA, np.array([i]), np.array([x]), np.array([y]), np.array([depth])
            )[0]
            spot = CAMERA.eye + depth * ray(CAMERA, x, y) - balls.centre[i]
            gradient = balls.turn[i] @ ((balls.turn[i].T @ spot) / balls.radii[i] ** 2)
            np.testing.assert_allclose(found, gradient / np.linalg.norm(gradient), atol=1e-9)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_triangles_are_where_rays_meet_them(seed, closed):
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-0.4, 0.4, (5, 3, 3))
    facets = Facets(CAMERA, corners, rng.normal(size=(5, 3, 3)), np.full(5, closed))
    seen = Visibility(CAMERA.width, CAMERA.height)
    facets.draw(seen, 0)
    for x, y in itertools.product(range(0, 40, 3), range(0, 24, 3)):
        hits, ambiguous = [], False
        for i, (a, b, c) in enumerate(corners):
            along = ray(CAMERA, x, y)
            share_b, share_c, depth = np.linalg.solve(
                np.stack([b - a, c - a, -along], axis=1), CAMERA.eye - a
            )
            shares = np.array([1.0 - share_b - share_c, share_b, share_c])
            ambiguous |= bool((np.abs(shares) < 1e-6).any())
            behind = closed and np.cross(b - a, c - a) @ along > 0.0
            if (shares > 0.0).all() and not behind:
                hits.append((depth, i, shares))
        if ambiguous:
            continue
        at = y * CAMERA.width + x
        assert seen.number[at] == (min(hits)[1] if hits else -1)
        if hits:
            depth, i, shares = min(hits)
            assert seen.depth[at] == pytest.approx(depth, rel=1e-5)
            expected = shares @ facets.normals[i]
            found = facets.normals_at(np.array([i]), np.array([x]), np.array([y]))[0]
            np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-5)


def test_triangles_too_near_the_eye_are_left_out():
    behind = CAMERA.eye - CAMERA.forward
    corners = np.array([[behind, [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    facets = Facets(CAMERA, corners, np.zeros((1, 3, 3)), np.zeros(1, dtype=bool))
    assert sum(len(part[0]) for part in facets.fragments()) == 0


# -- colours --------------------------------------------------------------------------------------


def test_planes_have_no_creases_and_steps_do():
    x = np.arange(30.0)
    plane = np.broadcast_to((1.0 / (1.0 + 0.02 * x)).astype(np.float32), (30, 30))
    inner = creased(plane, 4, 0.01)[5:-5, 5:-5]
    np.testing.assert_allclose(inner, 1.0, atol=1e-3)
    flat = np.full((30, 30), 2.0, dtype=np.float32)
    flat[:, 15:] -= 0.1
    dark = creased(flat, 4, 0.1)
    assert dark[15, 13] < 0.9 < dark[15, 5] == 1.0  # behind the step, near it
    assert dark[15, 17] == 1.0  # before it
    flat[:, 15:] -= 1.5  # too far in front to matter
    assert (creased(flat, 4, 0.1) == 1.0).all()


def test_colours():
    ends = [[0.14, 0.20, 0.55], [0.85, 0.16, 0.12]]
    np.testing.assert_allclose(of_shares(np.array([0.0, 1.0])), ends, atol=1e-12)
    wheel = of_rows(np.arange(50))
    assert wheel.min() >= 0.36
    assert wheel.max() <= 0.86
    assert len(np.unique(wheel.round(6), axis=0)) == 50


def test_png_is_read_back_by_another_program():
    image = pytest.importorskip("matplotlib.image")
    pixels = np.random.default_rng(0).integers(0, 256, (7, 11, 3), dtype=np.uint8)
    read = image.imread(io.BytesIO(png_bytes(pixels)), format="png")
    np.testing.assert_array_equal(np.rint(255.0 * read).astype(np.uint8), pixels)


# -- whole pictures -------------------------------------------------------------------------------


def one_ball(radius=0.1):
    world = am.World()
    world.add_body(am.Sphere(radius), mass=1.0)
    return am.Simulation(world, step=1e-3)


def test_a_ball_is_as_large_as_it_should_be():
    picture = render(one_ball(), size=(90, 60), smooth=4, view=View(distance=3.0))
    sky = picture.pixels[0, 0]
    covered = (np.abs(picture.pixels.astype(int) - sky).sum(axis=2) > 20).sum()
    distance = 3.0 * 2.0 * np.sqrt(3.0) * 0.1  # of the scene's size: its box's diagonal
    seen = 0.1 / np.sqrt(distance**2 - 0.1**2)  # tangent of half the angle that the ball fills
    expected = np.pi * (seen * 30.0 / np.tan(0.5 * ANGLE)) ** 2
    assert covered == pytest.approx(expected, rel=0.1)


def test_pictures_of_a_simulation_and_of_its_run_agree(tmp_path):
    sim = one_ball()
    with am.Recorder(sim, tmp_path) as recorder:
        sim.run(0.05, on_step=recorder)
    with Results(tmp_path) as results:
        assert nearest(results, 0.02) == 1
        assert nearest(results, None) == results.frames - 1
        recorded = render(results, size=(60, 40), view=View(target=(0.0, 0.0, 0.0)))
    again = render(tmp_path, size=(60, 40), view=View(target=(0.0, 0.0, 0.0)))
    np.testing.assert_array_equal(recorded.pixels, again.pixels)
    assert repr(recorded) == "<Picture: 60 × 40 pixels>"
    assert recorded._repr_png_().startswith(b"\x89PNG")


def test_bodies_that_touched_may_be_gone():
    """Contacts are of the last step; a picture shows those of bodies that are still there."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    balls = [world.add_body(am.Sphere(0.1), density=1e3, position=(x, 0, 0.1)) for x in (0.0, 0.2)]
    sim = am.Simulation(world, step=0.01)
    sim.step()
    assert len(sim.contacts) == 3
    world.remove_bodies([balls[1].id])
    still = sim.contacts.among(sim.bodies.id)
    assert still.bodies.tolist() == [[0, 1]]
    assert still.force[0, 2] == pytest.approx(balls[0].mass * 9.81, rel=1e-6)
    assert len(render(sim, size=(60, 40), colour="force").pixels) == 40


@pytest.mark.slow
def test_time_colour_forces_and_camera_change_the_picture(folder):
    run = folder / "bouncing_balls"
    small = {"size": (120, 80), "smooth": 1}
    pictures = [
        render(run, **small, **more).pixels.tobytes()
        for more in (
            {},
            {"time": 0.0},
            {"colour": "speed"},
            {"colour": "force"},
            {"forces": "arrows"},
            {"forces": "chains"},
            {"view": View(azimuth=10.0)},
            {"view": View(height=80.0)},
        )
    ]
    assert len(set(pictures)) == len(pictures)
    assert render(run, **small).pixels.tobytes() == pictures[0]


@pytest.mark.parametrize("name", ["bouncing_balls", "drum"])
def test_a_painter_draws_a_frame_the_same_whatever_it_drew_before(folder, name):
    with Results(folder / name) as results:
        look = Look(size=(80, 60), smooth=1)
        used = Painter(results, look)
        for number in range(results.frames):
            kept = used.picture(number)
        np.testing.assert_array_equal(Painter(results, look).picture(number).pixels, kept.pixels)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": (10, 20)}, "size must be"),
        ({"size": (640.0, 480)}, "size must be"),
        ({"colour": "taste"}, "colour is 'taste'; it must be one of body, speed, force"),
        ({"forces": "lines"}, "forces is 'lines'"),
        ({"smooth": 9}, "smooth must be"),
        ({"view": "above"}, "view must be"),
        ({"time": np.nan}, "time"),
    ],
)
def test_bad_arguments(folder, options, message):
    with pytest.raises(am.InputError, match=message):
        render(folder / "drum", **options)


def test_bad_views_and_names(folder, tmp_path):
    for options in ({"height": 90.0}, {"distance": 0.0}, {"azimuth": np.inf}, {"target": (1, 2)}):
        with pytest.raises(am.InputError):
            View(**options)
    with pytest.raises(am.InputError, match="no contact forces"):
        render(folder / "drum", forces="chains")
    with pytest.raises(am.InputError, match=r"saved as \.png"):
        render(one_ball(), size=(20, 20)).save(tmp_path / "picture.jpg")


# -- films and the command line -------------------------------------------------------------------


def test_a_film_has_a_picture_for_every_moment(folder, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    told = []
    with Results(folder / "bouncing_balls") as results:
        numbers = moments(results, 20.0, 0.5)
        np.testing.assert_allclose(results.time[numbers], np.arange(13) / 40.0, atol=1 / 60.0)
        assert moments(results, 1e-3, 1.0).tolist() == [0]
        write_video(
            results, tmp_path / "run.mp4", look=Look(size=(97, 64)), fps=20.0, pace=0.5,
            on_picture=lambda done, of: told.append((done, of)),
        )  # fmt: skip
    assert told == [(i, 13) for i in range(1, 14)]
    command = [ffmpeg.get_ffmpeg_exe(), "-i", str(tmp_path / "run.mp4"), "-f", "rawvideo"]
    decoded = subprocess.run([*command, "-pix_fmt", "rgb24", "-"], capture_output=True, check=True)
    assert "96x64" in decoded.stderr.decode()
    assert "20 fps" in decoded.stderr.decode()
    pictures = np.frombuffer(decoded.stdout, dtype=np.uint8).reshape(-1, 64, 96, 3).astype(int)
    assert len(pictures) == 13
    assert np.abs(pictures[-1] - pictures[0]).max() > 50
    assert [path.name for path in tmp_path.iterdir()] == ["run.mp4"]


def test_export_writes_pictures(folder, tmp_path):
    base = ["export", str(folder / "drum"), "--out", str(tmp_path), "--size", "64x48"]
    assert invoke(*base, "--format", "png").exit_code == 0
    times = ["--time", "0.1", "--time", "0.2", "--camera", "0,45", "--colour", "speed"]
    assert invoke(*base, "--format", "png", *times).exit_code == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["picture-0.1s.png", "picture-0.2s.png", "picture.png"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--size", "big"], "--size takes WIDTHxHEIGHT"),
        (["--camera", "north"], "--camera takes"),
        (["--camera", "1,2,3,4"], "--camera takes"),
        (["--colour", "blue"], "colour is 'blue'"),
        (["--forces", "chains"], "no contact forces"),
        (["--format", "gif"], "unknown format 'gif'"),
        (["--time", "nan"], "time"),
    ],
)
def test_export_refuses(folder, words, message):
    result = invoke("export", str(folder / "drum"), "--format", "png", *words)
    assert result.exit_code == 2
    assert message in result.stderr


FULL = """
import resource, signal, sys
import amontons as am
from amontons.viewer.pictures import Look
from amontons.viewer.pictures.video import write_video
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
try:
    with am.Results(sys.argv[1]) as results:
        write_video(results, sys.argv[2], look=Look(size=(96, 64)))
except am.OutputError as reason:
    print(reason)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs limits on file sizes")
def test_a_film_that_does_not_fit_on_the_disk_leaves_the_earlier_one(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    sim = am.Simulation(world, step=1e-2)
    with am.Recorder(sim, tmp_path / "run") as recorder:
        sim.run(0.5, on_step=recorder)
    film = tmp_path / "run.mp4"
    film.write_text("an earlier film")
    command = [sys.executable, "-c", FULL, str(tmp_path / "run"), str(film)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.startswith(f"cannot write {film}: ")
    assert film.read_text() == "an earlier film"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.mp4"]
