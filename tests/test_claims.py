"""Claims on compilations: one process at a time, a word for who waits, nobody waits for ever."""

import logging
import os
import signal
import subprocess
import sys
import time

import pytest

from amontons import _claims
from amontons._claims import Claim
from amontons.cli import second_compiler

pytestmark = pytest.mark.skipif(_claims.fcntl is None, reason="this system has no such locks")

HOLD = """
import sys, time
from pathlib import Path
from amontons._claims import Claim
claim = Claim(Path(sys.argv[1]), "kernel")
claim.take()
print("taken", flush=True)
sys.stdin.readline()
claim.drop()
print("dropped", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kernel.lock"


@pytest.fixture
def holder(path):
    """Another process that holds the claim, until it gets a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "taken\n"
    yield process
    process.kill()
    process.communicate()


def is_free(path):
    other = os.open(path, os.O_RDWR)
    try:
        return _claims._lock(other)
    finally:
        os.close(other)


def test_a_claim_is_held_until_it_is_dropped(path):
    claim = Claim(path, "kernel")
    claim.take()
    assert not is_free(path)
    claim.drop()
    assert is_free(path)
    claim.drop()  # nothing to drop


def test_who_waits_says_for_whom_and_gets_it(path, holder, monkeypatch, caplog):
    monkeypatch.setattr(_claims, "SILENCE", 0.0)
    real_sleep = time.sleep

    def let_go(pause):
        if caplog.records:
            holder.stdin.write("\n")
            holder.stdin.flush()
            assert holder.stdout.readline() == "dropped\n"
        real_sleep(pause)

    monkeypatch.setattr(_claims.time, "sleep", let_go)
    claim = Claim(path, "kernel")
    claim.take()
    assert [record.getMessage() for record in caplog.records] == [
        f"amontons: waiting for process {holder.pid} to compile `kernel`"
    ]
    assert not is_free(path)  # ours
    claim.drop()


def test_nothing_is_said_of_a_process_that_was_started_to_compile(
    path, holder, monkeypatch, caplog
):
    monkeypatch.setattr(_claims, "SILENCE", 0.0)
    monkeypatch.setattr(_claims, "helpers", {holder.pid})
    looks = []

    def let_go(pause):
        looks.append(pause)
        if len(looks) == 3:
            holder.stdin.write("\n")
            holder.stdin.flush()
            assert holder.stdout.readline() == "dropped\n"

    monkeypatch.setattr(_claims.time, "sleep", let_go)
    claim = Claim(path, "kernel")
    claim.take()
    assert len(looks) == 3
    assert not caplog.records
    claim.drop()


def test_the_second_compiler_is_known_as_a_helper(monkeypatch):
    monkeypatch.setattr(_claims, "helpers", set())
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "executable", "/bin/true")
    second = second_compiler.start("step")
    assert _claims.helpers == {second.pid}
    second.wait()


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="this system has no /proc")
def test_nobody_waits_for_a_stopped_process(path, holder, caplog):
    assert not _claims.is_stopped(holder.pid)
    holder.send_signal(signal.SIGSTOP)
    os.waitpid(holder.pid, os.WUNTRACED)
    assert _claims.is_stopped(holder.pid)
    Claim(path, "kernel").take()  # returns, though the other still holds it
    assert not is_free(path)
    (word,) = [record.getMessage() for record in caplog.records]
    assert f"process {holder.pid}, which compiles `kernel`, is stopped" in word


def test_patience_ends(path, holder, monkeypatch, caplog):
    monkeypatch.setattr(_claims, "PATIENCE", -1.0)
    Claim(path, "kernel").take()
    assert "it is compiled here too" in caplog.text


def test_an_unsigned_claim_is_waited_for_too(path, holder, monkeypatch, caplog):
    path.write_bytes(b"nonsense")
    monkeypatch.setattr(_claims, "PATIENCE", -1.0)
    Claim(path, "kernel").take()
    assert "another process" in caplog.text


def test_a_claim_that_cannot_be_written_is_none(tmp_path, caplog):
    caplog.set_level(logging.INFO, "amontons")
    claim = Claim(tmp_path / "no folder" / "kernel.lock", "kernel")
    claim.take()
    assert "no lock for" in caplog.text
    claim.drop()


def test_a_claim_on_a_folder_is_none(tmp_path):
    claim = Claim(tmp_path, "kernel")
    claim.take()
    claim.drop()
