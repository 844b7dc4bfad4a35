"""Each place that a password can come from, and what is wrong with it in words without the password."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import keyring
import pytest

from auth.key_stores import Locked, Memory
from mailmcp.auth import store
from mailmcp.reasons import Reason
from mailmcp.settings.model import AccountTable
from mailmcp.settings.passwords import password_reader, secret_key
from mailmcp.settings.sources import Origin
from mcp_envelope import AuthFailedError

SECRET = "hunter2"
BARE = AccountTable(account_id="work", host="imap.example.com", user="ann")


def reader_of(**keys: object) -> Callable[[], str]:
    """Return the reader of an account with these keys."""
    environ = {**os.environ, "NAME": SECRET}
    return password_reader(BARE.model_copy(update=keys), Origin(), environ)


def refusal(read: Callable[[], str]) -> str:
    """Fail to read a password; the error contains no secret."""
    with pytest.raises(AuthFailedError) as caught:
        read()
    error = caught.value
    assert error.reason is Reason.PASSWORD_UNAVAILABLE
    assert error.__context__ is None
    assert SECRET not in f"{error!r} {error.details}"
    return error.message.removeprefix("No password to log in with: the ").removesuffix(
        ". The user must fix this."
    )


@pytest.mark.parametrize(
    ("content", "password", "fault"),
    [
        (b" hunter2 \r\n", " hunter2 ", ""),
        (b"\xef\xbb\xbfhunter2\n", "hunter2", ""),
        (b"\n", "", "has no password"),
        (b"hunter2\nuser: ann\n", "", "has more than one line or a NUL"),
        (b"hunter2\xff", "", "has text that is not UTF-8"),
        (None, "", "can't be used: No such file or directory"),
    ],
)
def test_a_password_file_is_one_line(
    tmp_path: Path, content: bytes | None, password: str, fault: str
) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_bytes(content)
    if fault:
        assert refusal(reader_of(password_file=str(path))) == f"password file {path} {fault}"
    else:
        assert reader_of(password_file=str(path))() == password


PROGRAMS = {
    "import sys; sys.stdout.buffer.write(b'hunter2\\r\\nuser: ann\\r\\n')": "",
    "import sys, os; print('loud', file=sys.stderr); print(sys.stdin.read() + os.environ['NAME'])": "",
    "print('hunter2'); raise SystemExit(3)": "failed with status 3",
    "import time; print('hunter2', flush=True); time.sleep(60)": "didn't end within 0.5 s",
}


def test_the_first_line_that_a_command_prints_is_the_password(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for program, fault in PROGRAMS.items():
        words = (sys.executable, "-c", program, "$NAME | ~ ;")
        if "sleep" in program:
            monkeypatch.setattr("mailmcp.settings.passwords.COMMAND_TIMEOUT_S", 0.5)
        read = reader_of(password_command=list(words))
        if fault:
            assert refusal(read) == f"password command {sys.executable} {fault}"
        else:
            assert read() == SECRET
    assert capfd.readouterr() == ("", "")


def test_a_stored_password_is_read_or_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyring.core._keyring_backend", Memory())
    read = reader_of()
    assert refusal(read) == "key store has no password. The user must run: mailmcp password work"
    store.write(secret_key(BARE), SECRET)
    assert read() == SECRET
    keyring.set_keyring(Locked())
    assert "can't be used (KeyringLocked). Is it unlocked?" in refusal(read)
