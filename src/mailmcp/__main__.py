"""The entry point: `mailmcp`, or `python -m mailmcp`.

A host waits while modules load. Garbage collection finds nothing then and takes a seventh of the time, so it
is off until the command is loaded (`cli/main.py`).
"""

import gc

gc.disable()

from mailmcp.cli.main import cli  # noqa: E402 - after the collector is off


def main() -> None:
    """Run the command line."""
    cli()


if __name__ == "__main__":
    main()
