"""Tags to a well-nested document, as browsers build their tree (HTML standard, section 13.2.6).

Where that isn't followed, because the markup is invalid in a way that hardly any mail is, or because
browsers differ, the result is `ambiguous`.
"""

import re
from collections import Counter
from collections.abc import Set
from typing import Final

from mailmcp.limits import HTML_DEPTH_MAX, HTML_FORMATTING_MAX, HTML_PENDING_MAX, HTML_REOPENED_MAX
from mailmcp.mail.html.attributes import bound_attributes, is_self_closed
from mailmcp.mail.html.tags import (
    BLOCKS,
    CELLS,
    FORM_ATTRIBUTE,
    FORMATTING,
    IGNORED,
    SIBLINGS,
    SPACES,
    TABLE_PARTS,
    TAG_ATTRIBUTE,
    VOID,
    WRITTEN_AS,
)

_AMBIGUOUS: Final = frozenset(
    {"frameset", "plaintext", "applet", "template", "search", "dialog", "rb", "rtc"}
)
"""Elements that some browsers drop or don't know, or that change how they read what follows."""

_SEALED: Final = frozenset(
    {"noscript", "foreignobject", "desc", "annotation-xml", "mi", "mn", "mo", "ms", "mtext"}
)
"""Elements whose end tags browsers may ignore as long as others are open in them."""

_SCOPES: Final = _SEALED | {"object", "marquee", "select", "button"}
"""Inside these browsers ignore the end tags of what is around, and no block ends a paragraph around."""

_ALONE: Final = frozenset({"a", "nobr"})
"""Formatting elements that end an open one of their kind."""

_FORM_PARTS: Final = frozenset({"form", "button", "input"})
_FOREIGN: Final = frozenset({"svg", "math"})
_ENDS_FOREIGN: Final = (
    BLOCKS
    | FORMATTING
    | TABLE_PARTS.keys()
    | {"body", "br", "embed", "head", "hr", "html", "img", "meta", "ruby", "span", "sub", "sup", "var"}
) - {"a"}
"""Elements that end a picture or formula, or become unknown ones in it."""

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_AROUND_ITEMS: Final = frozenset({"address", "div", "p"})
"""Blocks that an item of a list ends if they are open in the one before."""

_ROWS: Final = frozenset({"table", "tbody", "thead", "tfoot", "tr"})
_IMPLIED_ENDS: Final = frozenset({"p", "li", "dd", "dt", "option", "optgroup", "rp", "rt"})
"""Elements whose end tags may be left out (HTML standard, section 13.2.6.3)."""

_OPTIONS: Final = frozenset({"option", "optgroup"})
_ENDS_SELECT: Final = frozenset({"select", "input", "keygen", "textarea"})
_HEADING_SCOPE: Final = _HEADINGS | {"table", *CELLS}
_REOPENING: Final = frozenset({"marquee", "xmp"})
_MARKED: Final = frozenset({"object", "marquee", *CELLS})
"""Elements that end the formatting elements in them (HTML standard, section 13.2.4.3)."""

_COLUMNS: Final = frozenset({"caption", "col", "colgroup"})
_UNSEEN: Final = frozenset({"base", "col", "colgroup", "rp", "rt", "iframe", "textarea"})
"""Inline elements before which browsers open nothing again (HTML standard, section 13.2.6.4.7)."""


class TreeBuilder:
    """The open elements, and what was written so far."""

    __slots__ = (
        "ambiguous",
        "blocks",
        "cells",
        "form",
        "formatting",
        "forms",
        "inline",
        "is_quirky",
        "open",
        "out",
        "paragraph",
        "pending",
        "reopened",
        "stack",
        "tables",
    )

    def __init__(self, *, is_quirky: bool) -> None:
        self.out: list[str] = []
        # Name in the source, name written or "", and the whole tag of what would be opened again.
        self.stack: list[tuple[str, str, str]] = []
        self.blocks: list[str] = []  # those of the stack that aren't inline elements
        # How many of a name an end tag may close: inline elements within the innermost block, blocks
        # within the innermost table or cell, parts of a table within the innermost table.
        self.inline: list[Counter[str]] = [Counter()]
        self.cells: list[Counter[str]] = [Counter()]
        self.tables: list[Counter[str]] = [Counter()]
        self.formatting = 0
        # Formatting elements that ended with a block: browsers open them again before the next text of the
        # cell (HTML standard, section 13.2.4.3). One list for each cell.
        self.pending: list[list[tuple[str, str]]] = [[]]
        self.is_quirky = is_quirky
        self.paragraph = ""
        self.open: Counter[str] = Counter()
        self.form = 0  # which form, counted from 1, gets the next control (HTML standard, section 13.2.4.4)
        self.forms = 0
        self.reopened = 0
        self.ambiguous = False

    def text(self, text: str) -> None:
        """Write text, within the formatting elements that are still open to a browser.

        What stood between two texts may be dropped, so a `<` that begins no tag could begin one then.
        """
        if text.strip(SPACES):
            self._reopen()
        self.out.append(text.replace("<", "&lt;"))

    def foreign(self) -> bool:
        """Return whether an element is open in which tags and style elements may have another effect."""
        return any(self.open[name] for name in ("svg", "math", "template", "noscript"))

    def notice(self, name: str) -> None:
        """Notice a start tag, even of an element that isn't written."""
        self.ambiguous |= name in _ENDS_FOREIGN and self._in_foreign()

    def start(self, name: str, tag: str) -> None:
        """Open an element; what its start tag ends is closed first."""
        self.ambiguous |= self._is_odd(name)
        if name == "form":
            if self.form:  # browsers ignore a form in a form, and buttons send the outer one
                return
            self.forms += 1
            self.form = self.forms
        if name in IGNORED or (name in TABLE_PARTS and len(self.tables) == 1):
            return
        if name == "form" and self._in_table():  # any parser closes it at once, and nothing before it
            self.out.append(f"<form{self._known_as(name)}{self.own(name, tag)[5:]}</form>")
            return
        if name in _ALONE:
            self.end(name)
        if name in _REOPENING or not (name in BLOCKS or name in TABLE_PARTS or name in _UNSEEN):
            self._reopen()
        self._close_implied(name)
        self.paragraph = tag if name == "p" else self.paragraph
        if name in VOID:
            self.out.append(f"<{name}{self._form_number(name)}{self.own(name, tag)[1 + len(name) :]}")
        elif len(self.stack) >= HTML_DEPTH_MAX:
            self.out.append("<br>" if name in BLOCKS or name in TABLE_PARTS else "")
            self._push(name, "")
            self.ambiguous = True
        else:
            self._open(name, tag)
        if name in _FOREIGN and is_self_closed(name, tag):
            self.end(name)

    def _is_odd(self, name: str) -> bool:
        """Return whether browsers may see another tree from this start tag on."""
        if name == "form":  # within another one
            return self.form > 0 or self.open["form"] > 0
        if name == "marquee":  # no end of a paragraph, but the `div` as which it is written is
            return self.blocks[-1:] == ["p"]
        if name in _ALONE and self.open[name]:  # in SVG and MathML they are elements like any other
            return self.foreign() or any(self.open[each] for each in _SCOPES)
        if name == "table" and self._in_table():
            return True
        if name == "table" and self.blocks[-1:] == ["p"] and self.is_quirky:  # it stays in the paragraph
            is_plain = re.search("style|class|hidden", self.paragraph, re.ASCII | re.IGNORECASE) is None
            around = any(count for each, count in self.inline[-2].items() if each not in FORMATTING)
            return self.stack[-1][0] != "p" or not is_plain or around
        return (
            name in _AMBIGUOUS
            or (name == "button" and self.open[name] > 0)
            or (name in _ENDS_SELECT and self.open["select"] > 0)
            or (name in _COLUMNS and len(self.tables) > 1 and self._innermost(but=FORMATTING) != "table")
        )

    def _reopen(self) -> None:
        """Open the formatting elements again that ended with a block."""
        pending, self.pending[-1] = self.pending[-1], []
        for name, tag in pending:
            if len(self.stack) >= HTML_DEPTH_MAX or self.reopened >= HTML_REOPENED_MAX:
                self.ambiguous = True
                break
            self.reopened += 1
            self.ambiguous |= name == "nobr" and self.open[name] > 0  # a parser would end that one
            self._open(name, tag)

    def _open(self, name: str, tag: str) -> None:
        written = self._written_name(name)
        known = self._known_as(name) if written != name else ""
        self.out.append(f"<{written}{known}{self.own(name, tag)[1 + len(name) :]}")
        self._push(name, written, tag)

    def _known_as(self, name: str) -> str:
        # The first of equal attributes counts. `template` is never shown, and `hidden` says the same.
        shown = " hidden" if name == "template" else ""
        return f' {TAG_ATTRIBUTE}="{name}"{self._form_number(name)}{shown}'

    def own(self, name: str, tag: str) -> str:
        """Return a tag without attributes that mail can't set, or that are beyond the bounds."""
        written, is_whole = bound_attributes(name, tag)
        self.ambiguous |= not is_whole  # a style sheet may ask for those left out
        return written

    def _form_number(self, name: str) -> str:
        return f' {FORM_ATTRIBUTE}="{self.form}"' if self.form and name in _FORM_PARTS else ""

    def end(self, name: str) -> None:
        """Close an element, if the end tag closes one."""
        if name == "form":
            is_open, self.form = self.form > 0, 0
            if not is_open:
                return
        self.ambiguous |= name in ("br", "p") and self._in_foreign()  # these end tags end it
        if name in _HEADINGS:  # any of them ends any other
            around = (each for each in reversed(self.blocks) if each in _HEADING_SCOPE)
            name = found if (found := next(around, "")) in _HEADINGS else name
        if name == "br":
            self.out.append("<br>")
        elif self._forget(name):
            pass
        elif len(self.tables) > 1 if name == "table" else self._scope(name)[name]:
            is_around = name == "form" and self._innermost(but=_IMPLIED_ENDS) != name
            self.ambiguous |= is_around  # what is in it stays in it
            self._pop_to(name)
        elif name in FORMATTING and self.open[name] and len(self.stack) <= HTML_DEPTH_MAX:
            self._end_around(name)
        elif name in TABLE_PARTS:
            self._end_unwritten(name)
        elif name in _SCOPES and self.open[name]:
            self.ambiguous = True  # it may end the blocks in it

    def _innermost(self, *, but: Set[str] = frozenset()) -> str:
        return next((each for each, _, _ in reversed(self.stack) if each not in but), "")

    def _end_unwritten(self, name: str) -> None:
        """End a part of a table whose start tag was left out, with the cell and the row in it."""
        parts = self.tables[-1]
        is_body = name == "tbody" and not (parts["tbody"] or parts["thead"] or parts["tfoot"])
        if (name == "tr" or is_body) and not parts["caption"]:
            for part in TABLE_PARTS[name]:
                while parts[part]:
                    self._pop_to(part)
            self.out.append(f"</{name}>")
        self.ambiguous |= self._in_cell()  # where the tag has no meaning

    def _in_foreign(self) -> bool:
        return any(self.open[each] for each in _FOREIGN)

    def _in_table(self) -> bool:
        return len(self.tables) > 1 and not self._in_cell()

    def _in_cell(self) -> bool:
        return any(self.tables[-1][cell] for cell in CELLS)

    def _close_implied(self, name: str) -> None:
        for part in TABLE_PARTS.get(name, ()):
            while self.tables[-1][part]:
                self._pop_to(part)
        if name in TABLE_PARTS and self._innermost(but=FORMATTING) not in _ROWS:
            self.ambiguous = True  # browsers took it out of the table, and end it here
        while name in BLOCKS and self.blocks[-1:] == ["p"]:
            self._pop_to("p")
        if name in _HEADINGS and self._innermost() in _HEADINGS:
            self._pop()
            self.ambiguous |= self._innermost() in _HEADINGS  # a parser would end both
        if name in _OPTIONS and self._innermost() == "option":
            self._pop()
        for block in reversed(self.blocks) if name in SIBLINGS else ():
            if block in SIBLINGS[name]:
                self._pop_to(block)
            if block not in _AROUND_ITEMS:
                self.ambiguous |= WRITTEN_AS.get(block) in _AROUND_ITEMS
                break

    def _written_name(self, name: str) -> str:
        if name in FORMATTING and name != "a" and self.formatting >= HTML_FORMATTING_MAX:
            return "span"
        return WRITTEN_AS.get(name, name)

    def _scope(self, name: str) -> Counter[str]:
        if name in TABLE_PARTS:
            return self.tables[-1]
        return self.cells[-1] if name in BLOCKS else self.inline[-1]

    def _push(self, name: str, written: str, tag: str = "") -> None:
        self.stack.append((name, written, tag if name in FORMATTING else ""))
        self.open[name] += 1
        self.formatting += written in FORMATTING
        self._scope(name)[name] += 1
        if name in BLOCKS or name in TABLE_PARTS:
            self.inline.append(Counter())
            self.blocks.append(name)
        if name == "table" or name in CELLS:
            self.cells.append(Counter())
        if name == "table":
            self.tables.append(Counter())
        if name in _MARKED:
            self.pending.append([])

    def _pop(self) -> tuple[str, str]:
        name, written, tag = self.stack.pop()
        self.open[name] -= 1
        if name == "table":
            self.tables.pop()
        if name == "table" or name in CELLS:
            self.cells.pop()
        if name in _MARKED:
            self.pending.pop()
        if name in BLOCKS or name in TABLE_PARTS:
            self.inline.pop()
            self.blocks.pop()
        self._scope(name)[name] -= 1
        self.formatting -= written in FORMATTING
        if written:
            self.out.append(f"</{written}>")
        return name, tag

    def _pop_to(self, name: str) -> None:
        ended: list[tuple[str, str]] = []
        while (popped := self._pop())[0] != name:
            self.ambiguous |= (
                popped[0] in _SCOPES
                or (popped[0] == "a" and name in _FOREIGN)
                or (popped[0] in ("ol", "ul") and name == "li")
                or (popped[0] == "optgroup" and name == "option")
                or name in _SEALED
            )
            if popped[0] in _MARKED:
                ended = []
            elif popped[1]:
                ended.append(popped)
        if name not in _MARKED:
            self._open_later(ended)

    def _open_later(self, ended: list[tuple[str, str]]) -> None:
        pending = [*ended[::-1], *self.pending[-1]]
        self.ambiguous |= len(pending) > HTML_PENDING_MAX
        self.pending[-1] = pending[-HTML_PENDING_MAX:]

    def _forget(self, name: str) -> bool:
        """End an element that is open to a browser alone; return whether there is one."""
        for number in range(len(self.pending[-1]) - 1, -1, -1):
            if self.pending[-1][number][0] == name:
                del self.pending[-1][number]
                return True
        return False

    def _end_around(self, name: str) -> None:
        """End a formatting element around an open block: any parser takes the block out of it."""
        blocks = 0
        for number in range(len(self.stack) - 1, -1, -1):
            each, written, _ = self.stack[number]
            if each == name:
                if written != name:  # beyond the bounds it was written as another
                    self.ambiguous = True
                    return
                ended: list[tuple[str, str]] = []
                while self.stack[-1][0] in FORMATTING:
                    ended.append(self._pop())
                self._open_later(ended)
                del self.stack[number]
                self.open[name] -= 1
                self.formatting -= 1
                self.inline[-1 - blocks][name] -= 1
                self.out.append(f"</{name}>")
                return
            if each in CELLS or each == "table" or each in _SCOPES:
                return
            is_block = each in BLOCKS or each in TABLE_PARTS
            self.ambiguous |= not is_block and each not in FORMATTING  # it stays within a copy
            blocks += is_block
