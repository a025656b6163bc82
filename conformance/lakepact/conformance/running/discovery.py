"""Discovery of what a server implements, with GET and HEAD requests for names from its own
listings; records no verdict.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import quote

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import NoAnswer, Wire
from lakepact.generated.contract import Contract, Operation, OperationId, contracts
from lakepact.reach.wire import ADDRESSES, BASE_ADDRESS, WEB_PAGE

CHECK = "probe"  #: check name of the exchanges
HARMLESS = ("GET", "HEAD")
TRIED = 5  #: items of a listing below which the next listing is tried
NOTHING_TO_ASK = "not sent: no listing named an object for it"
ABSENT_NAME = "lpnothing"  #: a name that does not exist
#: Remarks about an answer for a name that does not exist, by what it shows about the operation.
REMARKS = {
    "served": "served; asked for a name that does not exist",
    "absent": "no such route",
    "unclear": "unclear whether it is served",
}


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Listing:
    """A listing operation: it returns values of a path parameter, percent-encoded."""

    parameter: str
    names: Callable[[Any], Sequence[str]]


@dataclass(frozen=True)
class ProbeSpec:
    """The probes of servers of a contract.

    Args:
        first: an operation that every server implements.
        path: its path below the base address.
        recognises: returns whether its answer looks like this contract.
        listings: the listing of each operation that has one.
        declares: requests what the target declares, with GET and HEAD only; `None` if servers
            declare nothing.
        tells: returns further facts of the first answer, name and value, without secrets.
        finds: returns the optional features that exchanges show.
        left_out: operations that are not sent, and why.
        no_route: a path that no version of the contract has, where operations are also asked about
            a name that does not exist.
        shows: returns what such an answer shows (a key of `REMARKS`), given the answer for
            `no_route` to the same method.
    """

    first: OperationId
    path: Callable[[Target], str]
    recognises: Callable[[Exchange], bool]
    listings: Mapping[str, Listing]
    declares: Callable[[Wire, Target], Offer] | None = None
    tells: Callable[[Exchange], Mapping[str, str]] = lambda _: {}
    finds: Callable[[Sequence[Exchange]], Mapping[str, bool]] = lambda _: {}
    left_out: Mapping[OperationId, str] = field(default_factory=_nothing)
    no_route: str = ""
    shows: Callable[[Exchange, Exchange | None], str] = lambda _, __: ""


@dataclass(frozen=True)
class ProbedOperation:
    """The result of probing one operation."""

    operation: OperationId
    declared: bool | None  #: None if servers of this contract declare nothing
    request: str  #: method and path as sent, or the contract's template if it was not sent
    status: int  #: 0 if no answer came or nothing was sent
    milliseconds: float
    remark: str = ""


@dataclass(frozen=True)
class ProbedServer:
    """The result of probing a server."""

    contract: str
    version: str
    facts: Mapping[str, str]
    features: Mapping[str, bool]
    operations: tuple[ProbedOperation, ...]


def probe_spec(contract: str) -> ProbeSpec:
    """Return the probes of servers of a contract."""
    return cast(
        "ProbeSpec",
        importlib.import_module(f"lakepact.conformance.checks.{contract}.discovery").probe_spec,
    )


def detect_contract(wire: Wire, target: Target) -> str:
    """Detect the contract of a server by its answer to the first request of each contract.

    Raises:
        Blocked: the server does not answer, or its answers match no contract.
    """
    exchanges: dict[str, Exchange] = {}
    for contract in contracts():
        spec = probe_spec(contract)
        where = spec.path(target)
        if where not in exchanges:
            exchanges[where] = _first(wire, spec, where)
        if spec.recognises(exchanges[where]):
            return contract
    answers = list(exchanges.values())
    if all(answer.is_a_page for answer in answers):
        del answers[1:]
    raise Blocked("; ".join(map(_strange, answers)) + advice(wire, answers))


def probe(wire: Wire, target: Target, contract: str, version: str | None = None) -> ProbedServer:
    """Return what a server declares and implements, operation by operation.

    Raises:
        Blocked: the server does not answer, or not in the form of the contract.
    """
    spec = probe_spec(contract)
    first = _first(wire, spec, spec.path(target))
    if first.status >= 300 or not isinstance(first.json, dict):
        raise Blocked(refusal_message(wire, first))
    offer = spec.declares(wire, target) if spec.declares else None
    definition = Contract(contract, version or _version(contract, offer))
    operations = tuple(_probe_operations(wire, definition, spec, offer, first))
    features = {**(offer.features if offer else {}), **spec.finds(list(wire.exchanges.values()))}
    return ProbedServer(
        contract,
        definition.version,
        {**(offer.facts if offer else {}), **spec.tells(first)},
        {name: on for name, on in sorted(features.items()) if name in definition.features},
        operations,
    )


def _version(contract: str, offer: Offer | None) -> str | None:
    """Return the oldest version that has every declared operation."""
    if offer is None:
        return None
    versions = Contract(contract).versions
    return next(
        (v for v in versions if offer.operations <= set(Contract(contract, v).operations)),
        versions[-1],
    )


def _first(wire: Wire, spec: ProbeSpec, where: str) -> Exchange:
    try:
        return wire.send(
            "GET", where, operation=spec.first, check=CHECK, accepts="application/json"
        ).exchange
    except NoAnswer as none:
        raise Blocked(with_advice(none)) from none


def with_advice(none: NoAnswer) -> str:
    """Return the reason why a server does not answer, with advice in front of it."""
    reasons = {
        "CERTIFICATE_REQUIRED": "--client-cert FILE presents a certificate",
        "EOF occurred": (
            "it ended the connection; if it requires a certificate, --client-cert FILE presents one"
        ),
        "WRONG_VERSION_NUMBER": "it does not speak TLS at this port: try http://",
        "record layer failure": "it does not speak TLS at this port: try http://",
        "Name or service not known": "the name of the host is not known here",
        "nodename nor servname": "the name of the host is not known here",
        "Temporary failure in name resolution": "the name of the host cannot be looked up",
        "refused": "nothing listens at this port",
        "timed out": "it takes too long: --timeout SECONDS waits longer",
        "Timeout": "it takes too long: --timeout SECONDS waits longer",
    }
    advice = next((f"{reason}: " for part, reason in reasons.items() if part in str(none)), "")
    return f"{advice}{none}"


def _strange(exchange: Exchange) -> str:
    kind = f"with media type {exchange.media_type}" if exchange.media_type else "without media type"
    return f"{exchange.method} {exchange.redact(exchange.url)} returned {exchange.status} {kind}"


def refusal_message(wire: Wire, first: Exchange) -> str:
    """Return the message about a target that cannot be probed, with advice."""
    return _strange(first) + advice(wire, [first])


#: Advice by parts of error pages of web servers.
PAGES = {
    b"HTTPS": ": it speaks TLS at this port: try https://",
    b"SSL certificate": (
        ": it requires a certificate of the caller: --client-cert FILE presents one"
    ),
}


def advice(wire: Wire, exchanges: Sequence[Exchange]) -> str:
    """Return advice for answers that match no contract."""
    statuses = {exchange.status for exchange in exchanges}
    location = next(
        (
            e.headers["location"]
            for e in exchanges
            if 300 <= e.status < 400 and "location" in e.headers
        ),
        "",
    )
    words = next(filter(None, map(_message, exchanges)), "")
    if statuses & {401, 403}:
        return (
            f"{words and ': '}{wire.redact(words)}: it does not know this caller: "
            "--token-env NAME, --credential-env NAME, --sigv4 SERVICE or --header identifies it"
        )
    if wire.url.endswith("/v1") and 404 in statuses:
        return f": leave out /v1 at the end of the address: try {wire.url.removesuffix('/v1')}"
    if location:  # what stands behind the path of a page to log in at may be a secret
        return f": it sends elsewhere, to {wire.redact(re.split('[?#]', location)[0])}"
    if words and statuses & {400, 404}:
        is_warehouse_missing = not any("warehouse=" in e.url for e in exchanges)
        address = f"{BASE_ADDRESS}; " if 404 in statuses and is_warehouse_missing else ""
        return f": {wire.redact(words)} ({address}--warehouse NAME names the warehouse)"
    if hint := next(
        (
            hint
            for part, hint in PAGES.items()
            if any(part in e.body[:500] for e in exchanges if e.status == 400)
        ),
        "",
    ):
        return hint
    return f": {WEB_PAGE if any(e.is_a_page for e in exchanges) else ADDRESSES}"


def _message(exchange: Exchange) -> str:
    """Return the message of an error body, as one printable line."""
    has_body = exchange.error is not None and isinstance(exchange.json, dict)
    return " ".join(plain(exchange.error.message).split()) if exchange.error and has_body else ""


def _probe_operations(
    wire: Wire, contract: Contract, spec: ProbeSpec, offer: Offer | None, first: Exchange
) -> Iterator[ProbedOperation]:
    """Probe each operation, listings first."""
    places: dict[
        str, list[dict[str, str]]
    ] = {}  #: path parameters of each listed object, by the last parameter
    segments = dict(offer.segments) if offer else {}
    answers: dict[str, ProbedOperation] = {}
    routers = (
        {method: _router(wire, spec, segments, method) for method in HARMLESS}
        if spec.no_route
        else {}
    )
    for operation in sorted(
        contract.operations.values(),
        key=lambda o: (len(_variables(o, segments)), o.id not in spec.listings),
    ):
        declared = operation.id in offer.operations if offer else None
        template = f"{operation.method} {operation.path}"
        left_out = (
            spec.left_out.get(operation.id, "")
            if operation.method in HARMLESS
            else f"not sent: {operation.method} may change something"
        )
        if operation.id == spec.first:
            answers[operation.id] = ProbedOperation(
                operation.id,
                declared,
                f"GET {first.url.removeprefix(wire.url)}",
                first.status,
                round(first.seconds * 1000, 1),
            )
            _keep(spec, operation, {}, first, places)
        elif left_out:
            answers[operation.id] = ProbedOperation(
                operation.id, declared, template, 0, 0, left_out
            )
        else:
            result = _probe_operation(wire, operation, spec, segments, places, declared=declared)
            if result.remark == NOTHING_TO_ASK and spec.no_route:
                result = _probe_missing_names(
                    wire, operation, spec, segments, routers[operation.method], declared=declared
                )
            answers[operation.id] = result
    return (answers[name] for name in contract.operations)


def _variables(operation: Operation, segments: Mapping[str, str | None]) -> list[str]:
    return [
        part[1:-1]
        for part in operation.path.split("/")
        if part.startswith("{") and part[1:-1] not in segments
    ]


def _probe_operation(
    wire: Wire,
    operation: Operation,
    spec: ProbeSpec,
    segments: Mapping[str, str | None],
    places: dict[str, list[dict[str, str]]],
    *,
    declared: bool | None,
) -> ProbedOperation:
    variables = _variables(operation, segments)
    where = places.get(variables[-1], []) if variables else [{}]
    result = ProbedOperation(
        operation.id, declared, f"{operation.method} {operation.path}", 0, 0, NOTHING_TO_ASK
    )
    for place in where[: TRIED if operation.id in spec.listings else 1]:
        if not place.keys() >= set(variables):
            continue
        path = _path(operation.path, {**segments, **place})
        try:
            exchange = wire.send(
                operation.method, path, operation=operation.id, check=CHECK
            ).exchange
        except NoAnswer as none:
            return ProbedOperation(
                operation.id, declared, f"{operation.method} {path}", 0, 0, wire.redact(str(none))
            )
        result = ProbedOperation(
            operation.id,
            declared,
            f"{operation.method} {path}",
            exchange.status,
            round(exchange.seconds * 1000, 1),
        )
        if operation.id not in spec.listings or _keep(spec, operation, place, exchange, places):
            break
    return result


def _router(
    wire: Wire, spec: ProbeSpec, segments: Mapping[str, str | None], method: str
) -> Exchange | None:
    """Return the answer for a route that does not exist, if there is one."""
    path = _path(spec.no_route, {"namespace": ABSENT_NAME, **segments})
    try:
        return wire.send(method, path, check=CHECK).exchange
    except NoAnswer:
        return None


def _probe_missing_names(
    wire: Wire,
    operation: Operation,
    spec: ProbeSpec,
    segments: Mapping[str, str | None],
    router: Exchange | None,
    *,
    declared: bool | None,
) -> ProbedOperation:
    """Probe an operation with names that do not exist: its answer differs from that of a router."""
    path = _path(
        operation.path, {**dict.fromkeys(_variables(operation, segments), ABSENT_NAME), **segments}
    )
    try:
        exchange = wire.send(operation.method, path, check=CHECK).exchange
    except NoAnswer as none:
        return ProbedOperation(
            operation.id, declared, f"{operation.method} {path}", 0, 0, wire.redact(str(none))
        )
    took, remark = round(exchange.seconds * 1000, 1), REMARKS[spec.shows(exchange, router)]
    return ProbedOperation(
        operation.id, declared, f"{operation.method} {path}", exchange.status, took, remark
    )


def _keep(
    spec: ProbeSpec,
    operation: Operation,
    place: Mapping[str, str],
    exchange: Exchange,
    places: dict[str, list[dict[str, str]]],
) -> bool:
    """Remember the names of a listing; return whether there are any."""
    listing = spec.listings.get(operation.id)
    if listing is None or exchange.status != 200 or not isinstance(exchange.json, dict):
        return False
    names = listing.names(exchange.json)
    places.setdefault(listing.parameter, []).extend(
        {**place, listing.parameter: name} for name in names
    )
    return bool(names)


def _path(template: str, values: Mapping[str, str | None]) -> str:
    """Fill in a path template; a segment whose value is `None` is omitted."""
    parts = []
    for part in template.split("/"):
        value = values[part[1:-1]] if part.startswith("{") else part
        if value is not None:
            parts.append(value)
    return "/".join(parts)


def names_in(document: Any, member: str) -> list[str]:
    """Return the `name` of each item of a listing, percent-encoded."""
    items = document.get(member)
    names = (
        [item.get("name") for item in items if isinstance(item, dict)]
        if isinstance(items, list)
        else []
    )
    return [quote(name, safe="") for name in names if isinstance(name, str) and name]
