"""The features of IMAP servers that may be wrong: each gets a verdict, from a probe or from answers."""

from enum import StrEnum


class Feature(StrEnum):
    """What a server may get wrong, by its key or capability."""

    ALL = "ALL"
    """Strato finds no message at all."""

    VIEW = "VIEW"
    """Not a key: whether all messages are shown. Yahoo shows only some of a large mailbox."""

    ESEARCH = "ESEARCH"
    """Proton Bridge and Purelymail mislabel its responses, or send none."""

    SORT = "SORT"
    CHARSET = "CHARSET"
    """Non-ASCII text: Exchange refuses to search for it, Coremail finds nothing."""

    TEXT = "TEXT"
    BODY = "BODY"
    NOT = "NOT"
    FLAGS = "FLAGS"
    """Not one key: UNSEEN, FLAGGED, (UN)ANSWERED and KEYWORD together."""

    FROM = "FROM"
    TO = "TO"
    CC = "CC"
    SUBJECT = "SUBJECT"
    """Strato finds nothing by it; iCloud, at times, nothing by any string key."""

    LIST_RETURN = "LIST RETURN"
    """Not a search: the options of LIST, for SPECIAL-USE and LIST-STATUS (RFC 5258)."""

    IDS = "ids"
    """Not a search: the server's own ids of messages and conversations (OBJECTID, X-GM-EXT-1)."""

    HEADER = "HEADER"
    """Probed with Message-ID only, the one field that every probed message has. Conversations search
    References and In-Reply-To as well: no server is known to find one of these fields and not the others."""

    FIELD = "FIELD"
    """Not a key of its own: HEADER with an empty text, for messages that have a field (RFC 9051
    section 6.4.4). There are servers that find all messages by it, and servers that find none."""

    LARGER = "LARGER"
    """iCloud gets sizes wrong."""

    SMALLER = "SMALLER"
    SINCE = "SINCE"
    BEFORE = "BEFORE"
    SENTSINCE = "SENTSINCE"
    SENTBEFORE = "SENTBEFORE"
