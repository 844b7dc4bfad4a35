"""Nobody is known, nothing is saved, and days are those of UTC, until the user says otherwise."""

from datetime import UTC

from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import DEFAULTS, Preferences


def test_the_defaults_are_those_of_a_user_who_chose_nothing() -> None:
    assert Preferences() == DEFAULTS
    assert (DEFAULTS.save_folder, DEFAULTS.zone, dict(DEFAULTS.owners)) == (None, UTC, {})


def test_each_account_has_an_owner() -> None:
    ann = Owner(names=("Ann",))
    preferences = Preferences(owners={"home": ann})
    assert preferences.owner_of("home") is ann
    assert preferences.owner_of("other") == Owner()
