"""The answer that shows an unmet claim: the one of several in which the compared value is found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.links import escaped
from lakepact.conformance.evidence.outcome import NOWHERE
from lakepact.conformance.evidence.replaying import answer_of, fits, found_at, mentions, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lakepact.conformance.evidence.exchanges import Exchange
    from lakepact.conformance.evidence.outcome import Claim

LOOKED_AT = 40  #: earlier answers of a check in which a compared value is looked for
LEAST_TEXT = 4  #: characters of a text that is recognized without its name
BODILESS = frozenset({204, 304})


def placed(claim: Claim, exchanges: Sequence[Exchange]) -> tuple[int, str, str] | None:
    """Return the exchange, the JSON pointer and the schema of a claim that an answer breaks; `None` if no place is certain.

    Args:
        claim: the claim.
        exchanges: whose answers are looked at, the most likely first.
    """
    try:
        written = json.dumps(claim.schema, ensure_ascii=False, separators=(",", ":"))
        value = None if claim.value is NOWHERE else json.loads(json.dumps(claim.value, default=_as_list))
    except (TypeError, ValueError):
        return None
    schema, answers = json.loads(written), {e.number: _answer(e) for e in exchanges if not e.left_out}
    if claim.value is NOWHERE:
        bodiless = exchanges[0].method == "HEAD" or exchanges[0].status in BODILESS
        unseen = bodiless and claim.at == "/length"  # a client library hides such a body
        places = {} if unseen else {number: "" for number in answers if number == exchanges[0].number}
    else:
        places = {number: place for number, answer in answers.items() if (place := _place_of(value, answer, claim.about)) is not None}
        if not places and isinstance(value, list) and "const" not in schema:
            last = exchanges[0].number
            places = {number: "/body" for number, answer in answers.items() if _is_made_of(value, answer, last=number == last)}
    for number, place in places.items():
        actual = found_at(answers[number], place + claim.at)
        if not fits(actual, schema):
            return _later(schema, actual, answers, after=number) or (number, place + claim.at, written)
    return placed(claim.otherwise, exchanges) if claim.otherwise else None


def _later(schema: dict[str, Any], actual: Any, answers: dict[int, dict[str, Any]], *, after: int) -> tuple[int, str, str] | None:
    """Return the place of a later answer that is compared with an earlier one, if it has the expected value."""
    if not _recognizable(schema.get("const")):
        return None
    for number, answer in answers.items():
        found = [pointer for pointer, there in _values(answer, "") if same(there, schema["const"])] if number > after else []
        if len(found) == 1:
            return number, found[0], json.dumps({"const": actual}, ensure_ascii=False, separators=(",", ":"))
    return None


def _answer(exchange: Exchange) -> dict[str, Any]:
    return answer_of(exchange.status, exchange.headers.multi_items(), exchange.body)


def _is_made_of(items: list[Any], answer: dict[str, Any], *, last: bool) -> bool:
    """Return whether a list was made of the members of a body: it has them all; an empty one belongs to the last answer."""
    return "body" in answer and all(mentions(answer["body"], item) for item in items) and (last or bool(items))


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return list(value)


def _place_of(value: Any, answer: dict[str, Any], about: str) -> str | None:
    """Return the JSON pointer of a value in an answer: the only one, or the one whose member the message names."""
    found = [pointer for pointer, there in _values(answer, "") if same(there, value)]
    words = about.replace("-", " ")
    named = sorted((p for p in found if _name(p) and _name(p) in words), key=lambda p: (-len(_name(p)), len(p)))
    if named:
        return named[0]
    return found[0] if _recognizable(value) and len(found) == 1 else None


def _recognizable(value: Any) -> bool:
    return (isinstance(value, str) and len(value) >= LEAST_TEXT) or (isinstance(value, (dict, list)) and len(value) > 0)


def _name(pointer: str) -> str:
    name = next((step for step in reversed(pointer.split("/")) if not step.isdigit()), "")
    return name.replace("~1", "/").replace("~0", "~").replace("-", " ")


def _values(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """Yield all values within a JSON value with their JSON pointers, outer ones first."""
    yield pointer, value
    if isinstance(value, dict):
        for name, inside in value.items():
            yield from _values(inside, f"{pointer}/{escaped(name)}")
    elif isinstance(value, list):
        for index, inside in enumerate(value):
            yield from _values(inside, f"{pointer}/{index}")
