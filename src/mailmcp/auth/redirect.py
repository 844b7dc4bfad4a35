"""The end of a sign-in by the browser, which returns to a port of this machine (RFC 8252 section 7.3)."""

import html
import socket
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from typing_extensions import override

from mailmcp.auth.errors import SignInError
from mailmcp.auth.provider import Provider

_REQUEST_TIMEOUT_S: Final = 15.0


class _ServerV6(HTTPServer):
    address_family = socket.AF_INET6


def _listen(host: str, handler: type[BaseHTTPRequestHandler]) -> HTTPServer:
    """Listen where a URL with this host leads: `localhost` may be ::1, also where that can't be used."""
    faults = []
    for family, *_, address in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM):
        server = _ServerV6 if family == socket.AF_INET6 else HTTPServer
        try:
            return server((str(address[0]), 0), handler)
        except OSError as error:
            faults.append(error)
    raise faults[0]


class Redirect:
    """Listens on a free port for the request that brings the code."""

    def __init__(self, provider: Provider, state: str) -> None:
        """Listen for an answer of `provider` with our `state`; `uri` is where the browser must return to."""
        self._provider, self._state = provider, state
        self._answer: dict[str, str] = {}
        self._server = _listen(provider.redirect_host, self._handler())
        self.uri = f"http://{provider.redirect_host}:{self._server.server_port}/"

    def __enter__(self) -> "Redirect":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    def wait(self, timeout_s: float) -> Mapping[str, str]:
        """Serve requests until one carries our `state`; strangers' requests are refused and end nothing."""
        deadline = time.monotonic() + timeout_s
        while not self._answer:
            self._server.timeout = deadline - time.monotonic()
            if self._server.timeout <= 0:
                raise SignInError("The browser didn't come back. Run the command again, or use --device.")
            self._server.handle_request()
        return self._answer

    def _accept(self, path: str) -> str:
        """Read the parameters of a redirect; return what is wrong with it, or an empty text."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        if urlsplit(path).path != "/" or query.get("state") != self._state:
            return "This request does not belong to the sign-in."
        # RFC 9207: the answer of another server is an attack that mixes providers up.
        if "iss" in query and self._provider.issuer and query["iss"] != self._provider.issuer:
            self._answer = {"error": "the answer came from another issuer"}
            return "The answer came from another issuer."
        self._answer = query if "code" in query else {"error": "access_denied", **query}
        return ""

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        accept = self._accept

        class Handler(BaseHTTPRequestHandler):
            # Of one request: a browser may open a connection ahead and send nothing.
            timeout = _REQUEST_TIMEOUT_S

            def do_GET(self) -> None:
                fault = accept(self.path)
                page = fault or "mailmcp received the response. You can close this window."
                body = f"<!doctype html><title>mailmcp</title><p>{html.escape(page)}</p>".encode()
                self.send_response(400 if fault else 200)
                for name, value in (
                    ("Content-Type", "text/html; charset=utf-8"),
                    ("Content-Length", str(len(body))),
                    ("Cache-Control", "no-store"),
                    ("Referrer-Policy", "no-referrer"),
                    ("Connection", "close"),
                ):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            @override
            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing: the request line holds the code."""

        return Handler
