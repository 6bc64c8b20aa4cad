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
