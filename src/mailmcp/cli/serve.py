"""`mailmcp serve`: serves over stdio or HTTP."""

import importlib
import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from mailmcp import __version__
from mailmcp.cli.options import config_option, fail, load
from mailmcp.server.app import Options, build_server
from mailmcp.server.stdio import run_stdio
from mailmcp.server.users import Users
from mailmcp.settings.load import Settings

_log = logging.getLogger(__name__)


@click.command()
@config_option
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="How clients connect to mailmcp.",
)
@click.option("--host", help="With http, the name or address to listen on. Default: 127.0.0.1.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="With http, the port; 0 for any free one. Default: 8000."
)
def serve(config: Path | None, transport: str, host: str | None, port: int | None) -> None:
    """Serve MCP over stdio or HTTP.

    It ends when stdin closes, by a signal or by Ctrl-C.
    """
    if transport == "stdio" and not (host is None and port is None):
        raise click.UsageError("--host and --port need --transport http.")
    settings = load(config, needs_account=False)
    run, users = None, None
    if transport == "http":
        run, users = _http_runner(settings, host or "127.0.0.1", 8000 if port is None else port)
    elif settings.oauth:
        fail("the settings are for many users, who sign in over HTTP: add --transport http")
    run_server(settings, run, users=users)


def run_server(
    settings: Settings,
    run: Callable[..., None] | None = None,
    *,
    source: str = "",
    users: Users | None = None,
    clean_up: Callable[[], object] | None = None,
) -> None:
    """Serve until the client or a signal ends it, and exit.

    Args:
        settings: Without an account, every call answers that one has to be set up.
        run: Serves a server; None to serve over stdio.
        source: Where the accounts come from, for the log, if not from the settings.
        users: Who is served, if not the owner of the accounts.
        clean_up: Called before the process exits.
    """
    for warning in settings.warnings:
        _log.warning("%s", warning)
    ids = ", ".join(account.account_id for account in settings.accounts)
    origin = source or settings.source or "the environment"
    served = f"{ids} from {origin}" if ids else "no account: run mailmcp setup"
    _log.info("mailmcp %s serves %s", __version__, served)
    if run is None and sys.stdin.isatty():
        click.echo("mailmcp waits for a host to speak MCP on stdin. Ctrl-C ends it.", err=True)
    options = Options(
        dialect=settings.server.envelope,
        json_text=settings.server.text == "json",
        lean_rows=settings.server.rows == "lean",
        call_timeout_s=settings.server.call_timeout_s,
        preferences=settings.preferences,
    )

    def leave() -> None:
        if clean_up:
            clean_up()
        exit_now()

    (run or partial(run_stdio, leave=leave))(build_server(settings.accounts, options, users))
    leave()


def _http_runner(settings: Settings, host: str, port: int) -> tuple[Callable[..., None], Users | None]:
    """Bind the address; return the function that serves there, and whom, if there are many users.

    Exits if the address can't be bound.
    """
    # Loaded here: over stdio, a host would wait for a web server that it doesn't need.
    http = importlib.import_module("mailmcp.server.http")
    options = http.HttpOptions(
        host=host,
        port=port,
        token=settings.server.http_token,
        allowed_hosts=settings.server.http_allowed_hosts,
    )
    users = None
    if settings.oauth:
        hosted = importlib.import_module("mailmcp.cli.hosted")
        options, users = hosted.make_hosted(settings, settings.oauth, options)
    try:
        return partial(http.run_http, listener=http.listen(options), options=options), users
    except (OSError, ValueError) as error:
        fail(error)


def exit_now() -> None:
    """Exit without waiting for threads: looking up a host name may take minutes."""
    logging.shutdown()
    os._exit(0)
