"""Reading tables of the fixture pack: queries, parsed lines, and files, each fetched once a run."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias, cast
from urllib.parse import urlsplit, urlunsplit

import httpx

from lakepact.conformance.checks.delta_sharing.kit.catalog import (
    EITHER_FORMAT,
    ONE_FORMAT,
    SharedTable,
)
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
from lakepact.conformance.checks.delta_sharing.kit.lines import is_continued, lines_of
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import Members, Place, Reply
from lakepact.conformance.evidence.outcome import NotOffered, StepFailed, Unmet
from lakepact.conformance.fixtures.manifest import PackTable
from lakepact.conformance.http.files import Files
from lakepact.conformance.judging import expect
from lakepact.conformance.rows import changes, data_files, lines
from lakepact.conformance.rows.data_files import Row
from lakepact.conformance.rows.lines import Answer, SharedFile
from lakepact.generated.delta_sharing import op

AnyTable: TypeAlias = PackTable | SharedTable

NOTHING: Members = MappingProxyType({})
PARQUET, DELTA = "parquet", "delta"
CHANGING = "refreshed"  #: a table of the pack that a check appends to
VERSION = "delta-table-version"
#: The requirement of each object that a line wraps.
OF_LINES = {
    "deltaProtocol": "DS-DPR-01",
    "deltaMetadata": "DS-DMD-01",
    "deltaSingleAction": "DS-DFL-06",
}


def formats(lab: SharingLab, table: PackTable) -> tuple[str, ...]:
    """Return the formats in which a table of the pack can be answered by the target.

    Raises:
        NotOffered: there is none.
    """
    delta = (DELTA,) if lab.feature("delta-format") else ()
    parquet = (PARQUET,) if lab.speaks_parquet and not table.features else ()
    supported = (*parquet, *delta)
    if not supported:
        raise NotOffered(f"{table.name} needs delta format, which the target does not offer")
    return supported


def _capabilities(lab: SharingLab, table: AnyTable, form: str) -> str:
    """Return the capabilities of a format, by default the first one for a table of the pack, or
    both for another table.
    """
    if not form and not isinstance(table, PackTable):
        return EITHER_FORMAT[1]
    return ONE_FORMAT[form or formats(lab, cast("PackTable", table))[0]]


def query(lab: SharingLab, table: AnyTable, body: Members = NOTHING, *, form: str = "") -> Reply:
    """Return the answer to a query of a table, in the format `form` or a possible one.

    Checks share answers of tables that do not change.
    """
    is_shared = body.keys() <= {"version", "startingVersion"} and table.name != CHANGING
    return (lab.read if is_shared else lab.send)(
        op.query_table,
        body=dict(body),
        delta_sharing_capabilities=_capabilities(lab, table, form),
        **table.address,
    )


def query_changes(lab: SharingLab, table: AnyTable, bounds: Members, *, form: str = "") -> Reply:
    """Return the answer to a request for changes of a table."""
    return lab.send(
        op.query_table_changes,
        delta_sharing_capabilities=_capabilities(lab, table, form),
        **table.address,
        **bounds,
    )


def parse(reply: Reply, about: str = "") -> Answer:
    """Return the content of an answer in lines.

    Raises:
        Unmet: it was refused, or its lines are invalid in a way that no invariant judges.
        StepFailed: its lines break the requirement of an invariant.
    """
    expect.status(reply, 200, about=about)
    try:
        return lines.parse(reply.lines)
    except Unmet as unmet:
        requirement = _requirement_of(reply, unmet)
        if requirement:
            raise StepFailed(requirement, unmet) from unmet
        raise


def _requirement_of(reply: Reply, unmet: Unmet) -> str:
    """Return the requirement of every answer that invalid lines break; empty if none does."""
    answer_lines = lines_of(reply.exchange)
    if answer_lines is None:
        return "DS-GEN-06"
    if {"protocol", "metaData"} <= {
        kind for line in answer_lines for kind in line if isinstance(line[kind], dict)
    }:
        return OF_LINES.get(unmet.difference.at.rpartition("/")[2], "") if unmet.difference else ""
    return (
        "DS-QRY-04"
        if reply.exchange.operation == op.query_table and not is_continued(reply.exchange)
        else ""
    )


def rows(lab: SharingLab, answer: Answer, files: Iterable[SharedFile] | None = None) -> list[Row]:
    """Return the rows of the files of an answer.

    Raises:
        Unmet: something cannot be read.
    """
    return data_files.rows(answer, downloads(lab).fetch, files)


def rows_of(lab: SharingLab, answer: Answer, file: SharedFile) -> list[Row]:
    """Return the rows of one file of an answer.

    Raises:
        Unmet: something cannot be read.
    """
    return data_files.rows_of(answer, file, downloads(lab).fetch)


def rows_of_changes(lab: SharingLab, answer: Answer) -> list[Row]:
    """Return the changed rows of an answer with changes.

    Raises:
        Unmet: something cannot be read.
    """
    return changes.rows(answer, downloads(lab).fetch)


def identities_of(files: Iterable[SharedFile]) -> list[Any]:
    """Return the identities of files without their ids, sorted; ids have their own checks."""
    return sorted(
        [
            file.version or 0,
            file.kind,
            file.size or 0,
            sorted(
                f"{name}={expect.excerpt(value)}" for name, value in file.partition_values.items()
            ),
            f"{(file.vector or {}).get('cardinality', 0)} rows deleted",
        ]
        for file in files
    )


def version_header(reply: Reply) -> str:
    """Return the version that the header of an answer names.

    Raises:
        Unmet: it names none.
    """
    version: str | None = reply.headers.get(VERSION)
    if version is None:
        raise expect.unmet(
            "a header Delta-Table-Version", "none", at=reply.header(VERSION), kind=Kind.MISSING
        )
    return version


def expect_version(reply: Reply, version: int | str, about: str) -> None:
    """Expect a version in the header of an answer; `about` names the request.

    Raises:
        Unmet: it names another one, or none.
    """
    expect.equal(
        str(version),
        reply.headers.get(VERSION),
        f"{about} the Delta-Table-Version",
        at=reply.header(VERSION),
    )


class Downloads:
    """The files of one target, each fetched once; files with equal ids are the same file."""

    def __init__(self, *, timeout: float) -> None:
        self._files = Files(timeout=timeout)
        self._contents: dict[tuple[Any, ...], bytes] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all connections."""
        self._files.close()

    def fetch(self, file: SharedFile, url: str) -> bytes:
        """Return the content of a URL of a file: its data, or its deletion vector.

        Raises:
            Unmet: it cannot be read.
        """
        key = _identity(file, url)
        with self._lock:
            content = self._contents.get(key)
        if content is None:
            content = self._download(url, file.place_of_url)
            with self._lock:
                self._contents[key] = content
        return content

    def _download(self, url: str, at: Place | None) -> bytes:
        location = urlunsplit((*urlsplit(url)[:3], "", ""))
        try:
            reply = self._files.read(url)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise expect.unmet(
                f"a file at {location}", f"{type(error).__name__}: {error}", at=at
            ) from error
        if not reply.is_success:
            raise expect.unmet(
                f"a file at {location}, by GET without a token",
                f"status {reply.status_code}",
                at=at,
            )
        return reply.content


def _identity(file: SharedFile, url: str) -> tuple[Any, ...]:
    if url == file.url:
        return file.id, file.size, file.kind == lines.CHANGE
    vector = file.vector or {}
    return (
        file.id,
        vector.get("offset"),
        vector.get("sizeInBytes"),
        vector.get("cardinality"),
        url.partition("?")[0],
    )


def downloads(lab: SharingLab) -> Downloads:
    """Return the files of this run's target."""
    return lab.wire.shared_resource("downloads", partial(Downloads, timeout=lab.target.timeout))
