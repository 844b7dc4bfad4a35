import pytest

from mcp_envelope import Trace
from mcp_envelope.server.trace import read_trace

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"


def test_a_traceparent_gives_both_ids() -> None:
    """W3C Trace Context section 3.2.2."""
    assert read_trace({"traceparent": f"00-{TRACE}-{SPAN}-01"}) == Trace(trace_id=TRACE, span_id=SPAN)


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        {"traceparent": 7},
        {"traceparent": ""},
        {"traceparent": f"00-{TRACE.upper()}-{SPAN}-01"},
        {"traceparent": f"00-{TRACE}-{SPAN}"},
        {"traceparent": f"00-{'0' * 32}-{SPAN}-01"},
        {"traceparent": f"00-{TRACE}-{'0' * 16}-01"},
        {"traceparent": f"00-{TRACE}-{SPAN}-01\nx"},
    ],
)
def test_what_is_none_is_ignored(meta: dict[str, object] | None) -> None:
    assert read_trace(meta) is None
