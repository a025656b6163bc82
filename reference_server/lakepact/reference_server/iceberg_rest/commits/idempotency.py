"""Requests that are sent again under their Idempotency-Key: the first answer comes again, and
nothing else happens.

An answer is kept in the same transaction as what it tells of, so that a key is known if and only if
its request was carried out. Answers that would come again are final, those of 5xx are not. A
request whose handler reads files of elsewhere, or asks for credentials, runs in a
thread of its own, beside others: while it does, the same key returns 503 and Retry-After, and its
key is kept right after it.

Secrets are not kept: an answer that came with credentials of a table comes again with new ones. Of
a large table or view the metadata file is kept. All answers have a common limit in bytes, and the
oldest go first.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.storage.store import Key, NotKept, Record, Store, Transaction

logger = logging.getLogger(__name__)

HEADER = "Idempotency-Key"
LIFETIME = "PT30M"  #: how long a client may use a key again, as the configuration announces it
KEPT_SECONDS = 60 * 60  #: how long it is known here, for clocks that are not ours
SHELF = "idempotency-keys"
LARGE = 4 * 1024  #: bytes of a table or view whose metadata file is kept in its place
MOST_BYTES, MOST_IN_ALL = 32 * 1024 * 1024, 128 * 1024 * 1024  #: of one warehouse, and of all


class KeyReused(Problem):
    """A key came with another request than the first time; that says nothing final of either."""

    def __init__(self, message: str) -> None:
        super().__init__(400, "BadRequestException", message)


class _Keyed(NamedTuple):
    """An operation whose requests may carry keys."""

    operation: str
    handler: Handler
    renew: Handler | None


class _Answer(NamedTuple):
    """A stored answer."""

    at: int
    name: str
    size: int


class Keys:
    """The keys of a server, with the answers to their requests.

    Args:
        store: where they are kept, beside what the requests change.
        rules: the decisions about them that a fault may replace.
        clock: seconds since 1970.
    """

    def __init__(self, store: Store, rules: Rules, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._rules = rules
        self._clock = clock
        self._running: set[str] = set()
        self._lock = threading.Lock()
        self._answers: dict[str, deque[_Answer]] = {}  # by warehouse, the oldest first
        self._bytes: Counter[str] = Counter()
        with store.begin() as transaction:
            answers = list[tuple[_Answer, str]]()
            for key, record in transaction.every(SHELF):
                document = orjson.loads(record.body)  # the record's own would stay in memory
                answer = _Answer(document["at"], key.name, len(record.body))
                answers.append((answer, document.get("warehouse", "")))
            for answer, warehouse in sorted(answers):
                self._add(answer, warehouse)
            self._trim(transaction)

    def once(
        self, operation: str, handler: Handler, *, blocking: bool, renew: Handler | None = None
    ) -> Handler:
        """Return a handler that carries a request out once for its key.

        Args:
            operation: what it answers.
            handler: what carries it out.
            blocking: whether it runs in a thread of its own.
            renew: completes an answer that was not kept whole, given the arguments of the call and
                `answered`.
        """
        call = _Keyed(operation, handler, renew)
        return partial(self._aside if blocking else self._answer, call)

    def _answer(
        self, call: _Keyed, *, idempotency_key: str | None = None, **arguments: Any
    ) -> Reply:
        if idempotency_key is None:
            return call.handler(**arguments)
        name, request = _name(idempotency_key), _request(call.operation, arguments)
        try:
            with self._store.begin() as transaction:
                former = self._former(transaction, name, request)
                if former is not None:
                    return _again(former, call.renew, arguments)
                reply = call.handler(**arguments)
                self._keep(transaction, name, _final(request, reply), arguments)
                return reply
        except Problem as problem:
            self._keep_refusal(name, request, problem, arguments)
            raise

    def _aside(
        self, call: _Keyed, *, idempotency_key: str | None = None, **arguments: Any
    ) -> Reply:
        if idempotency_key is None:
            return call.handler(**arguments)
        name, request = _name(idempotency_key), _request(call.operation, arguments)
        with self._lock:
            if name in self._running:
                message = f"a request with this {HEADER} is being carried out; ask again"
                raise Problem(
                    503, "ServiceUnavailableException", message, headers=(("retry-after", "1"),)
                )
            self._running.add(name)
        try:
            with self._store.begin() as transaction:
                former = self._former(transaction, name, request)
            if former is not None:
                return _again(former, call.renew, arguments)
            reply = call.handler(**arguments)
            try:
                with self._store.begin() as transaction:
                    self._keep(transaction, name, _final(request, reply), arguments)
            except NotKept:
                logger.warning(
                    "what was done under the %s %s lasts, but the key is not known", HEADER, name
                )
        except Problem as problem:
            self._keep_refusal(name, request, problem, arguments)
            raise
        else:
            return reply
        finally:
            self._running.discard(name)

    def _former(self, transaction: Transaction, name: str, request: str) -> dict[str, Any] | None:
        """Return the stored reply to the request with this key; `None` for a new key.

        Raises:
            Problem: 400, the key was used for another request.
        """
        record = self._rules.find_key(transaction, name)
        if record is None:
            return None
        if record.document["request"] != request:
            raise KeyReused(
                f"this {HEADER} came with another request before; every operation needs a key of"
                " its own"
            )
        return record.document

    def _keep_refusal(
        self, name: str, request: str, problem: Problem, arguments: Arguments
    ) -> None:
        if isinstance(problem, KeyReused) or problem.status >= 500:
            return
        with self._store.begin() as transaction:
            self._keep(
                transaction,
                name,
                {"request": request, "refused": [problem.status, problem.kind, problem.message]},
                arguments,
            )

    def _keep(
        self,
        transaction: Transaction,
        name: str,
        answer: dict[str, Any],
        arguments: Arguments,
    ) -> None:
        now, warehouse = int(self._clock()), arguments.get("prefix", "")
        self._rules.keep_key(transaction, name, {**answer, "at": now, "warehouse": warehouse})
        record = transaction.get(_key(name))
        self._add(_Answer(now, name, 0 if record is None else len(record.body)), warehouse)
        self._trim(transaction)

    def _add(self, answer: _Answer, warehouse: str) -> None:
        self._answers.setdefault(warehouse, deque()).append(answer)
        self._bytes[warehouse] += answer.size

    def _trim(self, transaction: Transaction) -> None:
        """Remove answers that are too old, and the oldest ones beyond the limits in bytes."""
        until = int(self._clock()) - KEPT_SECONDS
        for warehouse, answers in self._answers.items():
            while answers and answers[0].at < until:
                self._remove(transaction, warehouse)
            while self._bytes[warehouse] > MOST_BYTES and len(answers) > 1:
                self._remove(transaction, warehouse)
        while self._bytes.total() > MOST_IN_ALL:
            oldest = min((answers[0], w) for w, answers in self._answers.items() if answers)
            self._remove(transaction, oldest[1])

    def _remove(self, transaction: Transaction, warehouse: str) -> None:
        answer = self._answers[warehouse].popleft()
        self._bytes[warehouse] -= answer.size
        transaction.otherwise(partial(self._add, answer, warehouse))
        record = transaction.get(_key(answer.name))
        # A key may have been kept twice: the first time was undone.
        if record is not None and record.document["at"] <= answer.at:
            transaction.remove(_key(answer.name))


def find_key(transaction: Transaction, name: str) -> Record | None:
    """Return the entry of a key, or `None`."""
    return transaction.get(_key(name))


def keep_key(transaction: Transaction, name: str, answer: dict[str, Any]) -> None:
    """Keep the answer to the request of a key, unless there is one."""
    if transaction.get(_key(name)) is None:
        transaction.put(_key(name), Record.stored("answer", orjson.dumps(answer), b""))


class Rules(ServiceRules):
    """Decisions about keys that a fault may replace."""

    find_key = staticmethod(find_key)
    keep_key = staticmethod(keep_key)


def _key(name: str) -> Key:
    return Key(SHELF, (), name)


def _name(text: str) -> str:
    """Return a key in one spelling.

    Raises:
        Problem: 400, it is no UUID.
    """
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise bad_request(
            f"header {HEADER}: expected a UUID of version 7, found {text[:60]!r}"
        ) from None


def _request(operation: str, arguments: Arguments) -> str:
    """Return the fingerprint of a request."""
    text = orjson.dumps(
        [operation, arguments], option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=list
    )
    return f"{operation} {blake2b(text, digest_size=16).hexdigest()}"


def _final(request: str, reply: Reply) -> dict[str, Any]:
    part = reply.without or reply
    headers = [[name.decode(), value.decode()] for name, value in part.headers]
    answer = {"request": request, "status": part.status, "headers": headers}
    if reply.stored_at and len(part.body) > LARGE:
        answer["file"] = reply.stored_at
    else:
        answer["body"] = part.body.decode()
    return answer if reply.without is None else {**answer, "renewed": True}


def _again(answer: dict[str, Any], renew: Handler | None, arguments: Arguments) -> Reply:
    """Return the answer that is kept, completed if it was not kept whole.

    Raises:
        Problem: it was a refusal.
    """
    if "refused" in answer:
        status, kind, message = answer["refused"]
        raise Problem(status, kind, message)
    headers = tuple((name.encode(), value.encode()) for name, value in answer["headers"])
    file = answer.get("file", "")
    reply = Reply(answer["status"], answer.get("body", "").encode(), headers, stored_at=file)
    if renew is None or not (file or answer.get("renewed")):
        return reply
    return renew(reply=reply, **arguments)
