import json
import multiprocessing
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from auth.conftest import Clock
from mailmcp.auth.client import OAuthClient, discover
from mailmcp.auth.store import FileStore
from mailmcp.auth.tokens import LEEWAY_S, Tokens, TokenSource, load_tokens, save_tokens
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError
from servers.authorization import CLIENT_ID, AuthorizationServer

KEY = "work ann@imap.example.com"


@pytest.fixture
def source(client: OAuthClient, store: FileStore, clock: Clock, tmp_path: Path) -> TokenSource:
    return TokenSource("work", lambda: client, store, key=KEY, lock_folder=tmp_path / "locks", clock=clock)


def sign_in(provider: AuthorizationServer, store: FileStore) -> None:
    save_tokens(store, KEY, Tokens(access_token="", expires_at=0, refresh_token=provider.sign_in()))


def test_a_token_is_kept_until_shortly_before_it_expires(
    source: TokenSource, provider: AuthorizationServer, store: FileStore, clock: Clock
) -> None:
    sign_in(provider, store)
    first = source()
    clock.now += 3600 - LEEWAY_S - 1
    assert source() == first
    clock.now += 2
    assert source() != first
    assert provider.refreshes == 2


def test_a_token_that_the_mail_server_refused_is_replaced(
    source: TokenSource, provider: AuthorizationServer, store: FileStore
) -> None:
    sign_in(provider, store)
    refused = source()
    assert source(refused) != refused
    assert provider.refreshes == 2


def test_a_rotated_refresh_token_is_saved_before_its_access_token_is_used(
    source: TokenSource, provider: AuthorizationServer, store: FileStore, client: OAuthClient
) -> None:
    sign_in(provider, store)
    token = source()
    stored = load_tokens(store, KEY)
    assert stored is not None
    assert stored.access_token == token
    client.refresh(stored.refresh_token)  # it is the provider's current one


def test_a_provider_that_returns_no_refresh_token_lets_the_old_one_stand(
    source: TokenSource, provider: AuthorizationServer, store: FileStore, clock: Clock
) -> None:
    provider.rotates = False
    sign_in(provider, store)
    for _ in range(3):
        source()
        clock.now += 3600
    assert provider.refreshes == 3


def test_without_a_sign_in_the_command_is_named(source: TokenSource) -> None:
    with pytest.raises(AuthFailedError, match="mailmcp login work") as caught:
        source()
    assert caught.value.reason is Reason.SIGN_IN_REQUIRED


def test_a_withdrawn_consent_is_asked_for_once_until_someone_signs_in_again(
    source: TokenSource, provider: AuthorizationServer, store: FileStore
) -> None:
    sign_in(provider, store)
    provider.revoke_all()
    for _ in range(3):
        with pytest.raises(AuthFailedError, match="no longer accepts") as caught:
            source()
        assert caught.value.reason is Reason.SIGN_IN_REQUIRED
    assert provider.refreshes == 1
    sign_in(provider, store)
    assert source()


def test_a_provider_that_is_down_is_no_verdict_on_the_sign_in(
    source: TokenSource, provider: AuthorizationServer, store: FileStore
) -> None:
    sign_in(provider, store)
    provider.answers["/token"] = (503, "{}")
    with pytest.raises(InternalError) as caught:
        source()
    assert caught.value.reason is Reason.PROVIDER_UNAVAILABLE
    assert caught.value.retryable
    provider.answers.clear()
    assert source()


def test_a_store_that_can_not_be_read_is_named(source: TokenSource, store: FileStore, tmp_path: Path) -> None:
    store.write(KEY, "{}")
    (tmp_path / "data" / "secrets.json").write_text("no json")
    with pytest.raises(AuthFailedError, match="is damaged") as caught:
        source()
    assert caught.value.reason is Reason.PASSWORD_UNAVAILABLE


def test_a_small_store_holds_the_refresh_token_alone(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.auth.store.FILE_CHARS_MAX", 40)
    save_tokens(store, KEY, Tokens(access_token="a" * 2_000, expires_at=5, refresh_token="r"))
    assert json.loads(store.read(KEY) or "") == {"refresh_token": "r"}
    assert load_tokens(store, KEY) == Tokens(access_token="", expires_at=0, refresh_token="r")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"refresh_token": 5}'])
def test_what_is_no_token_counts_as_none(store: FileStore, text: str) -> None:
    store.write(KEY, text)
    assert load_tokens(store, KEY) is None


def test_threads_share_one_refresh(
    source: TokenSource, provider: AuthorizationServer, store: FileStore
) -> None:
    sign_in(provider, store)
    got: list[str] = []
    threads = [threading.Thread(target=lambda: got.append(source())) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(got)) == 1
    assert provider.refreshes == 1


def _refresh_often(
    issuer: str, data: str, locks: str, rounds: int, results: Callable[[object], None]
) -> None:
    """Refuse every token that comes, as a mail server would after the other process rotated it."""
    client = OAuthClient(provider=discover(issuer), client_id=CLIENT_ID)
    source = TokenSource("work", lambda: client, FileStore(Path(data)), key=KEY, lock_folder=Path(locks))
    token = ""
    for _ in range(rounds):
        token = source(token)
    results(token)


def test_two_processes_refresh_one_sign_in_a_hundred_times(
    provider: AuthorizationServer, store: FileStore, tmp_path: Path
) -> None:
    """No refresh token is spent twice, which would end the sign-in for both."""
    provider.clock = lambda: 2_000_000_000.0
    sign_in(provider, store)
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    data, locks = str(tmp_path / "data" / "secrets.json"), str(tmp_path / "locks")
    processes = [
        context.Process(target=_refresh_often, args=(provider.issuer, data, locks, 50, results.put))
        for _ in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(100)
    assert [process.exitcode for process in processes] == [0, 0]
    assert provider.reused == 0
    assert 50 <= provider.refreshes <= 100
    assert results.get()
    assert results.get()
