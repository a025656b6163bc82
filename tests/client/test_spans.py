"""Every request is a span of OpenTelemetry, without secrets; without its API the client imports and
records nothing.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys

import httpx
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from lakepact.client import (
    AsyncIcebergCatalog,
    BearerToken,
    IcebergCatalog,
    NoSuchNamespace,
    Unreachable,
    spans,
)

CONFIG = {"defaults": {}, "overrides": {}}
MISSING = {"error": {"message": "no s3cr3t", "type": "NoSuchNamespaceException", "code": 404}}


@pytest.fixture
def exporter(monkeypatch):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(spans, "_tracer", lambda: provider.get_tracer("lakepact.client"))
    return exporter


def carrier(*replies):
    left = iter([httpx.Response(200, json=CONFIG), *replies])

    def answer(request):
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return httpx.MockTransport(answer)


def catalog_of(*replies):
    return IcebergCatalog(
        "http://c:8181",
        auth=BearerToken("s3cr3t"),
        http=httpx.Client(transport=carrier(*replies)),
        sleep=lambda _: None,
    )


def test_span_has_the_attributes_of_http_clients(exporter):
    list(catalog_of(httpx.Response(200, json={"namespaces": []})).list_namespaces("a"))

    config, listing = exporter.get_finished_spans()
    assert (config.name, config.kind) == ("GET getConfig", SpanKind.CLIENT)
    assert listing.name == "GET listNamespaces"
    assert dict(listing.attributes) == {
        "http.request.method": "GET",
        "url.full": "http://c:8181/v1/namespaces?[hidden]",
        "server.address": "c",
        "server.port": 8181,
        "http.response.status_code": 200,
        "lakepact.operation": "listNamespaces",
    }
    assert listing.status.status_code is StatusCode.UNSET


def test_refused_request_is_an_error(exporter):
    with pytest.raises(NoSuchNamespace):
        catalog_of(httpx.Response(404, json=MISSING)).load_namespace("a")

    span = exporter.get_finished_spans()[-1]
    assert (span.attributes["http.response.status_code"], span.attributes["error.type"]) == (
        404,
        "404",
    )
    assert span.status.status_code is StatusCode.ERROR


def test_repeated_request_says_how_often_it_was_sent(exporter):
    replies = [
        httpx.Response(503),
        httpx.Response(503),
        httpx.Response(200, json={"namespace": ["a"]}),
    ]
    catalog_of(*replies).load_namespace("a")

    assert [
        span.attributes.get("http.request.resend_count")
        for span in exporter.get_finished_spans()[1:]
    ] == [None, 1, 2]


def test_lost_request_is_an_error_of_its_kind(exporter):
    with pytest.raises(Unreachable):
        catalog_of(*[httpx.ReadError("s3cr3t")] * 9).load_namespace("a")

    span = exporter.get_finished_spans()[-1]
    assert (span.attributes["error.type"], span.status.status_code) == (
        "ReadError",
        StatusCode.ERROR,
    )


def test_spans_hold_no_secret(exporter):
    with pytest.raises(NoSuchNamespace):
        catalog_of(httpx.Response(404, json=MISSING)).load_namespace("a")
    with pytest.raises(Unreachable):
        catalog_of(*[httpx.ReadError("s3cr3t")] * 9).load_namespace("a")

    assert "s3cr3t" not in "".join(span.to_json() for span in exporter.get_finished_spans())


def test_asynchronous_requests_are_spans(exporter):
    async def load():
        http = httpx.AsyncClient(transport=carrier(httpx.Response(200, json={"namespace": ["a"]})))
        async with AsyncIcebergCatalog("http://c", http=http) as catalog:
            await catalog.load_namespace("a")

    asyncio.run(load())

    assert [span.name for span in exporter.get_finished_spans()] == [
        "GET getConfig",
        "GET loadNamespaceMetadata",
    ]
    assert exporter.get_finished_spans()[-1].attributes["server.port"] == 80


def test_client_works_without_opentelemetry():
    code = (
        "import sys, httpx; sys.modules['opentelemetry'] = None\n"
        "from lakepact.client import IcebergCatalog\n"
        f"http = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json={CONFIG})))\n"
        "IcebergCatalog('http://c', http=http).config()\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry.')])"
    )

    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
