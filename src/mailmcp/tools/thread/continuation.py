"""Messages that may continue a conversation in a new thread: they don't refer to it, but seem to go on."""

from collections.abc import Iterable, Sequence
from typing import Final

from mailmcp import limits
from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.kinds import is_of_kind
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.model.mail_kind import MailKind, WantedKind
from mailmcp.tools.copies import Folded
from mailmcp.tools.thread.member import Member

PERSONAL: Final = WantedKind(kind=MailKind.PERSONAL)


def find_continuations(members: Sequence[Member], others: Iterable[Member]) -> list[Member]:
    """Find the first messages after a conversation that may continue it, oldest first.

    They have its subject, were written after its last message, and two of its people at least take part. So
    that a notification which comes every day continues nothing, people must have sent them, and the
    conversation and the message together must have two senders.

    Args:
        members: The messages of the conversation.
        others: Messages of its account that are not part of it. Copies count once.
    """
    ended = max(each.place for each in members)
    subjects = {each.links.base_subject for each in members} - {""}
    people = frozenset[str]().union(*(each.links.people for each in members))
    senders = frozenset[str]().union(*(addresses_in(each.headers, "From") for each in members))
    found = Folded[str, Member]()
    for each in sorted(others, key=lambda other: other.place):
        fits = (
            each.place > ended
            and each.links.base_subject in subjects
            and len(each.links.people & people) >= 2
            and len(addresses_in(each.headers, "From") | senders) >= 2
            and not each.draft
            and is_of_kind(each.headers, parse_body_structure(each.row.body_structure).root, PERSONAL)
        )
        if fits:
            found.add(each.ref.mailbox, each, each.copy_keys)
    return [first for first, *_ in map(dict.values, found.messages)][: limits.CONTINUATIONS_MAX]
