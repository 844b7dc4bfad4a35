"""`limit=0` counts the matches and lists none."""

from tools.desk import Desk
from tools.letters import make_numbered
from tools.stores import Store


def test_matches_are_counted_without_rows(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_numbered(*range(1, 13)))
    reply = desk.search(subject="Message", limit=0)
    data = reply.data
    assert (data["total"], data["returned"], data["messages"], data["has_more"]) == (12, 0, [], False)
    assert reply.outcome.summary.startswith("12 messages in `INBOX`")
    action = data["next_action"]
    assert "limit" not in action["arguments"]
    assert desk.call(action["tool"], action["arguments"]).data["returned"] == 10
