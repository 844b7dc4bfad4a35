"""What the tools of mailmcp work with, made anew for each call from what the server keeps."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from mailmcp.documents.extractor import Extractor
from mailmcp.imap.pool import Pool
from mailmcp.imap.uid_cache import UidCache
from mailmcp.tools.message_id_cache import MessageIdCache
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.tool import Call as MailCall
from mcp_envelope.server.calls import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class MailCalls:
    """What lives for as long as the server runs, shared by all calls."""

    pool: Pool
    preferences: Preferences
    lean_rows: bool = False
    uid_cache: UidCache = field(default_factory=UidCache)
    extractor: Extractor = field(default_factory=Extractor)
    message_id_cache: MessageIdCache = field(default_factory=MessageIdCache)

    @contextmanager
    def open(self, call: Call) -> Iterator[MailCall]:
        """Make what one call works with; when it ends, count what it cost and note what it was about.

        The log has no part of a message. Of what the caller sent it has the mailboxes, which need not exist.
        """
        mail = MailCall(
            pool=self.pool,
            uid_cache=self.uid_cache,
            deadline=call.deadline,
            today=datetime.now(self.preferences.zone).date(),
            lean_rows=self.lean_rows,
            preferences=self.preferences,
            report=call.report,
            extractor=self.extractor,
            message_id_cache=self.message_id_cache,
        )
        try:
            yield mail
        finally:
            call.telemetry.update(mail.telemetry.counted())
            call.log_fields.update(
                account=mail.account_id,
                mailbox=mail.mailbox,
                imap_round_trips=mail.telemetry.imap_round_trips,
                bytes_received=mail.telemetry.bytes_received,
            )
