"""An organisation: its authorization server, which knows many users, and mailmcp serving them all."""

import json
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from typing_extensions import override

from servers.authorization import AuthorizationServer, Endpoint
from servers.dovecot import Dovecot
from servers.http_process import HttpProcess
from servers.peer import Peer

CLIENT_ID = "mailmcp"
CLIENT_SECRET = "fake-client-secret"
EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
MASTER_PASSWORD = "fake-master-password"
MASTER = f"""
passdb {{
  driver = static
  mechanisms = plain
  master = yes
  args = password={MASTER_PASSWORD}
}}
"""
"""For Dovecot: whoever has this password may open every mailbox."""

SCOPE = "mail.read"

Key: TypeAlias = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


class Organisation(AuthorizationServer):
    """Signs the tokens that users send to mailmcp, and exchanges them for such as Dovecot takes."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        super().__init__(clock)
        self.keys: dict[str, Key] = {}
        self.algorithms: dict[str, str] = {}
        self.audience = ""
        self.revoked: set[str] = set()
        self.exchanged: list[str] = []
        """The tokens that were exchanged, in order."""
        self.rotate()

    def rotate(self, algorithm: str = "RS256") -> None:
        """Sign with another key from now on; the earlier ones stay published."""
        kid = secrets.token_hex(4)
        self.algorithms[kid] = algorithm
        if algorithm == "ES256":
            self.keys[kid] = ec.generate_private_key(ec.SECP256R1())
        else:
            self.keys[kid] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.kid = kid  # at last: others are signing

    def claims(self, user: str, **changed: object) -> dict[str, Any]:
        """Make the claims of a user's token; a claim that is changed to None is left out."""
        now = int(self.clock())
        claims = {
            "iss": self.issuer,
            "aud": self.audience,
            "sub": f"id-of-{user}",
            "email": user,
            "email_verified": True,
            "name": user.partition("@")[0].title(),
            "scope": f"openid {SCOPE}",
            "client_id": "a-host",
            "iat": now,
            "exp": now + 3600,
            "jti": secrets.token_hex(4),
        } | changed
        return {name: value for name, value in claims.items() if value is not None}

    def issue(
        self, user: str, *, header: Mapping[str, Any] | None = None, key: Any = None, **changed: object
    ) -> str:
        """Sign a token for a user."""
        headers = {"kid": self.kid, "typ": "at+jwt"} | dict(header or {})
        claims = self.claims(user, **changed)
        algorithm = headers.get("alg", self.algorithms[self.kid])
        return jwt.encode(claims, key or self.keys[self.kid], algorithm, headers)

    @override
    def metadata(self) -> dict[str, Any]:
        more = {"jwks_uri": f"{self.issuer}/keys", "introspection_endpoint": f"{self.issuer}/introspect"}
        return super().metadata() | more

    @override
    def documents(self) -> dict[str, dict[str, Any]]:
        keys = [
            jwt.get_algorithm_by_name(self.algorithms[kid]).to_jwk(key.public_key(), as_dict=True)
            | {"kid": kid, "use": "sig"}
            for kid, key in self.keys.items()
        ]
        of_the_future = {"kty": "AKP", "kid": "future"}
        return super().documents() | {"/keys": {"keys": [of_the_future, *keys]}}

    @override
    def endpoints(self) -> dict[str, Endpoint]:
        return super().endpoints() | {"/introspect": self.introspect}

    def introspect(self, body: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """Answer what a token is good for (RFC 7662)."""
        claims = self._read(body["token"])
        return 200, {"active": True, **claims} if claims else {"active": False}

    @override
    def token(self, body: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        if body["grant_type"] != EXCHANGE_GRANT:
            return super().token(body)
        if (body.get("client_id"), body.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return 401, {"error": "invalid_client"}
        claims = self._read(body["subject_token"])
        if not claims or (body["audience"], body["scope"]) != ("mail-server", "imap"):
            return 400, {"error": "invalid_request"}
        self.exchanged.append(body["subject_token"])
        token = self.access_token(user=claims["email"], lifetime_s=self.lifetime_s)
        kind = "urn:ietf:params:oauth:token-type:access_token"
        answer = {"access_token": token, "issued_token_type": kind, "token_type": "Bearer"}
        return 200, answer | {"expires_in": self.lifetime_s}

    def _read(self, token: str) -> dict[str, Any] | None:
        if token in self.revoked:
            return None
        try:
            key = self.keys[jwt.get_unverified_header(token)["kid"]].public_key()
            return jwt.decode(token, key, ["RS256"], audience=self.audience)
        except jwt.PyJWTError:
            return None


def write_settings(
    organisation: Organisation,
    server: Dovecot | Peer,
    folder: Path,
    *,
    account: str = "",
    tls: str = "none",
    url: str = "http://127.0.0.1:8000/mcp",
    **oauth: Any,
) -> Path:
    """Write the settings of a server for everybody whose tokens the organisation signs.

    Args:
        organisation: It issues tokens for this server from now on.
        server: Where the mailboxes are.
        folder: Where to write.
        account: Further lines for the account.
        tls: Of the account; else than "none" with a Dovecot alone, whose certificate is trusted.
        url: Of the server.
        oauth: Keys of `[http.oauth]`.
    """
    organisation.audience = url
    keys = {
        "issuer": organisation.issuer,
        "url": url,
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
    } | oauth
    port = server.plain_port if isinstance(server, Dovecot) else server.port
    if tls != "none":
        assert isinstance(server, Dovecot)
        port, account = server.tls_port, f'ca_file = "{server.ca_file}"\n{account}'
    lines = [f"{name} = {json.dumps(value)}" for name, value in keys.items()]
    path = folder / "config.toml"
    path.touch(mode=0o600)
    path.write_text(
        f'[http.oauth]\nscopes = ["{SCOPE}"]\n' + "\n".join(lines) + "\n"
        f'[[accounts]]\naccount_id = "work"\nhost = "{server.host}"\nport = {port}\n'
        f'tls = "{tls}"\nuser = "{{user}}"\n{account}'
    )
    return path


def serve(
    organisation: Organisation, server: Dovecot | Peer, folder: Path, *, account: str = "", **oauth: Any
) -> HttpProcess:
    """Make the process that serves by such settings; secrets are in the folder `data` in `folder`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    write_settings(organisation, server, folder, account=account, url=url, **oauth)
    return replica(folder, port=port)


def replica(folder: Path, *, port: int = 0, variables: Mapping[str, str] | None = None) -> HttpProcess:
    """Make one more process that serves by the settings in a folder, with further variables."""
    home = {"XDG_DATA_HOME": str(folder / "data"), "XDG_STATE_HOME": str(folder / "state")}
    return HttpProcess(
        None,
        "--config",
        str(folder / "config.toml"),
        "--port",
        str(port),
        variables=home | dict(variables or {}),
    )
