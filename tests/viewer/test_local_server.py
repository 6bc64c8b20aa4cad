"""The live page's server: who may ask, how much at once, and how quietly it bears bad manners."""

import contextlib
import http.client
import socket
import time
import urllib.parse

import pytest

import amontons as am
from amontons.results import Recorder
from amontons.viewer import live, local_server
from amontons.viewer.live import LiveServer


@pytest.fixture
def server(tmp_path):
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    sim = am.Simulation(world, step=1e-2)
    with Recorder(sim, tmp_path, rate=100.0) as recorder, LiveServer(tmp_path) as server:
        server.go_on = lambda duration: sim.run(duration, on_step=recorder)
        yield server


def code_of(server, path, host="127.0.0.1"):
    where = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Host": f"{host}:{where.port}"})
        return connection.getresponse().status


def test_nobody_watches_without_the_token(server):
    whole = urllib.parse.urlsplit(server.url).path
    assert len(whole) > 20
    assert code_of(server, whole) == 200
    for path in ("/", "/frames?from=0", f"{whole[:-2]}/", "//", whole.rstrip("/"), "/x/frames"):
        assert code_of(server, path) == 404
    assert code_of(server, whole, host="evil.example") == 403


def test_tokens_differ(server, tmp_path):
    with LiveServer(tmp_path) as other:
        assert other.url.split("/")[-2] != server.url.split("/")[-2]


def test_the_page_is_made_once_however_often_it_is_asked_for(server, monkeypatch):
    made = []
    usual = live.page_text
    monkeypatch.setattr(live, "page_text", lambda *a, **k: made.append(1) or usual(*a, **k))
    for _ in range(10):
        server.page()
    server.go_on(0.3)
    server.page()
    assert len(made) == 1
    server.go_on(0.4)  # so many that the page would lag behind
    server.page()
    assert len(made) == 2


@pytest.mark.slow
def test_who_leaves_or_says_nothing_neither_prints_nor_blocks(server, monkeypatch, capfd):
    monkeypatch.setattr(local_server.Handler, "timeout", 0.5)
    where = urllib.parse.urlsplit(server.url)
    silent = [socket.create_connection((where.hostname, where.port)) for _ in range(40)]
    for each in silent[:20]:
        with contextlib.suppress(OSError):
            each.sendall(
                f"GET {where.path} HTTP/1.0\r\nHost: 127.0.0.1:{where.port}\r\n\r\n".encode()
            )
        each.close()
    end = time.monotonic() + 60.0
    while True:  # those who say nothing are hung up on
        with contextlib.suppress(OSError, http.client.HTTPException):
            if code_of(server, where.path) == 200:
                break
        assert time.monotonic() < end
        time.sleep(0.1)
    for each in silent:
        each.close()
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_there_are_never_more_connections_than_it_can_bear(server):
    where = urllib.parse.urlsplit(server.url)
    most = local_server.MOST_CONNECTIONS
    open_ones = [socket.create_connection((where.hostname, where.port)) for _ in range(most + 1)]
    last = open_ones[-1]
    last.settimeout(30)
    assert last.recv(1) == b""  # hung up on
    for each in open_ones:
        each.close()
