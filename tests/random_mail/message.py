"""Random messages: MIME trees of everything that mail holds, then broken at random."""

import base64
import quopri
from random import Random


def _words(*lines: str) -> tuple[str, ...]:
    return tuple(" ".join(lines).split(" "))


_WORDS = _words(
    "berth quay crane Grüße café naïve Привет договор 会議 明日 您好 안녕 שלום مرحبا 🚢 = => -- > >> \x00",
    "\u200b \u202e \ufeff \u2066 begin 644 =?utf-8?Q?=C3?= http://x.example <b> &amp; {color:red} | ` [",
)
_CHARSETS = _words(
    "utf-8 us-ascii iso-8859-1 windows-1252 koi8-r gb2312 gb18030 big5 shift_jis iso-2022-jp",
    "euc-kr utf-7 utf-16 x-unknown cp-850 ansi_x3.110 idna '' hz unicode-escape",
)
_CODECS = _words(
    "utf-8 latin-1 cp1252 koi8-r gb18030 big5 cp932 iso2022_jp euc-kr utf-7 utf-16 cp850",
)
_MULTIPARTS = _words(
    "mixed alternative related signed report digest parallel appledouble encrypted x-new",
)
_ENCODINGS = ("7bit", "8bit", "base64", "quoted-printable", "x-uuencode", "binary", "rot13", "")
_LINE_ENDS = (b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r")
_HOSTILE_EVERY = 40
_NESTING_MAX = 5


def make_message(random: Random) -> bytes:
    """Make one message of 0 to about 400,000 octets; the same for the same state of `random`."""
    if random.randrange(_HOSTILE_EVERY) == 0:
        return _mutate(random, random.choice(_BOMBS)(random))
    octets = _headers(random) + _entity(random, 0)
    line_end = random.choice(_LINE_ENDS)
    if line_end != b"\r\n":
        octets = octets.replace(b"\r\n", line_end)
    return _mutate(random, octets) if random.random() < 0.6 else octets


def _headers(random: Random) -> bytes:
    lines = [
        f"From: {_name(random)} <ada@harbour.example>",
        f"Subject: {_name(random)}",
        f"Date: {random.choice(('Thu, 5 Nov 2026 09:30:00 +0100', 'yesterday', ''))}",
        f"X-{_text(random, 1)}: {_text(random, 20)}",
    ]
    random.shuffle(lines)
    return "".join(f"{line}\r\n" for line in lines).encode(
        random.choice(("utf-8", "utf-16", "utf-8")), "replace"
    )


def _name(random: Random) -> str:
    text = _text(random, random.randrange(8)).replace("\n", " ")
    codec = random.choice(_CODECS)
    octets = text.encode(codec, "replace")
    match random.randrange(4):
        case 0:
            return text
        case 1:
            return f"=?{random.choice(_CHARSETS)}?B?{base64.b64encode(octets).decode()}?="
        case 2:
            quoted = quopri.encodestring(octets, header=True).decode("ascii").replace("=\n", "")
            return f"=?{codec}?q?{quoted}" + random.choice(("?=", "", "?"))
        case _:
            return f'"{text}" (comment {text}'


def _entity(random: Random, depth: int) -> bytes:
    """Make the content fields and the content of a message or a part."""
    if depth < _NESTING_MAX and random.random() < 0.55 - depth * 0.08:
        return _multipart(random, depth)
    return random.choice(_LEAVES)(random)


def _multipart(random: Random, depth: int) -> bytes:
    boundary = random.choice(("b", "bb", f"=_{random.randrange(10)}", "--", "a b"))
    declared = random.choice((boundary, boundary, boundary, boundary + "x", ""))
    kind = random.choice(_MULTIPARTS)
    delimiter = f"--{boundary}\r\n".encode()
    parts = b"".join(delimiter + _part(random, depth) + b"\r\n" for _ in range(random.randrange(5)))
    end = f"--{boundary}--\r\n".encode() if random.random() < 0.8 else b""
    params = f'; boundary="{declared}"; protocol="application/pgp-signature"; report-type=delivery-status'
    return f"Content-Type: multipart/{kind}{params}\r\n\r\n".encode() + b"preamble\r\n" + parts + end


def _part(random: Random, depth: int) -> bytes:
    disposition = random.choice(("", "", "inline", "attachment", "x"))
    name = random.choice(
        (f'filename="{_name(random)}"', "filename*0*=utf-8''%E2%82; filename*2=c", "filename=na%C3%AFve", "")
    )
    field = f"Content-Disposition: {disposition}; {name}\r\n" if disposition else ""
    return field.replace("\x00", "").encode("utf-8", "replace") + _entity(random, depth + 1)


def _leaf(random: Random, content_type: str, content: bytes) -> bytes:
    encoding = random.choice(_ENCODINGS)
    if encoding == "base64" and random.random() < 0.9:
        content = base64.encodebytes(content).replace(b"\n", b"\r\n")
    elif encoding == "quoted-printable" and random.random() < 0.9:
        content = quopri.encodestring(content)
    head = f"Content-Type: {content_type}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    return head.encode("utf-8", "replace") + content


def _plain(random: Random) -> bytes:
    flowed = random.choice(("", "; format=flowed", "; format=flowed; delsp=yes"))
    content = _text(random, random.randrange(400)).encode(random.choice(_CODECS), "replace")
    return _leaf(random, f'text/plain; charset="{random.choice(_CHARSETS)}"{flowed}', content)


def _html(random: Random) -> bytes:
    tags = _words(
        "<p> <div style='display:none'> </div> <b> <table> <tr> <td> <style> </style> <a href='x'>",
        "<!-- <br>",
    )
    text = " ".join(
        random.choice((random.choice(tags), _text(random, 3))) for _ in range(random.randrange(120))
    )
    kind = random.choice(("text/html", "text/html", "text/plain"))
    return _leaf(
        random, f"{kind}; charset={random.choice(_CHARSETS)}", b"<html>" + text.encode("utf-8", "replace")
    )


def _calendar(random: Random) -> bytes:
    names = _words(
        "BEGIN:VEVENT END:VEVENT BEGIN:VTIMEZONE END:VTIMEZONE BEGIN:VALARM BEGIN:VCALENDAR",
        "METHOD:REQUEST DTSTART;TZID=Europe/Berlin:20261106T090000 DTEND:20261106T100000Z",
        "DTSTART:99999999 DURATION:PT1H DURATION:P9999W RRULE:FREQ=WEEKLY;BYDAY=MO",
        "RRULE:FREQ=SECONDLY SEQUENCE:1 DTEND;VALUE=DATE:20261107",
        'ATTENDEE;CN="a;PARTSTAT=X:mailto:b@x SUMMARY:\\n\\,x ORGANIZER;CN=a:MAILTO:c@x',
        "STATUS:CANCELLED",
    )
    lines = [
        random.choice((random.choice(names), " folded", f"SUMMARY:{_text(random, 5)}")) for _ in range(60)
    ]
    text = "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines[: random.randrange(60)]])
    return _leaf(random, "text/calendar; method=request", text.encode("utf-8", "replace"))


def _report(random: Random) -> bytes:
    names = _words(
        "Final-Recipient:rfc822;a@b Action:failed Status:5.1.1 Diagnostic-Code:smtp;550",
        "Disposition:x;y",
    )
    lines = [random.choice((*names, "", "", _text(random, 3))) for _ in range(random.randrange(40))]
    kind = random.choice(("delivery-status", "disposition-notification", "rfc822-headers"))
    return _leaf(random, f"message/{kind}", "\r\n".join(lines).encode("utf-8", "replace"))


def _message(random: Random) -> bytes:
    return b"Content-Type: message/rfc822\r\n\r\n" + _headers(random) + _entity(random, _NESTING_MAX - 2)


def _armour(random: Random) -> bytes:
    lines = (
        "-----BEGIN PGP SIGNED MESSAGE-----",
        "Hash: SHA1",
        "",
        "- dash",
        "-----BEGIN PGP SIGNATURE-----",
        "-----END PGP SIGNATURE-----",
        "-----BEGIN PGP MESSAGE-----",
        "-----END PGP MESSAGE-----",
        "begin 644 a.txt",
        "#0V%T",
        "`",
        "end",
    )
    chosen = [random.choice((*lines, _text(random, 4))) for _ in range(random.randrange(30))]
    return _leaf(random, "text/plain", "\r\n".join(chosen).encode("utf-8", "replace"))


def _binary(random: Random) -> bytes:
    kind = random.choice(
        ("application/pdf", "image/png", "application/pkcs7-mime; smime-type=signed-data", "x", "")
    )
    return _leaf(random, kind, random.randbytes(random.randrange(2_000)))


def _text(random: Random, words: int) -> str:
    return "".join(random.choice(_WORDS) + random.choice((" ", " ", " ", "\r\n")) for _ in range(words))


def _mutate(random: Random, octets: bytes) -> bytes:
    for _ in range(random.randrange(1, 8)):
        at = random.randrange(len(octets) + 1)
        length = random.choice((1, 2, 8, 60, 400))
        match random.randrange(5):
            case 0:
                octets = octets[:at] + octets[at + length :]
            case 1:
                octets = octets[:at] + random.randbytes(length) + octets[at:]
            case 2:
                octets = octets[:at] + octets[at : at + length] * random.randrange(4) + octets[at + length :]
            case 3:
                octets = (
                    octets[:at] + random.choice((b"\r\n\r\n", b"\0", b"--b", b"=?", b"\n ")) + octets[at:]
                )
            case _:
                octets = (
                    octets[:at]
                    + bytes(octet ^ 0x20 for octet in octets[at : at + length])
                    + octets[at + length :]
                )
    return octets


def _deep(random: Random) -> bytes:
    nested = (
        b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (i, i)
        for i in range(random.randrange(20, 300))
    )
    return b"".join(nested) + b"\r\nbottom"


def _deep_messages(random: Random) -> bytes:
    return b"Content-Type: message/rfc822\r\n\r\n" * random.randrange(20, 2_000) + b"bottom"


def _many(random: Random) -> bytes:
    one = random.choice((b"--b\r\n\r\nx\r\n", b"--b\r\nContent-Type: a/b\r\n\r\n", b"--b\r\n"))
    return b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + one * random.randrange(400, 8_000)


def _long(random: Random) -> bytes:
    unit = random.choice(
        (b"=?utf-8?q?a?= ", b"<a@b>,", b"a: b\r\n", b"(", b'"', b"\xff", b"=\r\n", b"> ", b"begin 644 x\n")
    )
    field = random.choice((b"Subject: ", b"From: ", b"Content-Type: text/plain; a=", b"", b"\r\n"))
    return field + unit * (random.randrange(10_000, 200_000) // len(unit))


def _calendar_bomb(random: Random) -> bytes:
    unit = random.choice(
        (
            b"BEGIN:VEVENT\r\n",
            b"ATTENDEE:mailto:a@b\r\n",
            b"SUMMARY:\\n\\n\r\n ",
            b'X;A="',
            b"\r\n ",
            b"BEGIN:X\r\n",
        )
    )
    head = b"Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"
    return head + unit * (300_000 // len(unit))


_LEAVES = (_plain, _plain, _html, _calendar, _report, _message, _armour, _binary)
_BOMBS = (_deep, _deep_messages, _many, _long, _long, _calendar_bomb)
