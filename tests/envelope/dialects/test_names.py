from mcp_envelope import Dialect


def test_the_default_dialect_is_called_summary() -> None:
    """The name is what users write in their settings."""
    assert Dialect("summary") is Dialect.SUMMARY
