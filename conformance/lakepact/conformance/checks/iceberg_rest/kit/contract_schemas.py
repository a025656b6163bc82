"""The schemas of the contract for answers and metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

import orjson

from lakepact.conformance.evidence.exchanges import NO_OPERATION, Document, Exchange
from lakepact.conformance.evidence.outcome import Claim
from lakepact.conformance.judging.components import Components, Instance
from lakepact.generated.contract import Contract, OperationId

Flaws = Mapping[str, str | None]

CONTRACT = Contract("iceberg_rest")
ERROR_BODY = "IcebergErrorResponse"  #: the component of refusals

#: A schema with every kind of type in it, nested in each other, and identifier fields.
NESTED: Document = {
    "type": "struct",
    "schema-id": 0,
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True, "doc": "what tells rows apart"},
        {"id": 2, "name": "amount", "type": "decimal(9, 2)", "required": False},
        {"id": 3, "name": "digest", "type": "fixed[16]", "required": False},
        {
            "id": 4,
            "name": "place",
            "required": False,
            "type": {
                "type": "struct",
                "fields": [
                    {"id": 5, "name": "city", "type": "string", "required": True},
                ],
            },
        },
        {
            "id": 6,
            "name": "tags",
            "required": False,
            "type": {
                "type": "list",
                "element-id": 7,
                "element": "string",
                "element-required": False,
            },
        },
        {
            "id": 8,
            "name": "scores",
            "required": False,
            "type": {
                "type": "map",
                "key-id": 9,
                "key": "string",
                "value-id": 10,
                "value": "double",
                "value-required": False,
            },
        },
    ],
}

REFERENCE = re.compile(r"#/components/schemas/(\w+)")

#: Validations that are cached: all invariants need the same one, and many answers are equal.
CACHE_SIZE = 1024


class ContractSchemas:
    """The schemas of one version of the contract.

    Args:
        contract: the version.
    """

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.components = Components(contract)
        self._components_in = cache(self._components_of)
        self._flaws = lru_cache(CACHE_SIZE)(self._flaws_of)
        #: the last exchange and its flaws: all invariants need them in turn
        self._latest: tuple[Exchange | None, Flaws] = (None, {})

    def component_of(self, exchange: Exchange) -> str | None:
        """Return the component that the contract documents for the body of an answer, if any.

        A refusal in another media type, or without an error object (IRC-ERR-001), may come from a
        proxy.
        """
        operation = self.contract.operations.get(exchange.operation or NO_OPERATION)
        answer = (
            operation.answer(exchange.status)
            if operation and exchange.method == operation.method
            else None
        )
        if answer is None or (exchange.status >= 400 and exchange.media_type != answer.media_type):
            return None
        if answer.schema == ERROR_BODY and not (
            isinstance(exchange.json, dict) and isinstance(exchange.json.get("error"), dict)
        ):
            return None
        return answer.schema

    def _components_of(self, component: str) -> frozenset[str]:
        """Return the components that a document of a `component` may consist of."""
        names, waiting = set[str](), {component}
        while waiting:
            names.add(name := waiting.pop())
            waiting |= (
                set(
                    REFERENCE.findall(
                        json.dumps(self.contract.bundle["components"]["schemas"][name])
                    )
                )
                - names
            )
        return frozenset(names)

    def answers_with(self, component: str) -> Callable[[OperationId | None, int], bool]:
        """Return a predicate for the answers that may hold a component."""

        def concerns(operation: OperationId | None, status: int) -> bool:
            definition = self.contract.operations.get(operation or NO_OPERATION)
            answer = definition.answer(status) if definition else None
            return (
                answer is not None
                and answer.schema is not None
                and component in self._components_in(answer.schema)
            )

        return concerns

    def _flaws_of(self, component: str, body: bytes) -> Flaws:
        """Return the components in a body of a `component`, and the first flaw of each, if any."""
        try:
            document = orjson.loads(body)
        except orjson.JSONDecodeError:
            return {}
        return self.components.flaws(component, document)

    def flaws_in(self, exchange: Exchange) -> Flaws:
        """Return the components in the body of an answer, and the first flaw of each; none if the
        contract does not document the answer.
        """
        latest, flaws = self._latest
        if latest is not exchange:
            component = self.component_of(exchange)
            flaws = self._flaws(component, exchange.body) if component else {}
            self._latest = exchange, flaws
        return flaws

    def claim_of(self, component: str, exchange: Exchange) -> Claim | None:
        """Return the first violation of a component in the body of an answer as a claim; `None` if
        no single keyword shows it.
        """
        instance = self.invalid_instance(component, exchange)
        breach = self.components.breach(instance)
        return Claim(breach[1], f"/body{instance.pointer}{breach[0]}") if breach else None

    def invalid_instance(self, component: str, exchange: Exchange) -> Instance:
        """Return the first invalid instance of a component in the body of an answer."""
        instances = self.components.instances(
            self.component_of(exchange) or component, exchange.json
        )
        return next(
            instance
            for instance in instances
            if instance.component == component and self.components.flaw(instance) is not None
        )


SCHEMAS = ContractSchemas(CONTRACT)
COMPONENTS = SCHEMAS.components
