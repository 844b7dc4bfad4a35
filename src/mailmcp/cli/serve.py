"""`mailmcp serve`: what a desktop host starts."""

import logging
import os
import sys
import threading
from pathlib import Path

import click

from mailmcp import __version__
from mailmcp.cli.options import config_option, reply_options, settings_or_exit
from mailmcp.server.app import build_server
from mailmcp.server.stdio import run_stdio
from mailmcp.settings.model import Settings

_log = logging.getLogger(__name__)


@click.command()
@config_option
@reply_options
def command(config: Path | None, **overrides: object) -> None:
    """Serve MCP over stdin and stdout, until stdin closes."""
    serve(settings_or_exit(config, overrides))


def serve(settings: Settings) -> None:
    """Serve, and end the process's threads with the service."""
    for warning in settings.warnings:
        _log.warning("%s", warning)
    source = settings.source or "the environment"
    _log.info("mailmcp %s serves %d account(s) from %s", __version__, len(settings.accounts), source)
    run_stdio(
        build_server(
            settings.accounts,
            dialect=settings.server.envelope,
            json_text=settings.server.text == "json",
            lean_rows=settings.server.rows == "lean",
            call_timeout_s=settings.server.call_timeout_s,
        )
    )
    end_stuck_threads()


def end_stuck_threads() -> None:
    """End the process now if a thread cannot end: a host's name may take minutes to look up.

    Python waits for such threads at exit, and nothing interrupts the resolver.
    """
    logging.shutdown()
    stuck = [
        each for each in threading.enumerate() if each is not threading.main_thread() and not each.daemon
    ]
    for thread in stuck:
        thread.join(timeout=0.2)
    if any(thread.is_alive() for thread in stuck):
        sys.stderr.flush()
        os._exit(0)
