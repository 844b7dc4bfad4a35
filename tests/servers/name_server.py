"""A DNS server for the tests, on a free loopback port, that answers from a table."""

import socketserver
import threading
from collections.abc import Mapping
from typing import Any, Self

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
from dns.resolver import Resolver
from typing_extensions import override

Records = Mapping[tuple[str, str], list[str]]
"""By name without the final dot, and type: the data of each record, as in a zone file."""


class NameServer:
    """A running server, for one `with` block.

    Args:
        records: All there is. Other names don't exist, other types of these names are empty.
        is_broken: Answer everything with SERVFAIL.
    """

    def __init__(self, records: Records, *, is_broken: bool = False) -> None:
        self._records = records
        self._is_broken = is_broken
        self.questions: list[tuple[str, str]] = []
        """Name and type of each query, in order."""
        answer = self._answer

        class Handler(socketserver.BaseRequestHandler):
            request: tuple[bytes, Any]

            @override
            def handle(self) -> None:
                octets, sock = self.request
                sock.sendto(answer(octets), self.client_address)

        self._udp = socketserver.UDPServer(("127.0.0.1", 0), Handler)
        self.port = self._udp.server_address[1]
        self._thread = threading.Thread(target=self._udp.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._udp.shutdown()
        self._thread.join()
        self._udp.server_close()

    def resolver(self) -> Resolver:
        """Return a resolver that asks this server alone."""
        resolver = Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = self.port
        return resolver

    def _answer(self, octets: bytes) -> bytes:
        query = dns.message.from_wire(octets)
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True)
        kind = question.rdtype.name
        self.questions.append((name, kind))
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.RA
        data = self._records.get((name, kind))
        if self._is_broken:
            reply.set_rcode(dns.rcode.SERVFAIL)
        elif data:
            reply.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *data))
        elif name not in {each for each, _ in self._records}:
            reply.set_rcode(dns.rcode.NXDOMAIN)
        return reply.to_wire()
