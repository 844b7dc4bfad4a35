"""The end of a sign-in by the browser, which returns to a port of this machine (RFC 8252 section 7.3)."""

import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from typing_extensions import override

from mailmcp.auth.provider import Provider, SignInError

_REQUEST_TIMEOUT_S: Final = 15.0
"""For one request: a browser may open a connection ahead and send nothing."""


class Redirect(HTTPServer):
    """Listens on a free port for the request that brings the code."""

    def __init__(self, provider: Provider, state: str) -> None:
        """Listen for an answer of `provider` with our `state`; `uri` is where the browser must return to."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.uri = f"http://{provider.redirect_host}:{self.server_port}/"
        self._issuer, self._state = provider.issuer, state
        self._answer: dict[str, str] = {}

    def wait(self, timeout_s: float) -> Mapping[str, str]:
        """Serve requests until one carries our `state`; strangers' requests are refused and end nothing."""
        deadline = time.monotonic() + timeout_s
        while not self._answer:
            self.timeout = deadline - time.monotonic()
            if self.timeout <= 0:
                raise SignInError("The browser didn't come back. Run the command again, or use --device.")
            self.handle_request()
        return self._answer

    def accept(self, path: str) -> str:
        """Read the parameters of a request; return what is wrong with it, or an empty text."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        if urlsplit(path).path != "/" or query.get("state") != self._state:
            return "This request does not belong to the sign-in."
        # RFC 9207: the answer of another server is an attack that mixes providers up.
        if "iss" in query and self._issuer and query["iss"] != self._issuer:
            self._answer = {"error": "the answer came from another issuer"}
            return "The answer came from another issuer."
        self._answer = query if "code" in query else {"error": "access_denied", **query}
        return ""


class _Handler(BaseHTTPRequestHandler):
    server: Redirect
    timeout = _REQUEST_TIMEOUT_S

    def do_GET(self) -> None:
        fault = self.server.accept(self.path)
        page = fault or "mailmcp received the response. You can close this window."
        self.send_response(400 if fault else 200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode())

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the request line holds the code."""
