"""Where the mail is, for `mailmcp setup`: the server of the options, one that was found, or the answers."""

from dataclasses import replace

from dns.resolver import Resolver

from mailmcp.cli.mail_server import LookupFailedError, MailServer, look_up
from mailmcp.cli.questions import Questions
from mailmcp.cli.setup_options import Options, key_fault
from mailmcp.cli.sign_in import fail
from mailmcp.imap.account import Tls
from mailmcp.model.mail_provider import provider_of_domain, provider_of_host


def choose_server(
    options: Options, questions: Questions, domain: str, resolver: Resolver | None
) -> MailServer:
    """Take the server of the options, or find one and ask whether it is right, or ask for it."""
    if options.host:
        provider = provider_of_host(options.host)
        tls = Tls(options.tls or "implicit")
        return MailServer(
            host=options.host, port=options.port or tls.default_port, tls=tls.value, provider=provider
        )
    found = _find_server(options, questions, domain, resolver)
    if found is not None:
        found = replace(found, port=options.port or found.port, tls=options.tls or found.tls)
        name = found.provider.name if found.provider else domain
        questions.say(f"{name}: {found.host}, port {found.port}, TLS {found.tls}")
        if not found.belongs_to(domain):
            # RFC 6186 section 6: DNS may lie, so a person must agree to a server of another domain.
            questions.say(f"This server is outside of {domain}. Is it your provider's?")
            if options.yes:
                fail(f"DNS names a server outside of {domain}. If it is right, add --host {found.host}")
        if questions.confirm("Use this server?"):
            return found
    host = questions.ask("IMAP server", "--host", check=lambda text: key_fault("host", text))
    tls = Tls(
        options.tls or questions.ask("TLS", "--tls", default="implicit", choices=[each.value for each in Tls])
    )
    port = options.port or questions.ask(
        "Port", "--port", default=str(tls.default_port), check=lambda text: key_fault("port", text)
    )
    return MailServer(host=host, port=int(port), tls=tls.value, provider=provider_of_host(host))


def _find_server(
    options: Options, questions: Questions, domain: str, resolver: Resolver | None
) -> MailServer | None:
    provider = provider_of_domain(domain)
    if provider is not None:
        return MailServer.of(provider)
    may_ask = options.look_up
    if may_ask is None and questions.can_ask and not options.yes:
        questions.say(f"mailmcp doesn't know the mail server of {domain}.")
        may_ask = questions.confirm(f"Ask DNS for it? Only the name {domain} is sent.")
    if not may_ask:
        return None
    try:
        found = look_up(domain, resolver)
    except LookupFailedError as error:
        questions.say(f"{error}.")
        return None
    if found is None:
        questions.say(f"DNS names no mail server that mailmcp could use for {domain}.")
    return found
