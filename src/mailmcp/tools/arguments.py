"""Base classes of the tools' arguments; `mcp_envelope.arguments` reads them."""

import re
from typing import Final

from pydantic import Field, ValidationInfo, field_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

import mcp_envelope
from mailmcp import limits
from mailmcp.tools.argument_aliases import ARGUMENT_ALIASES
from mcp_envelope import BaseReason

_FORBIDDEN: Final = re.compile(r"[\r\n\0\ud800-\udfff]")
"""What would end an IMAP command, and surrogates, which UTF-8 can't encode."""


class Arguments(mcp_envelope.Arguments):
    """Base of the input models."""

    hints = ARGUMENT_ALIASES

    @field_validator("*", mode="before")
    @classmethod
    def _check_text(cls, value: object, info: ValidationInfo) -> object:
        """Refuse strings that have several lines or are too long, before anything else looks at them."""
        limit = limits.CURSOR_CHARS_MAX if info.field_name == "cursor" else limits.ARGUMENT_CHARS_MAX
        for text in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(text, str) and _FORBIDDEN.search(text):
                raise PydanticCustomError(
                    BaseReason.FORBIDDEN_CHARACTER.value,
                    "contains a line break, a NUL or a lone surrogate. Send it on one line.",
                )
            if isinstance(text, str) and len(text) > limit:
                raise PydanticCustomError(
                    BaseReason.OUT_OF_RANGE.value, f"is too long. Send at most {limit} characters."
                )
        return value


class MessageArguments(Arguments):
    """Base of the input models that take a message id.

    The id names the account. Clients of similar servers send the account too, so it is accepted, but no
    schema publishes it and no next action contains it.
    """

    account_id: SkipJsonSchema[str] = Field("", exclude=True)
