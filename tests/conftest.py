"""What all tests share: one thread where it is asked for, and the folder of real problems."""

import importlib.util

import pytest
from hypothesis import HealthCheck, settings

import amontons as am

pytest.register_assert_rewrite("helpers")  # so that its asserts, too, say the numbers

from helpers.paths import SHARED  # noqa: E402 (after the line above)

# slowness is no failure: a first example may compile, and machines are shared
settings.register_profile("amontons", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("amontons")


@pytest.fixture
def one_thread():
    """On a shared machine a second thread is mostly waiting."""
    before = am.get_threads()
    am.set_threads(1)
    yield
    am.set_threads(before)


@pytest.fixture(scope="session")
def shared_problems():
    """Folder of the shared real problems; tests that need it are skipped where it is missing."""
    if not (SHARED / "load_fc.py").exists():
        pytest.skip("the shared problems are not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def load_fc(shared_problems):
    """The loader that came with the shared problems: plain numpy, written by others."""
    spec = importlib.util.spec_from_file_location("load_fc", shared_problems / "load_fc.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
