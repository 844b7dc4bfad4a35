"""Messages to search for and to read, as octets."""

from email.message import EmailMessage
from email.policy import SMTP


def make_letter(
    subject: str = "Subject",
    text: str = "Text\n",
    *,
    sender: str = "Ann Example <ann@example.org>",
    to: str = "Bob Example <bob@example.org>",
    date: str = "Mon, 01 Jan 2024 12:00:00 +0000",
    html: str = "",
) -> EmailMessage:
    """Make a message, to be attached to or written as octets."""
    message = EmailMessage(policy=SMTP)
    message["Date"] = date
    message["From"] = sender
    message["To"] = to
    message["Subject"] = subject
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    return message


def make_numbered(*numbers: int) -> list[bytes]:
    """Make a short message for each number, which its subject names."""
    return [make_letter(f"Message {number}", f"Text of message {number}.\n").as_bytes() for number in numbers]


def crlf(text: str, charset: str = "ascii") -> bytes:
    """Write a message as it stands, with CRLF line ends."""
    return text.replace("\n", "\r\n").encode(charset)
