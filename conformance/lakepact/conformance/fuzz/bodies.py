"""Bodies and queries of requests, drawn from the schemas of a contract."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from lakepact.conformance.fuzz.documents import Documents
from lakepact.generated.contract import Contract, Operation, OperationId, Parameter


@dataclass(frozen=True)
class Drawn:
    """A body and a query for an operation."""

    body: Any  #: a JSON value, or `None`
    query: tuple[tuple[str, str], ...]


NOTHING = Drawn(None, ())


class Bodies:
    """Draws bodies and queries of a contract's operations.

    Args:
        contract: the contract.
    """

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._schemas = contract.bundle["components"]["schemas"]
        self._documents = Documents(self._schemas)

    def draw(self, operation: OperationId, random: Random, *, valid: bool) -> Drawn:
        """Return a body and a query by the schemas of an operation, or with one violation;
        `NOTHING` if it takes neither.

        Args:
            operation: its id.
            random: equal states draw equal requests, in every process.
            valid: whether the schemas allow the request.
        """
        definition = self._contract.operations[operation]
        parameters = [p for p in definition.parameters if p.where == "query"]
        has_body = definition.body in self._schemas
        if definition.method == "HEAD" or not (has_body or parameters):
            return NOTHING
        body = self._body(definition, random, valid=valid) if has_body else None
        invalid = random.choice(parameters) if parameters and not valid and not has_body else None
        present = [p for p in parameters if p is invalid or p.required or random.random() < 1 / 2]
        return Drawn(
            body,
            tuple(pair for p in present for pair in self._pairs(p, random, valid=p is not invalid)),
        )

    def _body(self, definition: Operation, random: Random, *, valid: bool) -> Any:
        schema = {"$ref": f"#/components/schemas/{definition.body}"}
        if not valid:
            return self._documents.invalid(schema, random)
        return (
            self._documents.valid(schema, random)
            if definition.body_required or random.random() < 3 / 4
            else None
        )

    def _pairs(self, parameter: Parameter, random: Random, *, valid: bool) -> list[tuple[str, str]]:
        """Return a parameter of a query; an invalid one is given twice, or has a value that its
        schema forbids.
        """
        values = [] if valid else [self._documents.invalid(parameter.schema, random)]
        if valid or random.random() < 1 / 2:
            values.append(self._documents.valid(parameter.schema, random))
        return [(parameter.name, _text(value)) for value in values]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
