"""What was measured, a row each, and whether it meets its limits."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; None where a column does not apply."""

    section: str
    name: str
    value: float
    unit: str
    round_trips: int | None = None
    octets: int | None = None
    """Received from the mail server."""

    tokens: int | None = None
    """Of the text of the reply."""

    limit: float | None = None
    """What `value`, or the round trips of a call, may be at most."""

    octets_max: int | None = None

    @property
    def met(self) -> bool:
        """Whether the limits are met; true if there is none."""
        found = self.value if self.round_trips is None else self.round_trips
        return (self.limit is None or found <= self.limit) and (
            self.octets_max is None or (self.octets or 0) <= self.octets_max
        )


def format_table(rows: Sequence[Row]) -> str:
    """Write the rows as a table in Markdown; numbers that miss their limit are marked."""
    lines = [
        "| | | round trips | octets from the mail server | tokens of the reply | limit |",
        "|---|--:|--:|--:|--:|---|",
    ]
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines.append(f"| **{section}** | | | | | |")
        limits = [] if row.limit is None else [f"≤ {row.limit:g}"]
        limits += [] if row.octets_max is None else [f"≤ {row.octets_max:,} octets"]
        cells = [
            row.name,
            f"{row.value:,.{0 if row.value >= 100 or not row.unit else 1}f} {row.unit}".strip(),
            *("" if each is None else f"{each:,}" for each in (row.round_trips, row.octets, row.tokens)),
            ", ".join(limits) + ("" if row.met else " **missed**"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def write_json(rows: Sequence[Row], path: Path) -> None:
    """Write the rows with their verdicts."""
    path.write_text(json.dumps([{**asdict(row), "met": row.met} for row in rows], indent=1), encoding="utf-8")
