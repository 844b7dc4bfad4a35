"""What the owner sent, and the readings of the school station."""

from datetime import datetime
from email import message_from_bytes
from email.policy import default

from mailmcp.demo.sample.outgoing import make_outgoing
from mailmcp.demo.sample.people import OWNER


def test_sent_mail_is_from_the_owner_and_read(now: datetime) -> None:
    sent = [placed.message for placed in make_outgoing(now) if placed.mailbox == "Sent"]
    assert len(sent) >= 10
    for message in sent:
        assert message_from_bytes(message.octets, policy=default)["From"].addresses == (OWNER,)
        assert message.flags == ("\\Seen",)


def test_readings_agree_with_their_table(now: datetime) -> None:
    readings = [placed.message for placed in make_outgoing(now) if placed.mailbox == "Projects/Grün"]
    assert len(readings) == 4
    for reading in readings:
        message = message_from_bytes(reading.octets, policy=default)
        body = message.get_body(("plain",))
        assert body is not None
        (table,) = message.iter_attachments()
        rows = [line.split(",") for line in table.get_content().split("\n")[1:] if line.strip()]
        assert len(rows) == 7
        assert f"Niederschlag: {sum(int(row[2]) for row in rows)} mm" in body.get_content()
