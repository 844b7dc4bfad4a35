"""What was learned of a server that its capabilities do not say.

One object an account, kept for as long as the process lives and shared by its
sessions. Each entry names the servers that need it.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """What a probe found."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    """There was nothing to probe with, or nobody has probed yet."""


class Feature(StrEnum):
    """What a server may get wrong in a search, by its keyword."""

    ALL = "ALL"
    """Strato finds no message at all."""

    ESEARCH = "ESEARCH"
    """Proton Bridge and Purelymail mislabel its answers, or give none."""

    SORT = "SORT"
    CHARSET = "CHARSET"
    """Text beyond ASCII: Exchange refuses to search for it, Coremail finds nothing."""

    TEXT = "TEXT"
    """And BODY, which nothing can be probed with."""

    FROM = "FROM"
    TO = "TO"
    CC = "CC"
    SUBJECT = "SUBJECT"
    """Strato finds nothing by it; iCloud by none of the string keys, at times."""

    HEADER = "HEADER"
    LARGER = "LARGER"
    """ICloud's size keys are wrong."""

    SMALLER = "SMALLER"
    SINCE = "SINCE"
    BEFORE = "BEFORE"


@dataclass(slots=True)
class Quirks:
    """Deviations found so far; starts with none."""

    verdicts: dict[Feature, Verdict] = field(default_factory=dict)
    """Of probes, and of answers that were caught being wrong; what is missing is unknown."""

    probes_run: int = 0
    """How many times `imap.probes` has looked."""

    sizes: dict[str, int] = field(default_factory=dict)
    """Messages in each mailbox when it was last opened: huge ones are searched in windows."""

    raw_names: dict[str, bytes] = field(default_factory=dict)
    """Mailbox names as the server writes them, where encoding the decoded name gives other octets.

    Some servers list names in raw UTF-8 or in broken modified UTF-7 (RFC 3501 section 5.1.3).
    """

    def verdict(self, feature: Feature) -> Verdict:
        """Say what is known of a feature."""
        return self.verdicts.get(feature, Verdict.UNKNOWN)

    def trusts(self, feature: Feature) -> bool:
        """Whether nothing speaks against a feature."""
        return self.verdict(feature) is not Verdict.WRONG

    def distrust(self, feature: Feature) -> None:
        """Remember that a feature was caught being wrong."""
        self.verdicts[feature] = Verdict.WRONG

    @property
    def esearch_distrusted(self) -> bool:
        """Whether plain SEARCH is used although ESEARCH is advertised."""
        return not self.trusts(Feature.ESEARCH)
