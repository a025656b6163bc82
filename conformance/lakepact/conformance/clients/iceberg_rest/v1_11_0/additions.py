"""The additions of this version: idempotency keys, and separators of the levels of a namespace."""

from __future__ import annotations

from urllib.parse import unquote

from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    Forward,
    NotOffered,
    Request,
    Script,
    answering,
    at_first,
    error,
    expect,
    key_of,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import expect_no_repeat
from lakepact.conformance.clients.iceberg_rest.v1_11_0.suite import NewerCatalogClientLab, check

LIFETIME = "idempotency-key-lifetime"
TWICE = "set-properties-twice"
BUSY = (502, 503, 504)


def without_lifetime(script: Script) -> Script:
    """Return a catalog that announces no idempotency keys, and otherwise answers by a script."""

    def without_keys(request: Request, forward: Forward) -> Answer:
        if request.operation != op.get_config:
            return script(request, forward)
        answer = forward(request)
        return answer.with_document(
            {name: value for name, value in answer.document.items() if name != LIFETIME}
        )

    return without_keys


@check("IRC-IDEM-018")
def each_commit_has_its_own_key(lab: NewerCatalogClientLab) -> None:
    """A client sends all attempts at one commit with one `Idempotency-Key`, and every other commit
    with another.
    """
    home = lab.changeable()
    by_key: dict[str, set[bytes]] = {}
    for status in lab.each(BUSY):
        busy = at_first(
            answering(op.update_table, error(status, "ServiceFailureException")), op.update_table
        )
        first, second = {"lakepact.first": str(status)}, {"lakepact.second": str(status)}
        performance = lab.performs(
            TWICE, busy, namespace=home, table="t", first=first, second=second
        )
        attempts = [
            (exchange.request_body, key_of(exchange))
            for exchange in performance.of(op.update_table)
        ]
        if not any(key for _, key in attempts):
            raise NotOffered("the client sends no keys")
        for body, key in attempts:
            if key is not None:
                by_key.setdefault(key, set()).add(body)
        with lab.judge("IRC-IDEM-018") as case:
            for body in {body for body, _ in attempts}:
                with case():
                    keys = {key for other, key in attempts if other == body}
                    expect.equal(
                        1,
                        len(keys),
                        f"of all attempts at one commit that was answered with {status} first,"
                        " keys:",
                    )
            shared = [key for key, bodies in by_key.items() if len(bodies) > 1]
            expect.equal([], shared, "keys that several commits have:")


@check("IRC-IDEM-019")
def undeclared_keys_do_not_allow_retries(lab: NewerCatalogClientLab) -> None:
    """A client does not repeat a commit with 502 or 504 before it has loaded the table, if there is
    no `idempotency-key-lifetime`.
    """
    home = lab.changeable()
    with lab.judge("IRC-IDEM-019"):
        for status in (502, 504):
            script = without_lifetime(
                answering(
                    op.update_table, error(status, "CommitStateUnknownException"), is_applied=True
                )
            )
            performance = lab.performs(
                "set-properties",
                script,
                namespace=home,
                table="t",
                updates={"lakepact.unknown": str(status)},
            )
            expect_no_repeat(performance, status, allow_keys=False)


UNIT = "%1F"
NAMESPACES = "/v1/namespaces/"
#: Values of `namespace-separator`, URL-encoded.
SEPARATORS = ("%2E", "%3A%3A", "%1F")


def with_separator(separator: str) -> Script:
    """Return a catalog that names this separator, and takes it and the byte 0x1F in paths."""

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == op.get_config:
            return forward(request).merging(overrides={"namespace-separator": separator})
        before, match, rest = request.target.partition(NAMESPACES)
        if not match or before:
            return forward(request)
        name, mark, further = rest.partition("/")
        path = name.replace(unquote(separator), UNIT)
        for octets in {separator, separator.lower()}:
            path = path.replace(octets, UNIT)
        return forward(request.at(f"{NAMESPACES}{path}{mark}{further}"))

    return script


@check("IRC-SEP-005")
def namespaces_are_separated(lab: NewerCatalogClientLab) -> None:
    """A table in a namespace of three levels is found whatever separator the configuration
    names.
    """
    outer = lab.namespace()
    inner = lab.namespace("t", within=lab.namespace(within=outer))
    lab.does("list-tables", ["t"], namespace=inner)
    with lab.judge_each("IRC-SEP-005") as case:
        for separator in SEPARATORS:
            with case():
                performance = lab.performs(
                    "list-tables", with_separator(separator), namespace=inner
                )
                performance.meets(
                    performance.prints(["t"]),
                    f"the tables, where namespace-separator is {separator}",
                )
