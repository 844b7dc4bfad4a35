"""The command `probe`."""

import os
import sys
from collections.abc import Collection, Sequence
from functools import partial

import anyio

from mcp_envelope.probe.probing import Prober
from mcp_envelope.probe.report import Report, line, write_json, write_text
from mcp_envelope.probe.session import StartError, started
from mcp_envelope.probe.verdict import judge


async def probe(
    command: Sequence[str], *, allowed: Collection[str] = (), timeout_s: float = 30.0, strict: bool = False
) -> Report:
    """Start a server over stdio, call its tools, and judge the replies.

    Args:
        command: The program and its arguments; it gets this process's environment.
        allowed: Tools to call even though they aren't marked read-only.
        timeout_s: Time limit of the start, and of each reply.
        strict: Also check the rules that this library keeps.

    Raises:
        StartError: The server couldn't be started, or has no list of tools.
    """
    async with started(command, os.environ, timeout_s) as session:
        listed = await session.list_tools()
        probed = await Prober(session, listed, allowed).run()
        stray_lines = session.stray_lines
    verdicts = [judge(each, strict=strict) for each in probed]
    return Report(listed=listed, verdicts=verdicts, stray_lines=stray_lines)


def run(
    command: Sequence[str], *, allowed: Collection[str], timeout_s: float, strict: bool, as_json: bool
) -> int:
    """Print what `probe` finds.

    Returns:
        The exit status: 0 if the replies follow one dialect and break none of its rules, 1 if they don't, 2
        if the server couldn't be started.
    """
    try:
        report = anyio.run(partial(probe, command, allowed=allowed, timeout_s=timeout_s, strict=strict))
    except StartError as error:
        sys.stderr.write("".join(f"{line(each)}\n" for each in str(error).splitlines()))
        return 2
    sys.stdout.write(write_json(report) if as_json else write_text(report))
    return 0 if report.is_in_order else 1
