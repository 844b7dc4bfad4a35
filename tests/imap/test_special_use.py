"""Names by which mailboxes of special use are known."""

import pytest

from mailmcp.imap.special_use import use_of, usual_use


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("Sent Items", "\\Sent"),
        ("INBOX.Gesendete Objekte", "\\Sent"),
        ("[Gmail]/Corbeille", "\\Trash"),
        ("PAPIERKORB", "\\Trash"),
        ("Éléments supprimés", "\\Trash"),
        ("Entwürfe", "\\Drafts"),
        ("迷惑メール", "\\Junk"),
        ("Archiv", "\\Archive"),
        ("Projects/Archive 2024", ""),
        ("Presents", ""),
        ("", ""),
    ],
)
def test_a_use_is_guessed_by_the_last_level(name: str, use: str) -> None:
    assert usual_use(name) == use


def test_separators_are_parts_of_a_leaf() -> None:
    """A server that parts by slashes may have dots in names."""
    assert use_of("old.trash") == ""
    assert use_of("Trash") == "\\Trash"
