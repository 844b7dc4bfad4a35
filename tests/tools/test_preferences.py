"""An account without an owner in the settings belongs to nobody."""

from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import Preferences


def test_each_account_has_an_owner() -> None:
    ann = Owner(names=("Ann",))
    preferences = Preferences(owners={"home": ann})
    assert preferences.owner_of("home") is ann
    assert preferences.owner_of("other") == Owner()
