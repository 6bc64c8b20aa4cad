"""What the tests of the viewer's pages share."""

import base64
import zlib

import numpy as np


def unpack(text, dtype):
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype)


def picture(page):
    """Pixels of the canvas, once it has been drawn anew."""
    before = page.evaluate("(viewer.stale = true, viewer.drawn)")
    page.wait_for_function(f"viewer.drawn > {before}")
    return page.evaluate("document.getElementById('canvas').toDataURL()")


def move_slider(page, share):
    """To a time of the run, from 0 to 1."""
    page.evaluate(
        "share => { const slider = document.getElementById('slider');"
        " slider.value = share * slider.max; slider.dispatchEvent(new Event('input')); }",
        share,
    )


def pixel_of(page, spot):
    """Where a point in space [m] is on the page."""
    matrix = page.evaluate("Array.from(viewer.renderer.matrix(viewer.camera))")
    x, y, _, w = np.reshape(matrix, (4, 4)).T @ [*spot, 1.0]
    box = page.locator("#canvas").bounding_box()
    return box["width"] * (0.5 + 0.5 * x / w), box["height"] * (0.5 - 0.5 * y / w)
