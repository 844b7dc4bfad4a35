"""`mailmcp serve`: what a desktop host starts."""

import importlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from mailmcp import __version__
from mailmcp.cli.options import (
    HttpPlace,
    config_option,
    exit_with,
    http_place,
    reply_options,
    settings_or_exit,
    transport_options,
)
from mailmcp.server.app import build_server
from mailmcp.server.stdio import run_stdio
from mailmcp.settings.load import read_http_token
from mailmcp.settings.model import Settings
from mailmcp.settings.passwords import end_password_commands
from mailmcp.settings.problems import SettingsError

_log = logging.getLogger(__name__)


@click.command()
@config_option
@transport_options
@reply_options
def command(
    config: Path | None, transport: str, host: str | None, port: int | None, **overrides: object
) -> None:
    """Serve MCP over stdin and stdout until stdin closes, or over HTTP; a signal, Ctrl-C too, ends both."""
    place = http_place(transport, host, port)
    serve(settings_or_exit(config, overrides), place)


def serve(settings: Settings, place: HttpPlace | None = None, *, source: str = "") -> None:
    """Serve, over stdio without a place for HTTP, and end the process's threads with the service.

    Args:
        settings: All of them.
        place: Where to serve HTTP.
        source: Where the accounts come from, for the log, if not from what the settings name.
    """
    for warning in settings.warnings:
        _log.warning("%s", warning)
    run = partial(run_stdio, leave=end_now) if place is None else _http_runner(settings, place)
    origin = source or settings.source or "the environment"
    _log.info("mailmcp %s serves %d account(s) from %s", __version__, len(settings.accounts), origin)
    run(
        build_server(
            settings.accounts,
            dialect=settings.server.envelope,
            json_text=settings.server.text == "json",
            lean_rows=settings.server.rows == "lean",
            call_timeout_s=settings.server.call_timeout_s,
            preferences=settings.preferences,
        )
    )
    end_stuck_threads()


def _http_runner(settings: Settings, place: HttpPlace) -> Callable[..., None]:
    """Take the address, and return what serves there; exit if it cannot be had."""
    # Loaded here: a host that starts mailmcp for stdio waits for its imports, and needs no web server.
    http = importlib.import_module("mailmcp.server.http")
    try:
        options = http.HttpOptions(
            host=place.host,
            port=place.port,
            token=read_http_token(settings.server, os.environ),
            allowed_hosts=settings.server.http_allowed_hosts,
        )
        return partial(http.run_http, listener=http.listen(options), options=options)
    except SettingsError as error:
        exit_with(error)
    except http.StartError as error:
        click.echo(f"mailmcp: {error}", err=True)
        sys.exit(error.exit_status)


def end_stuck_threads() -> None:
    """End the process now if a thread cannot end: a host's name may take minutes to look up.

    Python waits for such threads at exit, and nothing interrupts the resolver.
    """
    end_password_commands()
    logging.shutdown()
    stuck = [
        each for each in threading.enumerate() if each is not threading.main_thread() and not each.daemon
    ]
    for thread in stuck:
        thread.join(timeout=0.2)
    if any(thread.is_alive() for thread in stuck):
        os._exit(0)


def end_now() -> None:
    """End the process in good order, but without waiting for any thread."""
    end_password_commands()
    logging.shutdown()
    os._exit(0)
