import pytest

from mailmcp.mail.mime.params import decode_parameters, parse_parameterised
from steps import assert_linear


@pytest.mark.parametrize(
    ("value", "main", "params"),
    [
        ("", "", {}),
        ("text/plain; charset=utf-8", "text/plain", {"charset": "utf-8"}),
        (r'a/b; name="a;b\"c"', "a/b", {"name": 'a;b"c'}),
        ('a/b; name="x"junk; y=1', "a/b", {"name": "x", "y": "1"}),
        ("a/b; name==?utf-8?Q?=C3=A9_x?=", "a/b", {"name": "é x"}),
        ('a/b; name="=?utf-8?Q?a=0D=0Ab?="', "a/b", {"name": "a  b"}),
    ],
)
def test_parameters_of_real_mail_are_read(value: str, main: str, params: dict[str, str]) -> None:
    assert parse_parameterised(value) == (main, params)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("filename*", "UTF-8''%E2%82%AC")], {"filename": "€"}),
        ([("filename*", "iso-8859-1'en'%A3")], {"filename": "£"}),
        ([("filename*0", "a"), ("filename*1", "b")], {"filename": "ab"}),
        ([("filename", "plain"), ("filename*", "utf-8''%C3%A9")], {"filename": "é"}),
        ([("filename*", "utf-8''bad%zz%")], {"filename": "bad%zz%"}),
        ([("filename", "na%C3%AFve%20x.pdf")], {"filename": "naïve x.pdf"}),
        ([("filename", "%20%E9.pdf")], {"filename": "%20%E9.pdf"}),
    ],
)
def test_rfc_2231_values_are_joined_and_decoded(
    pairs: list[tuple[str, str]], expected: dict[str, str]
) -> None:
    assert decode_parameters(pairs) == expected


def test_parameters_are_bounded_in_number() -> None:
    assert len(parse_parameterised("a/b; " + "; ".join(f"p{n}=1" for n in range(500)))[1]) == 100


@pytest.mark.parametrize("piece", [";", "; ", "a=", '"', '"\\', "a;", "a=;", "a*0*=x'';", " ", "\n", "\x1f"])
def test_time_is_linear(piece: str) -> None:
    def parse(size: int) -> None:
        assert parse_parameterised("a/b;" + piece * (size // len(piece)))[0] == "a/b"

    assert_linear(parse, large=1_000_000)
