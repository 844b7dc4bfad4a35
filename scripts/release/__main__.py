"""The command line of `scripts/package`."""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import click
from scripts.release.bundle import pack, start_as_host, write_bundle
from scripts.release.commands import run
from scripts.release.distributions import ROOT, build_distributions
from scripts.release.registry import registry_entry, registry_name
from scripts.release.trial import check_version, install, use_demo

import mailmcp

ACCOUNT = {"host": "imap.example.com", "user": "you@example.com", "password": "not-a-password"}


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path, resolve_path=True),
    default=ROOT / "dist",
    help="Where the files go. Default: dist in the checkout.",
)
@click.option("--owner", help="The GitHub user or organization that publishes mailmcp in the MCP registry.")
def main(out: Path, owner: str | None) -> None:
    """Build the distributions, the bundle and the registry's entry, and try each."""
    try:
        name = None if owner is None else registry_name(owner)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--owner") from error

    _say("distributions")
    distributions = build_distributions(out, registry_name=name)
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, distributions.files))
    with TemporaryDirectory() as scratch:
        _say("installing the wheels in an environment of their own")
        envelope, wheel = (str(file) for file in distributions.wheels)
        command = install(Path(scratch, "environment"), envelope, f"{wheel}[demo]")
        check_version(command)
        anyio.run(use_demo, command, Path(scratch))

    _say("bundle")
    bundle = out / f"mailmcp-{mailmcp.__version__}.mcpb"
    with TemporaryDirectory() as scratch:
        folder, host = Path(scratch, "mailmcp"), Path(scratch, "host")
        write_bundle(folder, distributions)
        pack(folder, bundle, node=out / "node")
        host.mkdir()
        tools = anyio.run(start_as_host, bundle, host, ACCOUNT)
        _say(f"the bundle starts and lists {len(tools)} tools")

    made = [*distributions.files, bundle]
    if name is not None:
        entry = out / "server.json"
        entry.write_text(json.dumps(registry_entry(name), indent=2) + "\n", encoding="utf-8")
        made.append(entry)
    else:
        _say("no server.json: it needs --owner")
    for file in made:
        click.echo(file)


def _say(text: str) -> None:
    click.echo(text, err=True)


if __name__ == "__main__":
    main(prog_name="scripts/package")
