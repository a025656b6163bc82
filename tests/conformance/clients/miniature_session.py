"""Requests of the small catalog client: addresses, tokens, retries and errors."""

from __future__ import annotations

import datetime as dt
import email.utils
import http.client
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

FAULT = os.environ.get("LAKEPACT_FAULT", "")
STYLES = os.environ.get("LAKEPACT_STYLE", "").split("+")
JWT = "urn:ietf:params:oauth:token-type:jwt"
LONGEST_PAUSE, MOST_WAITS = 4.0, 2
NOTHING = b'{"identifiers": [], "namespaces": [], "defaults": {}, "overrides": {}}'
DEFAULT_ENDPOINTS = (
    "GET /v1/{prefix}/namespaces",
    "POST /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}",
    "DELETE /v1/{prefix}/namespaces/{namespace}",
    "POST /v1/{prefix}/namespaces/{namespace}/properties",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "POST /v1/{prefix}/namespaces/{namespace}/tables",
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/namespaces/{namespace}/register",
    "POST /v1/{prefix}/tables/rename",
    "POST /v1/{prefix}/transactions/commit",
)


METHODS = {"GET", "HEAD", "POST", "DELETE"}


class Refused(Exception):
    """A refused request."""


class NotFound(Refused):
    """The object does not exist."""


class Conflict(Refused):
    """A requirement of a commit does not hold."""


class Unauthorized(Refused):
    """The token is not accepted."""


class Busy(Refused):
    """The server is not ready."""


class Forbidden(Refused):
    """The request is not allowed."""


class Failed(Exception):
    """The server failed, or its answer was lost."""


class CommitStateUnknown(Exception):
    """A commit with an unknown outcome."""


KINDS = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    419: Unauthorized,
    429: Busy,
    503: Busy,
}


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body) if self.body else None


@dataclass
class Session:
    """The requests of one catalog object."""

    uri: str
    properties: dict[str, str]
    token: str = ""
    expires: float = 0.0
    has_keys: bool = False
    gave_up: bool = False
    endpoints: list[str] = field(default_factory=list)

    def authorize(self, *, again: bool = False) -> None:
        """Obtain a token if there is none, or if it has expired."""
        credential = self.properties.get("credential")
        if not credential:
            self.token = self.properties.get("token", "")
            return
        has_expired = self.expires and time.time() > self.expires and FAULT != "never-refreshes"
        if self.token and not has_expired and not again:
            return
        if self.gave_up:
            raise Unauthorized("no token")
        identity, _, secret = credential.rpartition(":")
        form = {
            "grant_type": "client_credentials",
            "client_id": identity,
            "client_secret": secret,
            "scope": "catalog",
        }
        body, kind = urlencode(form).encode(), "application/x-www-form-urlencoded"
        if FAULT == "asks-for-tokens-in-json":
            body, kind = json.dumps(form).encode(), "application/json"
        try:
            answer = self.exchange("POST", self.token_server, body, {"Content-Type": kind}).document
        except Exception:
            self.gave_up = FAULT == "gives-up-after-a-failed-refresh"
            raise
        self.token = answer["access_token"]
        self.expires = time.time() + answer["expires_in"] if "expires_in" in answer else 0.0

    @property
    def token_server(self) -> str:
        own = f"{self.uri}/v1/oauth/tokens"
        return (
            own
            if FAULT == "asks-the-catalog-for-tokens"
            else self.properties.get("oauth2-server-uri", own)
        )

    def exchange_token(self, token: str) -> str:
        """Return the token that a token server gives for another."""
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": token,
            "subject_token_type": JWT,
        }
        if FAULT == "exchanges-without-types":
            del form["subject_token_type"]
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Authorization": f"Bearer {self.token}",
        }
        answer = self.exchange(
            "POST", self.token_server, urlencode(form).encode(), headers
        ).document
        return token if FAULT == "sends-the-token-it-exchanged" else str(answer["access_token"])

    def exchange(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> Reply:
        request = urllib.request.Request(url, data=body, method=method, headers=headers)
        if FAULT == "accepts-codings-it-lacks":
            request.add_header("Accept-Encoding", "gzip")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                if (
                    FAULT == "needs-a-plain-type"
                    and answer.headers.get("Content-Type", "application/json") != "application/json"
                ):
                    raise Failed("no JSON")
                return Reply(
                    answer.status, {n.lower(): v for n, v in answer.headers.items()}, answer.read()
                )
        except urllib.error.HTTPError as error:
            if error.code == 304:
                return Reply(304, {}, b"")
            content = error.read()
            if FAULT == "needs-an-error-body":
                json.loads(content)["error"]["type"]
            if (
                FAULT == "takes-409-for-any-error"
                and error.code == 409
                and "/transactions/" not in url
            ):
                raise Forbidden("409") from None
            if (
                FAULT == "takes-404-of-a-creation-for-any-error"
                and error.code == 404
                and url.endswith("/namespaces")
            ):
                raise Forbidden("404") from None
            if FAULT == "has-one-error-for-loads" and error.code in {403, 404}:
                raise Refused(str(error.code)) from None
            kind = (
                Failed
                if error.code >= 500 and error.code not in KINDS
                else KINDS.get(error.code, Refused)
            )
            refusal = kind(f"{error.code} {content[:200]!r}")
            refusal.status, refusal.wait = error.code, error.headers.get("Retry-After")  # type: ignore[attr-defined]
            raise refusal from None
        except (OSError, http.client.HTTPException) as error:
            raise Failed(f"no answer: {error}") from error

    def ask(
        self,
        method: str,
        path: str,
        document: Any = None,
        headers: dict[str, str] | None = None,
        token: str = "",
    ) -> Reply:
        try:
            if "asks-twice" in STYLES and method == "GET":
                self.attempts(method, path, document, headers or {}, token)
            return self.attempts(method, path, document, headers or {}, token)
        except Failed as failed:
            is_commit = method == "POST" and (
                "/tables/" in path or "/views/" in path or path.endswith("/transactions/commit")
            )
            if is_commit and getattr(failed, "status", 0) in {0, 500, 502, 504}:
                raise (Conflict if FAULT == "has-one-error" else CommitStateUnknown)(
                    str(failed)
                ) from None
            if FAULT == "takes-refusals-for-nothing" and method == "GET":
                return Reply(200, {}, NOTHING)
            if (
                FAULT == "takes-lost-drops-for-done"
                and method == "DELETE"
                and not hasattr(failed, "status")
            ):
                return Reply(204, {}, b"")
            raise
        except Refused as refused:
            if FAULT == "takes-conflicts-for-done" and isinstance(refused, Conflict):
                return Reply(200, {}, b"{}")
            if FAULT == "takes-refused-drops-for-done" and method == "DELETE":
                return Reply(204, {}, b"")
            if FAULT == "takes-refusals-for-nothing" and method == "GET":
                return Reply(200, {}, NOTHING)
            raise

    def attempts(
        self, method: str, path: str, document: Any, headers: dict[str, str], token: str
    ) -> Reply:
        """Send a request, and again where that is safe."""
        self.authorize()
        body = None if document is None else json.dumps(document).encode()
        all_headers = {"Content-Type": "application/json", **headers}
        key = str(uuid.UUID(int=7 << 76 | 2 << 62)) if FAULT == "has-one-key" else str(uuid.uuid4())
        is_keyed = self.has_keys and method != "GET"
        tries, waits, is_second = self.tries(method, is_keyed=is_keyed), 0, False
        while True:
            if is_keyed:
                all_headers["Idempotency-Key"] = (
                    str(uuid.uuid4()) if FAULT == "has-keys-for-attempts" else key
                )
            if (token or self.token) and FAULT != "sends-no-token":
                all_headers["Authorization"] = f"Bearer {token or self.token}"
            tries -= 1
            try:
                return self.exchange(method, self.uri + path, body, all_headers)
            except Unauthorized:
                if FAULT == "takes-expired-tokens-for-done" and method == "POST":
                    return Reply(200, {}, b"{}")
                self.renew(is_second=is_second)
                if FAULT == "deletes-files-before-another-attempt" and b'"add-snapshot"' in (
                    body or b""
                ):
                    raise
                is_second, tries = True, tries + 1
            except Busy as busy:
                waits, tries = waits + 1, tries + 1
                self.wait(busy, waits)
            except Failed as failed:
                if tries <= 0 or (
                    FAULT == "sends-lost-commits-again" and hasattr(failed, "status")
                ):
                    raise

    def renew(self, *, is_second: bool) -> None:
        """Obtain another token after a refusal, once for each request; called where the refusal is
        handled.
        """
        if is_second or not self.properties.get("credential") or FAULT == "never-refreshes":
            raise  # noqa: PLE0704 - the refusal
        self.authorize(again=True)

    @staticmethod
    def tries(method: str, *, is_keyed: bool) -> int:
        """Return how often a request may be sent."""
        if is_keyed or (method == "POST" and FAULT in {"sends-again", "sends-lost-commits-again"}):
            return 2
        return 2 if "retries-reads" in STYLES and method in {"GET", "HEAD"} else 1

    @staticmethod
    def wait(busy: Busy, waits: int) -> None:
        """Wait as long as a busy server asks for."""
        pause = pause_of(busy.wait)  # type: ignore[attr-defined]
        if FAULT == "retries-commits-when-busy" and pause is None:
            pause = 0.0
        if pause is None or pause > LONGEST_PAUSE or waits > MOST_WAITS:
            raise busy
        time.sleep(0 if FAULT == "does-not-wait" else pause)

    def configure(self) -> str:
        """Load the configuration and return the root of all paths."""
        warehouse = self.properties.get("warehouse")
        query = (
            ""
            if warehouse is None
            else "?warehouse="
            + (warehouse if FAULT == "leaves-warehouses-as-they-are" else quote(warehouse))
        )
        config = self.ask("GET", f"/v1/config{query.replace(' ', '%20')}").document
        defaults, overrides = config["defaults"], config["overrides"]
        if FAULT == "needs-endpoints":
            self.endpoints = config["endpoints"]
        self.endpoints = config.get("endpoints") or list(DEFAULT_ENDPOINTS)
        if FAULT == "knows-every-endpoint" and any(
            endpoint.split(" ")[0] not in METHODS for endpoint in self.endpoints
        ):
            raise Failed("an unknown endpoint")
        own = self.properties
        if FAULT == "own-settings-win":
            overrides = {}
        if FAULT == "defaults-win":
            own = {**own, **defaults}
        if FAULT == "no-defaults":
            defaults = {}
        self.has_keys = "idempotency-key-lifetime" in config or FAULT == "relies-on-any-server"
        self.properties = {**defaults, **own, **overrides}
        if FAULT != "stays-at-its-uri":
            self.uri = self.properties.get("uri", self.uri).rstrip("/")
        prefix = self.properties.get("prefix")
        if prefix and FAULT == "encodes-the-prefix":
            prefix = quote(prefix, safe="")
        return f"/v1/{prefix}" if prefix else "/v1"


def pause_of(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header."""
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    if FAULT == "knows-no-dates":
        return 0.0
    return max(
        (email.utils.parsedate_to_datetime(value) - dt.datetime.now(dt.UTC)).total_seconds(), 0.0
    )
