from dataclasses import replace
from mailmcp.imap.account import Writes
from tools.letters import make_letter
from mcp_envelope import ToolError
from mcp_envelope.render import render_error

def letters(n, **kw):
    return [make_letter(f"Letter {i}", "Text\n", sender=f"Ann <ann{i%3}@example.org>", **kw).as_bytes() for i in range(n)]

def show(desk, **a):
    print("\n>>>", a)
    try:
        r = desk.call("imap_change_messages", a)
    except ToolError as e:
        print(render_error(e, e.code.value)); 
        return e
    print(r.text); print(r.data, r.telemetry.imap_round_trips)
    return r

def test_it(store, open_desk):
    desk = open_desk(replace(store.account, writes=Writes.ALL))
    with store.client() as c:
        c.create_folder("Sent"); c.create_folder("Work"); c.create_folder("Trash")
    store.fill("INBOX", letters(25))
    store.fill("Sent", [make_letter("x", to="ann1@example.org").as_bytes()])
    ids = desk.message_ids()
    show(desk, action="mark_read", message_ids=ids[:3])
    show(desk, action="mark_read", message_ids=ids[:4])
    show(desk, action="move", message_ids=ids[:3], mailbox="Work")
    show(desk, action="archive", message_ids=ids[:5])
    e = show(desk, action="move", message_ids=ids[5:7], mailbox="Wrok")
    show(desk, action="move", message_ids=ids[5:7], mailbox="Wrok", confirm=e.token)
    show(desk, action="move", message_ids=ids[5:7], mailbox="Wrok", confirm=e.token)
    e = show(desk, action="trash", search={"from": "ann1"})
    show(desk, action="trash", search={"from": "ann1"}, confirm=e.token)
    e = show(desk, action="trash", search={"mailbox": "INBOX", "from": "ann"})
    store.fill("INBOX", letters(1))
    show(desk, action="trash", search={"mailbox": "INBOX", "from": "ann"}, confirm=e.token)
    e = show(desk, action="delete_forever", search={"mailbox": "Trash"})
    show(desk, action="delete_forever", search={"mailbox": "Trash"}, confirm=e.token)
    show(desk, action="trash", search={"limit": 3, "fro": "x"})
    show(desk, action="trash", search={"limit": 3, "group_by": "sender"})
    show(desk, action="trash", search={"subject": "nonesuch"})
    show(desk, action="move", search={"subject": "nonesuch"}, message_ids=ids)
    show(desk, action="move")
    show(desk, action="add_keywords", message_ids=ids[10:12], keywords=["$Later"])
    show(desk, action="copy", message_ids=ids[10:12], mailbox="Work")
    show(desk, action="copy", message_ids=[ids[0].rpartition(":")[0]+":9999"], mailbox="Work")
