"""The entry point: `mailmcp`, or `python -m mailmcp`."""

from mailmcp.cli.main import cli


def main() -> None:
    """Run the command line."""
    cli()


if __name__ == "__main__":
    main()
