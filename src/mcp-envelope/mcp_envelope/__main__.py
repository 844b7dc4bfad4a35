"""`mcp-envelope check`: lists the rules that a reply breaks."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from mcp_envelope import Dialect, Mode, __version__, check_reply


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each rule that a reply breaks to stdout, and how many to stderr.

    Returns:
        The exit status: 0 if no rule is broken, 1 if there are any, 2 if the reply isn't JSON.
    """
    parser = argparse.ArgumentParser(prog="mcp-envelope", description="The reply envelope for MCP servers.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True)
    check = commands.add_parser("check", help="List the rules that a reply breaks.")
    check.add_argument("reply", metavar="FILE", help="a JSON object; '-' for standard input")
    check.add_argument("--dialect", choices=list(Dialect), type=Dialect, default=Dialect.SUMMARY)
    rules = "strict (the default): the dialect's rules and this library's; convention: the dialect's alone"
    check.add_argument("--mode", choices=list(Mode), type=Mode, default=Mode.STRICT, help=rules)
    given = parser.parse_args(arguments)
    text = sys.stdin.read() if given.reply == "-" else Path(given.reply).read_text(encoding="utf-8")
    try:
        broken = check_reply(json.loads(text), given.dialect, given.mode)
    except (ValueError, RecursionError) as error:
        sys.stderr.write(f"the reply can't be read as JSON: {error}\n")
        return 2
    sys.stdout.write("".join(f"{rule}\n" for rule in broken))
    sys.stderr.write(f"rules broken: {len(broken)}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
