"""Traces and metrics, as a collector gets them from a process."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import MCPError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from typing_extensions import override

from hosted.conftest import SECRETS
from hosted.organisation import MASTER_PASSWORD, Organisation, replica, write_settings
from hosted.raw import call
from mailmcp.hosted.telemetry import EXPORT_VARIABLE
from servers.dovecot import Dovecot
from servers.http_process import connected

ANN, BOB = SECRETS


class Collector(ThreadingHTTPServer):
    """Takes what is exported (OTLP over HTTP)."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: dict[str, list[bytes]] = {"/v1/traces": [], "/v1/metrics": []}
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.may_answer = threading.Event()
        self.may_answer.set()

    def spans(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return name, trace and attributes of each span."""
        requests = map(ExportTraceServiceRequest.FromString, self.received["/v1/traces"])
        return [
            (span.name, span.trace_id.hex(), _attributes(span.attributes))
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def metrics(self) -> dict[str, list[tuple[dict[str, Any], float]]]:
        """Return the points of each metric as they were at last: attributes and value, or count."""
        found: dict[str, list[tuple[dict[str, Any], float]]] = {}
        for request in map(ExportMetricsServiceRequest.FromString, self.received["/v1/metrics"]):
            for metric in (
                each
                for resource in request.resource_metrics
                for scope in resource.scope_metrics
                for each in scope.metrics
            ):
                points = metric.histogram.data_points or metric.sum.data_points or metric.gauge.data_points
                found[metric.name] = [
                    (_attributes(each.attributes), getattr(each, "as_int", 0) or getattr(each, "count", 0))
                    for each in points
                ]
        return found


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.received[self.path].append(body)
        self.server.may_answer.wait()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    @override
    def log_message(self, *_: object) -> None:
        """Nothing."""


def _attributes(pairs: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in pairs}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.may_answer.set()
        server.shutdown()
        thread.join()


@contextmanager
def serving(
    organisation: Organisation, server: Dovecot, folder: Path, **variables: str
) -> Iterator[tuple[Any, Any]]:
    """Serve as a process; yields it and what uses it, which returns what must stay secret."""
    options = {"sign_in": "master", "master_user": "boss"}
    write_settings(organisation, server, folder, account=f'password = "{MASTER_PASSWORD}"\n', **options)

    async def use(url: str) -> list[str]:
        async with httpx2.AsyncClient(timeout=60) as http:
            ann, bob = (organisation.issue(each) for each in SECRETS)
            found = await call(http, url, ann, "imap_search_messages", {"limit": 1})
            message_id = found.data["messages"][0]["message_id"]
            await call(http, url, ann, "imap_get_message", {"message_id": message_id})
            refused = await call(http, url, bob, "imap_get_message", {"message_id": message_id})
            assert refused.reason == "not_found/account_unknown"
            narrow = organisation.issue(BOB, scope="openid")
            for token, status in [("wrong", 401), (narrow, 403)]:
                wrong = await http.post(url, headers={"Authorization": f"Bearer {token}"}, json={})
                assert wrong.status_code == status
        async with connected(url, "auto", ann) as client:
            account_id = message_id.split(":")[1]
            with pytest.raises(MCPError, match="Hidden"):
                await client.read_resource(f"imap://{account_id}/mailbox/Hidden")
        return [message_id, SECRETS[ANN], MASTER_PASSWORD, ann, narrow, "INBOX", "Hidden"]

    with replica(folder, variables=variables) as process:
        yield process, lambda: anyio.run(use, process.url)


def test_a_collector_learns_of_calls_and_their_cost_and_nothing_of_mail(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path, collector: Collector
) -> None:
    with serving(organisation, mail_server, tmp_path, **{EXPORT_VARIABLE: collector.url}) as (process, use):
        secrets = use()
        assert process.stop() == ""
    metrics = collector.metrics()
    durations = metrics["mcp.server.operation.duration"]
    calls = {(each.get("gen_ai.tool.name"), each["user.name"]): each for each, _ in durations}
    assert calls.keys() == {
        (None, ANN),
        ("imap_search_messages", ANN),
        ("imap_get_message", ANN),
        ("imap_get_message", BOB),
    }
    assert "error.type" not in calls["imap_get_message", ANN]
    assert calls["imap_get_message", BOB]["error.type"] == "not_found/account_unknown"
    assert calls[None, ANN]["mcp.method.name"] == "resources/read"
    assert [count for _, count in durations] == [1, 1, 1, 1]
    trips = {each.get("gen_ai.tool.name"): count for each, count in metrics["mailmcp.imap.round_trips"]}
    assert trips.keys() == {"imap_search_messages", "imap_get_message", None}
    assert trips["imap_search_messages"] >= 2
    assert all(count > 100 for _, count in metrics["mailmcp.imap.received"])
    refused = {each["error.type"]: count for each, count in metrics["mailmcp.tokens.refused"]}
    assert refused == {"invalid_token": 1, "insufficient_scope": 1}
    assert {each["user.name"] for each, _ in metrics["mailmcp.imap.sessions"]} == {ANN, BOB}
    spans = {(name, each.get("user.name")): each for name, _, each in collector.spans()}
    search = spans["tools/call imap_search_messages", ANN]
    assert search["mailmcp.imap_round_trips"] == trips["imap_search_messages"]
    assert str(search["mailmcp.request_id"]) in process.log
    assert f"token refused: it lacks a scope principal={BOB}" in process.log
    everything = b"".join(part for each in collector.received.values() for part in each)
    assert [each for each in secrets if each.encode() in everything] == []


def test_without_the_variable_nothing_is_sent(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path, collector: Collector
) -> None:
    with serving(organisation, mail_server, tmp_path, OTEL_SERVICE_NAME="mailmcp") as (process, use):
        use()
        process.stop()
    assert collector.received == {"/v1/traces": [], "/v1/metrics": []}


def test_a_collector_that_does_not_answer_holds_no_server_up(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path, collector: Collector
) -> None:
    """The exporter would try for `OTEL_EXPORTER_OTLP_TIMEOUT` seconds; `stop` waits for 30."""
    patient = {EXPORT_VARIABLE: collector.url, "OTEL_EXPORTER_OTLP_TIMEOUT": "600"}
    collector.may_answer.clear()
    with serving(organisation, mail_server, tmp_path, **patient) as (process, use):
        use()
        process.stop()
    assert collector.received["/v1/traces"]
