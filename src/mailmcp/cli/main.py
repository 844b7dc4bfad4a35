"""`mailmcp`: chooses the command; without one, started by a host, it serves."""

import gc
import importlib
import sys

import click
from typing_extensions import override

from mailmcp import __version__

_COMMANDS = {
    "serve": "Serve MCP over stdin and stdout (what a host starts), or over HTTP.",
    "check": "Connect to each account and say what works.",
    "demo": "Serve a sample mailbox that needs no account.",
    "schema": "Print the tools as they are published.",
    "check-reply": "Hold a reply against the rules of a dialect.",
}


class _Commands(click.Group):
    """Loads a command's module when it is needed: serving does not pay for the others."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = importlib.import_module(f"mailmcp.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)  # noqa: S101 - each file holds one
        # Off since the start, see __main__; what is loaded by now stays, and need not be looked at again.
        gc.freeze()
        gc.enable()
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if _means_serve(args):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


def _means_serve(args: list[str]) -> bool:
    if not args:
        return not sys.stdin.isatty()  # a host talks through a pipe; a person wants help
    return args[0].startswith("-") and args[0] not in {"--help", "-h", "--version"}


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mailmcp")
def cli() -> None:
    """Let an LLM agent read mail over IMAP, by the Model Context Protocol.

    Without a command and with stdin not a terminal, as hosts start it, it serves.
    """
