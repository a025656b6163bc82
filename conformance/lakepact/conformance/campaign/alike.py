"""Judges many exchanges: those that are alike are judged once, and what is said of all is put together column by column.

Two exchanges are alike if they differ in nothing but names of a campaign, UUIDs, when things happened, and where the target is. What is
said of an exchange looks at none of these but for whether two of them are equal, or how far two times lie apart; both stay as they are.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np

from lakepact.conformance.arrow import Array, Table, pa, pc, pq
from lakepact.conformance.campaign import evidence
from lakepact.conformance.campaign.answers import CLASSES, normalised
from lakepact.conformance.campaign.cases import CHECK
from lakepact.conformance.campaign.execution import ANSWERED
from lakepact.conformance.campaign.judging import Verdict, decided
from lakepact.conformance.campaign.tables import ANSWERS, JUDGED, RESULTS, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from lakepact.conformance.campaign.glances import Kind

    Features = Mapping[str, Mapping[str, bool]]

AT_ONCE = 5_000  #: exchanges that are in memory
_WRITTEN = pa.schema([(f.name, pa.dictionary(pa.int32(), f.type) if f.type == TEXT else f.type) for f in RESULTS])
REMEMBERED = 20_000  #: exchanges that later ones are compared with
ANSWERS_REMEMBERED = HEADERS_REMEMBERED = 2_000
OWN = re.compile(rb"lp_[0-9a-fr]+_\d+_")
MIDDLE = re.compile(rb"-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([0-9a-f])[0-9a-f]{3}-")  #: of a UUID; a hyphen is found sooner than a digit
ENDS = re.compile(rb"[0-9a-f]{8}"), re.compile(rb"[0-9a-f]{12}")
TIME = re.compile(rb'-ms": ?(\d{13})\b')
#: Texts of a document that say where something is kept, and what a target has added to tell it from all else.
PLACE = re.compile(rb'(?<!\\)"[a-z][a-z0-9+.-]*:/[^"\\]*"(?!\s*:)')
ADDED = re.compile(rb"\w-(?=\d*[a-f])([0-9a-f]{12})(?!\w)")
MANY = 16
LONG_AGO = 1_600_000_000_000
DATE = re.compile(r"(?<=\ndate: )\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$", re.MULTILINE | re.IGNORECASE)
TAG = re.compile(r'(?<=\netag: )(W/)?"[^"\n]+"$', re.MULTILINE | re.IGNORECASE)
LENGTH = re.compile(r"(?<=\ncontent-length: )\d+$", re.MULTILINE | re.IGNORECASE)
#: What of an exchange is the same in those that are alike, besides its URL, bodies and headers.
SAME = ("contract", "operation_id", "state", "method", "accepts", "authorized", "http_status", "response_truncated")
COMPARED = (*SAME, "target", "mode", "url", "request_body", "response_body")
#: What else a judge looks at, besides headers.
SEEN = ("number", "step", "latency_us", "reason", "said")
HEADERS = ("request_headers", "response_headers")
WHOSE = ("run_id", "target", "contract", "case_id", "operation_id", "mode")


def told_apart(content: bytes) -> bytes:
    """Bytes with names, UUIDs and times replaced by others: the same for the same, in the order in which they are met.

    Args:
        content: of a request and its answer.
    """
    names: dict[bytes, bytes] = {}
    content = OWN.sub(lambda met: names.setdefault(met[0], b"lp_0_%d_" % len(names)), content)
    times = [int(time) for time in TIME.findall(content)]
    if times:
        first = min(times)
        content = TIME.sub(lambda met: b'-ms":%d' % (LONG_AGO + int(met[1]) - first), content)
    return _without_places(_without_uuids(content))


def _without_places(content: bytes) -> bytes:
    """The same for what was added to places, if it stands nowhere else: of a place, no more is said than whether two are equal."""
    places = []
    at = content.find(b":/")
    while at >= 0:
        met = PLACE.match(content, max(content.rfind(b'"', 0, at), 0))
        if met is not None and b"-" in met[0]:
            places.append(met[0])
        at = content.find(b":/", max(at + 2, met.end() if met is not None else 0))
    added = list(dict.fromkeys(word for place in places for word in ADDED.findall(place)))[:MANY]
    if not added or b"a0000000000" in content:
        return content
    for number, word in enumerate(added):
        if content.count(word) == sum(place.count(word) for place in places):
            content = content.replace(word, b"a0000000000%x" % number)
    return content


def anywhere(url: bytes, others: Sequence[bytes]) -> tuple[bytes, ...]:
    """What an exchange consists of, as if its target were somewhere else, unless anything but its URL tells where it is.

    Args:
        url: that was asked for.
        others: headers and bodies; the last is only looked at.
    """
    scheme, _, rest = url.partition(b"://")
    place, slash, path = rest.partition(b"/")
    told = not place or any(place in other for other in others)
    return (url if told else b"%b://target%b%b" % (scheme, slash, path), *others[:-1])


def _without_uuids(content: bytes) -> bytes:
    seen: dict[bytes, bytes] = {}
    pieces, at = [], 0
    for met in MIDDLE.finditer(content):
        start, end = met.start() - 8, met.end() + 12
        if start >= at and ENDS[0].fullmatch(content, start, met.start()) and ENDS[1].fullmatch(content, met.end(), end):
            # Of its digits, those stay that say what kind of UUID it is.
            uuid = content[start:end]
            kept = seen.setdefault(uuid, b"%08x-0000-%b000-%b000-000000000000" % (len(seen), met[1], met[2]))
            pieces += [content[at:start], kept]
            at = end
    return b"".join((*pieces, content[at:])) if pieces else content


@dataclass(frozen=True)
class Said:
    """What is said of all exchanges that are alike.

    Args:
        kinds: of verdicts, by their places in what a judge has seen.
        texts: the verdicts, where there is more to say than that all is well.
        answer: the classes of the normalised answer.
    """

    kinds: Any
    texts: Sequence[Verdict]
    answer: tuple[str, ...]


@dataclass
class Kinds:
    """Kinds of verdicts that were met, each with a place."""

    places: dict[Kind, int] = field(default_factory=dict)

    def place(self, kind: Kind) -> int:
        """Where one stands; a new one comes last."""
        return self.places.setdefault(kind, len(self.places))

    def column(self, number: int, places: Any) -> Array:
        """One of the four things that a kind says, for many verdicts."""
        texts = [kind[number] for kind in self.places]
        return pa.array(texts, pa.string()).dictionary_encode().take(pa.array(places))


class _Rows:
    """Exchanges at hand, as columns of Python values.

    Args:
        exchanges: rows of the table of that name.
    """

    def __init__(self, exchanges: Table) -> None:
        self.exchanges = exchanges
        self.columns = {name: exchanges.column(name).to_pylist() for name in (*COMPARED, *SEEN)}
        self.sent, self.answered = (_lines(exchanges.column(name)) for name in HEADERS)

    def row(self, number: int) -> dict[str, Any]:
        """One of them, without its headers."""
        return {name: column[number] for name, column in self.columns.items()}


class Judges:
    """Judges exchanges, and remembers what was said of them.

    Args:
        features: optional behaviours of each target.
    """

    def __init__(self, features: Features) -> None:
        self._features = features
        self._kinds = Kinds()
        self._remembered: dict[bytes, Said] = {}
        self._headers: dict[tuple[str, int], str] = {}
        self._pairs_met: dict[tuple[str, str], tuple[tuple[tuple[str, str], ...], httpx.Headers]] = {}
        self._answered: dict[tuple[int, str, bool, bytes], tuple[str, ...]] = {}
        self._model: dict[int, tuple[bytes, bytes, bytes, str]] = {}  #: of rows at hand: what all that are alike say
        self.judged = 0  #: exchanges that were like none before them
        self._off = {target: repr(sorted(name for name, on in has.items() if not on)) for target, has in features.items()}

    def said(self, exchanges: Table) -> tuple[Table, Table, Any]:
        """The verdicts on some exchanges, their normalised answers, and how many verdicts there are on each.

        Args:
            exchanges: rows of the table of that name.
        """
        rows = _Rows(exchanges)
        keys = self._keys(rows)
        if len(self._remembered) + len(keys) > REMEMBERED:
            self._remembered.clear()
        found: dict[int, Said] = {}
        fresh = {key: row for row, key in reversed(list(enumerate(keys))) if key not in self._remembered and key is not None}
        self._judge(rows, sorted({*fresh.values(), *(row for row, key in enumerate(keys) if key is None)}), keys, found)
        # What is said of one may tell its names: then it is not said of those that are alike.
        for row, key in enumerate(keys):
            if row not in found and key in self._remembered:
                found[row] = self._remembered[key]
        self._judge(rows, [row for row in range(len(keys)) if row not in found], keys, found)
        in_order = [found[row] for row in range(len(keys))]
        counts = np.fromiter((len(said.kinds) for said in in_order), np.int64, len(in_order))
        return self._results(exchanges, in_order, counts), self._answers(exchanges, in_order), counts

    def _keys(self, rows: _Rows) -> list[bytes | None]:
        """What each exchange has in common with those that are alike; nothing where it stands for itself."""
        self._model = {}
        columns = [*(rows.columns[name] for name in COMPARED), rows.columns["said"], rows.sent, rows.answered]
        return [self._key(row, *said) for row, said in enumerate(zip(*columns, strict=True))]

    def _key(self, row: int, *said: Any) -> bytes | None:
        (*same, target, mode, url, request, response, checked, sent, answered) = said
        if checked is not None or same[2] != ANSWERED:
            return None
        answered = self._plain(answered, len(response or b""))
        pieces = ((url or "").encode(), self._plain(sent, -1).encode(), request or b"", response or b"")
        content = told_apart(b"\0".join(anywhere(pieces[0], (*pieces[1:], answered.encode()))))
        model = content.split(b"\0")
        if len(model) == len(pieces) and not LENGTH.search(answered):
            self._model[row] = (model[0], model[2], model[3], answered)
        about = f"{same} {mode == CHECK} {self._off.get(target)} {answered}"
        return hashlib.blake2b(about.encode() + b"\0" + content, digest_size=16).digest()

    def _plain(self, headers: str, length: int) -> str:
        """Headers without what differs in exchanges that are alike; a length stays if it is not that of the body."""
        known = self._headers.get((headers, length))
        if known is None:
            if len(self._headers) >= REMEMBERED:
                self._headers.clear()
            known = LENGTH.sub(lambda met: "its" if int(met[0]) == length else met[0], TAG.sub('"tag"', DATE.sub("then", headers)))
            self._headers[headers, length] = known
        return known

    def _judge(self, rows: _Rows, chosen: list[int], keys: Sequence[bytes | None], found: dict[int, Said]) -> None:
        self.judged += len(chosen)
        for row in chosen:
            found[row] = self._said(row, rows)
            key = keys[row]
            if key is not None and not found[row].texts:
                self._remembered[key] = found[row]

    def _said(self, row: int, rows: _Rows) -> Said:
        """What is said of one exchange: of its model, with names that many have, unless there is more to say than that all is well."""
        whole, model = rows.row(row), self._model.get(row)
        sent, headers = self._pairs(rows, row)
        if model is None:
            exchange = evidence.exchange_with(whole, sent, headers)
            answer = normalised(exchange) if whole["state"] == ANSWERED else dict.fromkeys(CLASSES, "")
            return self._of(whole, decided(whole, exchange, self._features), tuple(answer.values()))
        url, request, response, plain_headers = model
        parts = {"url": url.decode(), "request_body": request, "response_body": response}
        plain = evidence.exchange_with({**whole, **parts}, sent, headers)
        about = (plain.status, plain_headers, b"lp_0_" in url or b"lp_0_" in request, response)
        answered = self._answered.get(about)
        if answered is None:
            if len(self._answered) >= ANSWERS_REMEMBERED:
                self._answered.clear()
            answered = self._answered[about] = tuple(normalised(plain).values())
        said = self._of(whole, decided(whole, plain, self._features), answered)
        if said.texts:
            said = self._of(whole, decided(whole, evidence.exchange_with(whole, sent, headers), self._features), answered)
        return said

    def _pairs(self, rows: _Rows, row: int) -> tuple[tuple[tuple[str, str], ...], httpx.Headers]:
        """The headers of a request and its answer; many have the same."""
        about = rows.sent[row], rows.answered[row]
        known = self._pairs_met.get(about)
        if known is None:
            if len(self._pairs_met) >= HEADERS_REMEMBERED:
                self._pairs_met.clear()
            sent, answered = (evidence.pairs_of(rows.exchanges.column(name)[row].as_py()) for name in HEADERS)
            known = self._pairs_met[about] = sent, httpx.Headers(answered)
        return known

    def _of(self, whole: Mapping[str, Any], verdicts: list[Verdict], answer: tuple[str, ...]) -> Said:
        place, plain = self._kinds.place, ("", "", whole["http_status"], whole["step"])
        kinds = np.array([place(verdict[0]) for verdict in verdicts], np.int64)
        return Said(kinds, () if all(verdict[1:] == plain for verdict in verdicts) else verdicts, answer)

    def _results(self, exchanges: Table, found: Sequence[Said], counts: Any) -> Table:
        rows = np.repeat(np.arange(len(found)), counts)
        places = np.concatenate([np.empty(0, np.int64), *(said.kinds for said in found)])
        texts: dict[str, int] = {"": 0}
        expected, observed = np.zeros(len(places), np.int32), np.zeros(len(places), np.int32)
        status = exchanges.column("http_status").to_numpy()[rows]
        steps = exchanges.column("step").to_numpy()[rows].astype(np.int32)
        without = np.zeros(len(places), bool)
        for start, said in zip(np.cumsum(counts) - counts, found, strict=True):
            for place, (_, wanted, came, http_status, step) in enumerate(said.texts, int(start)):
                expected[place] = texts.setdefault(wanted, len(texts))
                observed[place] = texts.setdefault(came, len(texts))
                without[place] = http_status is None
                steps[place] = step
        spoken = pa.array(list(texts), pa.string())
        columns = {
            "check_id": self._kinds.column(0, places),
            "requirement_id": self._kinds.column(1, places),
            "level": self._kinds.column(2, places),
            "verdict": self._kinds.column(3, places),
            "expected": pa.DictionaryArray.from_arrays(pa.array(expected), spoken),
            "observed": pa.DictionaryArray.from_arrays(pa.array(observed), spoken),
            "step": pa.array(steps),
            "http_status": pa.array(status, pa.int32(), mask=without),
        }
        taken = pa.array(rows)
        for name in WHOSE:
            columns[name] = pc.dictionary_encode(exchanges.column(name)).take(taken)
        return pa.table({name: columns[name] for name in RESULTS.names})

    @staticmethod
    def _answers(exchanges: Table, found: Sequence[Said]) -> Table:
        columns = {name: exchanges.column(name) for name in (*WHOSE, "step", "state")}
        for number, name in enumerate(CLASSES):
            columns[name] = pa.array([said.answer[number] for said in found], pa.string())
        return pa.table({name: columns[name] for name in ANSWERS.names}).cast(ANSWERS)


def _lines(pairs: Array) -> list[str]:
    """Headers as one text a row, each on a line."""
    one = pairs.combine_chunks() if isinstance(pairs, pa.ChunkedArray) else pairs
    if isinstance(one, pa.ChunkedArray):  # of no chunk at all
        return [""] * len(pairs)
    both = one.flatten()
    lines = pc.binary_join_element_wise(both.field("name"), both.field("value"), ": ")
    lists = pa.ListArray.from_arrays(pc.fill_null(_offsets(one), 0), lines)
    return [f"\n{text or ''}" for text in pc.binary_join(lists, "\n").to_pylist()]


def _offsets(lists: Array) -> Array:
    """Where each list begins in what `flatten` gives, which is without what lies before, behind and in missing ones."""
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))


def judged_batches(batches: Iterable[Any], features: Features) -> Iterator[Any]:
    """The same over Arrow record batches, as executors pass them: a row for each exchange, its verdicts in it."""
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


def judged_part(part: Path, features: Features, *, folders: tuple[Path, Path], number: int) -> None:
    """Judge one file of exchanges, some at a time; leaves a file of verdicts and one of answers.

    Args:
        part: the file.
        features: optional behaviours of each target.
        folders: of verdicts and of answers.
        number: of the part among those of the run.
    """
    judges, name = Judges(features), f"part-{number:05d}.parquet"
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    # What a verdict says stands in few words: as dictionaries they are written fast, and read by others as the texts that they are.
    with (
        pq.ParquetFile(part) as source,
        pq.ParquetWriter(folders[0] / name, _WRITTEN, compression="zstd", store_schema=False) as results,
        pq.ParquetWriter(folders[1] / name, ANSWERS, compression="zstd") as answers,
    ):
        for batch in source.iter_batches(AT_ONCE):
            said, answered, _ = judges.said(pa.Table.from_batches([batch]))
            results.write_table(said.cast(_WRITTEN))
            answers.write_table(answered)
