"""Reads XLS, the format of Excel up to 2003, with xlrd, as rows of the displayed values."""

import io
from typing import BinaryIO, Final

import xlrd
from xlrd.biffh import error_text_from_code

from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.sheet_grid import Grid
from mailmcp.documents.formats.sheet_numbers import Formats
from mailmcp.documents.writer import Writer, section_title

_ENCRYPTED: Final = "encrypted"
"""How xlrd's message says so; it has no type for it."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write the sheets in order; the titles of hidden ones say so."""
    try:
        book = xlrd.open_workbook(
            file_contents=content.read(),
            logfile=io.StringIO(),  # not stdout, which is the answer's
            formatting_info=True,
            on_demand=True,
            ragged_rows=True,
            ignore_workbook_corruption=True,
        )
    except xlrd.XLRDError as error:
        if _ENCRYPTED in str(error):
            raise UnreadableError(Cause.ENCRYPTED) from error
        raise
    formats = Formats(
        since_1904=book.datemode == 1,
        codes={key: each.format_str for key, each in book.format_map.items()},
        styles=[each.format_key for each in book.xf_list],
    )
    for number in range(book.nsheets):
        out.check_time()
        sheet = book.sheet_by_index(number)
        out.begin_section(section_title("Sheet", sheet.name, hidden=sheet.visibility != 0))
        _write_sheet(sheet, formats, out)
        book.unload_sheet(number)


def _write_sheet(sheet: xlrd.sheet.Sheet, formats: Formats, out: Writer) -> None:
    grid = Grid(out)
    hidden_columns = {number for number, each in sheet.colinfo_map.items() if each.hidden}
    hidden_rows = {number for number, each in sheet.rowinfo_map.items() if each.hidden}
    for row in range(sheet.nrows):
        for column, cell in enumerate(sheet.row(row)):
            is_hidden = row in hidden_rows or column in hidden_columns
            grid.put(column, _show(cell, formats), hidden=is_hidden)
        grid.end_row()


def _show(cell: xlrd.sheet.Cell, formats: Formats) -> str:
    """Return what the cell displays."""
    match cell.ctype:
        case xlrd.XL_CELL_NUMBER | xlrd.XL_CELL_DATE:
            return formats.show(repr(cell.value), cell.xf_index)
        case xlrd.XL_CELL_BOOLEAN:
            return "TRUE" if cell.value else "FALSE"
        case xlrd.XL_CELL_ERROR:
            return str(error_text_from_code.get(cell.value, "#ERROR"))
        case _:
            return str(cell.value)
