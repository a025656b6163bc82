"""Normalised answers: what is left when names, times, places and words that a target may choose freely are taken out.

Two targets that answer alike have equal normalised answers; where they differ, the first class that does says how.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.conformance.evidence.exchanges import Exchange

#: Classes of differences, the coarsest first; one that differs makes the finer ones idle, but for headers.
CLASSES = ("status", "error_type", "schema", "body", "header")

SHOWN, SHOWN_TEXT = 4, 80  #: differences that are shown of two answers, and characters of each value
ABSENT: Any = object()

#: Names of the campaign, also where only letters and digits are allowed in one.
OWN = re.compile(r"lp(?:_[0-9a-fr]+_\d+_\d+|[0-9a-f]{6}[ab]*\d+r*\d+)")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
PLACE = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:/|/)", re.IGNORECASE)
WORDS = frozenset({"message", "stack", "nextPageToken", "next-page-token"})  #: for people, or opaque
TIMES = re.compile(r"(?:-ms|timestamp|[aA]t|Time)\Z")
FREE = frozenset({"config", "storage-credentials", "defaults", "overrides", "endpoints"})  #: a target's own business


def normalised(exchange: Exchange) -> dict[str, str]:
    """Return the classes of an answer: equal texts for equivalent answers.

    Requests without a generated name concern the whole target, including objects of others: their content is not compared.
    """
    parsed = exchange.parsed
    if parsed is None and exchange.body:
        parsed = list(exchange.lines) if exchange.lines is not None else {"no JSON": hashlib.sha256(exchange.body).hexdigest()}
    refused = exchange.status >= 400
    plain = _plain(parsed, "") if refused or _asks_for_own(exchange.url, exchange.request_body) else None
    return {
        "status": str(exchange.status),
        "error_type": _error_type(parsed) if refused else "",
        "schema": _digest(sorted(_shape(plain, "", set()))),
        "body": _digest(plain),
        "header": f"{exchange.media_type}{' etag' if 'etag' in exchange.headers else ''}",
    }


def _asks_for_own(url: str, request: bytes) -> bool:
    """Return whether a request names something of a campaign."""
    return ("lp" in url and OWN.search(url) is not None) or (b"lp" in request and OWN.search(request.decode("latin-1")) is not None)


def _error_type(parsed: Any) -> str:
    if not isinstance(parsed, dict):
        return ""
    error = parsed.get("error")
    return str(error.get("type", "")) if isinstance(error, dict) else str(parsed.get("errorCode", ""))


def _plain(value: Any, member: str) -> Any:
    kind = type(value)
    if member in FREE:
        return "<free>"
    if kind is str:
        return _text(value)
    if kind is dict:
        return {_name(key): _plain(held, key) for key, held in value.items() if key not in WORDS}
    if kind is list:
        return [_plain(item, member) for item in value]
    if kind is int and TIMES.search(member):
        return "<time>"
    return value


def _text(text: str) -> str:
    if "/" in text and PLACE.match(text):
        return "<place>"
    return UUID.sub("<uuid>", _name(text)) if "-" in text else _name(text)


def _name(text: str) -> str:
    return OWN.sub("<own>", text) if "lp" in text else text


def _shape(value: Any, path: str, found: set[str]) -> set[str]:
    kind = type(value)
    if kind is dict:
        found.add(f"{path}:object")
        for key, held in value.items():
            if type(held) in _KINDS:  # most are; sooner than another call
                found.add(f"{path}/{key}:{_KINDS[type(held)]}")
            else:
                _shape(held, f"{path}/{key}", found)
    elif kind is list:
        found.add(f"{path}:array")
        for item in value:
            _shape(item, f"{path}[]", found)
    else:
        found.add(f"{path}:{_KINDS[kind]}")
    return found


_KINDS = {int: "number", float: "number", str: "str", bool: "bool", type(None): "NoneType"}


def _digest(value: Any) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def differences(one: Exchange, other: Exchange) -> tuple[str, ...]:
    """Return the first differences of two answers without names, times and places, each with both values."""
    found = _differing(_plain(one.parsed, ""), _plain(other.parsed, ""), "")
    return tuple(f"{path or '/'}: {_short(a)} ≠ {_short(b)}" for path, a, b in itertools.islice(found, SHOWN))


def _differing(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from _differing(one.get(key, ABSENT), other.get(key, ABSENT), f"{path}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from _differing(a, b, f"{path}/{number}")
    elif one != other or type(one) is not type(other):
        yield path, one, other


def _short(value: Any) -> str:
    text = "absent" if value is ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}…"
