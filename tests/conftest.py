"""What all tests share: one thread where it is asked for, and a word on what is at hand."""

import pytest
from hypothesis import HealthCheck, settings

import amontons as am

pytest.register_assert_rewrite("helpers")  # so that its asserts, too, say the numbers

from helpers import stored_problems  # noqa: E402 (after the line above)

# slowness is no failure: a first example may compile, and machines are shared
settings.register_profile("amontons", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast set", settings.get_profile("amontons"), max_examples=30)


def pytest_configure(config):
    """The fast set tries fewer random examples, where a test does not say how many."""
    settings.load_profile("fast set" if config.option.markexpr == "not slow" else "amontons")


@pytest.fixture
def one_thread():
    """On a shared machine a second thread is mostly waiting."""
    before = am.get_threads()
    am.set_threads(1)
    yield
    am.set_threads(before)


def pytest_report_header():
    """Which problems in files tests run on."""
    found = f"problems: {len(stored_problems.own())} of our own"
    if not stored_problems.HAS_SHARED:
        return f"{found}; the shared ones are not at {stored_problems.SHARED}"
    return f"{found}, {len(stored_problems.shared())} shared ones"


LONG = 2.0
"""Seconds from which a test of the fast set is listed as one to mark slow."""


def pytest_terminal_summary(terminalreporter, config):
    """List tests that have grown too long for `-m "not slow"`: advice, since machines differ."""
    if config.option.markexpr != "not slow":
        return
    reports = terminalreporter.getreports("passed")
    long = [each for each in reports if each.when == "call" and each.duration > LONG]
    if long:
        terminalreporter.section("long for the fast set: @pytest.mark.slow, or make them shorter")
        for each in sorted(long, key=lambda each: -each.duration):
            terminalreporter.line(f"{each.duration:6.1f} s  {each.nodeid}")
