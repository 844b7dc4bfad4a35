"""What a reader of a format raises when it will not or cannot go on."""

from mailmcp.documents.extraction import Cause


class Refusal(Exception):  # noqa: N818 - becomes an `ExtractionError` in the parent
    """The document is not read, for a cause that the parent makes a sentence of."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(cause.value)
        self.cause = cause
