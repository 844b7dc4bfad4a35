"""Put the questions to an agent: `serve` until interrupted, `call` a tool, `report` what was spent."""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import tomllib
from base64 import b64decode
from itertools import groupby
from pathlib import Path

import anyio
import click
from imapclient import IMAPClient
from mcp import Client
from mcp.types import ImageContent, TextContent
from scripts.benchmarks.vocabulary import count_tokens

from questions.mail import ADDRESSES, ZONE, Mail, make_mail
from servers.dovecot import Dovecot

HERE = Path(__file__).parent
_BATCH = 200
_PORT = 8765
_ACCOUNT = """
[[accounts]]
account_id = "{account_id}"
host = "{host}"
port = {port}
tls = "none"
user = "{login.user}"
password = "{login.password}"
addresses = ["{address}"]
"""


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m questions", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "mailmcp-questions")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="start the mail server and mailmcp")
    commands.add_parser("tools", help="print the tools as the server lists them")
    call = commands.add_parser("call", help="call a tool and print its reply as a model sees it")
    call.add_argument("question", type=int, help="the number of the question, from 1")
    call.add_argument("tool")
    call.add_argument("arguments", help="as a JSON object")
    commands.add_parser("ask", help="print the questions")
    commands.add_parser("report", help="print calls and tokens of each question")
    options = parser.parse_args()
    options.folder.mkdir(mode=0o700, exist_ok=True)
    match options.command:
        case "serve":
            serve(options.folder)
        case "tools":
            anyio.run(list_tools)
        case "call":
            anyio.run(
                call_tool, options.folder, options.question, options.tool, json.loads(options.arguments)
            )
        case "ask":
            for number, each in enumerate(_questions(), start=1):
                click.echo(f"{number}. {each['ask']}")
        case _:
            report(options.folder)


def _questions() -> list[dict[str, str]]:
    return list(tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["question"])


def serve(folder: Path) -> None:
    """Start Dovecot with the mail, and mailmcp over HTTP, until mailmcp ends."""
    with Dovecot() as dovecot:
        for account in ADDRESSES:
            _fill(dovecot, account, [each for each in make_mail() if each.account == account])
        accounts = "".join(
            _ACCOUNT.format(
                account_id=account,
                host=dovecot.host,
                port=dovecot.plain_port,
                login=dovecot.user(account),
                address=address,
            )
            for account, address in ADDRESSES.items()
        )
        config = folder / "mailmcp.toml"
        config.write_text(f'{accounts}\n[search]\ntime_zone = "{ZONE}"\n', encoding="utf-8")
        config.chmod(0o600)
        command: list[str | Path] = [Path(sys.executable).with_name("mailmcp"), "serve", "--config", config]
        subprocess.run([*command, "--transport", "http", "--port", str(_PORT)], check=False)


def _fill(dovecot: Dovecot, account: str, mails: list[Mail]) -> None:
    trusting = dovecot.certificates.client_context()
    with IMAPClient(dovecot.host, dovecot.tls_port, ssl_context=trusting, timeout=60) as client:
        client.login(*dovecot.user(account))
        by_mailbox = sorted(mails, key=lambda each: (each.mailbox, each.received))
        for mailbox, found in groupby(by_mailbox, key=lambda each: each.mailbox):
            if not client.folder_exists(mailbox):
                client.create_folder(mailbox)
            messages = [{"msg": each.octets, "flags": each.flags, "date": each.received} for each in found]
            for start in range(0, len(messages), _BATCH):
                status, data = client.multiappend(mailbox, messages[start : start + _BATCH])
                if status != "OK":
                    raise RuntimeError(f"APPEND to {mailbox}: {data}")


async def list_tools() -> None:
    """Print the tools as a model gets them."""
    async with Client(f"http://127.0.0.1:{_PORT}/mcp") as client:
        for tool in (await client.list_tools()).tools:
            click.echo(f"## {tool.name}\n{tool.description}\n{json.dumps(tool.input_schema)}\n")


async def call_tool(folder: Path, question: int, tool: str, arguments: dict[str, object]) -> None:
    """Call a tool, print its reply, and note what it cost; pictures are written to the folder."""
    async with Client(f"http://127.0.0.1:{_PORT}/mcp", read_timeout_seconds=120) as client:
        start = time.monotonic()
        result = await client.call_tool(tool, arguments)
        elapsed_ms = round(1000 * (time.monotonic() - start))
    shown = ""
    for part in result.content:
        if isinstance(part, TextContent):
            shown += f"{part.text}\n"
        elif isinstance(part, ImageContent):
            path = folder / f"{secrets.token_hex(4)}.{part.mime_type.rpartition('/')[2]}"
            path.write_bytes(b64decode(part.data))
            shown += f"(picture: {path})\n"
    line = {
        "question": question,
        "tool": tool,
        "arguments": arguments,
        "tokens": count_tokens(shown),
        "ms": elapsed_ms,
    }
    with (folder / "calls.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(line, ensure_ascii=False) + "\n")
    click.echo(shown)


def report(folder: Path) -> None:
    """Print calls and tokens of each question, and their averages."""
    lines = (folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()
    calls = sorted((json.loads(line) for line in lines), key=lambda each: each["question"])
    counts = [
        (number, [each["tokens"] for each in found])
        for number, found in groupby(calls, key=lambda each: each["question"])
        if number
    ]
    for number, tokens in counts:
        click.echo(f"{number:3} {len(tokens):3} calls {sum(tokens):6} tokens")
    questions = len(counts)
    click.echo(
        f"{questions} questions: {sum(len(each) for _, each in counts) / questions:.1f} calls and "
        f"{sum(sum(each) for _, each in counts) / questions:.0f} tokens each"
    )


if __name__ == "__main__":
    os.umask(0o077)
    main()
