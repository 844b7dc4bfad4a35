"""What a page says of itself."""

from imap.searches import PLAIN, find, letters
from mailmcp.imap.search.order import Order
from servers.peer import PeerFactory


def test_a_page_names_its_order(peer: PeerFactory) -> None:
    server = peer(messages=letters([1, 2, 3]), capabilities=PLAIN)
    for order in Order:
        found = find(server, order=order, size=2)
        assert found.order is order
        assert found.uids == ((1, 2) if order.ascending else (3, 2))
        assert (found.left, found.total_exact, len(found.candidates.uids)) == (1, True, 3)
