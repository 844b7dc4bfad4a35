"""Which tokens are refused, with which challenge; and that the others are let in."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hosted.in_process import URL, Clock, serving
from hosted.organisation import SCOPE, Organisation
from mailmcp.hosted.issuer import FETCH_AGAIN_S, KEYS_FRESH_S, KEYS_KEPT_S
from mailmcp.hosted.tokens import CLOCK_SKEW_S

METADATA = "http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"
WHERE = f'resource_metadata="{METADATA}", scope="{SCOPE}"'
USER = "ann@example.com"
STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@asynccontextmanager
async def client_of(organisation: Organisation, **options: Any) -> AsyncIterator[httpx2.AsyncClient]:
    """A client in this process of a server that asks for the organisation's tokens."""
    async with serving(organisation, **options) as server, server.http() as client:
        yield client


async def ping(client: httpx2.AsyncClient, *authorizations: str) -> httpx2.Response:
    content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    headers = [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")]
    headers += [("Authorization", each) for each in authorizations]
    return await client.post(URL, content=content, headers=headers)


def forge(organisation: Organisation, header: dict[str, Any], key: bytes) -> str:
    """Sign by HMAC with any octets; a library would refuse a public key."""
    parts = [{"typ": "JWT"} | header, organisation.claims(USER)]
    texts = [base64.urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in parts]
    signature = hmac.digest(key, b".".join(texts), hashlib.sha256)
    return b".".join([*texts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()


def public_pem(organisation: Organisation) -> bytes:
    public = organisation.keys[organisation.kid].public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def tampered(organisation: Organisation) -> str:
    head, _, signature = organisation.issue(USER).split(".")
    body = base64.urlsafe_b64encode(json.dumps(organisation.claims("bob@example.com")).encode())
    return f"{head}.{body.rstrip(b'=').decode()}.{signature}"


Make = Callable[[Organisation], str]
WRONG: dict[str, Make] = {
    "no token at all": lambda _: "x",
    "three empty parts": lambda _: "..",
    "header that is a list": lambda _: base64.urlsafe_b64encode(b"[] ").decode() + ".e30.e30",
    "deep header": lambda _: base64.urlsafe_b64encode(b"[" * 9_000).decode() + ".e30.e30",
    "expired": lambda org: org.issue(USER, exp=int(time.time()) - CLOCK_SKEW_S - 5),
    "not yet valid": lambda org: org.issue(USER, nbf=int(time.time()) + CLOCK_SKEW_S + 60),
    "without expiry": lambda org: org.issue(USER, exp=None),
    "expires never": lambda org: org.issue(USER, exp=float("inf")),
    "other audience": lambda org: org.issue(USER, aud="http://127.0.0.1:8000/other"),
    "audience that begins alike": lambda org: org.issue(USER, aud=f"{URL}/x"),
    "without audience": lambda org: org.issue(USER, aud=None),
    "other issuer": lambda org: org.issue(USER, iss="https://evil.example.com"),
    "without issuer": lambda org: org.issue(USER, iss=None),
    "alg none": lambda org: jwt.encode(org.claims(USER), "", "none", {"kid": org.kid}),
    "HS256 with the public key": lambda org: forge(org, {"alg": "HS256", "kid": org.kid}, public_pem(org)),
    "HS256 with the key id": lambda org: forge(org, {"alg": "HS256", "kid": org.kid}, org.kid.encode()),
    "RS256 signed by HMAC": lambda org: forge(org, {"alg": "RS256", "kid": org.kid}, public_pem(org)),
    "another's key": lambda org: org.issue(USER, key=STRANGER),
    "unknown key id": lambda org: org.issue(USER, key=STRANGER, header={"kid": "unknown"}),
    "no key id": lambda org: org.issue(USER, key=STRANGER, header={"kid": ""}),
    "key id of another kind": lambda org: forge(org, {"alg": "RS256", "kid": ["x"]}, b"x"),
    "brings its own key": lambda org: org.issue(
        USER,
        key=STRANGER,
        header={"jwk": jwt.algorithms.RSAAlgorithm.to_jwk(STRANGER.public_key(), as_dict=True)},
    ),
    "names its own keys": lambda org: org.issue(
        USER, key=STRANGER, header={"kid": "unknown", "jku": f"{org.issuer}/keys"}
    ),
    "another type": lambda org: org.issue(USER, header={"typ": "logout+jwt"}),
    "other claims": tampered,
    "without user": lambda org: org.issue(USER, email=None),
    "without subject": lambda org: org.issue(USER, sub=None),
    "unverified address": lambda org: org.issue(USER, email_verified=False),
    "address of which nothing is known": lambda org: org.issue(USER, email_verified=None),
    "master user of Dovecot": lambda org: org.issue("bob@example.com*ann"),
    "line break in the name": lambda org: org.issue("ann\r\nA1 LOGOUT"),
    "placeholder for a name": lambda org: org.issue("%u"),
    "path for a name": lambda org: org.issue("../ann"),
    "wide letters": lambda org: org.issue("\uff41nn@example.com"),
    "list of names": lambda org: org.issue(USER, email=[USER]),
}


@pytest.fixture(scope="module")
def known(organisation: Organisation) -> Organisation:
    """The organisation, with keys that stay."""
    return organisation


def test_each_wrong_token_is_refused_with_the_challenge(
    known: Organisation, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with client_of(known) as client:
            replies = {name: await ping(client, f"Bearer {make(known)}") for name, make in WRONG.items()}
            good = await ping(client, f"Bearer {known.issue(USER)}")
        assert {name: each.status_code for name, each in replies.items()} == dict.fromkeys(WRONG, 401)
        challenges = {each.headers["WWW-Authenticate"] for each in replies.values()}
        assert challenges == {f'Bearer error="invalid_token", {WHERE}'}
        assert good.status_code == 200

    caplog.set_level("INFO", "mailmcp")
    anyio.run(run)
    assert len([each for each in caplog.messages if each.startswith("token refused: ")]) == len(WRONG)
    for secret in ("eyJ", USER, "bob@", "LOGOUT"):
        assert secret not in caplog.text


def test_no_token_two_tokens_and_a_missing_scope_have_challenges_of_their_own(known: Organisation) -> None:
    """RFC 6750 section 3.1: no error where no token was sent."""

    async def run() -> None:
        async with client_of(known) as client:
            token = f"Bearer {known.issue(USER)}"
            narrow = f"Bearer {known.issue(USER, scope='openid mail.reader')}"
            for given, status, challenge in [
                ([], 401, f"Bearer {WHERE}"),
                (["Basic eDp5"], 401, f'Bearer error="invalid_token", {WHERE}'),
                ([token, token], 400, f'Bearer error="invalid_request", {WHERE}'),
                ([narrow], 403, f'Bearer error="insufficient_scope", {WHERE}'),
            ]:
                reply = await ping(client, *given)
                assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (status, challenge)

    anyio.run(run)


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": ["https://other.example.com", URL]},
        {"scope": None, "scp": ["x", SCOPE]},
        {"header": {"typ": "JWT"}},
        {"email": "Ännchen.O'Hara+x@example.com"},
    ],
    ids=str,
)
def test_what_issuers_write_differently_is_let_in(known: Organisation, changed: dict[str, Any]) -> None:
    async def run() -> None:
        async with client_of(known) as client:
            assert (await ping(client, f"Bearer {known.issue(USER, **changed)}")).status_code == 200

    anyio.run(run)


@pytest.mark.parametrize("algorithm", ["PS256", "RS512", "ES256"])
def test_each_kind_of_signature_is_verified(known: Organisation, algorithm: str) -> None:
    async def run() -> None:
        async with client_of(known) as client:
            assert (await ping(client, f"Bearer {known.issue(USER)}")).status_code == 200
            assert (await ping(client, f"Bearer {tampered(known)}")).status_code == 401

    known.rotate(algorithm)
    anyio.run(run)
    known.rotate()


def test_clocks_may_differ_by_a_minute(known: Organisation) -> None:
    now = int(time.time())

    async def run() -> None:
        async with client_of(known) as client:
            early = known.issue(USER, iat=now + CLOCK_SKEW_S - 5)
            for token in (early, known.issue(USER, exp=now - CLOCK_SKEW_S + 30)):
                assert (await ping(client, f"bearer {token}")).status_code == 200

    anyio.run(run)


def test_introspection_decides_at_each_request(known: Organisation) -> None:
    async def run() -> None:
        async with client_of(known, introspects=True) as client:
            token = known.issue(USER)
            assert (await ping(client, f"Bearer {token}")).status_code == 200
            known.revoked.add(token)
            assert (await ping(client, f"Bearer {token}")).status_code == 401
            for answer, status in [
                ({"active": True}, 401),
                (known.claims(USER, aud="other") | {"active": True}, 401),
                (known.claims(USER, iss="other") | {"active": True}, 401),
                (known.claims(USER) | {"active": "true"}, 401),
                (known.claims(USER, iss=None, exp=None) | {"active": True}, 200),
                (["active"], 503),
            ]:
                known.answers["/introspect"] = 200, json.dumps(answer)
                assert (await ping(client, f"Bearer {known.issue(USER)}")).status_code == status
            known.answers["/introspect"] = 401, "{}"
            assert (await ping(client, f"Bearer {token}")).status_code == 503
        assert known.requests.count("/keys") == keys_before

    keys_before = known.requests.count("/keys")
    anyio.run(run)
    known.reset()


def test_keys_rotate_and_an_issuer_that_is_away_goes_unnoticed_for_an_hour(
    known: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.hosted.issuer.FETCH_PAUSE_S", 0.0)
    clock = Clock()

    async def run() -> None:
        async with client_of(known, clock=clock) as client:

            async def status_of(token: str) -> int:
                return (await ping(client, f"Bearer {token}")).status_code

            old = known.issue(USER)
            withdrawn = known.kid
            assert await status_of(old) == 200
            fetched = known.requests.count("/keys")
            known.rotate()
            assert [await status_of(each) for each in (known.issue(USER), old)] == [200, 200]
            assert known.requests.count("/keys") == fetched + 1

            del known.keys[withdrawn]
            assert await status_of(old) == 200
            clock.now += KEYS_FRESH_S
            assert await status_of(old) == 401

            known.answers["/keys"] = 500, "{}"
            clock.now += KEYS_KEPT_S - 1
            fetched = known.requests.count("/keys")
            for _ in range(5):
                assert await status_of(known.issue(USER)) == 200
            assert known.requests.count("/keys") == fetched + 1
            assert (await client.get("http://127.0.0.1:8000/ready")).status_code == 200
            clock.now += FETCH_AGAIN_S
            refused = await ping(client, f"Bearer {known.issue(USER)}")
            assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
            assert (await client.get("http://127.0.0.1:8000/ready")).status_code == 503
            assert (await client.get("http://127.0.0.1:8000/health")).status_code == 200
            known.answers.clear()
            clock.now += FETCH_AGAIN_S
            assert await status_of(known.issue(USER)) == 200

    anyio.run(run)


@pytest.mark.parametrize("answer", ["{}", "[]", "x", '{"keys": [{"kty": "RSA"}]}', '{"keys": []}'])
def test_without_keys_nobody_is_let_in_or_told_that_a_token_is_wrong(
    known: Organisation, answer: str
) -> None:
    async def run() -> None:
        async with client_of(known) as client:
            assert (await ping(client, f"Bearer {known.issue(USER)}")).status_code == 503

    known.answers["/keys"] = 200, answer
    anyio.run(run)
    known.answers.clear()


def test_invented_key_ids_share_a_request_for_the_keys(known: Organisation) -> None:
    """And those who have a good token don't wait for it."""

    async def run() -> None:
        async with client_of(known) as client, anyio.create_task_group() as tasks:
            good = known.issue(USER)
            assert (await ping(client, f"Bearer {good}")).status_code == 200
            fetched = known.requests.count("/keys")
            forged = known.issue(USER, key=STRANGER, header={"kid": "invented"})
            statuses: list[int] = []

            async def send() -> None:
                statuses.append((await ping(client, f"Bearer {forged}")).status_code)

            for _ in range(20):
                tasks.start_soon(send)
            await anyio.lowlevel.checkpoint()
            assert (await ping(client, f"Bearer {good}")).status_code == 200
            assert statuses == []
        assert statuses == [401] * 20
        assert known.requests.count("/keys") == fetched + 1

    anyio.run(run)


def test_clients_find_the_authorization_server_by_the_metadata(known: Organisation) -> None:
    async def run() -> None:
        async with client_of(known) as client:
            metadata = (await client.get(METADATA)).json()
        assert metadata == {
            "resource": URL,
            "authorization_servers": [known.issuer],
            "scopes_supported": [SCOPE],
            "bearer_methods_supported": ["header"],
        }

    anyio.run(run)
