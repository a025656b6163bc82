"""Separators of the levels of a namespace that a catalog chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from lakepact.conformance.clients.iceberg_rest.v1_11_0.suite import check
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.v1_11_0.suite import NewerCatalogClientLab
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

UNIT = "%1F"
NAMESPACES = "/v1/namespaces/"
#: Values of `namespace-separator`, URL-encoded.
SEPARATORS = ("%2E", "%3A%3A", "%1F")


def separated_by(separator: str) -> Script:
    """Return a catalog that names this separator, and takes it and the byte 0x1F in paths."""

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == op.get_config:
            answer = forward(request)
            document = answer.document
            return answer.with_document({**document, "overrides": {**document["overrides"], "namespace-separator": separator}})
        before, found, rest = request.target.partition(NAMESPACES)
        if not found or before:
            return forward(request)
        name, mark, further = rest.partition("/")
        spelled = name.replace(unquote(separator), UNIT)
        for octets in {separator, separator.lower()}:
            spelled = spelled.replace(octets, UNIT)
        return forward(request.at(f"{NAMESPACES}{spelled}{mark}{further}"))

    return script


@check("IRC-SEP-005")
def namespaces_are_separated(lab: NewerCatalogClientLab) -> None:
    """A table in a namespace of three levels is found whatever separator the configuration names."""
    outer = lab.namespace()
    inner = lab.namespace("t", within=lab.namespace(within=outer))
    lab.does("list-tables", ["t"], namespace=inner)
    with lab.judge_each("IRC-SEP-005") as case:
        for separator in SEPARATORS:
            with case():
                done = lab.performs("list-tables", separated_by(separator), namespace=inner)
                expect.true(done.ended.prints(["t"]), f"the tables, where namespace-separator is {separator}", done.ended.outcome, at=None)
