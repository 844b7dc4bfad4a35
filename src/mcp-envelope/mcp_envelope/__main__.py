"""`mcp-envelope`: checks replies."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mcp_envelope import __version__
from mcp_envelope.check import Mode, check_file
from mcp_envelope.dialects.registry import Dialect


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="mcp-envelope", description="The reply envelope for MCP servers.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True)
    _add_check(
        commands.add_parser("check", help="List the rules that a reply, a JSON object in a file, breaks.")
    )
    given = parser.parse_args(arguments)
    status: int = given.run(given)
    return status


def _add_check(check: argparse.ArgumentParser) -> None:
    check.add_argument("reply", metavar="FILE", help="'-' for standard input")
    check.add_argument("--dialect", choices=[each.value for each in Dialect], default=Dialect.SUMMARY.value)
    check.add_argument(
        "--mode",
        choices=[each.value for each in Mode],
        default=Mode.STRICT.value,
        help="strict (the default): the dialect's rules and this library's; convention: the dialect's alone",
    )
    check.set_defaults(run=_check)


def _check(given: argparse.Namespace) -> int:
    text = sys.stdin.read() if given.reply == "-" else Path(given.reply).read_text(encoding="utf-8")
    return check_file(text, Dialect(given.dialect), Mode(given.mode))


if __name__ == "__main__":
    sys.exit(main())
