"""An OAuth 2.0 authorization server for the tests, on a free loopback port.

Discovery (RFC 8414), code with PKCE, device code (RFC 8628), refresh with rotation.
A refresh token that is spent twice ends the sign-in, as strict providers do. Access tokens are
JWTs that Dovecot validates by itself. A person's consent is played: `consent` says what it is.
"""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from typing_extensions import override

CLIENT_ID = "test-client"
SIGNING_KEY = "fake-signing-key-of-thirty-two-octets"
USER = "ann"
Endpoint = Callable[[Mapping[str, str]], tuple[int, dict[str, Any]]]
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass(slots=True)
class Grant:
    """One sign-in: its refresh tokens follow each other, and end together."""

    current: str = ""
    spent: set[str] = field(default_factory=set)
    revoked: bool = False


class AuthorizationServer:
    """A running server, for one `with` block. Tests set the attributes to make it behave badly."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self.reset()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    def reset(self) -> None:
        """Behave well, and forget every sign-in."""
        self.lifetime_s = 3600
        self.consent = True
        self.issuer_in_answer: str | None = None
        """What `iss` in the redirect says; None for the truth."""
        self.token_scope = "imap"
        """The scope of access tokens, as Dovecot checks it."""
        self.rotates = True
        self.answers: dict[str, tuple[int, str]] = {}
        """Paths that answer every request with this status and body."""
        self.pending_polls = 0
        """How many polls of a device code are answered `authorization_pending` before the consent."""
        self.refreshes = 0
        self.reused = 0
        """How many times a spent refresh token came back."""
        self.requests: list[str] = []
        """The path of each request, in order."""
        self._codes: dict[str, Mapping[str, str]] = {}
        self._grants: list[Grant] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def access_token(self, *, scope: str = "imap", lifetime_s: float = 3600, user: str = USER) -> str:
        """Sign an access token as Dovecot takes it."""
        now = int(self.clock())
        claims = {"sub": user, "email": user, "iss": self.issuer, "iat": now, "scope": scope}
        claims["jti"] = secrets.token_hex(4)  # two that are made within a second differ
        return jwt.encode(claims | {"exp": now + int(lifetime_s)}, SIGNING_KEY, "HS256", {"typ": "JWT"})

    def sign_in(self) -> str:
        """Consent without a browser, and return the refresh token."""
        self._grants.append(Grant())
        return self._rotate(self._grants[-1])

    def revoke_all(self) -> None:
        """End every sign-in, as a user does on the provider's page."""
        for grant in self._grants:
            grant.revoked = True

    def _rotate(self, grant: Grant) -> str:
        if grant.current:
            grant.spent.add(grant.current)
        grant.current = f"fake-refresh-{secrets.token_hex(8)}"
        return grant.current

    def _issue(self, grant: Grant, *, refresh: bool = True) -> tuple[int, dict[str, Any]]:
        answer = {
            "access_token": self.access_token(scope=self.token_scope, lifetime_s=self.lifetime_s),
            "token_type": "Bearer",
            "expires_in": self.lifetime_s,
        }
        if refresh:
            answer["refresh_token"] = grant.current or self._rotate(grant)
        return 200, answer

    def metadata(self) -> dict[str, Any]:
        """Return the document of RFC 8414."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "device_authorization_endpoint": f"{self.issuer}/device",
            "scopes_supported": ["imap", "smtp", "offline_access"],
            "authorization_response_iss_parameter_supported": True,
        }

    def documents(self) -> dict[str, dict[str, Any]]:
        """Return what is published, by its path."""
        return {"/.well-known/oauth-authorization-server": self.metadata()}

    def endpoints(self) -> dict[str, Endpoint]:
        """Return what answers to forms, by its path."""
        return {"/token": self.token, "/device": self.device}

    def authorize(self, query: Mapping[str, str]) -> str:
        """Answer an authorization request with the address that the browser is sent to."""
        answer = {"state": query["state"], "iss": self.issuer_in_answer or self.issuer}
        if not self.consent:
            answer |= {"error": "access_denied", "error_description": "the user said no"}
        else:
            answer["code"] = secrets.token_hex(8)
            self._codes[answer["code"]] = dict(query)
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def device(self, body: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """Begin a device authorization."""
        device_code = secrets.token_hex(8)
        self._codes[device_code] = dict(body)
        uri = f"{self.issuer}/activate"
        answer = {"device_code": device_code, "user_code": "FAKE-CODE", "verification_uri": uri}
        return 200, answer | {"expires_in": 900, "interval": 1}

    def token(self, body: Mapping[str, str]) -> tuple[int, dict[str, Any]]:  # noqa: PLR0911 - one an answer
        """Answer a token request."""
        if body.get("client_id") != CLIENT_ID:
            return 401, {"error": "invalid_client"}
        match body["grant_type"]:
            case "authorization_code":
                asked = self._codes.pop(body["code"], None)
                digest = hashlib.sha256(body["code_verifier"].encode()).digest()
                challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
                shown = {"code_challenge": challenge, "code_challenge_method": "S256"}
                shown["redirect_uri"] = body["redirect_uri"]
                if asked is None or not shown.items() <= asked.items():
                    return 400, {"error": "invalid_grant"}
            case "refresh_token":
                return self._refresh(body["refresh_token"])
            case grant_type if grant_type == DEVICE_GRANT and body["device_code"] in self._codes:
                if self.pending_polls:
                    self.pending_polls -= 1
                    return 400, {"error": "slow_down" if self.pending_polls == 1 else "authorization_pending"}
                if not self.consent:
                    return 400, {"error": "access_denied"}
            case _:
                return 400, {"error": "unsupported_grant_type"}
        self._grants.append(Grant())
        return self._issue(self._grants[-1])

    def _refresh(self, token: str) -> tuple[int, dict[str, Any]]:
        self.refreshes += 1
        for grant in self._grants:
            if token in grant.spent:
                self.reused += 1
                grant.revoked = True
            if token == grant.current and not grant.revoked:
                if not self.rotates:
                    return self._issue(grant, refresh=False)
                self._rotate(grant)
                return self._issue(grant)
        return 400, {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(url.query).items()}
                with server._lock:
                    server.requests.append(url.path)
                    if url.path in server.answers:
                        self._send(*server.answers[url.path])
                    elif url.path == "/authorize":
                        self.send_response(302)
                        self.send_header("Location", server.authorize(query))
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                    elif url.path in (documents := server.documents()):
                        self._send(200, json.dumps(documents[url.path]))
                    else:
                        self._send(404, "{}")

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
                body = {name: values[0] for name, values in parse_qs(sent).items()}
                with server._lock:
                    server.requests.append(self.path)
                    if self.path in server.answers:
                        self._send(*server.answers[self.path])
                        return
                    status, value = server.endpoints()[self.path](body)
                    self._send(status, json.dumps(value))

            def _send(self, status: int, body: str) -> None:
                content = body.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            @override
            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
