"""What a tool is: its name, its arguments, its data, and the function between the two."""

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, get_args, get_origin, get_type_hints

from mcp_types import Tool as PublishedTool
from mcp_types import ToolAnnotations
from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from mcp_envelope.arguments import Arguments
from mcp_envelope.dialects import Dialect, shape_of
from mcp_envelope.outcome import Outcome
from mcp_envelope.schema import JsonObject, compact_schema
from mcp_envelope.values import DATA_KEYS, data_schema, field_names

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")

Function = Callable[..., Outcome[Any] | Awaitable[Outcome[Any]]]
"""The function of a tool: takes the arguments and, if it wants it, the context of the call.

It runs in a thread, unless it is a coroutine function.
"""

Report = Callable[[int, int, str], None]
"""Reports progress to the client: how much is done, of how much (0 if unknown), and a few words.

Call it from any thread; it never waits. The words contain nobody else's text.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool."""

    name: str
    title: str = ""
    description: str
    """What it does and when to use it, for a model that chooses."""

    arguments: type[Arguments]
    data: type[BaseModel]
    """The tool's own fields of `data`; the library adds status, issues, cursor and next action."""

    run: Function
    takes_context: bool = True
    """Whether `run` has a second parameter."""

    has_status: bool = True
    """False for a tool that can't fail in part: its data has no `status` and no `issues`."""

    read_only: bool = False
    """Whether it changes nothing; MCP's default is false."""

    destructive: bool = True
    """Whether it can destroy something, if it isn't read-only."""

    idempotent: bool = False
    """Whether a second call has no further effect, if it isn't read-only."""

    open_world: bool = True
    """Whether it reaches beyond the server itself."""

    input_schema: JsonObject = field(init=False, repr=False, compare=False)
    data_schema: JsonObject = field(init=False, repr=False, compare=False)
    """The schemas of both models, which take time to make: once."""

    def __post_init__(self) -> None:
        """Refuse what can't be published, or contradicts what the library writes (ValueError, TypeError)."""
        if not _NAME.fullmatch(self.name):
            allowed = "letters, digits, _, - and . are allowed"
            raise ValueError(f"{self.name!r} isn't a valid name of a tool: {allowed}")
        if not self.description.strip():
            raise ValueError(f"{self.name}: a model that chooses a tool needs its description or docstring")
        for model, base in ((self.arguments, Arguments), (self.data, BaseModel)):
            if not (inspect.isclass(model) and issubclass(model, base)):
                raise TypeError(f"{self.name}: {model!r} is not a subclass of {base.__name__}")
        if taken := DATA_KEYS & field_names(self.data):
            raise ValueError(
                f"{self.name}: the library writes data.{', data.'.join(sorted(taken))}; pass them to Outcome"
            )
        try:
            object.__setattr__(self, "input_schema", compact_schema(self.arguments, mode="validation"))
            object.__setattr__(self, "data_schema", compact_schema(self.data))
        except PydanticUserError as error:
            raise TypeError(f"{self.name}: a model has no JSON schema: {error.message}") from error

    @property
    def pages(self) -> bool:
        """Whether its replies are pages of a list: if and only if it takes a `cursor`."""
        return "cursor" in self.arguments.model_fields

    @classmethod
    def of(cls, run: Function, **options: Any) -> "Tool":
        """Build a tool from an annotated function.

        Its first parameter's type is the arguments model (`Arguments` itself for none), the return type
        `Outcome[Data]` names the data model, its name and docstring are the tool's; a second parameter, if
        there is one, gets the context. `options` are other fields of `Tool`.

        Raises:
            TypeError: A parameter or an annotation is missing or wrong.
            ValueError: As the tool itself.
        """
        hints = get_type_hints(run)
        parameters = inspect.signature(run).parameters.values()
        needed = [each.name for each in parameters if each.default is each.empty]
        if len(needed) not in {1, 2} or any(each.kind is each.KEYWORD_ONLY for each in parameters):
            raise TypeError(f"{run.__name__}: a tool takes its arguments and, if it wants it, the Call")
        arguments, outcome = hints.get(needed[0]), hints.get("return")
        if arguments is None or get_origin(outcome) is not Outcome:
            raise TypeError(f"{run.__name__}: annotate the first parameter, and the result as Outcome[Data]")
        options = {"name": run.__name__, "description": inspect.getdoc(run) or "", **options}
        options["takes_context"] = len(needed) == 2
        return cls(arguments=arguments, data=get_args(outcome)[0], run=run, **options)


def publish(tool: Tool, dialect: Dialect) -> PublishedTool:
    """Format a tool for `tools/list`: both schemas, and the annotations for hosts."""
    data = data_schema(tool.data_schema, has_status=tool.has_status, pages=tool.pages)
    return PublishedTool(
        name=tool.name,
        title=tool.title or None,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=shape_of(dialect).schema(data),
        annotations=ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=None if tool.read_only else tool.destructive,
            idempotent_hint=True if tool.idempotent and not tool.read_only else None,  # false is assumed
            open_world_hint=None if tool.open_world else False,  # true is assumed
        ),
    )
