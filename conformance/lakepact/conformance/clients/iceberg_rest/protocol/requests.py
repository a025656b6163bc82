"""Bodies and parameters of all requests match the contract."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping
from functools import cache, lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson
from jsonschema_rs import Draft202012Validator

from lakepact.conformance.clients.iceberg_rest.api import (
    CatalogClientLab,
    Document,
    Exchange,
    Unmet,
    expect,
)
from lakepact.conformance.clients.iceberg_rest.kit.changes import changes
from lakepact.conformance.clients.iceberg_rest.suite import suite
from lakepact.conformance.evidence.exchanges import NO_OPERATION
from lakepact.conformance.judging.components import Components
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract, Parameter, Requirement

REMEMBERED = 1024
TRAFFIC = ("protocol.requests.all_requests_match_the_contract",)

READS = (
    "list-tables",
    "load-table",
    "table-exists",
    "namespace-exists",
    "list-views",
    "load-namespace",
)


class Requests:
    """The requests that one version of the contract allows.

    Args:
        contract: the version.
    """

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self._components = Components(contract)
        self.flaws = lru_cache(REMEMBERED)(self._flaws_of)
        #: Schemas that only clients send.
        self.of_clients = {
            r.clause.rpartition("/")[2]: r
            for r in contract.requirements.values()
            if r.area == "schemas" and r.side == "client"
        }

    def _flaws_of(self, component: str, body: bytes) -> Mapping[str, str | None]:
        """Return the components in a body that has to be a `component`, and the first flaw of each,
        if it has one.
        """
        try:
            document = orjson.loads(body)
        except orjson.JSONDecodeError as wrong:
            return {component: f"no JSON: {wrong}"}
        return self._components.flaws(component, document)

    def components_of(self, exchange: Exchange) -> Mapping[str, str | None]:
        """Return the components in the body of a request, and the first flaw of each; none where
        the contract expects no JSON.
        """
        operation = self.contract.operations.get(exchange.operation or NO_OPERATION)
        if (
            operation is None
            or operation.body is None
            or operation.body_media_type != "application/json"
            or not exchange.request_body
        ):
            return {}
        return self.flaws(operation.body, exchange.request_body)

    def fits(self, component: str, exchange: Exchange) -> bool:
        """Expect each instance of a component that a client sends to fit its schema.

        Returns:
            whether it sends any.
        """
        flaws = self.components_of(exchange)
        if component not in flaws:
            return False
        flaw = flaws[component]
        if flaw is not None:
            raise Unmet(f"every {component} to fit its schema", exchange.redact(flaw))
        return True

    def requests_fit(self, exchange: Exchange) -> bool:
        """Expect only query parameters, headers and bodies that the contract allows.

        Returns:
            whether the request is for an operation of the contract.
        """
        operation = self.contract.operations.get(exchange.operation or NO_OPERATION)
        if operation is None:
            return False
        for component, flaw in self.components_of(exchange).items():
            if flaw is not None and component not in self.of_clients:
                raise Unmet(f"every {component} to fit its schema", exchange.redact(flaw))
        values = {
            "query": parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True),
            "header": exchange.request_headers,
        }
        for parameter in operation.parameters:
            for name, value in values.get(parameter.where, ()):
                same = (
                    name.lower() == parameter.name.lower()
                    if parameter.where == "header"
                    else name == parameter.name
                )
                if same:
                    what = (
                        f"a value that the contract allows for {parameter.name} of {operation.id}"
                    )
                    expect.true(_allows(parameter, value), what, expect.excerpt(value))
        return True


def _allows(parameter: Parameter, value: str) -> bool:
    values: list[Any] = [part.strip() for part in value.split(",")] if parameter.many else [value]
    validator = _validator(parameter.name, orjson.dumps(dict(parameter.schema)))
    return any(validator.is_valid(value) for value in _possible_values(values, many=parameter.many))


def _possible_values(values: list[Any], *, many: bool) -> list[Any]:
    """Return the values that a parameter's text may stand for."""
    if many:
        return [values, ",".join(values)]
    (text,) = values
    possible: list[Any] = [text]
    if text in {"true", "false"}:
        possible.append(text == "true")
    if text.lstrip("-").isdigit():
        possible.append(int(text))
    return possible


@cache
def _validator(name: str, schema: bytes) -> Draft202012Validator:
    del name
    return Draft202012Validator(orjson.loads(schema))


def expect_contract_path(exchange: Exchange) -> bool:
    """Expect a method and a path of the contract for a request below /v1.

    Raises:
        Unmet: the contract lacks them.
    """
    path = urlsplit(exchange.url).path.partition("/task-")[2].partition("/")[2]
    if not path.startswith("v1/"):
        return False
    if exchange.operation is None:
        raise Unmet(
            "a method and path of the contract", f"{exchange.method} /{exchange.redact(path)}"
        )
    return True


def judge_requests(of: Suite[Any], requests: Requests) -> None:
    """Register the invariants about requests, and the check that has clients send them, in the
    suite of a version.
    """

    def invariant_of(component: str, requirement: Requirement) -> None:
        def holds(exchange: Exchange) -> bool:
            return requests.fits(component, exchange)

        holds.__name__, holds.__doc__ = component, requirement.sentence
        of.invariant(requirement.id, traffic=TRAFFIC)(holds)

    for component, requirement in requests.of_clients.items():
        invariant_of(component, requirement)

    @of.invariant("IRC-CLI-001", traffic=TRAFFIC)
    def requests_fit(exchange: Exchange) -> bool:
        """A client sends only query parameters, headers and bodies that the contract allows."""
        return requests.requests_fit(exchange)

    @of.check("IRC-CLI-001", "IRC-CLI-033", *(r.id for r in requests.of_clients.values()))
    def all_requests_match_the_contract(lab: CatalogClientLab) -> None:
        """All requests of a client that reads, creates, changes and drops namespaces, tables and
        views match the contract.
        """
        where = lab.table()
        tasks: list[tuple[str, Document]] = [("list-namespaces", {})]
        tasks += [(name, where) for name in READS]
        tasks += [(task, arguments) for _, task, arguments, _ in changes(lab)]
        exchanges = [
            exchange
            for task, arguments in tasks
            if (performance := lab.tries(task, **arguments))
            for exchange in performance.exchanges
        ]
        components = {
            component for exchange in exchanges for component in requests.components_of(exchange)
        }
        for component, requirement in lab.each(requests.of_clients.items()):
            if component not in components:
                lab.skip(requirement.id, f"the client sends no {component}")
            else:
                _judge_each(lab, requirement.id, partial(requests.fits, component), exchanges)
        _judge_each(lab, "IRC-CLI-033", expect_contract_path, exchanges)
        _judge_each(lab, "IRC-CLI-001", requests.requests_fit, exchanges)


def _judge_each(
    lab: CatalogClientLab,
    requirement: str,
    judge: Callable[[Exchange], bool | None],
    exchanges: list[Exchange],
) -> None:
    with lab.judge_each(requirement) as case:
        for exchange in exchanges:
            with case(), with_evidence(exchange):
                judge(exchange)


@contextlib.contextmanager
def with_evidence(exchange: Exchange) -> Generator[None]:
    """Name an exchange as the evidence if the block raises `Unmet`."""
    try:
        yield
    except Unmet as unmet:
        unmet.exchange = exchange.number
        raise


REQUESTS = Requests(suite.contract)
judge_requests(suite, REQUESTS)
