"""The messages of a page: all sources are searched, and what they return is merged."""

from dataclasses import dataclass

from mailmcp.tools.evidence import search_terms
from mailmcp.tools.rows import row_items
from mailmcp.tools.search.failures import explain_failures
from mailmcp.tools.search.page import SearchPage, make_page
from mailmcp.tools.search.sources import Items, Searches, search_sources
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call
from mcp_envelope import Issue


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMessages:
    """What a search found for one page."""

    search: Search
    """The search as it was made."""

    searches: Searches
    page: SearchPage
    what: str = ""
    """What the messages have in common, as the end of a sentence."""

    caveats: tuple[str, ...] = ()
    """As `Coverage.caveats`."""

    issues: tuple[Issue, ...] = ()
    """What could not be looked at, besides the sources."""


async def find_messages(call: Call, search: Search) -> FoundMessages:
    """Find the messages of a page.

    Raises:
        ToolError: No mailbox could be searched.
    """
    searches = await search_sources(call, search, choose_items(search))
    search = searches.as_made(search)
    await explain_failures(call, search, searches)
    return FoundMessages(search=search, searches=searches, page=make_page(search, searches))


def choose_items(search: Search) -> Items:
    """Choose what to fetch of each message."""
    return row_items(snippets=brings_texts(search), terms=search_terms(search.query))


def brings_texts(search: Search) -> bool:
    """Return whether texts come with the rows, for snippets: all rows of one mailbox are shown."""
    return bool(search.snippet_chars) and search.one_mailbox and not search.query.has_attachment
