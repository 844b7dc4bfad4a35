import json
from base64 import b64decode
from dataclasses import replace

from mailmcp.server.reply import Replies
from mcp.types import BlobResourceContents, EmbeddedResource, TextContent

from envelope.samples import ERRORS, NOW, Shelf, meta_of
from mcp_envelope import Dialect, Embedded, Meta, Outcome, Trace, Untrusted
from mcp_envelope.dialects.registry import shape_of

OUTCOME = Outcome(
    summary="One book",
    data=Shelf(books=["a"]),
    blocks=(Untrusted(label="body_text", text="x"),),
    references={"message_id": "imap:a:INBOX:1:2"},
)


def replies(dialect: Dialect = Dialect.SUMMARY, *, json_text: bool = False) -> Replies:
    return Replies(shape_of(dialect), json_text=json_text)


def text_of(content: object) -> str:
    assert isinstance(content, TextContent)
    return content.text


def test_a_success_has_both_channels_and_references() -> None:
    result = replies().make(OUTCOME, meta_of())
    assert result.is_error is False
    assert result.structured_content is not None
    assert result.structured_content["summary"] == "One book"
    assert text_of(result.content[0]).startswith("One book\n")
    assert result.meta == {"mailmcp/request_id": "0123456789abcdef", "mailmcp/message_id": "imap:a:INBOX:1:2"}


def test_a_file_stands_beside_the_text_and_not_in_the_envelope() -> None:
    file = Embedded(uri="imap://a/1", content_type="application/pdf", octets=b"\0%PDF")
    result = replies().make(replace(OUTCOME, embedded=(file,)), meta_of())
    text, embedded = result.content
    assert isinstance(embedded, EmbeddedResource)
    contents = embedded.resource
    assert isinstance(contents, BlobResourceContents)
    assert (str(contents.uri), contents.mime_type) == ("imap://a/1", "application/pdf")
    assert b64decode(contents.blob) == b"\0%PDF"
    assert contents.blob not in text_of(text)
    assert contents.blob not in json.dumps(result.structured_content)


def test_a_failure_is_a_result_with_the_flag_set() -> None:
    result = replies().make(ERRORS[4], meta_of())
    assert result.is_error is True
    assert result.structured_content is not None
    assert result.structured_content["error"]["code"] == "not_found"
    assert text_of(result.content[0]).startswith("Error `not_found` (mailbox_missing)")


def test_json_text_is_the_envelope_itself() -> None:
    for result in (
        replies(json_text=True).make(OUTCOME, meta_of()),
        replies(json_text=True).make(ERRORS[0], meta_of()),
    ):
        assert json.loads(text_of(result.content[0])) == result.structured_content


def test_the_fence_is_new_in_each_reply() -> None:
    first, second = (text_of(replies().make(OUTCOME, meta_of()).content[0]) for _ in range(2))
    assert first != second


def test_the_callers_trace_is_named_in_meta() -> None:
    meta = Meta(now=NOW, duration_ms=1, request_id="r", trace=Trace(trace_id="a" * 32, span_id="b" * 16))
    result = replies().make(OUTCOME, meta)
    assert result.meta is not None
    assert result.meta["mailmcp/trace_id"] == "a" * 32
    assert result.structured_content is not None
    assert result.structured_content["meta"]["span_id"] == "b" * 16


def test_what_an_envelope_has_no_place_for_is_in_meta() -> None:
    result = replies(Dialect.DISCRIMINATED).make(OUTCOME, meta_of())
    assert result.meta is not None
    assert result.meta["mailmcp/now_utc"] == "2026-11-05T09:30:00.123Z"
    assert result.meta["mailmcp/duration_ms"] == 12
