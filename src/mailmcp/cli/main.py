"""`mailmcp`: runs a command, or serves if a host starts it without one."""

import importlib
import sys
from typing import Any

import click
from typing_extensions import override

from mailmcp import __version__
from mailmcp.auth.provider import SignInError
from mailmcp.auth.store import StoreError
from mailmcp.cli.options import fail
from mailmcp.hosts.table import HostError
from mailmcp.settings.sources import SettingsError

_MODULES = {
    "serve": "serve",
    "setup": "setup",
    "login": "sign_in",
    "logout": "sign_in",
    "password": "sign_in",
    "install": "install",
    "uninstall": "install",
    "check": "check",
    "demo": "demo",
}
"""The module of each command, in the order of the help page."""


class _Commands(click.Group):
    """Loads only the module of the command that is called, so that serving starts fast."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"mailmcp.cli.{_MODULES[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args:
            is_serve = args[0].startswith("-") and args[0] not in {"--help", "-h", "--version"}
        else:
            is_serve = not sys.stdin.isatty()  # a host uses a pipe; a person at a terminal gets help
        return super().parse_args(ctx, ["serve", *args] if is_serve else args)

    @override
    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; exit with status 2 if the settings are wrong, and 1 for other errors."""
        try:
            return super().invoke(ctx)
        except SettingsError as error:
            click.echo("mailmcp: the settings have errors:", err=True)
            for line in error.lines:
                click.echo(f"  {line}", err=True)
            sys.exit(2)
        except (HostError, SignInError, StoreError) as error:
            fail(error)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mailmcp")
def cli() -> None:
    """Let an LLM agent read mail over IMAP, through the Model Context Protocol.

    Without a command, and if stdin is not a terminal, it serves; that is how hosts start it.
    """
