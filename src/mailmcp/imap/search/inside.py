"""Fetch the beginnings of parts that decide whether messages are of a kind, as a winmail.dat does."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mailmcp.imap.fetch import Fetched, fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.search.proof import deciding_section
from mailmcp.imap.search.verify import Check
from mailmcp.imap.session import Session

_OCTETS: Final = 4_096
"""Of a part, in base64: the class of a message comes first in it."""


def look_inside(session: Session, results: Sequence[Fetched], check: Check) -> Steps[list[Fetched]]:
    """Add the octets that the check needs to what was fetched; no round trip if there are none."""
    wanted = check.query.kind
    uids_by_section: dict[str, list[int]] = {}
    if wanted and wanted.needs_structure:
        rows = {uid: row for each in results for uid, row in each.messages.items()}
        for uid, row in rows.items():
            section = deciding_section(row.body_structure)
            if section and section not in row.sections:
                uids_by_section.setdefault(section, []).append(uid)
    if not uids_by_section:
        return list(results)
    jobs = [
        (uids, ("UID", f"BODY.PEEK[{section}]<0.{_OCTETS}>")) for section, uids in uids_by_section.items()
    ]
    found = yield from fetch_steps(session, *jobs)
    sections = {uid: row.sections for each in found for uid, row in each.messages.items()}
    return [
        replace(
            each,
            interrupted=each.interrupted or any(some.interrupted for some in found),
            messages={
                uid: replace(row, sections=row.sections | sections.get(uid, {}))
                for uid, row in each.messages.items()
            },
        )
        for each in results
    ]
