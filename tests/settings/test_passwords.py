import copy
import dataclasses
import os
import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from mailmcp.imap.account import Account, Password
from mailmcp.reasons import Reason
from mailmcp.settings.password_command import end_password_commands
from mailmcp.settings.passwords import (
    PASSWORD_OCTETS_MAX,
    PasswordSource,
    command_password,
    file_password,
    fixed_password,
    variable_password,
)
from mcp_envelope import AuthFailedError

SECRET = "hunter2"

posix_only = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell and FIFOs")


def command(program: str, *, timeout_s: float = 30.0, **environ: str) -> PasswordSource:
    """Run a line of Python as the command."""
    return command_password(
        (sys.executable, "-c", program, SECRET), {**os.environ, **environ}, timeout_s=timeout_s
    )


def refusal(read: Callable[[], str]) -> str:
    """Fail to read a password; the error contains no secret."""
    with pytest.raises(AuthFailedError) as caught:
        read()
    error = caught.value
    assert error.reason is Reason.PASSWORD_UNAVAILABLE
    assert not error.retryable
    assert error.__context__ is None
    assert SECRET not in f"{error!r} {error.details}"
    return error.message


SOURCES: list[PasswordSource] = [
    fixed_password(SecretStr(SECRET)),
    variable_password("NAME", {"NAME": SECRET}),
    file_password(Path("password")),
    command_password(("program", SECRET), {"NAME": SECRET}),
]


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_no_source_shows_its_password_or_can_be_pickled(source: PasswordSource) -> None:
    account = Account(account_id="a", host="h", port=1, user="u", credentials=Password(source))
    for thing in (source, account, dataclasses.asdict(account), copy.deepcopy(account), [source]):
        assert SECRET not in f"{thing} {thing!r}"
    assert copy.copy(source) is source
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(account)


def test_a_source_is_named_in_its_repr() -> None:
    assert [repr(source) for source in SOURCES] == [
        "<password in the settings>",
        "<environment variable NAME>",
        "<password file password>",
        "<password command program>",
    ]


def test_a_fixed_password_is_read() -> None:
    assert fixed_password(SecretStr(SECRET))() == SECRET


def test_a_variable_is_read_at_each_login() -> None:
    environ: dict[str, str] = {}
    source = variable_password("NAME", environ)
    assert "environment variable NAME is not set" in refusal(source)
    environ["NAME"] = SECRET
    assert source() == SECRET


@pytest.mark.parametrize("value", ["", SECRET + "\n", SECRET + "\r", SECRET + "\0", SECRET + "\udcff"])
def test_a_variable_without_a_usable_password_is_refused(value: str) -> None:
    assert "environment variable NAME" in refusal(variable_password("NAME", {"NAME": value}))


@pytest.mark.parametrize(
    ("content", "password"),
    [
        (b"hunter2", "hunter2"),
        (b"hunter2\n", "hunter2"),
        (b"hunter2\r\n", "hunter2"),
        (b" hunter2 \n", " hunter2 "),
        (b"\xef\xbb\xbfhunter2\r\n", "hunter2"),
        ("pässwörd".encode(), "pässwörd"),
    ],
)
def test_a_password_file_is_read_without_its_last_line_break(
    tmp_path: Path, content: bytes, password: str
) -> None:
    path = tmp_path / "password"
    path.write_bytes(content)
    assert file_password(path)() == password


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "returned no password"),
        (b"\n", "returned no password"),
        (b"hunter2\n\n", "more than one line"),
        (b"hunter2\nuser: ann\n", "more than one line"),
        (b"hunter2\0", "NUL"),
        (b"hunter2\xff", "returned text that is not UTF-8"),
        (b"hunter2" * PASSWORD_OCTETS_MAX, "is too large"),
    ],
)
def test_a_password_file_without_a_usable_password_is_refused(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    path = tmp_path / "password"
    path.write_bytes(content)
    message = refusal(file_password(path))
    assert expected in message
    assert str(path) in message


@posix_only
@pytest.mark.parametrize("kind", ["FIFO", "folder", "device"])
def test_a_password_file_that_is_not_a_regular_file_is_refused_unopened(tmp_path: Path, kind: str) -> None:
    """Opening a FIFO that nobody writes to would block for ever."""
    path = Path("/dev/zero") if kind == "device" else tmp_path / "password"
    if kind == "FIFO":
        os.mkfifo(path)
    if kind == "folder":
        path.mkdir()
    assert "is not a regular file" in refusal(file_password(path))


def test_the_error_for_a_missing_password_file_names_it(tmp_path: Path) -> None:
    message = refusal(file_password(tmp_path / "none"))
    assert f"password file {tmp_path / 'none'} can't be read: No such file" in message


@pytest.mark.parametrize(
    "program",
    [
        "print('hunter2')",
        "print('hunter2', end='')",
        "import sys; sys.stdout.buffer.write(b'hunter2\\r\\nuser: ann\\r\\n')",
        "import sys; print('loud', file=sys.stderr); print('hunter2')",
        "import os; print(os.environ['NAME'])",
        "import sys; print(sys.stdin.read() + 'hunter2')",
        "import sys; print(sys.argv[1])",
    ],
)
def test_the_first_line_a_command_prints_is_the_password(
    program: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command(program, NAME=SECRET)() == SECRET
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("", "returned no password"),
        ("print(); print('hunter2')", "returned no password"),
        ("print('hunter2'); raise SystemExit(3)", "failed with status 3"),
        ("import sys; print('hunter2', file=sys.stderr); sys.exit(1)", "failed with status 1"),
        ("import sys; sys.stdout.buffer.write(b'hunter2\\xff')", "returned text that is not UTF-8"),
        ("print('hunter2\\0')", "NUL"),
    ],
)
def test_the_error_for_a_command_without_a_password_names_only_the_program(
    program: str, expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    message = refusal(command(program))
    assert expected in message
    assert f"password command {sys.executable}" in message
    assert capfd.readouterr() == ("", "")


def test_a_command_that_does_not_exist_is_refused() -> None:
    message = refusal(command_password(("mailmcp-no-such-program", SECRET), {"PATH": os.defpath}))
    assert "password command mailmcp-no-such-program can't be started" in message


def test_a_command_runs_without_a_shell() -> None:
    source = command_password((sys.executable, "-c", "import sys; print(sys.argv[1])", "$NAME | ~ ;"), {})
    assert source() == "$NAME | ~ ;"


def test_a_command_that_does_not_end_is_killed() -> None:
    source = command("import time; print('hunter2', flush=True); time.sleep(60)", timeout_s=0.5)
    assert "didn't end within 0.5 s" in refusal(source)


@posix_only
def test_what_a_command_started_is_killed_with_it(tmp_path: Path) -> None:
    """The end of the FIFO is read when nobody holds it open for writing any more."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(fifo.read_bytes()), daemon=True)
    reader.start()
    source = command_password(
        ("/bin/sh", "-c", f'exec 3>"{fifo}"; echo started >&3; sleep 60 & wait'),
        os.environ,
        timeout_s=2,
    )
    assert "didn't end within 2 s" in refusal(source)
    reader.join(timeout=30)
    assert seen == [b"started\n"]


@posix_only
def test_a_process_that_a_command_leaves_behind_does_not_delay_the_password(tmp_path: Path) -> None:
    """A program in the background that holds the output open, until it can read its FIFO."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    source = command_password(("/bin/sh", "-c", f'cat "{fifo}" & echo hunter2'), os.environ, timeout_s=20)
    assert source() == SECRET
    fifo.write_bytes(b"")


@posix_only
def test_commands_that_still_run_can_be_ended(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    source = command_password(("/bin/sh", "-c", f'exec 3>"{fifo}"; sleep 60 & wait'), os.environ)
    told: list[str] = []
    asking = threading.Thread(target=lambda: told.append(refusal(source)), daemon=True)
    asking.start()
    with fifo.open("rb") as reading:
        end_password_commands()
        assert reading.read() == b""
    asking.join(timeout=30)
    assert "failed with status -9" in told[0]
