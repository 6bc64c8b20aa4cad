"""A browser for those who look at pages."""

import shutil

import pytest


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
