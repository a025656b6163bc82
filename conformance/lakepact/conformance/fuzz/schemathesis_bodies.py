"""Bodies and queries that schemathesis makes from a contract, for `lakepact check --fuzz`; drawn in
batches, which cost less.
"""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy
from schemathesis.core import NotSet
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case

from lakepact.conformance.fuzz.bodies import NOTHING, Bodies, Drawn
from lakepact.generated.contract import Contract, Operation, OperationId

logging.getLogger("schemathesis").setLevel(logging.ERROR)

FIRST_BATCH = 3  #: cases that are drawn at once; every batch is twice as large as the one before
LARGEST_BATCH = 96
#: Bodies of a contract are large and rarely small enough for hypothesis' taste.
SLOW = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
)
MOST_BYTES = 20_000  #: larger bodies cost more than they find


@dataclass
class _Pool:
    """Cases of one operation."""

    batch: int = FIRST_BATCH
    drawn: list[Drawn] = field(default_factory=list)
    used: int = 0
    dry: bool = False  #: there is hardly anything more to draw


class SchemathesisBodies(Bodies):
    """Generated requests of a contract's operations.

    Args:
        contract: the contract.
        start: the seed; equal seeds draw equal cases in equal order.
    """

    def __init__(self, contract: Contract, start: int) -> None:
        super().__init__(contract)
        self._start = start
        self._pools: dict[tuple[str, bool], _Pool] = {}

    def draw(self, operation: OperationId, random: Random, *, valid: bool) -> Drawn:  # noqa: ARG002 - hypothesis has its own seed
        """Return a body and a query by the schemas of an operation, or against them; `NOTHING` if
        it takes neither.
        """
        definition = self._contract.operations[operation]
        if definition.method == "HEAD" or not (
            definition.body or any(p.where == "query" for p in definition.parameters)
        ):
            return NOTHING
        pool = self._pools.setdefault((operation, valid), _Pool())
        if pool.used == len(pool.drawn):
            self._fill(pool, operation, valid=valid)
        pool.used += 1
        return pool.drawn[pool.used - 1]

    def _fill(self, pool: _Pool, operation: OperationId, *, valid: bool) -> None:
        """Draw a batch twice as large as the last; a pool in which hardly anything new is found is
        used again.
        """
        pool.used = 0
        if pool.dry:
            return
        number = Random(f"{self._start} {operation} {valid} {len(pool.drawn)}").getrandbits(32)  # noqa: S311 - nothing secret
        drawn = _batch(self._contract.name, operation, valid=valid, number=number, size=pool.batch)
        new = [case for case in drawn if case not in pool.drawn]
        pool.dry = len(new) * 4 < pool.batch
        if not pool.dry:
            pool.used = len(pool.drawn)
            pool.batch = min(pool.batch * 2, LARGEST_BATCH)
        pool.drawn += new


@cache
def _schema(name: str) -> Any:
    """Return the requests that schemathesis generates from a contract."""
    contract = Contract(name)
    paths = {
        f"/{o.id}": {o.method.lower(): _parts_to_draw(o, contract)}
        for o in contract.operations.values()
        if o.method != "HEAD"
    }
    components = {"schemas": contract.bundle["components"]["schemas"]}
    document = {
        "openapi": contract.bundle["openapi"],
        "info": contract.bundle["info"],
        "paths": paths,
        "components": components,
    }
    return schemathesis.openapi.from_dict(document)


def _parts_to_draw(operation: Operation, contract: Contract) -> dict[str, Any]:
    """Return an operation with only body and query: the suite chooses path and credentials
    itself.
    """
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{operation.body}"}}}
    parameters = [
        {"name": p.name, "in": "query", "required": p.required, "schema": p.schema}
        for p in operation.parameters
        if p.where == "query"
    ]
    body = (
        {"requestBody": {"required": operation.body_required, "content": content}}
        if operation.body in contract.bundle["components"]["schemas"]
        else {}
    )
    return {
        "operationId": operation.id,
        "parameters": parameters,
        "responses": {"200": {"description": "any"}},
        **body,
    }


@cache
def _batch(
    contract: str, operation: OperationId, *, valid: bool, number: int, size: int
) -> tuple[Drawn, ...]:
    """Return distinct cases of limited size; at least one. They must not be changed."""
    mode = GenerationMode.POSITIVE if valid else GenerationMode.NEGATIVE
    strategy: SearchStrategy[Case[Any]] = _schema(contract)[f"/{operation}"][
        Contract(contract).operations[operation].method
    ].as_strategy(generation_mode=mode)
    drawn: dict[str, Drawn] = {}

    @seed(number)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        verbosity=Verbosity.quiet,
        suppress_health_check=SLOW,
    )
    @given(strategy)
    def keep(case: Case[Any]) -> None:
        body = None if isinstance(case.body, NotSet) else case.body
        query = tuple((str(name), _text(value)) for name, value in (case.query or {}).items())
        text = repr((body, query))
        if len(text) <= MOST_BYTES:
            drawn.setdefault(text, Drawn(body, query))

    with tempfile.TemporaryDirectory(
        prefix="lakepact-"
    ) as nowhere:  # hypothesis writes down what it finds in sources
        set_hypothesis_home_dir(nowhere)
        try:
            keep()
        except HypothesisException:  # an operation that has nothing to violate
            pass
        finally:
            set_hypothesis_home_dir(None)
    return tuple(drawn.values()) or (NOTHING,)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
