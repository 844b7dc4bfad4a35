"""Formats the numbers of an XLSX: dates, percentages and plain numbers.

A date is a number with a date format (ECMA-376 part 1, 18.8.30): days since 1899-12-30, or since 1904-01-01
in workbooks that say so. Dates are written in ISO 8601.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from mailmcp.documents.xml_elements import Element

_BUILT_IN_DATES: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_BUILT_IN_PERCENT: Final = frozenset({9, 10})
_LITERALS: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_DATE_LETTERS: Final = re.compile("[ymdhs]", re.IGNORECASE)
_EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - spreadsheets have no time zones
_DAYS_1904: Final = 1_462
_EXACT_BELOW: Final = 1e15
_CODE_CHARS_MAX: Final = 255
_DAYS_MAX: Final = 2_958_466
"""The first day of the year 10000."""


@dataclass(slots=True)
class Formats:
    """The cell formats of a workbook, by style."""

    since_1904: bool = False
    codes: dict[int, str] = field(default_factory=dict)
    """The workbook's own format codes, by id."""

    styles: list[int] = field(default_factory=list)
    """The format id of each style."""

    def show(self, value: str, style: int) -> str:
        """Format a number by its style; any other value is returned as it is."""
        try:
            number = float(value)
        except ValueError:
            return value
        if not math.isfinite(number):
            return value
        format_id = self.styles[style] if style < len(self.styles) else 0
        code = _LITERALS.sub("", self.codes.get(format_id, ""))
        if format_id in _BUILT_IN_DATES or _DATE_LETTERS.search(code):
            return self._date(number) or _format_plain(number)
        if format_id in _BUILT_IN_PERCENT or "%" in code:
            return f"{_format_plain(number * 100)}%"
        return _format_plain(number)

    def _date(self, days: float) -> str:
        """Format a date, a time or both; "" if it is out of the calendar's range."""
        if self.since_1904 and days >= 1:
            days += _DAYS_1904
        if not 0 <= days < _DAYS_MAX:
            return ""
        moment = _EPOCH + timedelta(seconds=round(days * 86_400))
        if days < 1:
            return moment.time().isoformat()
        return moment.date().isoformat() if days == int(days) else moment.isoformat(" ")


def read_formats(elements: Iterable[Element], *, since_1904: bool) -> Formats:
    """Read the styles of a workbook, of which `cellXfs` comes as a whole."""
    formats = Formats(since_1904=since_1904)
    for each in elements:
        if each.name == "numFmt":
            code = each.get("formatCode")[:_CODE_CHARS_MAX]
            formats.codes[each.number("numFmtId")] = code
        elif each.name == "cellXfs":
            formats.styles = [xf.number("numFmtId") for xf in each.find("xf")]
    return formats


def _format_plain(number: float) -> str:
    """Format up to 15 digits, the precision of spreadsheets, without a needless exponent."""
    if number == int(number) and abs(number) < _EXACT_BELOW:
        return str(int(number))
    return f"{number:.15g}"
