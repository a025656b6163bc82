"""What a server serves, found by asking only what changes nothing: GET and HEAD, of what its own listings name. Judges nobody."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from lakepact.conformance.outcome import Blocked
from lakepact.conformance.wire import NoAnswer
from lakepact.generated.contract import Contract, contracts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lakepact.conformance.exchanges import Exchange
    from lakepact.conformance.target import Offer, Target
    from lakepact.conformance.wire import Wire
    from lakepact.generated.contract import Operation, OperationId

CHECK = "probe"  #: what exchanges name as their check
HARMLESS = ("GET", "HEAD")
TRIED = 5  #: things of a listing in which the next kind of thing is looked for
LONGEST_MESSAGE = 300  #: characters that are shown of what a refusal says
NOTHING_TO_ASK = "not asked: nothing was listed to ask about"


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Listing:
    """What an operation lists: names of a path parameter, each as it stands in a path."""

    parameter: str
    names: Callable[[Any], Sequence[str]]


@dataclass(frozen=True)
class ProbeSpec:
    """What a contract gives to who asks a server what it serves.

    Args:
        first: the operation that every server answers.
        path: where, below the base address.
        recognises: whether an answer to that looks like one of this contract.
        listings: what can be listed, by operation.
        declares: asks for what the target declares, with GET and HEAD alone; `None` where servers declare nothing.
        tells: what the first answer says besides, name and value, without secrets.
        finds: optional behaviours that exchanges show.
        left_out: operations that are not asked for, and why.
    """

    first: OperationId
    path: Callable[[Target], str]
    recognises: Callable[[Exchange], bool]
    listings: Mapping[str, Listing]
    declares: Callable[[Wire, Target], Offer] | None = None
    tells: Callable[[Exchange], Mapping[str, str]] = lambda _: {}
    finds: Callable[[Sequence[Exchange]], Mapping[str, bool]] = lambda _: {}
    left_out: Mapping[OperationId, str] = field(default_factory=_nothing)


@dataclass(frozen=True)
class ProbedOperation:
    """What came of one operation."""

    operation: OperationId
    declared: bool | None  #: None: servers of this contract declare nothing
    request: str  #: as it was sent; as the contract writes it where it was not
    status: int  #: 0 where none came, or it was not asked
    milliseconds: float
    remark: str = ""


@dataclass(frozen=True)
class ProbedServer:
    """What was found out of a server."""

    contract: str
    version: str
    facts: Mapping[str, str]
    features: Mapping[str, bool]
    operations: tuple[ProbedOperation, ...]


def probe_spec(contract: str) -> ProbeSpec:
    """What a contract gives to who asks."""
    return cast("ProbeSpec", importlib.import_module(f"{__package__}.checks.{contract}.discovery").probe_spec)


def recognised(wire: Wire, target: Target) -> str:
    """The contract that a server speaks, by how it answers what each contract asks first.

    Raises:
        Blocked: it does not answer, or as no contract would have it.
    """
    seen: dict[str, Exchange] = {}
    for contract in contracts():
        asked = probe_spec(contract)
        where = asked.path(target)
        if where not in seen:
            seen[where] = _first(wire, asked, where)
        if asked.recognises(seen[where]):
            return contract
    raise Blocked("; ".join(_strange(exchange) for exchange in seen.values()) + advice(wire, list(seen.values())))


def found(wire: Wire, target: Target, contract: str, version: str | None = None) -> ProbedServer:
    """What a server of a contract declares, and what it serves.

    Raises:
        Blocked: it does not answer, or as the contract would not have it.
    """
    asked = probe_spec(contract)
    first = _first(wire, asked, asked.path(target))
    if first.status >= 300 or not isinstance(first.parsed, dict):
        raise Blocked(refused(wire, first))
    offer = asked.declares(wire, target) if asked.declares else None
    chosen = Contract(contract, version or _version(contract, offer))
    told = tuple(_told(wire, chosen, asked, offer, first))
    features = {**(offer.features if offer else {}), **asked.finds(list(wire.exchanges.values()))}
    return ProbedServer(
        contract,
        chosen.version,
        {**(offer.facts if offer else {}), **asked.tells(first)},
        {name: on for name, on in sorted(features.items()) if name in chosen.features},
        told,
    )


def _version(contract: str, offer: Offer | None) -> str | None:
    """The oldest version that has every operation that is declared."""
    if offer is None:
        return None
    versions = Contract(contract).versions
    return next((v for v in versions if offer.operations <= set(Contract(contract, v).operations)), versions[-1])


def _first(wire: Wire, asked: ProbeSpec, where: str) -> Exchange:
    try:
        return wire.send("GET", where, operation=asked.first, check=CHECK, accepts="application/json").exchange
    except NoAnswer as none:
        raise Blocked(f"{none}{_why(str(none))}") from none


def _why(message: str) -> str:
    """What may help where no answer came."""
    reasons = {
        "CERTIFICATE_VERIFY_FAILED": "its certificate is not trusted here",
        "WRONG_VERSION_NUMBER": "it does not speak TLS at this port: try http://",
        "record layer failure": "it does not speak TLS at this port: try http://",
        "Name or service not known": "the name of the host is not known here",
        "nodename nor servname": "the name of the host is not known here",
        "Temporary failure in name resolution": "the name of the host cannot be looked up",
        "refused": "nothing listens at this port",
        "timed out": "it takes too long: --timeout SECONDS waits longer",
        "Timeout": "it takes too long: --timeout SECONDS waits longer",
    }
    return next((f" ({reason})" for part, reason in reasons.items() if part in message), "")


def _strange(exchange: Exchange) -> str:
    kind = exchange.media_type or "nothing"
    return f"{exchange.method} {exchange.redact(exchange.url)} was answered with status {exchange.status} and {kind}"


def refused(wire: Wire, first: Exchange) -> str:
    """What a target answered that cannot be asked, and what to try."""
    return _strange(first) + advice(wire, [first])


def advice(wire: Wire, seen: Sequence[Exchange]) -> str:
    """What to try when no answer is what a contract would have."""
    statuses = {exchange.status for exchange in seen}
    moved = next((e.headers["location"] for e in seen if 300 <= e.status < 400 and "location" in e.headers), "")
    if statuses & {401, 403}:
        return ": it asks who calls, or knows no such caller; --token-env NAME or --header 'NAME: VALUE' say who"
    if moved:  # what stands behind the path of a page to log in at may be a secret
        return f": it sends elsewhere, to {wire.redact(re.split('[?#]', moved)[0])}"
    if reason := next((said for e in seen if e.status == 400 and (said := _message(e))), ""):
        return f": {wire.redact(reason)} (--parameter warehouse=NAME names a warehouse)"
    if any(b"HTTPS" in e.body[:500] for e in seen if e.status == 400):
        return ": it speaks TLS at this port: try https://"
    if wire.url.endswith("/v1"):
        return f": the address ends before /v1: try {wire.url.removesuffix('/v1')}"
    return ": the base address of a catalog ends before /v1, that of a share server is the endpoint of a profile"


def _message(exchange: Exchange) -> str:
    """What a refusal in the common form says, as one line of letters and signs."""
    error = exchange.parsed.get("error") if isinstance(exchange.parsed, dict) else None
    said = error.get("message") if isinstance(error, dict) else None
    return "".join(c if c.isprintable() else " " for c in said)[:LONGEST_MESSAGE] if isinstance(said, str) else ""


def _told(wire: Wire, contract: Contract, asked: ProbeSpec, offer: Offer | None, first: Exchange) -> Iterator[ProbedOperation]:
    """What comes of each operation, of those that lead to others first."""
    places: dict[str, list[dict[str, str]]] = {}  #: by the last parameter of a path: all parameters of what was listed
    segments = dict(offer.segments) if offer else {}
    answers: dict[str, ProbedOperation] = {}
    for operation in sorted(contract.operations.values(), key=lambda o: (len(_variables(o, segments)), o.id not in asked.listings)):
        declared = operation.id in offer.operations if offer else None
        template = f"{operation.method} {operation.path}"
        left_out = asked.left_out.get(operation.id, "") if operation.method in HARMLESS else f"not asked: {operation.method}"
        if operation.id == asked.first:
            answers[operation.id] = ProbedOperation(
                operation.id, declared, f"GET {first.url.removeprefix(wire.url)}", first.status, round(first.seconds * 1000, 1)
            )
            _keep(asked, operation, {}, first, places)
        elif left_out:
            answers[operation.id] = ProbedOperation(operation.id, declared, template, 0, 0, left_out)
        else:
            answers[operation.id] = _asked(wire, operation, asked, segments, places, declared=declared)
    return (answers[name] for name in contract.operations)


def _variables(operation: Operation, segments: Mapping[str, str | None]) -> list[str]:
    return [part[1:-1] for part in operation.path.split("/") if part.startswith("{") and part[1:-1] not in segments]


def _asked(
    wire: Wire,
    operation: Operation,
    asked: ProbeSpec,
    segments: Mapping[str, str | None],
    places: dict[str, list[dict[str, str]]],
    *,
    declared: bool | None,
) -> ProbedOperation:
    variables = _variables(operation, segments)
    where = places.get(variables[-1], []) if variables else [{}]
    told = ProbedOperation(operation.id, declared, f"{operation.method} {operation.path}", 0, 0, NOTHING_TO_ASK)
    for place in where[: TRIED if operation.id in asked.listings else 1]:
        if not place.keys() >= set(variables):
            continue
        path = _path(operation.path, {**segments, **place})
        try:
            exchange = wire.send(operation.method, path, operation=operation.id, check=CHECK).exchange
        except NoAnswer as none:
            return ProbedOperation(operation.id, declared, f"{operation.method} {path}", 0, 0, wire.redact(str(none)))
        told = ProbedOperation(operation.id, declared, f"{operation.method} {path}", exchange.status, round(exchange.seconds * 1000, 1))
        if operation.id not in asked.listings or _keep(asked, operation, place, exchange, places):
            break
    return told


def _keep(
    asked: ProbeSpec, operation: Operation, place: Mapping[str, str], exchange: Exchange, places: dict[str, list[dict[str, str]]]
) -> bool:
    """Remember what a listing names; whether it names something."""
    listing = asked.listings.get(operation.id)
    if listing is None or exchange.status != 200 or not isinstance(exchange.parsed, dict):
        return False
    names = listing.names(exchange.parsed)
    places.setdefault(listing.parameter, []).extend({**place, listing.parameter: name} for name in names)
    return bool(names)


def _path(template: str, values: Mapping[str, str | None]) -> str:
    """A path of a template; a segment whose value is `None` is left out."""
    parts = []
    for part in template.split("/"):
        value = values[part[1:-1]] if part.startswith("{") else part
        if value is not None:
            parts.append(value)
    return "/".join(parts)


def named(document: Any, member: str) -> list[str]:
    """The `name` of each item of a listing, as it stands in a path."""
    items = document.get(member)
    names = [item.get("name") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return [quote(name, safe="") for name in names if isinstance(name, str) and name]
