"""Message ids as models send them: an id that a tool handed out, or another name of the same message."""

import re

from mailmcp.model.message_ref import MessageRef, parse_ref
from mailmcp.model.resource_uri import parse_resource_uri
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError, NextAction

_ARGUMENT = "message_id"
_AROUND = " \t`'\"<>“”"
_HEADER = re.compile(r"(?!imap:)[!#-;=?A-_a-~]{1,250}@[!#-;=?A-_a-~]{1,250}")
"""A Message-ID without its angle brackets, as far as it can be nothing else: printable ASCII with one @."""


def is_message_id(text: str) -> bool:
    """Whether a text is an id, or the URI of a message."""
    return _read(text) is not None


def is_header_id(text: str) -> bool:
    """Whether a text is a Message-ID: one word of printable ASCII, without its angle brackets."""
    return _HEADER.fullmatch(text) is not None


def parse_message_id(text: str) -> MessageRef:
    """Read an id, or the URI of the message or of something in it; quotes around it do not matter.

    Raises:
        InvalidInputError: With reason `malformed_id`, of the argument `message_id`.
    """
    ref = _read(text)
    if ref is not None:
        return ref
    bare = text.strip(_AROUND)
    if is_header_id(bare):
        found_by = {"header_message_id": bare, "account_id": "*", "mailbox": "*"}
        raise InvalidInputError.of(
            _ARGUMENT,
            Reason.MALFORMED_ID,
            "is a Message-ID header, not a message_id. Search for it by header_message_id.",
            next_action=NextAction(
                instruction="Search for it.", tool="imap_search_messages", arguments=found_by
            ),
        )
    raise InvalidInputError.of(
        _ARGUMENT,
        Reason.MALFORMED_ID,
        "is not a message id. Send a message_id as imap_search_messages returns it, "
        "of the form imap:{account_id}:{mailbox}:{uidvalidity}:{uid}.",
    )


def _read(text: str) -> MessageRef | None:
    bare = text.strip(_AROUND)
    if bare.startswith("imap://"):
        try:
            return parse_resource_uri(bare).ref
        except InvalidInputError:
            return None
    return parse_ref(bare)
