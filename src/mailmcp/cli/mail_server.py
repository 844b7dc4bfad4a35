"""Finds the IMAP server of a domain: in the table of providers, or by DNS (RFC 6186, MX)."""

import re
from dataclasses import dataclass
from typing import Any, Final, Self

from dns.exception import DNSException
from dns.resolver import NXDOMAIN, NoAnswer, Resolver

from mailmcp.model.mail_provider import MailProvider, provider_of_exchanger, provider_of_host

LOOKUP_TIMEOUT_S: Final = 5.0
"""For one record. A resolver that works answers within one."""

_HOST_NAME: Final = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
"""What a record may name: nothing that a terminal or a settings file reads as anything else."""


class LookupFailedError(Exception):
    """DNS could not be asked. Starts in lower case, for the middle of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """An IMAP server, and whose it is if that is known."""

    host: str
    port: int = 993
    tls: str = "implicit"
    provider: MailProvider | None = None

    @classmethod
    def of(cls, provider: MailProvider) -> Self:
        """Return the server of a provider."""
        return cls(host=provider.host, port=provider.port, tls=provider.tls, provider=provider)

    def belongs_to(self, domain: str) -> bool:
        """Return whether the server is known, or within the domain of the address."""
        host, domain = self.host.lower(), domain.lower()
        return self.provider is not None or host == domain or host.endswith(f".{domain}")


def look_up(domain: str, resolver: Resolver | None = None) -> MailServer | None:
    """Ask DNS for the server of a domain: its SRV record, then its mail exchangers.

    An exchanger only counts if it is that of a known provider: no host name is guessed from it.

    Args:
        domain: All that is sent.
        resolver: Whom to ask; None for the system's resolver.

    Raises:
        LookupFailedError: The resolver didn't answer, or the domain is no name.
    """
    try:
        resolver = resolver or Resolver()
        services = _records(resolver, f"_imaps._tcp.{domain}", "SRV")
        for each in sorted(services, key=lambda each: (each.priority, -each.weight)):
            host = each.target.to_text(omit_final_dot=True)
            if _HOST_NAME.fullmatch(host):  # "." says that there is no such service
                return MailServer(host=host, port=each.port, provider=provider_of_host(host))
        exchangers = _records(resolver, domain, "MX")
        for each in sorted(exchangers, key=lambda each: each.preference):
            provider = provider_of_exchanger(each.exchange.to_text())
            if provider is not None:
                return MailServer.of(provider)
    except DNSException as error:
        raise LookupFailedError(f"DNS didn't answer ({type(error).__name__})") from error
    return None


def _records(resolver: Resolver, name: str, kind: str) -> list[Any]:
    try:
        return list(resolver.resolve(name, kind, search=False, lifetime=LOOKUP_TIMEOUT_S))
    except (NXDOMAIN, NoAnswer):
        return []
