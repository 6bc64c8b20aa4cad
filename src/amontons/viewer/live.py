"""A run watched live: a local server, whose page asks for new frames."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import Any, Self
from urllib.parse import parse_qs

from amontons.errors import OutputError
from amontons.results import Results
from amontons.viewer.local_server import LocalServer, Reply
from amontons.viewer.packing import Packing
from amontons.viewer.page import page_text

AT_ONCE = 60
"""Most frames in one answer."""

RECENT = 3.0
"""Seconds after the last request during which a viewer counts as watching."""


class LiveServer:
    """Serves a growing run to browsers on this machine, from a thread of its own.

    Parameters
    ----------
    folder:
        Folder of a run, recorded by this process or another; it must have its first frame.
    port:
        0 for any free port.
    """

    def __init__(self, folder: str | os.PathLike[str], *, port: int = 0) -> None:
        self.finished = False
        """Whether the run has ended; set it to tell the pages."""
        self._results = Results(folder)
        self._packing = Packing(self._results)
        self._lock = threading.Lock()
        self._asked, self._sent = -RECENT, 0
        self._page, self._frames_on_page = "", 0
        try:
            self._server = LocalServer(port, self._answer)
        except OSError as reason:
            self._results.close()
            raise OutputError(f"cannot serve on port {port}: {reason.strerror}") from None
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Address of the page, with the token without which nobody can watch."""
        return self._server.url

    @property
    def watched(self) -> bool:
        """Whether a page has asked lately."""
        return time.monotonic() - self._asked < RECENT

    def page(self) -> str:
        """A page with most of the frames so far; it asks for the others.

        It is rebuilt when their number has doubled, so that frequent requests do not slow down the
        run.
        """
        with self._lock:
            self._results.refresh()
            if self._results.frames >= self._frames_on_page + max(AT_ONCE, self._frames_on_page):
                self._page = ""
            if self._grown:
                self._packing, self._page = Packing(self._results), ""
            if not self._page:
                self._page = page_text(self._packing, live=True)
                self._frames_on_page = self._results.frames
            self._asked, self._sent = time.monotonic(), self._frames_on_page
            return self._page

    def frames(self, first: int) -> dict[str, Any]:
        """Frames from a number on, and whether more will come."""
        with self._lock:
            finished = self.finished  # read first, so that no frame before the end is missed
            self._results.refresh()
            last = min(self._results.frames, first + AT_ONCE)
            self._asked, self._sent = time.monotonic(), last
            ended = finished and last == self._results.frames
            if self._grown:  # the page does not know them all: it must be reloaded
                return {"grown": True, "times": [], "finished": False}
            return self._packing.part(range(first, last)) | {"finished": ended}

    @property
    def _grown(self) -> bool:
        """Whether there are bodies unknown to the page."""
        return len(self._results.bodies) != len(self._packing.grouping.scale)

    def linger(self, longest: float = 10.0) -> None:
        """Wait until all viewers have received the last frame."""
        self.finished = True
        end = time.monotonic() + longest
        while self.watched and time.monotonic() < end:
            with self._lock:
                self._results.refresh()
                if self._sent >= self._results.frames:
                    break
            time.sleep(0.1)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._results.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<LiveServer: {self.url}>"

    def _answer(self, path: str, query: str) -> Reply:
        """Reply a request by the page, or for it."""
        if path == "":
            return Reply(self.page().encode(), "text/html; charset=utf-8")
        if path != "frames":
            return Reply(b"there is no such page\n", code=404)
        first = parse_qs(query).get("from", [""])[0]
        if not (first.isascii() and first.isdigit()) or len(first) > 9:
            return Reply(b"frames?from=NUMBER\n", code=400)
        part = json.dumps(self.frames(int(first)), allow_nan=False)
        return Reply(part.encode(), "application/json")
