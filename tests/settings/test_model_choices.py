"""Values of the tables that say what the user prefers."""

import pytest
from pydantic import ValidationError

from mailmcp.settings.model import AttachmentsTable, SearchTable


@pytest.mark.parametrize("folder", ["", "/srv/mail", "~", "~/attachments"])
def test_good_save_folders(folder: str) -> None:
    assert AttachmentsTable.model_validate({"save_folder": folder}).save_folder == folder


@pytest.mark.parametrize("folder", ["attachments", "./a", "~ann/a", "/a\0", "/a\n", 1, None])
def test_bad_save_folders(folder: object) -> None:
    """A relative one would start wherever the host starts mailmcp."""
    with pytest.raises(ValidationError):
        AttachmentsTable.model_validate({"save_folder": folder})


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3"])
def test_good_time_zones(zone: str) -> None:
    assert SearchTable.model_validate({"time_zone": zone}).time_zone == zone


@pytest.mark.parametrize(
    "zone", ["", "CEST!", "America", "../UTC", "/etc/localtime", "x" * 5_000, "a\0b", "\udcff", "+02:00", 2]
)
def test_bad_time_zones(zone: object) -> None:
    with pytest.raises(ValidationError):
        SearchTable.model_validate({"time_zone": zone})
