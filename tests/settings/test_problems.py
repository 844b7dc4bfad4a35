import pytest

from mailmcp.settings.problems import SettingsError, Where, format_key, format_where, suggest


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        (("server",), "server"),
        (("server", "log_level"), "server.log_level"),
        (("accounts", 0), "accounts[1]"),
        (("accounts", 1, "port"), "accounts[2].port"),
        (("a b", "c"), '"a b".c'),
        ((), ""),
    ],
)
def test_a_path_is_written_as_toml_with_elements_counted_from_one(where: Where, shown: str) -> None:
    assert format_where(where) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("port", "port"),
        ("", '""'),
        ("a\nb", '"a\\nb"'),
        ("\x1b[31m", '"\\u001b[31m"'),
        ("\u202e", '"\\u202e"'),
        ("x" * 100, '"' + "x" * 64 + '"'),
    ],
)
def test_a_name_stays_on_one_line_and_cannot_steer_a_terminal(name: str, shown: str) -> None:
    assert format_key(name) == shown


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("prot", "did you mean port?"),
        ("Host", "did you mean host?"),
        ("zzz", "the known ones are port, host"),
    ],
)
def test_the_nearest_known_name_is_suggested(name: str, told: str) -> None:
    assert suggest(name, ["port", "host"]) == told


def test_an_error_prints_one_mistake_a_line() -> None:
    error = SettingsError(["first", "second"])
    assert error.lines == ("first", "second")
    assert str(error) == "first\nsecond"
