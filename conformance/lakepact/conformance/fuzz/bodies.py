"""Strategies for what is sent: schemathesis makes bodies and queries from the contract, and near misses are made of good bodies."""

from __future__ import annotations

import copy
import logging
from functools import cache
from typing import TYPE_CHECKING, Any

import schemathesis
from hypothesis import strategies as st
from schemathesis.core import NotSet
from schemathesis.generation import GenerationMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hypothesis.strategies import SearchStrategy
    from schemathesis.generation.case import Case

    from lakepact.generated.contract import Contract

logging.getLogger("schemathesis").setLevel(logging.ERROR)

KINDS = ("valid", "near", "wild")

#: Values that have broken servers before.
WILD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    10**25,
    -(2**63) - 1,
    1.5,
    1e308,
    "",
    " ",
    "\x00",
    "\x1f",
    "\ud7ff\U0001f9ca",
    "a" * 5000,
    "../../etc/passwd",
    "%2e%2e",
    "${jndi:x}",
    "'; drop table x; --",
    [],
    [[]],
    [None],
    {},
    {"": None},
)


class Bodies:
    """What can be sent for the operations of a contract.

    Args:
        contract: whose bundle the cases are made from.
    """

    def __init__(self, contract: Contract) -> None:
        document = {k: v for k, v in contract.bundle.items() if k != "security"}
        document["components"] = {k: v for k, v in document["components"].items() if k != "securitySchemes"}
        document["paths"] = {
            path: {key: _without_security(value) for key, value in item.items()} for path, item in contract.bundle["paths"].items()
        }
        self._schema = schemathesis.openapi.from_dict(document)
        self._contract = contract
        self.cases = cache(self._cases)

    def _cases(self, operation: str, *, valid: bool) -> SearchStrategy[Case[Any]]:
        """Cases of one operation, as schemathesis makes them."""
        known = self._contract.operations[operation]
        mode = GenerationMode.POSITIVE if valid else GenerationMode.NEGATIVE
        return self._schema[known.path][known.method].as_strategy(generation_mode=mode)

    def body(self, case: Case[Any]) -> Any:
        """The body of a case: a JSON value, bytes, or `None`."""
        return None if isinstance(case.body, NotSet) else case.body

    def query(self, case: Case[Any]) -> list[tuple[str, str]]:
        """The query of a case as pairs of text."""
        return [(str(name), _text(value)) for name, value in (case.query or {}).items()]


def _without_security(value: Any) -> Any:
    return {k: v for k, v in value.items() if k != "security"} if isinstance(value, dict) else value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def near_misses(body: Any) -> SearchStrategy[Any]:
    """Bodies that differ from a good one in one or two places."""
    places = list(_places(body))
    change = st.tuples(st.sampled_from(places), st.sampled_from(("remove", "replace", "add")), st.sampled_from(WILD_VALUES))
    return st.lists(change, min_size=1, max_size=2).map(lambda changes: _changed(body, changes))


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _places(member, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))


def _changed(body: Any, changes: Sequence[tuple[tuple[str | int, ...], str, Any]]) -> Any:
    changed = copy.deepcopy(body)
    for path, how, value in changes:
        parent: Any = changed
        try:
            for step in path[:-1]:
                parent = parent[step]
            CHANGES[how](parent, path[-1], value)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    return changed


def _remove(parent: Any, step: Any, _: Any) -> None:
    del parent[step]


def _replace(parent: Any, step: Any, value: Any) -> None:
    parent[step] = value


def _add(parent: Any, step: Any, value: Any) -> None:
    if isinstance(parent, list):
        parent.insert(step, value)
    else:
        parent[f"{step}-"] = value


CHANGES: dict[str, Callable[[Any, Any, Any], None]] = {"remove": _remove, "replace": _replace, "add": _add}
