"""Tokens of clients: requests, exchanges, use and renewal."""

from __future__ import annotations

import itertools
import math
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl

import orjson

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    Answer,
    Blocked,
    CatalogClientLab,
    Document,
    Exchange,
    Forward,
    NotOffered,
    Performance,
    Request,
    Script,
    Unmet,
    check,
    error,
    expect,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.lab import ADDRESS

CREDENTIAL = {"credential": "lakepact:a-secret-of-the-script"}
FORM = "application/x-www-form-urlencoded"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - a type
LONG = 3600  #: seconds
LIFETIME = 1  #: seconds of a short-lived token
#: seconds until such a token has expired, and a client that renews tokens early has another
PAUSE = 1.6
ISSUED = "token-of-the-script-"


@dataclass
class Issuer:
    """A catalog that requires tokens and issues them.

    Args:
        lifetime: seconds for which a token is accepted after its first use, so that slow clients do
            not need two at once.
        announces_expiry: whether answers have expires_in.
        expired: status of a request with an expired token.
        fails_once: whether the first request for a token after a listing returns 500.
    """

    lifetime: float = LONG
    announces_expiry: bool = True
    expired: int = 401
    fails_once: bool = False
    request_count: int = 0
    _has_listed: bool = False
    _ends: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def script(self, request: Request, forward: Forward) -> Answer:
        """Issue a token, or answer a request that has a valid one."""
        if request.operation == op.get_token:
            with self._lock:
                return self._issue(request)
        self._has_listed |= request.operation == op.list_tables
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        ends = self._ends.get(token)
        if scheme.lower() != "bearer" or ends is None:
            # The configuration needs no token.
            return (
                forward(request.without_authorization())
                if request.operation == op.get_config
                else error(401, "NotAuthorizedException")
            )
        with self._lock:
            if ends == math.inf and request.operation != op.get_config:
                ends = self._ends[token] = time.monotonic() + self.lifetime
        if time.monotonic() > ends:
            return error(
                self.expired,
                "AuthenticationTimeoutException"
                if self.expired == 419
                else "NotAuthorizedException",
            )
        return forward(request.without_authorization())

    def expire(self) -> None:
        """Let all issued tokens end."""
        with self._lock:
            self._ends = dict.fromkeys(self._ends, 0.0)

    def _issue(self, request: Request) -> Answer:
        self.request_count += 1
        if self.fails_once and self._has_listed:
            self.fails_once = False
            return Answer(500, body=b'{"error":"server_error"}')
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
            return Answer(
                400,
                body=b'{"error":"invalid_request","error_description":"the body must be a form"}',
            )
        token = f"{ISSUED}{self.request_count}"
        self._ends[token] = math.inf
        document: Document = {
            "access_token": token,
            "token_type": "bearer",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        }
        if self.announces_expiry:
            document |= {"expires_in": int(self.lifetime)}
        return Answer(200, body=orjson.dumps(document))


def asks_for_tokens(performance: Performance) -> None:
    """Require that a client with a credential requests a token.

    Raises:
        NotOffered: it does not.
    """
    performance.require(op.get_token)


@check("IRC-CLI-024")
def tokens_are_obtained_by_forms(lab: CatalogClientLab) -> None:
    """A client with a credential sends a form with `grant_type` client_credentials, and lists
    tables with the issued token.
    """
    home = lab.namespace("t")
    performance = lab.performs(
        "list-tables", Issuer().script, namespace=home, properties=CREDENTIAL
    )
    asks_for_tokens(performance)
    with lab.judge_each("IRC-CLI-024") as case:
        with case():
            form = performance.of(op.get_token)[0]
            kinds = form.request_values("content-type")
            expect.true(
                bool(kinds) and kinds[0].startswith(FORM),
                f"Content-Type {FORM}",
                expect.excerpt(kinds),
            )
            fields = dict(
                parse_qsl(form.request_body.decode("utf-8", "replace"), keep_blank_values=True)
            )
            expect.equal("client_credentials", fields.get("grant_type"), "grant_type")
        with case():
            performance.meets(performance.prints(["t"]), "the tables, listed with the token")


@check("IRC-CLI-025")
def tokens_that_expire(lab: CatalogClientLab) -> None:
    """A client whose token returns 401 or 419 after its expiry, announced or not, obtains another
    one and lists tables.
    """
    home = lab.namespace("t")
    arguments: Document = {
        "namespace": home,
        "properties": CREDENTIAL,
        "times": 2,
        "pause": PAUSE,
    }
    plain = lab.performs("list-tables-repeatedly", Issuer().script, **Document(arguments, pause=0))
    asks_for_tokens(plain)
    if plain.value != [["t"], ["t"]]:
        raise Blocked(f"the client does not list tables repeatedly: {plain.outcome}")
    issuers = {
        "401 after the announced expiry": Issuer(lifetime=LIFETIME),
        "419 after the announced expiry": Issuer(lifetime=LIFETIME, expired=419),
        "401 after an expiry that was not announced": Issuer(
            lifetime=LIFETIME, announces_expiry=False
        ),
    }
    with lab.judge_each("IRC-CLI-025") as case:
        for how, issuer in issuers.items():
            with case():
                performance = lab.performs("list-tables-repeatedly", issuer.script, **arguments)
                if performance.value != [
                    ["t"],
                    ["t"],
                ]:  # a client that renews tokens in the background may be late on a busy machine
                    performance = lab.performs("list-tables-repeatedly", issuer.script, **arguments)
                expect.equal(
                    [["t"], ["t"]],
                    performance.result,
                    f"two listings, where the token of the first returns {how}:",
                )


@check("IRC-CLI-026")
def token_requests_that_fail(lab: CatalogClientLab) -> None:
    """A client whose request for another token returns 500 once requests it again later, and lists
    tables.
    """
    home = lab.namespace("t")
    arguments: Document = {
        "namespace": home,
        "properties": CREDENTIAL,
        "times": 3,
        "pause": PAUSE,
    }
    plain = lab.performs("list-tables-repeatedly", Issuer(lifetime=LIFETIME).script, **arguments)
    asks_for_tokens(plain)
    if plain.value != [["t"]] * 3:
        raise Blocked(f"the client does not obtain another token after the first: {plain.outcome}")
    issuer = Issuer(lifetime=LIFETIME, fails_once=True)
    performance = lab.performs("list-tables-repeatedly", issuer.script, **arguments)
    if issuer.fails_once:
        raise Blocked("the client requests no token after its first listing")
    with lab.judge("IRC-CLI-026"):
        result = performance.result
        is_complete = isinstance(result, list) and bool(result) and result[-1] == ["t"]
        performance.meets(
            is_complete, "a third listing after one request for another token returned 500"
        )


def expiring_at_commits(issuer: Issuer) -> Script:
    """Return a catalog whose tokens end when it receives the first commit."""
    met: list[str] = []

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation in COMMITS and not met:
            met.append(request.target)
            issuer.expire()
        return issuer.script(request, forward)

    return script


@check("IRC-CLI-071")
def tokens_that_expire_at_commits(lab: CatalogClientLab) -> None:
    """A client whose commit returns 401 or 419 for its token leaves the change once and succeeds,
    or leaves no change and fails.
    """
    changes: list[tuple[str, str, Any]] = [
        ("set-properties", "updates", {"lakepact.token": "1"}),
        ("append-rows", "rows", [{"id": 1, "data": "a"}]),
    ]
    with lab.judge_each(
        "IRC-CLI-071", without="the client requests no token, or does not commit by updateTable"
    ) as case:
        for status, (task, argument, change) in itertools.product((401, 419), changes):
            where = lab.table()
            performance = lab.tries(
                task,
                expiring_at_commits(Issuer(expired=status)),
                **where,
                properties=CREDENTIAL,
                **{argument: change},
            )
            if performance is None or not (
                performance.of(op.get_token) and performance.of(*COMMITS)
            ):
                continue
            how = f"after {task}, whose commit returned {status} first; {performance.text}:"
            read = lab.tries("read-rows", **where) if argument == "rows" else None
            lab.show(performance)
            with case():
                if read is not None:
                    expect.equal(change if performance.is_done else [], read.result, f"rows {how}")
                elif argument == "updates":
                    properties = lab.metadata(**where)["properties"]
                    left = {name: value for name, value in properties.items() if name in change}
                    expect.equal(change if performance.is_done else {}, left, f"properties {how}")


@check("IRC-CLI-027")
def tokens_of_tables(lab: CatalogClientLab) -> None:
    """A client commits to a table with the `token` in the table's `config`."""
    home = lab.namespace("t")
    own, special = "token-of-the-user", "token-of-the-table"

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request.without_authorization())
        if request.operation != op.load_table or answer.status != 200:
            return answer
        return answer.merging(config={"token": special}).with_header("etag", None)

    performance = lab.performs(
        "set-properties",
        script,
        namespace=home,
        table="t",
        updates={"lakepact.a": "1"},
        properties={"token": own},
    )
    commits = performance.require(op.update_table)
    with lab.judge("IRC-CLI-027"):
        headers = commits[0].request_values("authorization")
        if headers != [f"Bearer {special}"]:
            raise Unmet(
                "the token in the config of the table",
                "the client's own token"
                if headers == [f"Bearer {own}"]
                else f"{len(headers)} other values",
            )


EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TYPE = "urn:ietf:params:oauth:token-type:"
TYPES = tuple(
    TYPE + name for name in ("access_token", "refresh_token", "id_token", "saml1", "saml2", "jwt")
)
SUBJECT = "jwt-of-the-table"
AUTHORIZATION = "authorization"


def with_a_token_to_exchange(issuer: Issuer) -> Script:
    """Return a catalog whose tables have a token in `config` that clients exchange for an access
    token.
    """

    def script(request: Request, forward: Forward) -> Answer:
        answer = issuer.script(request, forward)
        if request.operation != op.load_table or answer.status != 200:
            return answer
        return answer.merging(config={f"{TYPE}jwt": SUBJECT}).with_header("etag", None)

    return script


def _form(exchange: Exchange) -> dict[str, str]:
    return dict(parse_qsl(exchange.request_body.decode("utf-8", "replace"), keep_blank_values=True))


def _exchanges(performance: Performance) -> list[Exchange]:
    return [
        exchange
        for exchange in performance.of(op.get_token)
        if _form(exchange).get("grant_type") == EXCHANGE
    ]


def _fits(exchange: Exchange) -> None:
    """Expect that a token exchange has the members that RFC 8693 requires."""
    form = _form(exchange)
    kinds = exchange.request_values("content-type")
    expect.true(
        bool(kinds) and kinds[0].startswith(FORM), f"Content-Type {FORM}", expect.excerpt(kinds)
    )
    expect.true(
        bool(form.get("subject_token")), "a subject_token in the form", expect.excerpt(sorted(form))
    )
    expect.true(
        form.get("subject_token_type") in TYPES,
        "a subject_token_type of RFC 8693",
        expect.excerpt(form.get("subject_token_type")),
    )
    expect.true(
        ("actor_token" in form) == ("actor_token_type" in form),
        "actor_token and actor_token_type, or neither",
        expect.excerpt(sorted(form)),
    )


def _sends(exchange: Exchange) -> list[str]:
    return [value.partition(" ")[2] for value in exchange.request_values(AUTHORIZATION)]


def _commits_after_exchange(performance: Performance | None) -> tuple[Exchange, ...]:
    """Return the commits to a table whose token the client has exchanged."""
    return (
        performance.of(op.update_table)
        if performance is not None and _exchanges(performance)
        else ()
    )


@check("IRC-CLI-048")
def exchanged_tokens(lab: CatalogClientLab) -> None:
    """A client that exchanges a token sends a form with the members of RFC 8693, and commits with
    the token that it gets.
    """
    home = lab.namespace("t")
    listing = lab.tries(
        "list-tables-repeatedly",
        Issuer(lifetime=LIFETIME).script,
        namespace=home,
        properties=CREDENTIAL,
        times=2,
        pause=PAUSE,
    )
    arguments: Document = {
        "namespace": home,
        "table": "t",
        "updates": {"lakepact.a": "1"},
        "properties": CREDENTIAL,
    }
    change = lab.tries("set-properties", with_a_token_to_exchange(Issuer()), **arguments)
    requests = [
        exchange
        for performance in (listing, change)
        if performance is not None
        for exchange in _exchanges(performance)
    ]
    if not requests:
        raise NotOffered("the client exchanges no tokens")
    with lab.judge_each("IRC-CLI-048") as case:
        for exchange in requests:
            with case():
                _fits(exchange)
        for exchange in _commits_after_exchange(change):
            with case():
                tokens = [
                    str(orjson.loads(answer.body or b"{}").get("access_token"))
                    for answer in requests
                ]
                expect.true(
                    any(token in tokens for token in _sends(exchange)),
                    "the token of the answer, sent with the commit",
                    "another token",
                )


@check("IRC-CLI-049")
def addresses_of_token_servers(lab: CatalogClientLab) -> None:
    """A client with `oauth2-server-uri` obtains its token there, and sends nothing to
    /v1/oauth/tokens.
    """
    home = lab.namespace("t")
    issuer = Issuer()
    asks_for_tokens(
        lab.performs("list-tables", issuer.script, namespace=home, properties=CREDENTIAL)
    )
    path = "/identity/realms/one/token"

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == op.get_token:
            return error(404, "NotFoundException")
        is_token = request.target.partition("?")[0] == path
        return issuer.script(
            replace(request, operation=op.get_token) if is_token else request, forward
        )

    properties = {**CREDENTIAL, "oauth2-server-uri": f"{ADDRESS}{path}"}
    with lab.judge("IRC-CLI-049"):
        performance = lab.performs("list-tables", script, namespace=home, properties=properties)
        performance.meets(performance.prints(["t"]), f"the tables, with a token of {path}")
        expect.equal(
            0, len(performance.of(op.get_token)), "requests for tokens at /v1/oauth/tokens:"
        )
