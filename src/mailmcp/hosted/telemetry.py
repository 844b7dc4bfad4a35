"""What a server for many tells OpenTelemetry: calls, what they cost, and who is there.

A call is measured by what its log line says, so no message or mailbox is in it. The SDK makes a span of each
request; it gets the same values.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from opentelemetry import metrics, trace
from opentelemetry.metrics import CallbackOptions, Observation
from typing_extensions import override

EXPORT_VARIABLE: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""Where the collector is, by the specification of OpenTelemetry, whose other variables count, too."""

FLUSH_S: Final = 3.0
"""How long `flush` may take: a collector answers at once, or it is away, and the exporter tries for long."""

_BOUNDARIES_S: Final = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60]
_SUCCESSES: Final = {"ok", "partial"}

_meter = metrics.get_meter("mailmcp")
_duration = _meter.create_histogram(
    "mcp.server.operation.duration",
    unit="s",
    description="Duration of requests",
    explicit_bucket_boundaries_advisory=_BOUNDARIES_S,
)
_round_trips = _meter.create_counter("mailmcp.imap.round_trips", description="Round trips to mail servers")
_received = _meter.create_counter("mailmcp.imap.received", unit="By", description="Octets from mail servers")
refused_tokens = _meter.create_counter("mailmcp.tokens.refused", description="Refused access tokens")


def export() -> bool:
    """Send traces and metrics to a collector, if the variable names one; return whether it does.

    Raises:
        ImportError: OpenTelemetry's SDK isn't installed.
    """
    if not os.environ.get(EXPORT_VARIABLE):
        return False
    # Loaded here: they come with an extra.
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    class Processor(BatchSpanProcessor):
        @override
        def on_end(self, span: ReadableSpan) -> None:
            # Not its text: the SDK puts errors there, which name mailboxes and files. `span` is a copy.
            span._status = trace.Status(span.status.status_code)  # noqa: SLF001
            super().on_end(span)

    resource = Resource.create({"service.name": "mailmcp", **OTELResourceDetector().detect().attributes})
    traces = TracerProvider(resource=resource)
    traces.add_span_processor(Processor(OTLPSpanExporter()))
    trace.set_tracer_provider(traces)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics.set_meter_provider(MeterProvider(resource=resource, metric_readers=[reader]))
    return True


def flush() -> None:
    """Send what wasn't sent yet."""
    for provider in (trace.get_tracer_provider(), metrics.get_meter_provider()):
        if force_flush := getattr(provider, "force_flush", None):  # only the SDK's have it
            force_flush()


def note_call(fields: Mapping[str, object]) -> None:
    """Measure a call that has ended by the fields of its log line."""
    name, outcome = str(fields["tool"]), str(fields["outcome"])
    attributes = {"mcp.method.name": name} if "/" in name else {"mcp.method.name": "tools/call"}
    if "/" not in name:
        attributes["gen_ai.tool.name"] = name
    if outcome not in _SUCCESSES:
        attributes["error.type"] = outcome
    if principal := fields.get("principal"):
        attributes["user.name"] = str(principal)
    _duration.record(int(str(fields["duration_ms"])) / 1000, attributes)
    span = trace.get_current_span()
    span.set_attributes(
        attributes | {"mailmcp.outcome": outcome, "mailmcp.request_id": str(fields["request_id"])}
    )
    for field, counter in (("imap_round_trips", _round_trips), ("bytes_received", _received)):
        if count := fields.get(field):
            counter.add(int(str(count)), attributes)
            span.set_attribute(f"mailmcp.{field}", int(str(count)))


def observe_sessions(count: Callable[[], Mapping[str, int]]) -> None:
    """Report how many IMAP sessions each user has, whenever metrics are collected."""

    def observe(_options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(sessions, {"user.name": user}) for user, sessions in count().items()]

    _meter.create_observable_gauge(
        "mailmcp.imap.sessions", [observe], description="Open IMAP sessions of each user who is there"
    )
