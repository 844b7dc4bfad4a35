"""How much of a mailbox a server shows, within a steps: all that EXISTS says, or some of it.

Limits are of large mailboxes: Yahoo's of 10,000 messages. So one that is no larger than one that
is shown whole is taken to be whole, too, until the account is found to hide messages.
"""

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.quirks import Quirks, Visibility
from mailmcp.imap.search.response import COUNT_ALL, parse_count
from mailmcp.imap.session import Session, quoted_mailbox
from mailmcp.model.feature import Feature


def looks_short(session: Session, name: str, exists: int, *, extended: bool) -> Steps[bool]:
    """Whether all messages should be searched for, to see how many there are to be found.

    Args:
        session: For what is known of the server.
        name: The mailbox that the steps is about.
        exists: Messages in it by the server's word.
        extended: Whether ESEARCH works: they are counted then, which costs a round trip.
    """
    if not exists or not _is_open_question(session.quirks, name, exists):
        return False
    if not extended:
        return True
    responses = yield [COUNT_ALL]
    [reply] = responses.replies
    if isinstance(reply, RefusedError):
        return False
    shown = parse_count(reply.untagged.get("ESEARCH", ()), tag=reply.tag)
    if shown is None:
        return True
    view = Visibility(shown=shown, exists=responses.mailbox.exists)
    if not view.limited:
        session.quirks.learn_visibility(name, view)
    return view.limited


def _is_open_question(quirks: Quirks, name: str, exists: int) -> bool:
    if not quirks.trusts(Feature.ALL):
        return False
    view = quirks.visibility.get(name)
    if view is None:
        return exists > quirks.whole_up_to or not quirks.trusts(Feature.VIEW)
    return view.limited and (view.exists != exists or quirks.trusts(Feature.VIEW))


def look_again(session: Session, name: str, *, shown: int) -> Steps[Visibility]:
    """Open a mailbox again that showed fewer messages than it had, and remember the view.

    One round trip: messages may have gone since it was opened.
    """
    responses = yield [Command(name="EXAMINE", arguments=[quoted_mailbox(session.quirks, name)])]
    view = Visibility(shown=shown, exists=responses.mailbox.exists)
    session.quirks.learn_visibility(name, view)
    return view
