"""A run watched while it goes on: a server on this machine, whose page asks for new frames."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import Any, Self
from urllib.parse import parse_qs

from amontons.errors import OutputError
from amontons.results import Results
from amontons.viewer.local_server import Answer, LocalServer
from amontons.viewer.packing import Packing
from amontons.viewer.page import page_text

AT_ONCE = 60
"""Frames in one answer at most."""

RECENT = 3.0
"""Seconds since the last question for which somebody is taken to be watching."""


class LiveServer:
    """Serves a growing run to browsers on this machine, from a thread of its own.

    Parameters
    ----------
    folder:
        Of a run, by this process or by another; it must have its first frame.
    port:
        0 for any that is free.
    """

    def __init__(self, folder: str | os.PathLike[str], *, port: int = 0) -> None:
        self.finished = False
        """Whether the run has ended; set it, and pages are told."""
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
        """Where the page is; who does not have it whole cannot watch."""
        return self._server.url

    @property
    def watched(self) -> bool:
        """Whether a page has asked lately."""
        return time.monotonic() - self._asked < RECENT

    def page(self) -> str:
        """The page with most frames so far; it asks for the others.

        It is made anew when twice as many have come: however often it is asked for, the run that is
        watched does not wait.
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
        """Frames from a number on, and whether there will be more."""
        with self._lock:
            finished = self.finished  # before looking: what came before the end is then there
            self._results.refresh()
            last = min(self._results.frames, first + AT_ONCE)
            self._asked, self._sent = time.monotonic(), last
            ended = finished and last == self._results.frames
            if self._grown:  # the page does not know them all: it must be loaded anew
                return {"grown": True, "times": [], "finished": False}
            return self._packing.part(range(first, last)) | {"finished": ended}

    @property
    def _grown(self) -> bool:
        """Whether there are bodies that the page does not know."""
        return len(self._results.bodies) != len(self._packing.grouping.scale)

    def linger(self, longest: float = 10.0) -> None:
        """Wait until those who watch have seen the last frame."""
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

    def _answer(self, path: str, query: str) -> Answer:
        """To a question of the page, or for it."""
        if path == "":
            return Answer(self.page().encode(), "text/html; charset=utf-8")
        if path != "frames":
            return Answer(b"there is no such page\n", code=404)
        first = parse_qs(query).get("from", [""])[0]
        if not (first.isascii() and first.isdigit()) or len(first) > 9:
            return Answer(b"frames?from=NUMBER\n", code=400)
        part = json.dumps(self.frames(int(first)), allow_nan=False)
        return Answer(part.encode(), "application/json")
