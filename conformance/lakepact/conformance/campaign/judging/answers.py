"""Normalised answers: without names, and without values that a target may choose freely.

Two targets that answer alike have equal normalised answers; where they differ, the first class that
does says how. The contract's
schema says which members are compared: a member that it does not declare is a target's own
business.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import orjson

from lakepact.conformance.campaign.judging.members import Place, place_of_answer
from lakepact.conformance.evidence.differences import NOTHING
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.object_names import OBJECT
from lakepact.conformance.evidence.replaying import ABSENT
from lakepact.conformance.fuzz.answers import Fuzz
from lakepact.conformance.running import suite as suites

#: Classes of differences, the coarsest first; one that differs makes the finer ones idle, but for
#: headers.
CLASSES = ("status", "error_type", "body", "header")

MOST_STEPS = 4  #: of a generic place

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
LOCATION = re.compile(
    r"\A(?:[a-z][a-z0-9+.-]*:)?/(?:.*/)?", re.IGNORECASE | re.DOTALL
)  #: all but the last segment

suite_of = cache(suites.load)


def normalise(
    contract: str, exchange: Exchange, pages: Iterable[str] | None = ()
) -> dict[str, str]:
    """Return the classes of an answer: equal texts for equivalent answers.

    Requests without a generated name concern the whole target, including objects of others: their
    content is not compared.

    Args:
        contract: name of the contract.
        exchange: with the answer.
        pages: bodies of the pages that follow it.
    """
    return {
        "status": str(exchange.status),
        "error_type": _error_type(exchange.json) if exchange.status >= 400 else "",
        "body": hashlib.sha256(_canonical(comparable_body(contract, exchange, pages))).hexdigest()[
            :16
        ],
        "header": f"{exchange.media_type}{' etag' if 'etag' in exchange.headers else ''}",
    }


def comparable_body(contract: str, exchange: Exchange, pages: Iterable[str] | None = ()) -> Any:
    """Return the part of a body that has to be equal on equivalent targets; the items of all pages
    of a listing.
    """
    suite = suite_of(contract)
    if suite.fuzz is None or (
        exchange.status < 400 and not _asks_for_own(exchange.url, exchange.request_body)
    ):
        return None
    document: Any = exchange.json
    if document is None and exchange.body:
        document = (
            list(exchange.lines)
            if exchange.lines is not None
            else {"no JSON": hashlib.sha256(exchange.body).hexdigest()}
        )
    for page in pages or () if isinstance(document, dict) else ():
        document = _join(document, orjson.loads(page))
    return _plain(
        document,
        place_of_answer(suite.contract, exchange.operation or "", exchange.status),
        suite.fuzz,
    )


def _join(one: Any, other: dict[str, Any]) -> dict[str, Any]:
    """Return a page of a listing with the items of the next one."""
    items = {name: values for name, values in other.items() if isinstance(values, list)}
    return {**one, **{name: [*(one.get(name) or ()), *values] for name, values in items.items()}}


def _asks_for_own(url: str, request: bytes) -> bool:
    """Return whether a request has a name of a campaign."""
    return ("lp" in url and OBJECT.search(url) is not None) or (
        b"lp" in request and OBJECT.search(request.decode("latin-1")) is not None
    )


def _error_type(document: Any) -> str:
    if not isinstance(document, dict):
        return ""
    error = document.get("error")
    return (
        str(error.get("type", ""))
        if isinstance(error, dict)
        else str(document.get("errorCode", ""))
    )


def _plain(value: Any, place: Place | None, fuzz: Fuzz) -> Any:
    kind = type(value)
    if kind is str:
        return _text(value)
    if kind is dict:
        return {_name(name): member for name, member in _members(value, place, fuzz)}
    if kind is list:
        items = [_plain(item, place.item if place else None, fuzz) for item in value]
        return sorted(items, key=_canonical) if place is not None and place.is_set else items
    return value


def _members(value: dict[str, Any], place: Place | None, fuzz: Fuzz) -> Iterator[tuple[str, Any]]:
    """Yield the compared members: those of the contract, without those that a server chooses."""
    for name, member in value.items():
        names, inner = (place.members if place else {}).get(name, (None, place and place.other))
        if names is None:
            if (
                inner is not None or place is None or not place.members
            ):  # of a map, or of what the contract says nothing about
                yield name, _plain(member, inner, fuzz)
        elif names.isdisjoint(fuzz.incomparable) and (
            place is None or name in place.required or member not in NOTHING
        ):
            yield (
                name,
                _plain(member, inner, fuzz)
                if names.isdisjoint(fuzz.free_members)
                else f"<{type(member).__name__}>",
            )


def _text(text: str) -> str:
    if "/" in text:
        text = LOCATION.sub("<place>/", text)
    return UUID.sub("<uuid>", _name(text)) if "-" in text else _name(text)


def _name(text: str) -> str:
    return OBJECT.sub("<own>", text) if "lp" in text else text


def _canonical(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def differences(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the places where two bodies differ, as JSON pointers, each with both values.

    Args:
        one: a body as `compared` returns it.
        other: another one.
        path: where they are.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key, ABSENT), other.get(key, ABSENT), f"{path}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{path}/{number}")
    elif one != other or type(one) is not type(other):
        yield path or "/", one, other


def generic(pointer: str, place: Place | None) -> str:
    """Return the JSON pointer of a place with `*` for each index, and for each name that the
    contract does not have.
    """
    steps: list[str] = []
    for step in pointer.split("/")[1 : MOST_STEPS + 1]:
        names, inner = (place.members if place else {}).get(
            step, (None, place and (place.other or place.item))
        )
        steps.append(step if names is not None or not (step.isdigit() or inner) else "*")
        place = inner
    return "/" + "/".join(steps)


def json_text(value: Any) -> str:
    """Return a value as JSON; `ABSENT` as that word."""
    return "absent" if value is ABSENT else json.dumps(value, ensure_ascii=False)
