import pytest

from mailmcp.mail.charset.decode import guess_charset
from steps import count_steps


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("您好 会议改到明天下午三点。", "gb18030"),
        ("测试邮件", "gb18030"),
        ("您好 會議改到明天下午三點。", "big5"),
        ("お世話になっております。会議は明日です。", "shift_jis"),
        ("お世話になっております。会議は明日です。", "euc-jp"),
        ("안녕하세요. 회의는 내일 오후입니다.", "euc-kr"),
        ("Добрый день! Высылаю вам договор.", "koi8-r"),
        ("Привет, завтра встреча в 10 часов.", "windows-1251"),
        ("Καλημέρα σας, η συνάντηση είναι αύριο", "iso-8859-7"),
        ("שלום, הפגישה תהיה מחר בשעה עשר", "windows-1255"),
        ("مرحبا، الاجتماع غدا في الساعة العاشرة", "windows-1256"),
        ("สวัสดีครับ ประชุมพรุ่งนี้", "tis-620"),
        ("Zażółć gęślą jaźń, proszę państwa", "iso-8859-2"),
    ],
)
def test_other_scripts_differ(text: str, charset: str) -> None:
    octets = b"Long ASCII text before it. " * 1_000 + text.encode(charset)
    assert octets.decode(guess_charset(octets)).endswith(text)


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"plain",
        "Müller".encode("latin-1"),
        "Der Müller wohnt in der Straße für Gäste.".encode("cp1252"),
        "L\u2019été à la plage — très agréable, déjà".encode("cp1252"),
        "Счёт".encode("koi8-r"),
    ],
)
def test_where_it_is_not_sure_there_is_no_guess(octets: bytes) -> None:
    assert guess_charset(octets) == ""


def test_long_texts_take_no_longer() -> None:
    def steps(repeated: int) -> int:
        return count_steps(lambda: guess_charset("Добрый день! ".encode("koi8-r") * repeated))

    steps(1)
    assert steps(100_000) == steps(10_000)
