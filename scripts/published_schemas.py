"""The published schemas: written of the models into the package, where the tests compare them."""

from pathlib import Path

import click

from mailmcp.server import published
from mailmcp.server.publishing import write_published
from mcp_envelope import Dialect

FOLDER = Path(published.__file__).parent / published.FOLDER


@click.command()
def main() -> None:
    """Write the published schemas anew."""
    for dialect in Dialect:
        (FOLDER / f"{dialect.value}.json").write_text(write_published(dialect), encoding="utf-8")


if __name__ == "__main__":
    main()
