"""Pages in notebooks, and a run that is watched while it goes on."""

import html
import json
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import pytest

import amontons as am
from amontons.results import Results, begin
from amontons.scenes import BouncingBalls
from amontons.viewer import Page, view
from amontons.viewer.live import LiveServer
from amontons.viewer.packing import STATE
from helpers.pages import picture, unpack

SCENE = BouncingBalls(12, height=0.3)


def asked(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


# -- notebooks ------------------------------------------------------------------------------------


def simulation():
    run_world = SCENE.build()
    sim = am.Simulation(run_world, step=4e-3)
    sim.run(0.05)
    return sim


def data_of(page):
    text = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(text[1])


def test_a_simulation_shows_itself_as_it_is_now():
    sim = simulation()
    page = sim.view(height=300)
    assert isinstance(page, Page)
    data = data_of(page.html)
    state = unpack(data["states"], STATE)
    moving = data["rows"][: data["moving"]]
    np.testing.assert_allclose(state["place"], sim.bodies.position[moving], atol=1e-6)
    assert data["times"] == pytest.approx([sim.time])
    assert "MB; open() or save(path)>" in repr(page)


def test_notebooks_get_a_frame_with_the_whole_page_inside():
    page = simulation().view(height=300)
    frame = page._repr_html_()
    inside = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" width="100%" height="300"[^>]*></iframe>', frame
    )
    assert html.unescape(inside[1]) == page.html


def test_a_simulation_makes_a_picture_of_itself():
    assert simulation().render(size=(40, 30)).pixels.shape == (30, 40, 3)


def test_view_takes_runs_and_folders(tmp_path):
    run = begin(SCENE, tmp_path / "run", rate=50.0)
    with run.recorder:
        run.simulation.run(0.1, on_step=run.recorder)
    with Results(tmp_path / "run") as results:
        assert view(results).html == view(tmp_path / "run").html
        assert len(data_of(view(results, every=2).html)["times"]) == 3
    view(tmp_path / "run").save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == view(tmp_path / "run").html
    for every in (0, 1.5, True):
        with pytest.raises(am.InputError, match="every must be"):
            view(tmp_path / "run", every=every)
    with pytest.raises(am.InputError, match="holds no run"):
        view(tmp_path)


def test_open_writes_a_file_and_asks_for_a_browser(monkeypatch, tmp_path):
    told = []
    monkeypatch.setattr("webbrowser.open", told.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    page = simulation().view()
    path = page.open()
    assert told == [path.as_uri()]
    assert path.read_text() == page.html


# -- the server -----------------------------------------------------------------------------------


def test_it_serves_the_page_and_then_what_is_new(tmp_path):
    run = begin(SCENE, tmp_path, rate=50.0, contacts=True)
    with run.recorder, LiveServer(tmp_path) as server:
        run.simulation.run(0.1, on_step=run.recorder)
        assert not server.watched
        page = asked(server.url)
        assert server.watched
        assert len(data_of(page)["times"]) == 6
        assert "fetch(" in page
        run.simulation.run(0.06, on_step=run.recorder)
        part = json.loads(asked(server.url + "frames?from=6"))
        assert part["times"] == pytest.approx([0.12, 0.14, 0.16])
        assert not part["finished"]
        state = unpack(part["states"], STATE).reshape(3, -1)
        assert len(part["ranges"]) == 3
        moving = data_of(page)["rows"][: state.shape[1]]
        np.testing.assert_allclose(
            state[-1]["place"], run.simulation.bodies.position[moving], atol=1e-6
        )
        run.recorder.close()
        server.linger(0.0)
        last = json.loads(asked(server.url + "frames?from=9"))
        assert (last["times"], last["finished"]) == ([], True)


@pytest.mark.parametrize(
    ("path", "code"),
    [("other", 404), ("frames", 400), ("frames?from=-1", 400), ("frames?from=x", 400)],
)
def test_odd_questions(tmp_path, path, code):
    run = begin(SCENE, tmp_path)
    with run.recorder, LiveServer(tmp_path) as server:
        with pytest.raises(urllib.error.HTTPError) as reason:
            asked(server.url + path)
        assert reason.value.code == code
        reason.value.close()


def test_other_hosts_names_are_refused(tmp_path):
    run = begin(SCENE, tmp_path)
    with run.recorder, LiveServer(tmp_path) as server:
        question = urllib.request.Request(server.url, headers={"Host": "evil.example:80"})
        with pytest.raises(urllib.error.HTTPError, match="403") as reason:
            urllib.request.urlopen(question, timeout=30)
        reason.value.close()


def test_a_port_that_is_taken(tmp_path):
    run = begin(SCENE, tmp_path)
    with run.recorder, LiveServer(tmp_path) as server:
        taken = urllib.parse.urlsplit(server.url).port
        with pytest.raises(am.OutputError, match=f"port {taken}"):
            LiveServer(tmp_path, port=taken)


def test_it_waits_for_those_who_watch(tmp_path):
    run = begin(SCENE, tmp_path, rate=50.0)
    with run.recorder, LiveServer(tmp_path) as server:
        asked(server.url)
        run.simulation.run(0.1, on_step=run.recorder)
        later = threading.Timer(0.3, lambda: asked(server.url + "frames?from=1"))
        later.start()
        server.linger()
        later.join()
        assert server._sent == 6


@pytest.mark.slow
def test_chromium_follows_a_run(browser, tmp_path):
    run = begin(SCENE, tmp_path, rate=50.0, contacts=True)
    page = browser.new_page(viewport={"width": 320, "height": 240})
    with run.recorder, LiveServer(tmp_path) as server:
        page.goto(server.url)
        page.wait_for_function("window.viewer && viewer.drawn > 0", timeout=60_000)
        first = picture(page)
        for _ in range(2):  # the second does not fit where the first was put
            run.simulation.run(0.2, on_step=run.recorder)
            frames = run.recorder._file.frames
            page.wait_for_function(
                f"viewer.frames === {frames} && viewer.frame === viewer.frames - 1",
                timeout=60_000,
            )
        assert picture(page) != first
        assert page.evaluate("viewer.run.ranges.length") == frames
        run.recorder.close()
        server.linger(0.0)
        page.wait_for_function(
            "document.getElementById('live').textContent === 'the run has ended'", timeout=60_000
        )
    page.close()


# -- the command line -----------------------------------------------------------------------------


@pytest.mark.slow
def test_run_live_serves_while_it_runs_and_ends_cleanly_on_ctrl_c(tmp_path):
    command = [
        sys.executable, "-m", "amontons", "run", "bouncing_balls", "--bodies", "5", "--time",
        "10000", "--live", "--out", str(tmp_path / "run"),
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        url = ""
        while "live:" not in url:
            url = process.stderr.readline().decode()
        url = re.search(r"http://\S+", url)[0]
        page = asked(url)
        assert data_of(page)["moving"] == 5
        end = time.monotonic() + 60.0
        while not json.loads(asked(url + "frames?from=1"))["times"]:
            assert time.monotonic() < end
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"amontons resume" in err
    assert b"Traceback" not in err
    with Results(tmp_path / "run") as results:
        assert results.frames > 1
