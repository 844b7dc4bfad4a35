"""The lists of resources, made of the settings alone; what clients get of them is in `test_resources`."""

import re

from mailmcp.imap.account import Account, Password
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.resource_uri import parse_resource_uri
from mailmcp.server.resources import CACHE_HINTS, TEMPLATES, list_resources


def account(account_id: str) -> Account:
    return Account(account_id=account_id, host="127.0.0.1", port=143, user="", credentials=Password(str))


def test_each_account_is_one_resource_that_can_be_read() -> None:
    listed = list_resources([account("home"), account("personal")])
    assert [parse_resource_uri(each.uri).account_id for each in listed] == ["home", "personal"]
    assert len({each.name for each in listed}) == 2
    assert all("home" in text for text in (listed[0].name, listed[0].title or ""))


def test_expanded_templates_can_be_read() -> None:
    ref = MessageRef(account_id="home", mailbox="INBOX", uidvalidity=7, uid=3)
    values = {"account": "home", "mailbox": "INBOX", "uidvalidity": "7", "uid": "3", "part_id": "1.2"}
    made = [re.sub(r"{(\w+)}", lambda name: values[name[1]], each.uri_template) for each in TEMPLATES]
    assert made[0] == ref.message_uri
    assert [parse_resource_uri(uri).ref for uri in made] == [ref] * len(TEMPLATES)


def test_private_results_are_cached_privately() -> None:
    """Templates are the same for everybody; accounts and mail are not."""
    assert {method: hint.scope for method, hint in CACHE_HINTS.items()} == {
        "resources/list": "private",
        "resources/templates/list": "public",
        "resources/read": "private",
    }
