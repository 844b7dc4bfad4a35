"""All hostile messages, in one order."""

from typing import Final

from hostile.alternatives import ALTERNATIVES
from hostile.attachments import ATTACHMENTS
from hostile.forged import FORGED
from hostile.headers import HEADERS
from hostile.hidden import HIDDEN
from hostile.invisible import INVISIBLE
from hostile.links import LINKS
from hostile.senders import SENDERS

HOSTILE: Final = (*HIDDEN, *ALTERNATIVES, *FORGED, *HEADERS, *INVISIBLE, *LINKS, *SENDERS, *ATTACHMENTS)
