"""A job survives its journey."""

import json
from dataclasses import asdict

from mailmcp.documents.job import LENGTH, Job


def test_an_order_is_the_same_on_the_other_side() -> None:
    job = Job(kind="pdf", max_chars=9, time_s=1.5, memory_octets=2**40)
    assert Job(**json.loads(json.dumps(asdict(job)))) == job


def test_lengths_fit_any_document() -> None:
    assert LENGTH.unpack(LENGTH.pack(2**40)) == (2**40,)
