"""What the command lines print about one reply."""

import json
import sys

from mcp_envelope.check.checker import Mode, check_reply
from mcp_envelope.dialects.names import Dialect


def check_file(text: str, dialect: Dialect, mode: Mode) -> int:
    """Print each rule that a reply breaks to stdout, and how many to stderr.

    Args:
        text: The reply: a JSON object.
        dialect: The shape that it claims.
        mode: What is asked of it.

    Returns:
        The exit status: 0 for a reply in order, 1 for one that breaks rules, 2 for what isn't JSON.
    """
    try:
        broken = check_reply(json.loads(text), dialect, mode)
    except ValueError as error:
        sys.stderr.write(f"it is not JSON: {error}\n")
        return 2
    except RecursionError:
        sys.stderr.write("it is nested too deeply\n")
        return 2
    sys.stdout.write("".join(f"{rule}\n" for rule in broken))
    count = f"{len(broken)} rule{'' if len(broken) == 1 else 's'} broken"
    sys.stderr.write(f"{count if broken else 'in order'}\n")
    return 1 if broken else 0
