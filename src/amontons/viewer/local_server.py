"""A small web server for browsers on this machine, safe from slow clients and other users.

Requests without the token in the address get nothing, nor do scripts of other sites; the
number of connections is limited, and silent ones are closed.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from amontons.errors import AmontonsError

HOST = "127.0.0.1"

MOST_CONNECTIONS = 16

PATIENCE = 10.0
"""Seconds for which a connection may be idle."""

PIECE = 1 << 20
"""Bytes per write."""

logger = logging.getLogger("amontons")


@dataclass(frozen=True)
class Reply:
    """An HTTP response."""

    content: bytes
    kind: str = "text/plain; charset=utf-8"
    code: int = 200


class LocalServer(ThreadingHTTPServer):
    """Serves `answer(path, query)` below an address with a token."""

    daemon_threads = True

    def __init__(self, port: int, answer: Callable[[str, str], Reply]) -> None:
        self.answer = answer
        self.token = secrets.token_urlsafe(16)
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), Handler)

    @property
    def url(self) -> str:
        """The address, token included."""
        return f"http://{HOST}:{self.server_address[1]}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Accept a connection, or close it if there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a browser that disconnects is not an error."""
        logger.debug("a connection to the live page broke", exc_info=True)


class Handler(BaseHTTPRequestHandler):
    """One request of a browser."""

    server: LocalServer
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Answer, if the request comes from one of our own pages."""
        asked = urlsplit(self.path)
        _, token, *rest = asked.path.split("/", 2)
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host not in (HOST, "localhost"):
            answer = Reply(b"", code=403)  # a script of another site, by DNS rebinding
        elif asked.path == "/favicon.ico":
            answer = Reply(b"", code=204)
        elif not rest or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            answer = Reply(b"open the whole address, token included\n", code=404)
        else:
            try:
                answer = self.server.answer(rest[0], asked.query)
            except AmontonsError as reason:
                answer = Reply(f"{reason}\n".encode(), code=500)
        self._send(answer)

    def _send(self, answer: Reply) -> None:
        self.send_response(answer.code)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        content = memoryview(answer.content)
        for start in range(0, len(content), PIECE):
            self.wfile.write(content[start : start + PIECE])

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""
