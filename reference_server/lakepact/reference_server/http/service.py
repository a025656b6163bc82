"""One served contract: the functions that determine its answers.

A fault (`faults`) replaces a function of a `Service` in one of three places, so that the code never
asks whether it should misbehave: a *call* is the handler of an operation, a *reply* passes the
filters of its operation, and every other decision is a *rule*.
"""

from __future__ import annotations

import difflib
import inspect
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from lakepact.generated.contract import Contract, Operation, OperationId
from lakepact.reference_server.http.index_entries import IndexEntries
from lakepact.reference_server.http.json_text import read_json
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.routes import segment
from lakepact.reference_server.http.validation import Validators
from lakepact.reference_server.http.workers import Place
from lakepact.reference_server.settings import MAX_BODY
from lakepact.reference_server.storage.store import Pending, Turn

Scope = Mapping[str, Any]  #: the request line and headers, as ASGI has them
Arguments = dict[str, Any]  #: of an operation by name, and `body`
Handler = Callable[..., "Reply"]  #: takes the operation's arguments by name, and `body`
Filter = Callable[["Reply", Scope], "Reply"]
App = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]  #: an ASGI application

EVERY = OperationId("*")  #: in place of an operation: all of them
UNKNOWN_PATH = OperationId(
    "(unknown path)"
)  #: instead of an operation: paths that are in no contract
WRONG_METHOD = OperationId("(wrong method)")  #: methods that a path does not have


class Rules:
    """Decisions of one area that its handlers leave to functions, which a fault, a version or a
    profile replaces for one service.

    Each rule is a static method: type checkers follow a call to its function.
    """

    def __init__(self) -> None:
        vars(self).update({name: getattr(self, name) for name in self.names()})

    @classmethod
    @cache
    def names(cls) -> frozenset[str]:
        """Return the names of the area's rules."""
        return frozenset(
            name for name in dir(cls) if isinstance(inspect.getattr_static(cls, name), staticmethod)
        )


def authenticate(operation: OperationId, scope: Scope) -> dict[str, Any]:  # noqa: ARG001 - others look at them
    """Return the arguments that tell the handler of an operation its caller: none, on a server that
    is open to all.

    This rule is asked before anything else; it raises Problem to refuse a request.
    """
    return {}


def admit(operation: OperationId, handler: Handler) -> Handler:  # noqa: ARG001 - others look at it
    """Return the handler of an operation; a replacement of this rule first checks the rights of its
    `caller`.
    """
    return handler


def check_body(validators: Validators, operation: Operation, document: Any) -> None:
    """Check the body of a request against its schema.

    Raises:
        Invalid: it does not follow the schema.
    """
    validators.check(operation.body or "", document)


class HttpRules(Rules):
    """Decisions about requests, whatever their operations are, that a fault may replace."""

    read_json = staticmethod(read_json)
    decode_segment = staticmethod(segment)
    authenticate = staticmethod(authenticate)
    admit = staticmethod(admit)
    check_body = staticmethod(check_body)


class RulesByName:
    """The rules of one service; each is replaced by its name.

    Args:
        *areas: the rules that the handlers of this service ask; no name occurs twice.
        kinds: functions for each kind of update or requirement, by tables; each is the rule
            `TABLE KIND`.
    """

    def __init__(
        self, *areas: Rules, kinds: Mapping[str, dict[str, Callable[..., Any]]] | None = None
    ) -> None:
        self.http = HttpRules()
        self.areas = (self.http, *areas)
        self._functions: dict[str, tuple[dict[str, Any], str]] = {
            name: (vars(area), name) for area in self.areas for name in area.names()
        }
        for table, entries in (kinds or {}).items():
            self._functions |= {f"{table} {kind}": (entries, kind) for kind in entries}

    def names(self) -> frozenset[str]:
        """Return the names of all rules."""
        return frozenset(self._functions)

    def current(self, name: str) -> Callable[..., Any]:
        """Return the function of a rule.

        Raises:
            LookupError: nothing asks for a rule of this name.
        """
        if name not in self._functions:
            near = difflib.get_close_matches(name, self._functions, n=3, cutoff=0.0)
            raise LookupError(f"nothing asks for the rule {name!r}; near: {', '.join(near)}")
        functions, key = self._functions[name]
        rule: Callable[..., Any] = functions[key]
        return rule

    def replace(self, name: str, function: Callable[..., Any]) -> None:
        """Let a function decide in the place of a rule.

        Raises:
            LookupError: nothing asks for a rule of this name.
        """
        self.current(name)
        functions, key = self._functions[name]
        functions[key] = function


class Unanswered(Exception):
    """Operations of a contract have neither a handler nor stand among those that are not
    offered.
    """


def handlers_of(contract: Contract, handlers: object) -> dict[OperationId, Handler]:
    """Return the methods of an object that answer operations of a contract."""
    return {
        o.id: getattr(handlers, o.function)
        for o in contract.operations.values()
        if hasattr(handlers, o.function)
    }


@dataclass(slots=True)
class Service:
    """One contract being served.

    Raises:
        Unanswered: an operation of the contract would have no answer.
    """

    contract: Contract
    handlers: dict[OperationId, Handler]
    unavailable: frozenset[str]
    error_body: Callable[[Problem], bytes]
    kinds: Mapping[int, str]  #: the contract's error type for the router's own refusals, by status
    paths: Callable[
        [str], tuple[str, ...]
    ]  #: the concrete templates of one template of the contract
    nullable: Mapping[OperationId, frozenset[str]] = field(
        default_factory=dict[OperationId, frozenset[str]]
    )
    #: by operation: members of the body for which null is taken as absent, because clients write it
    #: so
    rules: RulesByName = field(default_factory=RulesByName)
    filters: defaultdict[str, list[Filter]] = field(
        default_factory=lambda: defaultdict[str, list[Filter]](list)
    )
    root: str = ""  #: the path that all paths of the contract lie below
    places: Mapping[OperationId, Callable[..., Place]] = field(
        default_factory=dict[OperationId, Callable[..., "Place"]]
    )
    #: by operation: chooses where the handler runs from the arguments of a call; the event loop
    #: where there is none
    apps: Mapping[str, App] = field(
        default_factory=dict[str, App]
    )  #: by path: what is served below it and is in no contract
    pages: Mapping[str, Callable[[], bytes]] = field(default_factory=dict[str, Callable[[], bytes]])
    #: further pages by path, as JSON, with the name last in the path
    profiles: Callable[[str], Mapping[str, bytes]] | None = None
    #: the files with which clients find the way in, by their names, for a base address
    max_body: int = MAX_BODY
    about: tuple[str, ...] = ()  #: sentences for the index page
    index: IndexEntries | None = None  #: contents and clients on the index page
    authenticates: bool = (
        False  #: whether callers are authenticated: the index page shows no path of their requests
    )
    turn: Turn | None = None
    #: held by the thread that changes records; a handler that may change some waits for it in a
    #: thread, never on the event loop
    pending: Callable[[], Pending | None] | None = None
    #: asked in the thread of a handler after it ran: the changes that must be durable before the
    #: answer is sent
    close: Callable[[], object] = lambda: None  #: called when no more requests come
    validators: Validators = field(init=False)

    def __post_init__(self) -> None:
        missing = [
            o
            for o in self.contract.operations
            if o not in self.handlers and o not in self.unavailable
        ]
        if missing:
            raise Unanswered(
                f"{self.contract.name} {self.contract.version}: "
                f"no handler for {', '.join(missing)}; write one and name it in handlers.py, "
                "as docs/upgrade-a-contract.md says"
            )
        self.validators = Validators(self.contract)

    def operations(self) -> tuple[Operation, ...]:
        """Return the operations that are answered, in the contract's order."""
        return tuple(o for o in self.contract.operations.values() if o.id in self.handlers)

    def answering(self, operation: OperationId) -> Callable[..., Reply]:
        """Return the function that answers an operation, or says that it is not offered."""
        return (
            partial(self._refuse, operation)
            if operation in self.unavailable
            else self.handlers[operation]
        )

    def _refuse(self, operation: OperationId, **_: Any) -> Reply:
        raise Problem(406, self.kinds[406], f"this server does not offer the operation {operation}")

    @property
    def document_path(self) -> str:
        """The address of the contract's document."""
        return f"{self.root}/openapi.json"

    def filters_of(self, operation: OperationId) -> tuple[Filter, ...]:
        """Return the filters that one operation's replies pass, in order."""
        return (*self.filters.get(operation, ()), *self.filters.get(EVERY, ()))
