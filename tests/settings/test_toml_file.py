import os
from pathlib import Path

import pytest

from mailmcp.settings.problems import Problem, SettingsError
from mailmcp.settings.toml_file import Document, map_lines, read_document

posix_only = pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")


def read_fault(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        read_document(path)
    assert caught.value.__context__ is None
    (line,) = caught.value.lines
    assert line.startswith(str(path))
    return line.removeprefix(str(path))


@pytest.mark.parametrize(
    "content", [b"a = 1\r\n[b]\r\nc = 2", b"\xef\xbb\xbfa = 1\n[b]\nc = 2\n"], ids=["CRLF", "BOM"]
)
def test_files_of_windows_editors_are_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    document = read_document(path)
    assert document.data == {"a": 1, "b": {"c": 2}}
    assert document.lines == {("a",): 1, ("b",): 2, ("b", "c"): 3}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a = 1\npassword = hunter2", ", line 2, column 12: this is not a TOML value; a string needs quotes"),
        ("password = 'hunter2'\npassword = 'b'", "line 2, column 15: a key is given twice"),
        ("[a]\n[a]", "line 2, column 3: a table is given twice; each account starts with [[accounts]]"),
        ('password = "hunter2', ", line 1, column 20: a string is not closed, or it holds"),
        ('password = "hunter2\n', "a string is not closed, or it holds a control character"),
        ('password = """hunter2\n', ", end of document: a string is not closed"),
        ("password = 'hunter2\n", "a string is not closed"),
        ("password = '''hunter2\n", "a string is not closed"),
        ('password = "hunter\\2"', "a backslash must be doubled, or the string put in single quotes"),
        ('a = ["hunter2"', "an array is not closed"),
        ("a = {b = 'hunter2'", "an inline table is not closed"),
        ("a = {b = 'hunter2', b = 1}", "a key is given twice"),
        ("password 'hunter2'", "a key must be followed by ="),
        ("password = 'hunter2' x", "there is more after the end of the value"),
        ("= 'hunter2'", "this is neither a key, nor a table, nor a comment"),
        ("a = 'hunter2'\na.hunter2 = 1", "line 2"),
        ("hunter2\x01 = 1", "line 1"),
    ],
)
def test_a_syntax_error_is_told_by_place_and_in_plain_words(tmp_path: Path, content: str, told: str) -> None:
    fault = read_fault(tmp_path / "config.toml", content.encode())
    assert told in fault
    assert "hunter2" not in fault


def test_a_file_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    assert read_fault(tmp_path / "config.toml", b"a = '\xff'") == ": is not UTF-8 text"


def test_a_bottomless_file_is_told(tmp_path: Path) -> None:
    assert "is not" in read_fault(tmp_path / "config.toml", b"a = " + b"[" * 100_000)


def test_a_missing_file_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_document(tmp_path / "none.toml")
    assert str(caught.value) == f"{tmp_path / 'none.toml'}: cannot be read: No such file or directory"


def test_an_optional_file_may_be_missing_but_not_unreadable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert read_document(tmp_path / "none.toml", optional=True) == Document()
    assert read_document(tmp_path / "file" / "config.toml", optional=True) == Document()
    with pytest.raises(SettingsError):
        read_document(tmp_path, optional=True)


def test_lines_are_those_on_which_statements_start() -> None:
    text = '''# comment
top.inner = 1

[server]  # comment
text = """
[[accounts]]
"""
list = [
  "a", # [[accounts]]
  { b = 1 },
]
[[accounts]]
"account_id" = 'a'
[accounts.sub.deep]
x = 1
[[accounts]]
account_id = 'b'
[[accounts.list]]
[[accounts.list]]
y = 1
'''
    assert map_lines(text) == {
        ("top",): 2,
        ("top", "inner"): 2,
        ("server",): 4,
        ("server", "text"): 5,
        ("server", "list"): 8,
        ("server", "list", 0): 8,
        ("server", "list", 1): 8,
        ("server", "list", 1, "b"): 8,
        ("accounts", 0): 12,
        ("accounts", 0, "account_id"): 13,
        ("accounts", 0, "sub", "deep"): 14,
        ("accounts", 0, "sub", "deep", "x"): 15,
        ("accounts", 1): 16,
        ("accounts", 1, "account_id"): 17,
        ("accounts", 1, "list", 0): 18,
        ("accounts", 1, "list", 1): 19,
        ("accounts", 1, "list", 1, "y"): 20,
    }


def test_a_missing_key_gets_the_line_of_its_table(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    document = Document(path=path, lines={("accounts", 0): 7})
    told = document.locate(Problem(where=("accounts", 0, "host"), message="is missing"))
    assert told == f"{path}, line 7: accounts[1].host: is missing"
    assert document.locate(Problem(where=("x",), message="is wrong")) == f"{path}: x: is wrong"


@posix_only
@pytest.mark.parametrize(
    ("mode", "exposed"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True), (0o622, False)]
)
def test_a_file_is_exposed_if_others_may_read_it(
    tmp_path: Path,
    mode: int,
    exposed: bool,  # noqa: FBT001 - a column of the table
) -> None:
    path = tmp_path / "config.toml"
    path.touch()
    path.chmod(mode)
    assert Document(path=path).is_exposed() is exposed


def test_no_file_is_not_exposed() -> None:
    assert not Document().is_exposed()


def test_a_document_does_not_show_what_it_holds() -> None:
    assert "hunter2" not in repr(Document(data={"password": "hunter2"}))
