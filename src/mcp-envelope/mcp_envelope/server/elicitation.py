"""Asks the user to confirm a plan: during the call with older clients, between two calls with newer ones."""

from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_envelope.errors import ConfirmationRequired

_QUESTION: Final = "confirm"
"""The name of the question, for clients that answer with the next request."""

_FIELD: Final = "do_it"

_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {_FIELD: {"type": "boolean", "title": "Yes, do it"}},
    "required": [_FIELD],
}
"""One field that only the user fills in: hosts without anyone to ask accept the empty form."""


async def ask(
    confirmation: ConfirmationRequired, context: ServerRequestContext[Any]
) -> str | InputRequiredResult | None:
    """Ask now, and return the token if the user agrees, else ""; None if the client can't show a form.

    Newer clients get a result that asks.
    """
    capabilities = context.session.client_capabilities
    modes = capabilities.elicitation if capabilities else None
    if modes is None or (modes.form is None and modes.url is not None):  # one that names no mode has forms
        return None
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        try:
            answer = await context.session.elicit_form(confirmation.plan, _FORM, context.request_id)
        except MCPError:  # it can't after all
            return None
        return confirmation.token if _agrees(answer) else ""
    question = ElicitRequest(
        params=ElicitRequestFormParams(message=confirmation.plan, requested_schema=_FORM)
    )
    return InputRequiredResult(input_requests={_QUESTION: question}, request_state=confirmation.token)


def read_answer(params: CallToolRequestParams) -> str | None:
    """Return the token of a newer client's call that follows the question, "" if the user didn't agree.

    None if this call follows no question. The tool checks the token, which has been with the client.
    """
    answer = (params.input_responses or {}).get(_QUESTION)
    if answer is None:
        return None
    return params.request_state or "" if _agrees(answer) else ""


def _agrees(answer: object) -> bool:
    """Return whether the user has ticked the box."""
    form = answer.content if isinstance(answer, ElicitResult) and answer.action == "accept" else None
    return form is not None and form.get(_FIELD) is True
