"""`mcp-envelope`: checks replies, and probes servers."""

import argparse
import importlib
import importlib.util
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
    _add_probe(commands.add_parser("probe", help="Call the read-only tools of any MCP server over stdio."))
    given = parser.parse_args(arguments)
    status: int = given.run(given)
    return status


def _add_check(check: argparse.ArgumentParser) -> None:
    check.add_argument("reply", metavar="FILE", help="'-' for standard input")
    check.add_argument("--dialect", choices=[each.value for each in Dialect], default=Dialect.SUMMARY.value)
    check.add_argument(
        "--mode",
        choices=[each.value for each in Mode],
        default=Mode.CONVENTION.value,
        help="convention (the default): rules for any server; strict: rules of this library too",
    )
    check.set_defaults(run=_check)


def _check(given: argparse.Namespace) -> int:
    text = sys.stdin.read() if given.reply == "-" else Path(given.reply).read_text(encoding="utf-8")
    return check_file(text, Dialect(given.dialect), Mode(given.mode))


def _add_probe(probe: argparse.ArgumentParser) -> None:
    probe.usage = "%(prog)s [--allow TOOL] [--timeout S] [--strict] [--json] -- COMMAND [ARG ...]"
    probe.description = (
        "Start a server, call each tool that it marks as read-only with valid and with wrong arguments, "
        "and report which dialect its replies follow and what they break. Exit status: 0 if they follow one "
        "dialect and break none of its rules, 1 if they don't, 2 if the server couldn't be started."
    )
    probe.add_argument(
        "--allow",
        metavar="TOOL",
        action="append",
        default=[],
        help="call this tool even though it isn't read-only",
    )
    probe.add_argument(
        "--timeout", metavar="S", type=float, default=30.0, help="seconds for the start and for each reply"
    )
    probe.add_argument("--strict", action="store_true", help="also report what this library would do better")
    probe.add_argument("--json", action="store_true", help="print all findings as JSON")
    probe.add_argument("server", metavar="COMMAND", nargs="+")
    probe.set_defaults(run=_probe)


def _probe(given: argparse.Namespace) -> int:
    if importlib.util.find_spec("mcp") is None:
        sys.stderr.write("The probe needs the MCP SDK. Install it with: pip install mcp\n")
        return 2
    # Loaded here: the other command doesn't need the SDK.
    command = importlib.import_module("mcp_envelope.probe.command")
    status: int = command.run(
        given.server,
        allowed=given.allow,
        timeout_s=given.timeout,
        strict=given.strict,
        as_json=given.json,
    )
    return status


if __name__ == "__main__":
    sys.exit(main())
