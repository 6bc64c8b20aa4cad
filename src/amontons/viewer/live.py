"""A run watched while it goes on: a server on this machine, whose page asks for new frames."""

from __future__ import annotations

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from amontons.errors import OutputError
from amontons.results import Results
from amontons.viewer.packing import Packing
from amontons.viewer.page import page_text

HOST = "127.0.0.1"

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
        try:
            self._server = ThreadingHTTPServer((HOST, port), self._handler())
        except OSError as reason:
            self._results.close()
            raise OutputError(f"cannot serve on port {port}: {reason.strerror}") from None
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self._server.server_address[1]}/"

    @property
    def watched(self) -> bool:
        """Whether a page has asked lately."""
        return time.monotonic() - self._asked < RECENT

    def page(self) -> str:
        """The page with all frames so far."""
        with self._lock:
            self._results.refresh()
            self._asked, self._sent = time.monotonic(), self._results.frames
            return page_text(self._packing, live=True)

    def frames(self, first: int) -> dict[str, Any]:
        """Frames from a number on, and whether there will be more."""
        with self._lock:
            finished = self.finished  # before looking: what came before the end is then there
            self._results.refresh()
            last = min(self._results.frames, first + AT_ONCE)
            self._asked, self._sent = time.monotonic(), last
            ended = finished and last == self._results.frames
            return self._packing.part(range(first, last)) | {"finished": ended}

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

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        live = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Answer with the page, or with frames."""
                asked = urlsplit(self.path)
                host = self.headers.get("Host", "").rpartition(":")[0]
                if host not in (HOST, "localhost"):
                    self.send_error(403)  # another site's script, by a name that leads here
                elif asked.path == "/":
                    self._answer("text/html; charset=utf-8", live.page().encode())
                elif asked.path == "/frames":
                    self._frames(parse_qs(asked.query).get("from", [""])[0])
                elif asked.path == "/favicon.ico":
                    self._answer("image/png", b"")
                else:
                    self.send_error(404)

            def _frames(self, first: str) -> None:
                if not (first.isascii() and first.isdigit()) or len(first) > 9:
                    self.send_error(400, "frames?from=NUMBER")
                    return
                part = json.dumps(live.frames(int(first)), allow_nan=False)
                self._answer("application/json", part.encode())

            def _answer(self, kind: str, content: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        return Handler
