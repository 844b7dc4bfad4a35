"""The entry point: `mailmcp`, or `python -m mailmcp`.

Start-up is imports, and a host waits for it. Collecting garbage meanwhile finds none and
costs a seventh of the time, so it is off until the command is loaded (`cli/main.py`).
"""

import gc

gc.disable()

from mailmcp.cli.main import cli  # noqa: E402 - after the collector is off, see above


def main() -> None:
    """Run the command line."""
    cli()


if __name__ == "__main__":
    main()
