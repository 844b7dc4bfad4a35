"""What a searcher may not know, and what to do next where nothing was found."""

from collections.abc import Mapping, Sequence
from datetime import date

from mailmcp import limits
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.query import CRITERIA, Kind
from mailmcp.tools.names import LIST_MAILBOXES, SEARCH_MESSAGES
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.coverage import Coverage, Place
from mailmcp.tools.search.state import Search, arguments_of
from mailmcp.tools.search.syntax import accepts
from mcp_envelope import NextAction
from mcp_envelope.markdown import unescape

_BY_UID = (
    "The server does not sort so many messages: they are in the order in which they were put into the "
    "mailbox, which is not always that of their arrival."
)
_TIMES = {"start_date", "end_date", "last_days", "since", "before"}


def warn_of(search: Search, *, empty: bool) -> tuple[str, ...]:
    """Say what a criterion does that its name may not tell, where that can mislead.

    Args:
        search: What was searched for.
        empty: Whether nothing was found.
    """
    arguments = arguments_of(search)
    said = []
    if "unanswered_only" in arguments:
        said.append("Answered is what mail programs have marked so; imap_get_thread shows replies.")
    if not empty:
        return tuple(said)
    if phrases := _phrases(arguments):
        names = " and ".join(phrases)
        said.append(f"Several words in {names} are one phrase; query takes single words, in any order.")
    if arguments.keys() & _TIMES:
        said.append("Times are those of arrival here; imported mail may have been written long before.")
    return tuple(said)


def warn_of_order(scans: Sequence[MailboxPage]) -> tuple[str, ...]:
    """Say that messages are not in the order of arrival: they are many, and the server does not sort."""
    return () if all(each.in_order for each in scans) else (_BY_UID,)


def warn_of_no_days(arguments: SearchMessagesArguments, *, today: date) -> tuple[str, ...]:
    """Say that `last_days` 0 asks nothing, if it was sent: some mean today by it."""
    if arguments.last_days or "last_days" not in arguments.model_fields_set or arguments.cursor:
        return ()
    return (f"last_days 0 is no filter; for today send start_date {today}.",)


def _phrases(arguments: Mapping[str, object]) -> list[str]:
    """Name the criteria of several words that are one phrase though nobody said so by quotes."""
    return [
        name
        for name in (row.argument for row in CRITERIA if row.kind is Kind.PHRASE)
        if name in arguments and len(str(arguments[name]).split()) > 1 and '"' not in str(arguments[name])
    ]


def suggest_search(search: Search, coverage: Coverage) -> NextAction:
    """Say what to search next when nothing was found: all mailboxes, Junk and Trash, then the words apart."""
    arguments = arguments_of(search)
    arguments.pop("mailboxes", None)
    begun = search.all_mailboxes or coverage.last
    if not begun and len(coverage.others) > len(coverage.aside):
        arguments["mailbox"] = EVERYTHING
        return NextAction(instruction="Search all mailboxes.", tool=SEARCH_MESSAGES, arguments=arguments)
    if coverage.aside:
        arguments.pop("mailbox", None)
        return _suggest_aside(search, coverage.aside, arguments)
    phrases = _phrases(arguments)
    query = _apart([arguments.get("query", ""), *(arguments[name] for name in phrases)])
    if phrases and len(query) <= limits.ARGUMENT_CHARS_MAX:
        kept = {name: value for name, value in arguments.items() if name not in phrases}
        return NextAction(
            instruction="Search for the words apart.",
            tool=SEARCH_MESSAGES,
            arguments=kept | {"mailbox": EVERYTHING, "query": query},
        )
    return NextAction(
        instruction="Search with fewer criteria, or look at the mailboxes.",
        tool=LIST_MAILBOXES,
        arguments={"account_id": search.sources[0].account_id},
    )


def _apart(texts: Sequence[object]) -> str:
    """Write the words of some texts as `query` takes them: in quotes where they would be operators."""
    words = [word.strip(",") for text in texts for word in str(text).split()]
    query = " ".join(filter(None, words))
    if accepts("query", query):
        return query
    return " ".join(f'"{bare}"' for word in words if (bare := unescape(word).replace('"', "")))


def _suggest_aside(search: Search, aside: Sequence[Place], arguments: dict[str, object]) -> NextAction:
    """Say how to search what was left out: of all accounts at once, if one search can take so many.

    A list means the same names in each account; those that one lacks are issues of the reply.
    """
    accounts = {account_id for account_id, _ in aside}
    names = list(dict.fromkeys(name for _, name in aside))
    all_accounts = {each.account_id for each in search.sources}
    several = len(accounts) > 1 and len(all_accounts) * len(names) <= limits.SEARCH_SOURCES_MAX
    instruction = "Search what was left out."
    if several and len(accounts) * len(names) != len(aside):
        instruction += " Not every account has each of these mailboxes, which the reply will say."
    if not several:
        account_id = aside[0][0]
        names = [name for account, name in aside if account == account_id]
        if len(accounts) > 1:
            instruction = f"Search what was left out of account {account_id}; do the same for the others."
        arguments["account_id"] = account_id
    return NextAction(
        instruction=instruction, tool=SEARCH_MESSAGES, arguments=arguments | {"mailboxes": names}
    )
