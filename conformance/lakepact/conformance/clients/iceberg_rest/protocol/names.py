"""Names in the paths of requests, and encodings of paths and answers."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace

from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    CatalogClientLab,
    Forward,
    Request,
    Script,
    check,
    expect,
)

AWKWARD = ("50%41", "a+b&c=d", "q?#", "élan", "with.dot")


@check("IRC-CLI-002", "IRC-CLI-005")
def namespace_names(lab: CatalogClientLab) -> None:
    """A client lists the tables of namespaces with several levels, with special characters and with
    spaces.
    """
    plain = lab.namespace("t")
    lab.does("list-tables", ["t"], namespace=plain)
    with lab.judge("IRC-CLI-002"):
        _lists(lab, lab.namespace("t", within=plain))
        for name in AWKWARD:
            _lists(lab, lab.namespace("t", name=f"{lab.name()}-{name}"))
    with lab.judge("IRC-CLI-005"):
        _lists(lab, lab.namespace("t", name=f"{lab.name()} with spaces"))


def _lists(lab: CatalogClientLab, namespace: Sequence[str]) -> None:
    expect.equal(
        ["t"],
        lab.performs("list-tables", namespace=namespace).result,
        f"the tables of {expect.excerpt(namespace)}",
    )


@check("IRC-CLI-002")
def table_names(lab: CatalogClientLab) -> None:
    """A client loads tables with special characters in their names."""
    names = [name for name in AWKWARD if "?" not in name]
    home = lab.namespace("t", *names)
    lab.does("load-table", namespace=home, table="t")
    with lab.judge_each("IRC-CLI-002") as case:
        for name in names:
            with case():
                expected = lab.metadata(home, name)["table-uuid"]
                actual = lab.performs("load-table", namespace=home, table=name).result
                expect.equal(
                    expected,
                    actual.get("uuid") if isinstance(actual, dict) else actual,
                    f"uuid of the table {expect.excerpt(name)}:",
                )


JSON = ("application/json; charset=utf-8", "Application/JSON;charset=UTF-8")


def compress(request: Request, forward: Forward) -> Answer:
    """Answer as a server that compresses answers with gzip if the client accepts it."""
    answer = forward(request)
    codings = [
        coding.partition(";")[0].strip().lower()
        for coding in request.headers.get("accept-encoding", "").split(",")
    ]
    if "gzip" not in codings or not answer.body:
        return answer
    return replace(answer, body=gzip.compress(answer.body)).with_header("content-encoding", "gzip")


@check("IRC-CLI-055")
def encodings(lab: CatalogClientLab) -> None:
    """A client lists tables from gzip responses if it sends `Accept-Encoding: gzip`, and from
    responses with a charset.
    """
    home = lab.listable()
    with lab.judge_each("IRC-CLI-055") as case:
        with case():
            performance = lab.performs("list-tables", compress, namespace=home)
            performance.meets(
                performance.prints(["t"]),
                "the tables, in the content coding that the client accepts",
            )
        for kind in JSON:
            with case():
                performance = lab.performs("list-tables", _with_type(kind), namespace=home)
                performance.meets(
                    performance.prints(["t"]), f"the tables, with Content-Type {kind}"
                )


def _with_type(kind: str) -> Script:
    """Return a catalog whose answers have this Content-Type."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        return answer.with_header("content-type", kind) if answer.body else answer

    return script
