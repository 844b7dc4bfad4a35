"""`mailmcp`: runs a command, or serves if a host starts it without one."""

import gc
import importlib
import sys

import click
from typing_extensions import override

from mailmcp import __version__

_COMMANDS = {
    "serve": "Serve MCP over stdin and stdout (for a host that starts it), or over HTTP.",
    "setup": "Set up an account: ask, test, store the secret, write the settings.",
    "login": "Sign in to an account with OAuth 2.0.",
    "logout": "Delete the stored sign-in or password of an account.",
    "password": "Store the password of an account securely.",
    "install": "Add mailmcp to the settings of a host.",
    "uninstall": "Remove mailmcp from the settings of a host.",
    "check": "Connect to each account and report what works.",
    "demo": "Serve a sample mailbox; needs no account.",
}

_MODULES = {"login": "sign_in", "logout": "sign_in", "password": "sign_in", "uninstall": "install"}
"""The module of a command that hasn't one of its own."""


class _Commands(click.Group):
    """Loads only the module of the command that is called, so that serving starts fast."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"mailmcp.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101 - each module has it
        # Off since the start, see __main__. What is loaded by now stays, so it is never collected.
        gc.freeze()
        gc.enable()
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if _is_serve(args):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


def _is_serve(args: list[str]) -> bool:
    if not args:
        return not sys.stdin.isatty()  # a host uses a pipe; a person at a terminal gets help
    return args[0].startswith("-") and args[0] not in {"--help", "-h", "--version"}


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mailmcp")
def cli() -> None:
    """Let an LLM agent read mail over IMAP, through the Model Context Protocol.

    Without a command, and if stdin is not a terminal, it serves; that is how hosts start it.
    """
