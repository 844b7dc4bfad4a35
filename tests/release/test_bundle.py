"""The form that a desktop host shows, and what it passes on."""

import re

from scripts.release.bundle import manifest


def test_each_placeholder_has_a_value_when_the_form_is_left_blank() -> None:
    """Hosts pass the placeholder itself for a field that is optional and has no default."""
    read = manifest()
    config = read["server"]["mcp_config"]
    used = set(re.findall(r"\$\{([^}]*)\}", " ".join([*config["args"], *config["env"].values()])))
    fields = {name: field for name, field in read["user_config"].items() if not field["required"]}
    assert used == {"__dirname", *(f"user_config.{name}" for name in fields)}
    assert {field["default"] for field in fields.values()} == {""}


def test_only_the_password_is_a_secret() -> None:
    fields = manifest()["user_config"]
    assert [name for name, field in fields.items() if field["sensitive"]] == ["password"]
