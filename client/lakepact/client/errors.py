"""What can go wrong when a client calls a server, as one tree.

    ContractClientError           every exception that the client raises about a call
    ├── Unreachable               no reply: refused, timed out, TLS, cut off
    ├── BadReply                  a reply, but not one that the contract allows
    │   ├── DamagedData           data that is not what its listing says
    │   └── LimitExceeded         it is larger, slower or longer than the client allows
    ├── UpgradeNeeded             what came is for later clients than this one
    ├── Refused                   the server said no
    │   ├── BadRequest            it does not accept what was asked
    │   ├── NotAllowed            it does not let this caller
    │   │   ├── NotAuthenticated
    │   │   └── Forbidden
    │   ├── NotFound              it does not have what was named
    │   │   ├── NoSuchNamespace
    │   │   ├── NoSuchPlan
    │   │   ├── NoSuchPlanTask
    │   │   ├── NoSuchSchema
    │   │   ├── NoSuchShare
    │   │   ├── NoSuchTable
    │   │   └── NoSuchView
    │   ├── Conflict              what it has is in the way
    │   │   ├── AlreadyExists
    │   │   ├── NotEmpty
    │   │   └── CommitRejected
    │   ├── NotOffered            it does not serve this operation
    │   ├── Throttled             it has had too many requests
    │   └── ServerTrouble         it failed
    │       ├── PlanningFailed    it could not plan a scan
    │       └── QueryFailed       it failed in the midst of an answer
    └── OutcomeUnknown            a change that may or may not have been made

A call passes these points, and each has its branch. The operation is not among those that the server offers: `NotOffered`, nothing
was sent. No reply came: `Unreachable`, or `OutcomeUnknown` when the request may have arrived and would have changed something.
A reply other than 2xx came: a kind of `Refused`, by operation, status and the error type in its body, or `OutcomeUnknown`
when the contract says so of that status. A 2xx came whose body is not what the contract says: `BadReply`; whose body says that the
answer is not whole: `QueryFailed`; that a scan could not be planned: `PlanningFailed`; that needs a reader of a later version:
`UpgradeNeeded`. A data file or deletion vector came that is not what its listing says: `DamagedData`.

`OutcomeUnknown` stands apart so that nobody catches it by accident while retrying: look first, then decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from lakepact.client.redaction import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is known about a call that failed."""

    operation: str
    message: str
    status: int | None = None
    type: str | None = None
    request_id: str | None = None
    retry_after: float | None = None
    is_retry_safe: bool = False
    tries: int = 0
    exchange: Exchange | None = None


class ContractClientError(Exception):
    """A call failed.

    Attributes:
        operation: The contract's name of the operation.
        status: The HTTP status, None without a reply.
        type: The error type in the reply's body, None without one.
        message: What the server said, or what happened instead.
        request_id: The server's name for the request, to be quoted to its operators.
        retry_after: Seconds that the server asked to wait.
        is_retry_safe: Whether the same call may be made again as it is: it cannot do its work twice, and may succeed.
        tries: How many requests were sent; 0 if none left.
        exchange: The last request and reply, without secrets.
    """

    #: What to do about it, in one sentence.
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
            f"the server asks to wait {self.retry_after:g} s" if self.retry_after is not None else "",
            self.advice,
        ]
        return ". ".join(fact.rstrip(".") for fact in facts if fact)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


class Unreachable(ContractClientError):
    """No reply came: the connection was refused, timed out, failed in TLS, or was cut off."""

    advice = "Check the address, the network and the server's certificate."


class BadReply(ContractClientError):
    """A reply came, but not one that the contract allows."""

    advice = "Check the address; if it is right, the server breaks its contract."


class DamagedData(BadReply):
    """A data file or a deletion vector is not what its listing says, or holds what the table's schema does not allow."""

    advice = "Read again; if it stays, the table or the way to it is damaged."


class LimitExceeded(BadReply):
    """A reply is larger or slower than the client allows, or a listing has more pages."""

    advice = "If the server is right to send so much, raise the limit that is named."


class UpgradeNeeded(ContractClientError):
    """What the server gave, or the profile that leads to it, is for later versions of this client."""

    advice = "Upgrade: pip install --upgrade lakepact."


class Refused(ContractClientError):
    """The server said no."""


class BadRequest(Refused):
    """The server does not accept what was asked."""


class NotAllowed(Refused):
    """The server does not let this caller do that."""


class NotAuthenticated(NotAllowed):
    """The server does not know who is calling, or the credentials ran out."""

    advice = "Check the credentials, or get new ones."


class Forbidden(NotAllowed):
    """The server knows the caller and does not permit this."""


class NotFound(Refused):
    """The server does not have what was named."""


class NoSuchNamespace(NotFound):
    """There is no namespace of that name."""


class NoSuchPlan(NotFound):
    """There is no plan of that id, or the server does not keep it any more."""


class NoSuchPlanTask(NotFound):
    """There is no such plan task, or the server does not keep its plan any more."""

    advice = "Plan the scan again."


class NoSuchSchema(NotFound):
    """There is no schema of that name in the share, or no such share."""


class NoSuchShare(NotFound):
    """There is no share of that name, or it is not shared with this caller."""


class NoSuchTable(NotFound):
    """There is no table of that name."""


class NoSuchView(NotFound):
    """There is no view of that name."""


class Conflict(Refused):
    """What the server has is in the way of what was asked."""


class AlreadyExists(Conflict):
    """The name is taken."""


class NotEmpty(Conflict):
    """What was to be dropped still holds something."""


class CommitRejected(Conflict):
    """A requirement of the commit does not hold; nothing was changed."""

    advice = "Load again, redo the change on what is there now, and commit that."


class NotOffered(Refused):
    """The server does not serve this operation; where it says so beforehand, nothing is sent."""


class Throttled(Refused):
    """The server has had too many requests."""


class ServerTrouble(Refused):
    """The server failed."""


class PlanningFailed(ServerTrouble):
    """A scan was not planned: the server says so in an answer that is none of an error, or took too long, or cancelled the plan."""


class QueryFailed(ServerTrouble):
    """The server gave up in the midst of an answer; what came of it is not all."""


class OutcomeUnknown(ContractClientError):
    """A change may or may not have been made: the reply was lost, or says that the server cannot tell."""

    advice = "Do not repeat it blindly: load again and see whether the change is there."
