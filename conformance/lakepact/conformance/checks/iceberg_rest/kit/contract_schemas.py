"""The schemas of the contract that answers and metadata have to fit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

import orjson

from lakepact.conformance.evidence.exchanges import NO_OPERATION, Exchange
from lakepact.conformance.evidence.outcome import Claim
from lakepact.conformance.judging.components import Components, Instance
from lakepact.generated.contract import Contract, OperationId

Flaws = Mapping[str, str | None]

CONTRACT = Contract("iceberg_rest")
ERROR_BODY = "IcebergErrorResponse"  #: the component of refusals

#: A schema with every kind of type in it, nested in each other, and identifier fields.
NESTED: dict[str, Any] = {
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

#: Judgements that are remembered: all invariants ask for the same one after another, and many
#: answers of a run are the same.
REMEMBERED = 1024


class ContractSchemas:
    """The schemas of one version of the contract.

    Args:
        contract: the version.
    """

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.components = Components(contract)
        self._components_in = cache(self._components_of)
        self._flaws = lru_cache(REMEMBERED)(self._flaws_of)
        self._latest: tuple[Exchange | None, Flaws] = (
            None,
            {},
        )  #: what was looked at last: all invariants ask for it one after another

    def promised(self, exchange: Exchange) -> str | None:
        """Return the component that the body of an answer has to be, if the contract documents such
        an answer.

        A refusal in another media type may come from a layer that knows no catalog, and so may one
        without an error object (IRC-ERR-001).
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
            isinstance(exchange.parsed, dict) and isinstance(exchange.parsed.get("error"), dict)
        ):
            return None
        return answer.schema

    def _components_of(self, component: str) -> frozenset[str]:
        """Return the components that a document may consist of that has to be a `component`."""
        found, waiting = set[str](), {component}
        while waiting:
            found.add(name := waiting.pop())
            waiting |= (
                set(
                    REFERENCE.findall(
                        json.dumps(self.contract.bundle["components"]["schemas"][name])
                    )
                )
                - found
            )
        return frozenset(found)

    def answers_with(self, component: str) -> Callable[[OperationId | None, int], bool]:
        """Return what an invariant concerns that is about a component: the answers that may consist
        of it.
        """

        def concerns(operation: OperationId | None, status: int) -> bool:
            known = self.contract.operations.get(operation or NO_OPERATION)
            answer = known.answer(status) if known else None
            return (
                answer is not None
                and answer.schema is not None
                and component in self._components_in(answer.schema)
            )

        return concerns

    def _flaws_of(self, component: str, body: bytes) -> Flaws:
        """Return the components in a body that has to be a `component`, and the first flaw of each,
        if it has one.
        """
        try:
            parsed = orjson.loads(body)
        except orjson.JSONDecodeError:
            return {}
        return self.components.flaws(component, parsed)

    def flaws_in(self, exchange: Exchange) -> Flaws:
        """Return the components in the body of an answer, and the first flaw of each; none where
        the contract promises nothing.
        """
        asked, known = self._latest
        if asked is not exchange:
            component = self.promised(exchange)
            known = self._flaws(component, exchange.body) if component else {}
            self._latest = exchange, known
        return known

    def claim_of(self, component: str, exchange: Exchange) -> Claim | None:
        """Return the first violation of a component in the body of an answer as a claim; `None` if
        no single keyword shows it.
        """
        instance = self.flawed(component, exchange)
        breach = self.components.breach(instance)
        return Claim(breach[1], f"/body{instance.pointer}{breach[0]}") if breach else None

    def flawed(self, component: str, exchange: Exchange) -> Instance:
        """Return the first invalid instance of a component in the body of an answer that has
        one.
        """
        instances = self.components.instances(self.promised(exchange) or component, exchange.parsed)
        return next(
            one
            for one in instances
            if one.component == component and self.components.flaw(one) is not None
        )


SCHEMAS = ContractSchemas(CONTRACT)
COMPONENTS = SCHEMAS.components
