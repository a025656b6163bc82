"""URLs of files can be read by GET, completely or in part, without the bearer token."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import httpx

from lakepact.conformance.checks.delta_sharing.api import (
    Blocked,
    NotOffered,
    Reply,
    SharedTable,
    SharingLab,
    Unmet,
    check,
    expect,
    place_of,
    times,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.lines import (
    CHANGES,
    DELTA,
    PARQUET,
    QUERY,
    is_whole,
)
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    MOST_VERSIONS,
    Question,
    ask,
    by_url,
    version,
)
from lakepact.conformance.http.files import Files
from lakepact.conformance.rows.lines import SharedFile, parse

MAGIC = b"PAR1"  #: with which a Parquet file begins and ends
ENCRYPTED = b"PARE"
CLEANED_UP = frozenset(
    {403, 404, 410}
)  #: what stores return for files that are gone; 403 to callers that may not list
FEW = 3  #: files of a table that are read
LARGEST = 16 * 1024 * 1024  #: bytes of a file that is read
MOST_TABLES = 8
PART = 8  #: bytes: the length of the footer and the magic
LONGEST_WAIT = 60.0  #: seconds for a URL to expire
A_DAY = 24 * 3600 * 1000  #: milliseconds, by which the clocks of two machines do not differ


@dataclass(frozen=True)
class Sample:
    """One file of an answer, with its name in reports."""

    table: str
    file: SharedFile

    def __str__(self) -> str:
        return f"a file {self.file.kind} of {self.table}"


def samples(lab: SharingLab, form: str) -> Iterator[Sample]:
    """Yield some small files of the snapshots of some tables, in a format."""
    for table in by_url(lab, MOST_TABLES):
        yield from _few(
            table,
            ask(
                lab,
                table,
                Question(QUERY, "a query", {"body": {"limitHint": 1000}}),
                ONE_FORMAT[form],
                is_shared=True,
            ),
        )


def samples_of_changes(lab: SharingLab, form: str) -> Iterator[Sample]:
    """Yield some changed files, in a format."""
    for table in by_url(lab, len(lab.tables())):
        first, last = version(lab, table, times.EPOCH), version(lab, table)
        if first is None or last is None or first == last:
            continue
        first = max(first, last - MOST_VERSIONS)
        yield from _few(
            table,
            ask(
                lab,
                table,
                Question(QUERY, "changed files", {"body": {"startingVersion": first}}),
                ONE_FORMAT[form],
                is_shared=True,
            ),
        )
        if table.changes and lab.offers(CHANGES):
            yield from _few(
                table,
                ask(
                    lab,
                    table,
                    Question(CHANGES, "changes", {"starting_version": last}),
                    ONE_FORMAT[form],
                    is_shared=True,
                ),
            )


def _few(table: SharedTable, reply: Reply) -> Iterator[Sample]:
    if reply.status != 200:
        return
    kinds: dict[str, int] = {}
    for file in parse(reply.lines).files:
        kinds[file.kind] = kinds.get(file.kind, 0) + 1
        if kinds[file.kind] <= FEW and isinstance(file.size, int) and file.size <= LARGEST:
            yield Sample(table.name, file)


def some(candidates: Iterable[Sample]) -> list[Sample]:
    """Return the files as a list.

    Raises:
        NotOffered: the list is empty.
    """
    files = list(candidates)
    if not files:
        raise NotOffered("no answer has a file that is small enough to be read")
    return files


class Reader:
    """Reads URLs without any credentials.

    Args:
        lab: the lab of the check that reads.
    """

    def __init__(self, lab: SharingLab) -> None:
        self._lab = lab
        self._files = Files(timeout=lab.target.timeout)
        lab.add_cleanup(self._files.close)

    def read(self, url: str, *, method: str = "GET", part: str = "") -> httpx.Response:
        """Return the answer to a request without a token.

        Raises:
            Unmet: there is none.
        """
        try:
            return self._files.read(url, method=method, headers={"Range": part} if part else {})
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unmet(f"an answer at {without_query(url)}", type(error).__name__) from error

    def left(self, candidates: Iterable[Sample]) -> Iterator[Sample]:
        """Yield the changed files that still exist: the owner of a table may have vacuumed removed
        files.
        """
        for sample in candidates:
            # The fixture pack was never vacuumed.
            if self._lab.knows_content or self.read(sample.file.url).status_code not in CLEANED_UP:
                yield sample

    def content(self, sample: Sample) -> bytes:
        """Return the content of a file's URL.

        Raises:
            Unmet: it cannot be read.
        """
        url = urlsplit(sample.file.url)
        # A server that is reached by http may return http URLs.
        allowed = {"https"} | ({"http"} if self._lab.target.url.startswith("http:") else set())
        at = sample.file.place_of_url
        expect.true(
            url.scheme in allowed,
            f"for {sample} a URL with {' or '.join(sorted(allowed))}",
            url.scheme,
            at=at,
        )
        reply = self.read(sample.file.url)
        what = f"for {sample} status 200 to GET without a token"
        expect.true(reply.status_code == 200, what, f"status {reply.status_code}", at=at)
        return reply.content


def without_query(url: str) -> str:
    """Return a URL without its query, which may hold a signature."""
    return urlunsplit((*urlsplit(url)[:3], "", ""))


def _expect_parquet(content: bytes, sample: Sample) -> None:
    whole = (
        len(content) >= 3 * len(MAGIC)
        and content[:4] == content[-4:]
        and content[:4] in {MAGIC, ENCRYPTED}
    )
    actual = f"{len(content)} bytes that begin with {expect.excerpt(content[:8])}"
    expect.true(whole, f"for {sample} a Parquet file", actual, at=sample.file.place_of_url)


@check("DS-FIL-01", "DS-FIL-05")
def files_are_read_without_a_token(lab: SharingLab) -> None:
    """Each file URL returns 200 without a token, with a Parquet file of exactly its `size`."""
    reader = Reader(lab)
    for sample in lab.each(some(samples(lab, PARQUET))):
        sizes: list[int] = []
        with lab.judge("DS-FIL-01"):
            content = reader.content(sample)
            sizes.append(len(content))
            _expect_parquet(content, sample)
        for size in lab.each(sizes):
            with lab.judge("DS-FIL-05"):
                expect.equal(
                    size, sample.file.size, f"for {sample} the size", at=sample.file.place("size")
                )
    if not any(verdict.requirement == "DS-FIL-05" for verdict in lab.verdicts):
        lab.skip("DS-FIL-05", "no file can be read")


@check("DS-FIL-05")
def changed_files_have_their_sizes(lab: SharingLab) -> None:
    """Each URL of a changed file returns a file of exactly its `size`."""
    reader = Reader(lab)
    for sample in lab.each(some(reader.left(samples_of_changes(lab, PARQUET)))):
        reply = reader.read(sample.file.url)
        if reply.status_code == 200:  # Only the size is checked here.
            with lab.judge("DS-FIL-05"):
                expect.equal(
                    len(reply.content),
                    sample.file.size,
                    f"for {sample} the size",
                    at=sample.file.place("size"),
                )
    if not lab.verdicts:
        raise NotOffered("no file that changed can be read")


@check("DS-DFL-06")
def wrapped_files_are_read_without_a_token(lab: SharingLab) -> None:
    """Each `path` of an action in delta format returns 200 without a token, with a Parquet file of
    its `size`.
    """
    reader = Reader(lab)
    for sample in lab.each(
        some([*samples(lab, DELTA), *reader.left(samples_of_changes(lab, DELTA))])
    ):
        with lab.judge("DS-DFL-06"):
            content = reader.content(sample)
            _expect_parquet(content, sample)
            if sample.file.size is not None:  # Optional in a remove.
                expect.equal(
                    len(content),
                    sample.file.size,
                    f"for {sample} the size",
                    at=sample.file.place("size"),
                )


@check("DS-REM-01")
def removed_files_can_still_be_read(lab: SharingLab) -> None:
    """The URL of a removed file returns 200 and a Parquet file without a token."""
    reader = Reader(lab)
    for sample in lab.each(
        some(
            reader.left(
                sample
                for sample in samples_of_changes(lab, PARQUET)
                if sample.file.kind == "remove"
            )
        )
    ):
        with lab.judge("DS-REM-01"):
            _expect_parquet(reader.content(sample), sample)


@check("DS-DF-10", "DS-DF-11")
def parts_of_files_can_be_read(lab: SharingLab) -> None:
    """GET with Range returns 206 and those bytes, also for the last bytes by `size`; HEAD returns
    200 with Content-Length, or 403.
    """
    reader = Reader(lab)
    by_table = {
        sample.table: sample
        for sample in some(samples(lab, PARQUET if _is_answered(lab, PARQUET) else DELTA))
    }
    for sample in lab.each(by_table.values()):
        whole = reader.read(sample.file.url)
        if whole.status_code != 200:
            raise Blocked(f"{sample} cannot be read: status {whole.status_code}")
        with lab.judge("DS-DF-10") as case:
            size = len(whole.content)
            for first, end in ((4, 4 + PART), (size - PART, None), (size - PART, size + PART)):
                with case():
                    byte_range = f"bytes={first}-{end - 1 if end else ''}"
                    part = reader.read(sample.file.url, part=byte_range)
                    request = f"for {sample} and the Range {byte_range}"
                    expect.true(
                        part.status_code == 206,
                        f"{request} status 206",
                        f"status {part.status_code}",
                        at=sample.file.place_of_url,
                    )
                    right = part.content == whole.content[first:end]
                    expect.true(
                        right,
                        f"{request} those of its {size} bytes",
                        expect.excerpt(part.content[:40]),
                        at=sample.file.place_of_url,
                    )
            head = reader.read(sample.file.url, method="HEAD")
            is_expected, actual = head.status_code in {200, 403}, f"status {head.status_code}"
            expect.true(
                is_expected,
                f"for {sample} status 200 or 403 to HEAD",
                actual,
                at=sample.file.place_of_url,
            )
            if head.status_code == 200:
                length = head.headers.get("content-length")
                expect.true(
                    length == str(size),
                    f"for {sample} and HEAD the Content-Length {size}",
                    length,
                    at=sample.file.place_of_url,
                )
        with lab.judge("DS-DF-11"):
            size = sample.file.size or 0
            last = reader.read(sample.file.url, part=f"bytes={size - PART}-{size - 1}")
            is_last_part = last.status_code == 206 and last.content == whole.content[-PART:]
            actual = f"status {last.status_code}, {expect.excerpt(last.content[:40])}"
            expected = f"for {sample} its last {PART} bytes, counted from its size"
            at = sample.file.place("size")
            expect.true(is_last_part, expected, actual, at=at)


def _is_answered(lab: SharingLab, form: str) -> bool:
    return any(True for _ in samples(lab, form))


@check("DS-DF-06")
def urls_may_be_escaped_again(lab: SharingLab) -> None:
    """The URL of a file returns 200 after its path was percent-decoded and encoded again."""
    reader = Reader(lab)
    for form in lab.each((PARQUET, DELTA)):
        for sample in lab.each(samples(lab, form)):
            parts = urlsplit(sample.file.url)
            again = urlunsplit(
                (parts.scheme, parts.netloc, quote(unquote(parts.path)), parts.query, "")
            )
            with lab.judge("DS-DF-06"):
                reply = reader.read(again)
                actual = f"status {reply.status_code}"
                expect.true(
                    reply.status_code == 200,
                    f"for {sample}, escaped again, status 200",
                    actual,
                    at=sample.file.place_of_url,
                )
    if not lab.verdicts:
        raise NotOffered("no answer has a file")


@check("DS-FIL-09", "DS-DFL-05")
def new_urls_have_not_expired(lab: SharingLab) -> None:
    """The `expirationTimestamp` of a file that was just returned, if present, is not in the
    past.
    """
    for form, requirement in lab.each(((PARQUET, "DS-FIL-09"), (DELTA, "DS-DFL-05"))):
        with_expiry = [
            (s, s.file.line["expirationTimestamp"])
            for s in samples(lab, form)
            if is_whole(s.file.line.get("expirationTimestamp"))
        ]
        if not with_expiry:
            lab.skip(requirement, f"no file in {form} format has an expirationTimestamp")
        for sample, when in lab.each(with_expiry):
            with lab.judge(requirement):
                is_later = when > time.time() * 1000 - A_DAY
                at = place_of(sample.file.line, "expirationTimestamp")
                expect.true(
                    is_later, f"for {sample} an expirationTimestamp in the future", str(when), at=at
                )


@check("DS-FIL-10")
def expired_urls_are_refused(lab: SharingLab) -> None:
    """A file URL returns 200 before its `expirationTimestamp` and 4xx after it."""
    if not lab.feature("short-lived-urls"):
        raise NotOffered("the target does not declare short-lived URLs of files")
    reader = Reader(lab)
    with_expiry = [
        s for s in samples(lab, PARQUET) if isinstance(s.file.line.get("expirationTimestamp"), int)
    ]
    if not with_expiry:
        raise NotOffered("no file has an expirationTimestamp")
    url, expires = with_expiry[0].file.url, with_expiry[0].file.line["expirationTimestamp"] / 1000
    wait = max(0.0, expires - time.time()) + 1.5
    if wait > LONGEST_WAIT:
        raise NotOffered(
            f"URLs of files are valid for {wait:.0f} seconds, longer than the check waits"
            f" ({LONGEST_WAIT:.0f})"
        )
    with lab.judge("DS-FIL-10"):
        early = reader.read(url).status_code
        # On a slow machine the URL may already have expired.
        at = place_of(with_expiry[0].file.line, "expirationTimestamp")
        is_valid = early == 200 or time.time() > expires
        expect.true(is_valid, "status 200 before the expirationTimestamp", f"status {early}", at=at)
        time.sleep(wait)
        status = reader.read(url).status_code
        expect.true(
            400 <= status < 500,
            "a 4xx status after the expirationTimestamp",
            f"status {status}",
            at=at,
        )
