"""Certificates for the test servers, made for one test run by one private authority.

A client has to judge whether it knows the issuer (RFC 5280), and whether the certificate was issued to the
host it called (RFC 9525).
"""

import ssl
from pathlib import Path

import trustme

HOSTS = ("127.0.0.1", "127.0.0.2", "localhost")
"""The names of the test servers."""


class Certificates:
    """One authority in a folder, and the certificates it issued."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        trusted = self._authority.issue_cert(*HOSTS)
        self.ca_file = folder / "ca.pem"
        self.cert_file = folder / "server.pem"
        self.key_file = folder / "server.key"
        self._authority.cert_pem.write_to_path(str(self.ca_file))
        self.cert_file.write_bytes(b"".join(pem.bytes() for pem in trusted.cert_chain_pems))
        trusted.private_key_pem.write_to_path(str(self.key_file))

    def client_context(self) -> ssl.SSLContext:
        """Make the context of a client that trusts this authority and no other."""
        return ssl.create_default_context(cafile=str(self.ca_file))

    def server_context(self, *hosts: str, trusted: bool = True) -> ssl.SSLContext:
        """Make the context of a server that shows a certificate for `hosts`, else for `HOSTS`.

        One that isn't `trusted` was issued by another authority.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority = self._authority if trusted else trustme.CA()
        authority.issue_cert(*(hosts or HOSTS)).configure_cert(context)
        return context
