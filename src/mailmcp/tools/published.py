"""What the models of replies share. Every host pays for their schemas in each session."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, WithJsonSchema

Strings = Annotated[list[str], WithJsonSchema({"type": "array"})]
"""A list of strings, published as a list."""

Fields = Annotated[dict[str, str], WithJsonSchema({"type": "object"})]
"""Strings by name, published as an object."""


class Row(BaseModel):
    """Base of what is nested in a reply. Its schema names the keys, not which of them are always there."""

    model_config = ConfigDict(json_schema_extra=lambda schema: schema.pop("required", None))
