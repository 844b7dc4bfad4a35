"""Rows as one table on stdout, in Markdown so that it can be pasted, or as a JSON file."""

import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table
from rich.text import Text
from scripts.benchmarks.rows import Row

_WIDTH_WITHOUT_TERMINAL = 200


def print_table(rows: Sequence[Row]) -> None:
    """Print all rows, each section under its name."""
    table = Table(box=MARKDOWN)
    table.add_column("what")
    for name in ("mailmcp", "floor", "ratio", "trusting", "ratio", "trips", "octets in"):
        table.add_column(name, justify="right")
    table.add_column("target")
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            table.add_row(Text(f"**{section}**", style="bold"))
        table.add_row(
            row.name,
            _quantity(row.value, row.unit),
            *_compared(row.floor, row.ratio, row.unit),
            *_compared(row.trusting_floor, row.trusting_ratio, row.unit),
            "" if row.round_trips is None else str(row.round_trips),
            "" if row.octets_received is None else f"{row.octets_received:,}",
            _verdict(row),
        )
    # Rich assumes 80 columns for a file or a pipe, and the table is wider.
    console = Console(width=None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL)
    console.print(machine())
    console.print(table)


def write_json(rows: Sequence[Row], file: Path) -> None:
    """Write all rows, and what they were measured on."""
    document = {"machine": machine(), "rows": [row.as_json() for row in rows]}
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def machine() -> str:
    """Describe the machine in general terms."""
    return f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} cores"


def _quantity(value: float, unit: str) -> str:
    number = f"{value:,.1f}" if unit else f"{value:,.0f}"
    return f"{number} {unit}".strip()


def _compared(floor: float | None, ratio: float | None, unit: str) -> tuple[str, str]:
    return ("" if floor is None else _quantity(floor, unit), "" if ratio is None else f"{ratio:.2f}")


def _verdict(row: Row) -> Text:
    text = Text()
    for target in row.targets:
        text.append(", " if text else "")
        text.append(f"{target.text} ")
        text.append("ok" if target.met else "MISSED", style="green" if target.met else "bold red")
    return text
