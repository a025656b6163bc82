"""Judge many exchanges: evaluate equal answers once, and assemble the verdicts column by column.

Most invariants read only the operation of a request, so their verdict holds for every equal answer. An invariant that reads more of the
request is evaluated for each distinct exchange. An invariant that fails is evaluated again for each exchange, to name the difference.
Whether a request must be refused depends on the request alone, and is also decided once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lakepact.conformance.arrow import Array, Table, pa, pq
from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.execution.sending import ANSWERED
from lakepact.conformance.campaign.judging.answers import (
    CLASSES,
    asks_for_own,
    digest,
    is_document,
    normalised,
    normalised_answer,
    normalised_text,
)
from lakepact.conformance.campaign.judging.canonical_form import LENGTH, WORDED, anywhere, plain_headers, told_apart, without_words
from lakepact.conformance.campaign.judging.columns import Kinds, Said, answers_of, counts_of, results_of
from lakepact.conformance.campaign.judging.partial_exchanges import Asked, Closer, answer_of, asked_about, suite_of
from lakepact.conformance.campaign.judging.rows import Rows
from lakepact.conformance.campaign.judging.verdicts import PASS, Verdict, decided, refused, said_by, without
from lakepact.conformance.campaign.planning.cases import CHECK
from lakepact.conformance.campaign.tables import ANSWERS, JUDGED, RESULTS, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import httpx

    from lakepact.conformance.campaign.judging.verdicts import Said as OfInvariant
    from lakepact.conformance.exchanges import Exchange
    from lakepact.conformance.suite import Suite

    Features = Mapping[str, Mapping[str, bool]]

AT_ONCE = 5_000  #: exchanges that are in memory
REMEMBERED = 20_000  #: of each kind of what later ones are compared with
SHORT = 1_000  #: bytes that are remembered as they are
_WRITTEN = pa.schema([(f.name, pa.dictionary(pa.int32(), f.type) if f.type == TEXT else f.type) for f in RESULTS])
NONE: Any = np.empty(0, np.int64)
NO_ANSWER = ("",) * len(CLASSES)


@dataclass(frozen=True)
class About:
    """Properties that many exchanges share, without bodies and headers."""

    contract: str
    operation_id: str | None
    state: str
    method: str | None
    accepts: str | None
    authorized: bool | None
    http_status: int | None
    response_truncated: bool | None
    target: str
    mode: str
    off: frozenset[str] = frozenset()

    @cached_property
    def suite(self) -> Suite[Any]:
        """Return the invariants and rules."""
        return suite_of(self.contract)

    @cached_property
    def is_judged(self) -> bool:
        """Whether invariants are asked about them."""
        return self.state == ANSWERED and not self.response_truncated

    @cached_property
    def may_be_refused(self) -> bool:
        """Whether it is asked if their requests should have been refused."""
        accepted = self.http_status is not None and 200 <= self.http_status < 300
        return self.is_judged and self.mode != CHECK and bool(self.operation_id) and accepted

    @cached_property
    def essence(self) -> tuple[Any, ...]:
        """Return the properties that a judge reads."""
        request = self.contract, self.operation_id, self.state, self.method, self.accepts, self.authorized
        return (*request, self.http_status, self.response_truncated, self.mode == CHECK, self.off)


class At(NamedTuple):
    """An exchange: its row in the table and the properties that it shares with others."""

    rows: Rows
    row: int
    about: About
    number: int  #: of all those that a judge cannot tell apart by what they are about


@dataclass(frozen=True)
class Known:
    """The verdicts of all equivalent answers.

    Args:
        kinds: of verdicts; `None` if an invariant must be evaluated for each exchange.
        invariants: the verdict of each invariant, or the invariant if it must be evaluated; None if they depend on the request.
        is_curious: whether an invariant reads the request.
        classes: of the normalised answer; `None` if it cannot be normalised.
        body: parts of the class of the body, with indexes of free texts in between.
    """

    kinds: Any
    invariants: tuple[Any, ...] | None
    is_curious: bool
    classes: Mapping[str, str] | None
    body: tuple[bytes, ...] = ()

    def answer(self, words: Sequence[bytes]) -> tuple[str, ...]:
        """Return the classes of an answer in which these words stand."""
        classes = self.classes or {}
        if "body" in classes:
            return tuple(classes.values())
        pieces = [normalised_text(words[int(piece)]) if place % 2 else piece for place, piece in enumerate(self.body)]
        body = digest(b"".join(pieces))
        return tuple(body if name == "body" else classes[name] for name in CLASSES)


class Memory(dict[Any, Any]):
    """A cache with a maximum size."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= REMEMBERED:
            self.clear()
        super().__setitem__(key, value)


def _short(content: bytes) -> bytes:
    """Return bytes, or what stands for them if they are many."""
    return content if len(content) <= SHORT else b"%d " % len(content) + hashlib.blake2b(content, digest_size=16).digest()


class Judges:
    """Judges exchanges, and remembers what was said of them.

    Args:
        features: optional behaviours of each target.
    """

    def __init__(self, features: Features) -> None:
        self._features = features
        self._kinds = Kinds()
        self._abouts: dict[tuple[Any, ...], About] = {}
        self._essences: dict[tuple[Any, ...], int] = {}
        self._answers, self._requests, self._wholes = Memory(), Memory(), Memory()
        self._headers, self._pairs = Memory(), Memory()
        self.judged = 0  #: exchanges or answers that were like none before them

    def said(self, exchanges: Table) -> tuple[Table, Table, Any]:
        """Return the verdicts on some exchanges, their normalised answers, and how many verdicts there are on each.

        Args:
            exchanges: rows of the table of that name.
        """
        rows = Rows(exchanges)
        abouts = [self._about(group) for group in rows.groups]
        numbers = [self._essences.setdefault(about.essence, len(self._essences)) for about in abouts]
        columns = rows.numbers, rows.urls, rows.requests, rows.responses, rows.answered, rows.checked
        found = []
        for row, (group, url, request, response, answered, checked) in enumerate(zip(*columns, strict=True)):
            at = At(rows, row, abouts[group], numbers[group])
            if checked or at.about.state != ANSWERED:
                found.append(self._alone(at))
            else:
                found.append(self._one(at, (url or "", request or b"", response or b"", answered)))
        return results_of(exchanges, found, self._kinds), answers_of(exchanges, found), counts_of(found)

    def _about(self, group: tuple[Any, ...]) -> About:
        known = self._abouts.get(group)
        if known is None:
            about = About(*group)
            known = self._abouts[group] = replace(about, off=without(about.target, self._features))
        return known

    # -- one exchange ---------------------------------------------------------------------------------------------------

    def _alone(self, at: At) -> Said:
        """Return the verdicts of an exchange of its own."""
        self.judged += 1
        whole = at.rows.row(at.row)
        exchange = self._exchange(at, whole)
        answer = tuple(normalised(exchange).values()) if whole["state"] == ANSWERED else NO_ANSWER
        return self._of(whole, decided(whole, exchange, self._features), answer)

    def _one(self, at: At, parts: tuple[str, bytes, bytes, str]) -> Said:
        """Return the verdicts of an exchange by its URL, request, answer and headers."""
        url, request, response, answered = parts
        headers = self._plain(answered, len(response))
        is_own = asks_for_own(url, request)
        model, words = without_words(response)
        model = told_apart(model)
        if LENGTH.search(headers):  # it may be judged
            model, words = response, []
        key = at.number, is_own, headers, _short(model)
        known: Known | None = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._learned(at, model, is_own=is_own)
        refusals = self._refused(at, request) if at.about.may_be_refused else NONE
        if known.kinds is None or known.classes is None or refusals is None:
            return self._closer(at, known, refusals, words)
        kinds = known.kinds if refusals is NONE else np.concatenate((known.kinds, refusals))
        return Said(kinds, (), known.answer(words))

    def _plain(self, answered: str, length: int) -> str:
        known: str | None = self._headers.get((answered, length))
        if known is None:
            known = self._headers[answered, length] = plain_headers(answered, length)
        return known

    def _learned(self, at: At, model: bytes, *, is_own: bool) -> Known:
        """Return the verdicts of an answer and of all equivalent ones."""
        self.judged += 1
        whole = at.rows.row(at.row)
        sent, headers = self._pairs_of(at)
        if headers.get("content-length") == str(len(whole["response_body"] or b"")):
            headers = evidence.headers_of((n, str(len(model)) if n.lower() == "content-length" else v) for n, v in headers.multi_items())
        answer = answer_of(evidence.exchange_with({**whole, "response_body": model}, sent, headers))
        invariants = self._invariants(at.about, answer) if at.about.is_judged else ()
        kinds = None
        if invariants is not None and all(invariant is None for invariant, _ in invariants):
            kinds = self._kinds.of(kind for _, said in invariants for kind in said)
        is_curious = invariants is None or any(said is None for _, said in invariants)
        if not is_document(answer):
            return Known(kinds, invariants, is_curious, None)
        classes, plain = normalised_answer(answer, is_own=is_own)
        body = tuple(WORDED.split(plain))
        if len(body) == 1:
            classes = {name: digest(plain) if name == "body" else classes[name] for name in CLASSES}
        return Known(kinds, invariants, is_curious, classes, body)

    @staticmethod
    def _invariants(about: About, answer: Exchange) -> tuple[tuple[Asked | None, Any], ...] | None:
        """Return the kinds of verdicts of each invariant, or the invariant if it must be evaluated again; None if it reads the request."""
        try:
            asked = asked_about(answer, about.contract, about.off)
        except Closer:
            return None
        found: list[tuple[Asked | None, Any]] = []
        for one in asked:
            try:
                said = list(said_by(one, answer, about.suite))
            except Closer:
                found.append((one, None))
            else:
                well = all(kind[3] == PASS and not expected and not observed for kind, expected, observed in said)
                found.append((None if well else one, tuple(kind for kind, _, _ in said)))
        return tuple(found)

    def _refused(self, at: At, request: bytes) -> Any:
        """Kinds of what is said of a request that was not refused, or nothing if it should have been."""
        key = at.number, _short(told_apart(request))
        if key in self._requests:
            return self._requests[key]
        exchange = self._exchange(at, at.rows.row(at.row))
        said = list(refused(at.about.suite, exchange, at.about.off))
        well = all(kind[3] == PASS for kind, _, _ in said)
        self._requests[key] = found = self._kinds.of(kind for kind, _, _ in said) if well else None
        return found

    def _closer(self, at: At, known: Known, refusals: Any, words: Sequence[bytes]) -> Said:
        """Return the verdicts of an exchange that must be read completely."""
        key = self._key(at) if known.is_curious and known.classes is not None else None
        if key is not None and key in self._wholes:
            return Said(self._wholes[key], (), known.answer(words))
        whole = at.rows.row(at.row)
        exchange = self._exchange(at, whole)
        answer = known.answer(words) if known.classes is not None else tuple(normalised(exchange).values())
        if known.invariants is None:
            verdicts = decided(whole, exchange, self._features)
        else:
            said: list[OfInvariant] = []
            for invariant, kinds in known.invariants:
                said += said_by(invariant, exchange, at.about.suite) if invariant is not None else [(kind, "", "") for kind in kinds]
            if refusals is None:
                said += refused(at.about.suite, exchange, at.about.off)
            verdicts = [(*one, whole["http_status"], whole["step"]) for one in said]
        found = self._of(whole, verdicts, answer)
        if known.invariants is not None and refusals is not None and refusals is not NONE:
            found = replace(found, kinds=np.concatenate((found.kinds, refusals)))
        if key is not None and not found.texts:
            self.judged += 1
            self._wholes[key] = found.kinds
        return found

    def _key(self, at: At) -> bytes:
        """Return the canonical form of a complete exchange."""
        rows, row = at.rows, at.row
        response = rows.responses[row] or b""
        headers = self._plain(rows.answered[row], len(response))
        sent = self._plain(rows.sent[row], -1)
        worded = response if LENGTH.search(headers) else without_words(response)[0]
        pieces = ((rows.urls[row] or "").encode(), sent.encode(), rows.requests[row] or b"", worded)
        content = told_apart(b"\0".join(anywhere(pieces[0], (*pieces[1:], headers.encode()))))
        return hashlib.blake2b(f"{at.number} {headers}".encode() + b"\0" + content, digest_size=16).digest()

    def _exchange(self, at: At, whole: Mapping[str, Any]) -> Exchange:
        return evidence.exchange_with(whole, *self._pairs_of(at))

    def _pairs_of(self, at: At) -> tuple[tuple[tuple[str, str], ...], httpx.Headers]:
        """Return the headers of a request and its answer; many have the same."""
        about = at.rows.sent[at.row], at.rows.answered[at.row]
        known: tuple[tuple[tuple[str, str], ...], httpx.Headers] | None = self._pairs.get(about)
        if known is None:
            sent, answered = at.rows.pairs(at.row)
            known = self._pairs[about] = sent, evidence.headers_of(answered)
        return known

    def _of(self, whole: Mapping[str, Any], verdicts: list[Verdict], answer: tuple[str, ...]) -> Said:
        plain = ("", "", whole["http_status"], whole["step"])
        kinds = self._kinds.of(verdict[0] for verdict in verdicts)
        return Said(kinds, () if all(verdict[1:] == plain for verdict in verdicts) else verdicts, answer)


def judged_batches(batches: Iterable[Any], features: Features) -> Iterator[Any]:
    """Yield the same over Arrow record batches, as executors pass them: a row for each exchange, its verdicts in it."""
    judges = Judges(features)
    for batch in batches:
        results, answers, counts = judges.said(pa.Table.from_batches([batch]))
        plain = results.cast(RESULTS).combine_chunks()
        offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
        verdicts = pa.StructArray.from_arrays([_one(plain.column(name)) for name in RESULTS.names], fields=list(RESULTS))
        whole = answers.append_column("verdicts", pa.ListArray.from_arrays(offsets, verdicts)).cast(JUDGED)
        yield from whole.combine_chunks().to_batches()


def _one(column: Array) -> Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _judges(features: Features) -> Judges:
    """Return those that judged the last part for the same features: they remember what they have said."""
    global _latest  # noqa: PLW0603 - one value, replaced as a whole
    asked = {target: dict(has) for target, has in features.items()}
    if _latest is None or _latest[0] != asked:
        _latest = asked, Judges(features)
    return _latest[1]


_latest: tuple[Any, Judges] | None = None


def judged_part(part: Path, features: Features, *, folders: tuple[Path, Path], number: int) -> None:
    """Judge one file of exchanges, some at a time; leaves a file of verdicts and one of answers.

    Args:
        part: the file.
        features: optional behaviours of each target.
        folders: of verdicts and of answers.
        number: of the part among those of the run.
    """
    judges, name = _judges(features), f"part-{number:05d}.parquet"
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    # Texts of verdicts have few distinct values: dictionary columns are written fast and read as plain texts.
    with (
        pq.ParquetFile(part) as source,
        pq.ParquetWriter(folders[0] / name, _WRITTEN, compression="zstd", store_schema=False) as results,
        pq.ParquetWriter(folders[1] / name, ANSWERS, compression="zstd") as answers,
    ):
        for batch in source.iter_batches(AT_ONCE):
            said, answered, _ = judges.said(pa.Table.from_batches([batch]))
            results.write_table(said.cast(_WRITTEN))
            answers.write_table(answered)
