"""The errors of the client, as one tree.

    LakepactError                   a call failed
    ├── Unreachable                 no reply: refused, timed out, TLS, disconnected
    ├── BadReply                    a reply that the contract does not allow
    │   ├── DamagedData             a file that differs from its listing
    │   ├── IncompleteCommit        an accepted commit whose edits are missing in the reply
    │   └── LimitExceeded           a reply that is too large, too slow or too long
    ├── UntrustedOrigin             a server names an origin or file that the caller does not trust
    ├── UpgradeNeeded               a reply or profile for a later version of this client
    ├── ResponseError               an error status
    │   ├── BadRequest              the request is invalid
    │   ├── NotAllowed              the request is denied to this caller
    │   │   ├── NotAuthenticated
    │   │   └── Forbidden
    │   ├── NotFound                the named object does not exist
    │   │   ├── NoSuchFunction
    │   │   ├── NoSuchNamespace
    │   │   ├── NoSuchPlan
    │   │   ├── NoSuchPlanTask
    │   │   ├── NoSuchSchema
    │   │   ├── NoSuchShare
    │   │   ├── NoSuchTable
    │   │   └── NoSuchView
    │   ├── Conflict                the current state is in conflict with the request
    │   │   ├── AlreadyExists
    │   │   ├── NotEmpty
    │   │   └── CommitRejected
    │   ├── OperationNotSupported   the server does not support the operation
    │   ├── Throttled               the server limits the rate of requests
    │   └── ServerError             the server failed
    │       ├── PlanningFailed      it could not plan a scan
    │       └── QueryFailed         it failed in the middle of an answer
    └── OutcomeUnknown              a change that may or may not have been applied

- The configuration of the server excludes the operation: `OperationNotSupported`. Nothing was sent.
- No reply came: `Unreachable`, or `OutcomeUnknown` if the request may have arrived and changes
  something.
- The status is not 2xx: a subclass of `ResponseError`, chosen by operation, status and error type;
  `OutcomeUnknown` where the contract says so of that status.
- The status is 2xx and the body breaks the contract: `BadReply`, or `OutcomeUnknown` if the call
  changes something.
- The body ends with an error line: `QueryFailed`. It reports that planning failed:
  `PlanningFailed`. It requires a later reader: `UpgradeNeeded`.
- The status of a commit is 2xx and the table in the reply lacks an edit: `IncompleteCommit`.
- A data file or deletion vector differs from its listing: `DamagedData`.

`OutcomeUnknown` is not a `ResponseError`, so that no retry catches it by accident.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lakepact.client.text import plain

if TYPE_CHECKING:
    from lakepact.client.redaction import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The facts about a failed call that its error carries."""

    operation: str
    message: str
    status: int | None = None
    type: str | None = None
    request_id: str | None = None
    retry_after: float | None = None
    is_retry_safe: bool = False
    tries: int = 0
    exchange: Exchange | None = None


class LakepactError(Exception):
    """A call failed.

    Attributes:
        operation: The operation id in the contract.
        status: The HTTP status; None without a reply.
        type: The error type in the body of the reply; None without one.
        message: The server's message unchanged, or a description of the failure;
            `str` of the error escapes control characters.
        request_id: The server's id of the request, for its operators.
        retry_after: Seconds to wait, as requested by the server.
        is_retry_safe: Whether repeating the same call cannot apply its change twice and may
            succeed.
        tries: The number of requests sent; 0 if none was.
        exchange: The last request and reply, with secrets redacted.
    """

    #: One sentence: how to proceed.
    advice: ClassVar[str] = ""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.operation = failure.operation
        self.status = failure.status
        self.type = failure.type
        self.message = failure.message
        self.request_id = failure.request_id
        self.retry_after = failure.retry_after
        self.is_retry_safe = failure.is_retry_safe
        self.tries = failure.tries
        self.exchange = failure.exchange

    def __str__(self) -> str:
        answer = " ".join(str(part) for part in (self.status, self.type) if part)
        facts = [
            f"{self.operation}: {f'{answer}: ' if answer else ''}{self.message}",
            f"request id {self.request_id}" if self.request_id else "",
            f"tried {self.tries} times" if self.tries > 1 else "",
            f"retry after {self.retry_after:g} s" if self.retry_after is not None else "",
            self.advice,
        ]
        return plain(". ".join(fact.rstrip(".") for fact in facts if fact))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


class Unreachable(LakepactError):
    """No reply came: the connection was refused, timed out, failed in TLS, or was closed."""

    advice = "Check the address, the network and the server's certificate."


class BadReply(LakepactError):
    """The reply breaks the contract."""

    advice = "Check the address; if it is right, report the reply to the maintainers of the server."


class DamagedData(BadReply):
    """A data file or deletion vector differs from its listing or from the schema of the table."""

    advice = "Read again; if the error persists, the table or its storage is damaged."


class IncompleteCommit(BadReply):
    """The server accepted a commit, but the table in its reply lacks edits."""

    advice = (
        "Load the table to see which edits it holds, and report the reply to the maintainers of the"
        " server."
    )


class LimitExceeded(BadReply):
    """A reply is larger or slower than the limits of the client, or a listing has more pages."""

    advice = "If a reply of this size is expected, raise the named limit."


class UntrustedOrigin(LakepactError):
    """A server names an origin, or a file of this machine, that the caller does not trust; nothing
    was sent or opened there.
    """


class UpgradeNeeded(LakepactError):
    """The reply or the profile requires a later version of this client."""

    advice = "Upgrade lakepact."


class ResponseError(LakepactError):
    """The server answered with an error status."""


class BadRequest(ResponseError):
    """The server rejected the request as invalid (400)."""


class NotAllowed(ResponseError):
    """The server denied the request to this caller (401, 403, 419)."""


class NotAuthenticated(NotAllowed):
    """The credentials are missing, invalid or expired (401, 419)."""

    advice = "Check the credentials, or get new ones."


class Forbidden(NotAllowed):
    """The caller lacks the permission for this request (403)."""


class NotFound(ResponseError):
    """The named object does not exist (404)."""


class NoSuchFunction(NotFound):
    """The function does not exist."""


class NoSuchNamespace(NotFound):
    """The namespace does not exist."""


class NoSuchPlan(NotFound):
    """The scan plan does not exist or has expired."""


class NoSuchPlanTask(NotFound):
    """The plan task does not exist, or its plan has expired."""

    advice = "Plan the scan again."


class NoSuchSchema(NotFound):
    """The schema or its share does not exist."""


class NoSuchShare(NotFound):
    """The share does not exist or is not granted to this caller."""


class NoSuchTable(NotFound):
    """The table does not exist."""


class NoSuchView(NotFound):
    """The view does not exist."""


class Conflict(ResponseError):
    """The request conflicts with the current state (409)."""


class AlreadyExists(Conflict):
    """An object of that name already exists."""


class NotEmpty(Conflict):
    """The namespace to drop is not empty."""


class CommitRejected(Conflict):
    """A requirement of the commit failed; nothing was changed."""

    advice = "Load the table again, apply the change to its current state, and commit that."


class OperationNotSupported(ResponseError):
    """The server does not support the operation; no request is sent if its configuration already
    excludes the operation.
    """


class Throttled(ResponseError):
    """The server limits the rate of requests (429, 503)."""


class ServerError(ResponseError):
    """The server failed to process the request (5xx)."""


class PlanningFailed(ServerError):
    """The server reported that planning a scan failed, cancelled the plan, or took too long."""


class QueryFailed(ServerError):
    """The server ended its answer with an error; the answer is incomplete."""


class OutcomeUnknown(LakepactError):
    """A change may or may not have been applied: the reply was lost, or reports an unknown
    outcome.
    """

    advice = "Do not repeat the change blindly: load the table again and check whether it is there."
