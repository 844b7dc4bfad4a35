from pathlib import Path

import pytest

from mailmcp.settings.problems import SettingsError, Where
from mailmcp.settings.toml_file import TomlFile, find_line, read_toml


def read_fault(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        read_toml(path)
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
    file = read_toml(path)
    assert file.data == {"a": 1, "b": {"c": 2}}
    assert find_line(file.text, ("b", "c")) == 3


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a = 1\npassword = hunter2", ", line 2, column 12: this is not a TOML value; a string needs quotes"),
        ("password = 'hunter2'\npassword = 'b'", "line 2, column 15: a key is set twice"),
        ("[a]\n[a]", "line 2, column 3: a table is opened twice; each account starts with [[accounts]]"),
        ('password = "hunter2', ", line 1, column 20: a string is not closed, or contains"),
        ('password = "hunter2\n', "a string is not closed, or contains a control character"),
        ('password = """hunter2\n', ", end of document: a string is not closed"),
        ("password = 'hunter2\n", "a string is not closed"),
        ("password = '''hunter2\n", "a string is not closed"),
        ('password = "hunter\\2"', "double the backslash, or put the string in single quotes"),
        ('a = ["hunter2"', "an array is not closed"),
        ("a = {b = 'hunter2'", "an inline table is not closed"),
        ("a = {b = 'hunter2', b = 1}", "a key is set twice"),
        ("password 'hunter2'", "a key must be followed by ="),
        ("password = 'hunter2' x", "nothing can follow the value on its line"),
        ("= 'hunter2'", "this is not a key, a table or a comment"),
        ("a = 'hunter2'\na.hunter2 = 1", "line 2"),
        ("hunter2\x01 = 1", "line 1"),
    ],
)
def test_a_syntax_error_has_a_position_and_plain_words(tmp_path: Path, content: str, expected: str) -> None:
    fault = read_fault(tmp_path / "config.toml", content.encode())
    assert expected in fault
    assert "hunter2" not in fault


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    assert read_fault(tmp_path / "config.toml", b"a = '\xff'") == ": is not UTF-8 text"


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    assert "nested too deeply" in read_fault(tmp_path / "config.toml", b"a = " + b"[" * 100_000)


def test_the_error_for_a_missing_file_names_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_toml(tmp_path / "none.toml")
    assert str(caught.value) == f"{tmp_path / 'none.toml'}: can't be read: No such file or directory"


def test_an_optional_file_may_be_missing_but_not_unreadable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert read_toml(tmp_path / "none.toml", optional=True) == TomlFile()
    assert read_toml(tmp_path / "file" / "config.toml", optional=True) == TomlFile()
    with pytest.raises(SettingsError):
        read_toml(tmp_path, optional=True)


def test_a_line_is_the_one_on_which_the_statement_starts() -> None:
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
    lines: dict[Where, int | None] = {
        ("top",): 2,
        ("top", "inner"): 2,
        ("server",): 4,
        ("server", "text"): 5,
        ("server", "list"): 8,
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
    assert {where: find_line(text, where) for where in lines} == lines


def test_a_missing_key_has_the_line_of_its_table() -> None:
    text = "[server]\n[[accounts]]\n[[accounts]]\nuser = 1"
    assert find_line(text, ("accounts", 1, "host")) == 3
    assert find_line(text, ("server", "text", 0)) == 1
    assert find_line(text, ("mail",)) is None


def test_a_file_does_not_show_what_it_contains() -> None:
    assert "hunter2" not in repr(TomlFile(text="hunter2", data={"password": "hunter2"}))
