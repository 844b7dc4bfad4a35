import multiprocessing
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from auth.conftest import Clock
from mailmcp.auth import store
from mailmcp.auth.client import OAuthClient, discover
from mailmcp.auth.tokens import LEEWAY_S, TokenSource
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError
from servers.authorization import CLIENT_ID, AuthorizationServer

KEY = "work ann@imap.example.com oauth2"


@pytest.fixture
def source(client: OAuthClient, clock: Clock) -> TokenSource:
    return TokenSource("work", lambda: client, key=KEY, clock=clock)


@pytest.mark.parametrize("rotates", [True, False])
def test_a_token_is_kept_until_shortly_before_it_expires_or_is_refused(
    source: TokenSource, provider: AuthorizationServer, clock: Clock, *, rotates: bool
) -> None:
    provider.rotates = rotates
    first_refresh_token = provider.sign_in()
    store.write(KEY, first_refresh_token)
    first = source()
    clock.now += 3600 - LEEWAY_S - 1
    assert source() == first
    clock.now += 2
    second = source()
    assert second != first
    assert source(second) != second
    assert provider.refreshes == 3
    assert (store.read(KEY) == first_refresh_token) != rotates


def test_a_consent_that_is_missing_or_withdrawn_is_asked_for(
    source: TokenSource, provider: AuthorizationServer, secrets_file: Path
) -> None:
    with pytest.raises(AuthFailedError, match="mailmcp login work"):
        source()
    store.write(KEY, provider.sign_in())
    provider.revoke_all()
    with pytest.raises(AuthFailedError, match="no longer accepts") as caught:
        source()
    assert caught.value.reason is Reason.SIGN_IN_REQUIRED
    secrets_file.write_text("no json")
    with pytest.raises(AuthFailedError, match="is damaged") as caught:
        source()
    assert caught.value.reason is Reason.PASSWORD_UNAVAILABLE
    secrets_file.unlink()
    store.write(KEY, provider.sign_in())
    assert source()


def test_a_provider_that_is_down_is_no_verdict_on_the_sign_in(
    source: TokenSource, provider: AuthorizationServer
) -> None:
    store.write(KEY, provider.sign_in())
    provider.answers["/token"] = (503, "{}")
    with pytest.raises(InternalError) as caught:
        source()
    assert caught.value.reason is Reason.PROVIDER_UNAVAILABLE
    assert caught.value.retryable
    provider.answers.clear()
    assert source()


def test_a_lock_that_another_process_holds_is_waited_for_and_then_named(
    source: TokenSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LOCK_WAIT_S", 0.01)
    with store.locked(source._lock_path), pytest.raises(InternalError, match="another process") as caught:  # noqa: SLF001
        source()
    assert caught.value.retryable


def test_threads_share_one_refresh(source: TokenSource, provider: AuthorizationServer) -> None:
    store.write(KEY, provider.sign_in())
    got: list[str] = []
    threads = [threading.Thread(target=lambda: got.append(source())) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(got)) == 1
    assert provider.refreshes == 1


def _refresh_often(issuer: str, rounds: int, results: Callable[[object], None]) -> None:
    """Refuse every token that comes, as a mail server would after the other process rotated it."""
    client = OAuthClient(provider=discover(issuer), client_id=CLIENT_ID)
    source = TokenSource("work", lambda: client, key=KEY)
    token = ""
    for _ in range(rounds):
        token = source(token)
    results(token)


def test_two_processes_refresh_one_sign_in_in_turns(provider: AuthorizationServer) -> None:
    """No refresh token is spent twice, which would end the sign-in for both."""
    provider.clock = lambda: 2_000_000_000.0
    store.write(KEY, provider.sign_in())
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    processes = [
        context.Process(target=_refresh_often, args=(provider.issuer, 20, results.put)) for _ in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(100)
    assert [process.exitcode for process in processes] == [0, 0]
    assert (provider.reused, provider.refreshes) == (0, 40)
    assert results.get()
    assert results.get()
