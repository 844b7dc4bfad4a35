"""The registry's limits on server.json."""

import pytest
from scripts.release.registry import registry_entry, registry_name


def test_the_entry_keeps_the_limits_of_the_registry() -> None:
    entry = registry_entry(registry_name("example"))
    assert entry["name"] == "io.github.example/mailmcp"
    assert 1 <= len(entry["description"]) <= 100
    (package,) = entry["packages"]
    assert package["version"] == entry["version"]


def test_only_the_password_is_a_secret() -> None:
    (package,) = registry_entry(registry_name("example"))["packages"]
    secrets = {each["name"] for each in package["environmentVariables"] if each["isSecret"]}
    assert secrets == {"MAILMCP_PASSWORD"}


@pytest.mark.parametrize("owner", ["", "two words", "a/b", "-a", "a-", "a--b", "a_b", "a" * 40, "a\n"])
def test_a_name_that_github_cannot_have_is_refused(owner: str) -> None:
    with pytest.raises(ValueError, match="letters, digits, hyphens"):
        registry_name(owner)


@pytest.mark.parametrize("owner", ["a", "Ann-2", "a-b-c", "a" * 39])
def test_a_name_of_github_is_taken(owner: str) -> None:
    assert registry_name(owner) == f"io.github.{owner}/mailmcp"
