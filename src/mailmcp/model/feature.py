"""The features of IMAP servers that are not taken on trust: each can be probed, and has a verdict."""

from enum import StrEnum


class Feature(StrEnum):
    """What a server may get wrong in a search, by its keyword."""

    ALL = "ALL"
    """Strato finds no message at all."""

    VIEW = "VIEW"
    """No keyword: whether all messages are shown. Yahoo shows some of a large mailbox alone."""

    ESEARCH = "ESEARCH"
    """Proton Bridge and Purelymail mislabel its answers, or give none."""

    SORT = "SORT"
    CHARSET = "CHARSET"
    """Text beyond ASCII: Exchange refuses to search for it, Coremail finds nothing."""

    TEXT = "TEXT"
    BODY = "BODY"
    NOT = "NOT"
    FLAGS = "FLAGS"
    """No keyword of SEARCH: UNSEEN, FLAGGED, (UN)ANSWERED and KEYWORD together."""

    FROM = "FROM"
    TO = "TO"
    CC = "CC"
    SUBJECT = "SUBJECT"
    """Strato finds nothing by it; iCloud by none of the string keys, at times."""

    LIST_RETURN = "LIST RETURN"
    """No search: the options of LIST, for SPECIAL-USE and LIST-STATUS (RFC 5258)."""

    IDS = "ids"
    """No search: the server's own ids of messages and conversations (OBJECTID, X-GM-EXT-1)."""

    HEADER = "HEADER"
    LARGER = "LARGER"
    """The size keys of iCloud are wrong."""

    SMALLER = "SMALLER"
    SINCE = "SINCE"
    BEFORE = "BEFORE"
