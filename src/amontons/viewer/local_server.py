"""A small web server for browsers on this machine, which nobody can slow down or look into.

Who does not know the token in the address gets nothing, other sites' scripts neither; so many
connections at once and no more; who does not speak or listen for a while is hung up on.
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
"""Seconds for which a connection may stand still."""

PIECE = 1 << 20
"""Bytes that are written at once."""

logger = logging.getLogger("amontons")


@dataclass(frozen=True)
class Answer:
    """What is sent back."""

    content: bytes
    kind: str = "text/plain; charset=utf-8"
    code: int = 200


class LocalServer(ThreadingHTTPServer):
    """Serves what `answer` says to a path and a query, below an address with a token."""

    daemon_threads = True

    def __init__(self, port: int, answer: Callable[[str, str], Answer]) -> None:
        self.answer = answer
        self.token = secrets.token_urlsafe(16)
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), Handler)

    @property
    def url(self) -> str:
        """The address, token included."""
        return f"http://{HOST}:{self.server_address[1]}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection, or hang up where there are too many."""
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
        """Say nothing on the terminal: a browser that leaves is no error."""
        logger.debug("a connection to the live page broke", exc_info=True)


class Handler(BaseHTTPRequestHandler):
    """One question of a browser."""

    server: LocalServer
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Answer, if the question comes from a page of ours."""
        asked = urlsplit(self.path)
        _, token, *rest = asked.path.split("/", 2)
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host not in (HOST, "localhost"):
            answer = Answer(b"", code=403)  # another site's script, by a name that leads here
        elif asked.path == "/favicon.ico":
            answer = Answer(b"", code=204)
        elif not rest or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            answer = Answer(b"open the whole address, token included\n", code=404)
        else:
            try:
                answer = self.server.answer(rest[0], asked.query)
            except AmontonsError as reason:
                answer = Answer(f"{reason}\n".encode(), code=500)
        self._send(answer)

    def _send(self, answer: Answer) -> None:
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
        """Say nothing."""
