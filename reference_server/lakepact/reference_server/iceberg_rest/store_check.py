"""Defects of a store of tables and views: in its file, its records, and the metadata files that
they name.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from lakepact.generated.contract import Contract
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.validation import Invalid, Validators
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS, NAMESPACES, full_name
from lakepact.reference_server.iceberg_rest.tables.etags import tag_of, tag_of_file
from lakepact.reference_server.iceberg_rest.tables.metadata_files import decode
from lakepact.reference_server.iceberg_rest.tables.registration import existing_table_metadata
from lakepact.reference_server.storage import content
from lakepact.reference_server.storage.lock import alone
from lakepact.reference_server.storage.mark import DamagedMark, read_mark
from lakepact.reference_server.warehouse.local import Outside, Unreadable, local

#: The component schema of records that are in the contract, and the member of the document that
#: follows it; "" for the document itself.
SCHEMAS = {
    "namespace": ("GetNamespaceResponse", ""),
    "table": ("TableMetadata", "metadata"),
    "view": ("ViewMetadata", "metadata"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong."""

    kind: (
        str  #: integrity, lost-changes, checksum, bytes, schema, tag, key, namespace, metadata-file
    )
    where: str  #: the namespace, table or view, or the file
    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A store that was looked through."""

    path: Path
    contract: str
    records: dict[str, int]  #: how many of each kind
    findings: list[Finding]
    files: int = 0  #: metadata files that were read
    unread: int = 0  #: records whose metadata files are not in a file system


@dataclass(slots=True)
class _Reading:
    """The findings of a store check so far."""

    validators: Validators
    contract: str = "unknown"
    findings: list[Finding] = field(default_factory=list[Finding])
    kinds: Counter[str] = field(default_factory=Counter[str])
    namespaces: set[tuple[str, tuple[str, ...]]] = field(
        default_factory=set[tuple[str, tuple[str, ...]]]
    )
    tally: content.Tally = field(default_factory=content.Tally)
    needs: list[tuple[str, tuple[str, ...], str]] = field(
        default_factory=list[tuple[str, tuple[str, ...], str]]
    )
    files: int = 0
    unread: int = 0

    def find(self, kind: str, where: str, message: str) -> None:
        self.findings.append(Finding(kind, where, message))


def check_store(path: Path) -> Checked:
    """Look through a store, and leave it as it is.

    Raises:
        Unavailable: it cannot be read now.
        BadSetting: it is no store, or of a newer format, or in use.
    """
    path = content.resolve(path)
    try:
        if not path.exists():
            content.check_absence(path)
    except content.LostChanges as lost:
        return Checked(path, "unknown", {}, [Finding("lost-changes", path.name, str(lost))])
    content.check_head(path)
    reading = _Reading(Validators(Contract("iceberg_rest")))
    with alone(path), content.looking_into(path) as connection:
        connection.text_factory = _text
        try:
            _check_file(reading, path, connection)
        except sqlite3.Error as error:
            if not isinstance(damage := content.refusal(path, error), content.Damaged):
                raise damage from None
            reading.find("integrity", path.name, str(error))
    for collection, place, where in reading.needs:
        if (collection, place) not in reading.namespaces:
            reading.find("namespace", where, f"its namespace {full_name(place)} does not exist")
    return Checked(
        path, reading.contract, dict(reading.kinds), reading.findings, reading.files, reading.unread
    )


def _check_file(reading: _Reading, path: Path, connection: sqlite3.Connection) -> None:
    for (message,) in connection.execute("PRAGMA integrity_check"):
        if message != "ok":
            reading.find("integrity", path.name, message)
    about = content.about_of(connection)
    reading.contract = about.get("contract", reading.contract)
    if reading.contract in {"iceberg_rest", "watsonx_data"}:
        reading.validators = Validators(Contract(reading.contract))
    else:
        reading.find(
            "integrity",
            path.name,
            f"it does not say whose store it is, or names {reading.contract!r}",
        )
    for *row, total in connection.execute(
        f"{content.rows_of(about)} ORDER BY collection, place, name"
    ):
        _check_row(reading, tuple(row), total)
    reading.tally.close(about)
    try:
        loss = content.reason_of_loss(path, reading.tally, about, read_mark(path))
    except DamagedMark as damaged:
        loss = str(damaged)
    if loss is not None:
        reading.find("lost-changes", path.name, loss)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _check_row(reading: _Reading, row: content.Row, total: int) -> None:
    collection, place_text, name, kind, body, tag, batch, checksum = row
    reading.kinds[kind] += 1
    if content.holds(row):
        reading.tally.add(batch, checksum, total)
    else:
        reading.find("checksum", name, f"the {kind} is not what was stored")
    try:
        place = tuple(orjson.loads(place_text))
        document = orjson.loads(body)
    except (orjson.JSONDecodeError, TypeError) as error:
        reading.find("bytes", name, f"it is not JSON: {error}")
        return
    where = full_name(place, name)
    if orjson.dumps(document) != body:
        reading.find("bytes", where, "its bytes are not those that are written for its document")
    for problem in _wrong(reading, kind, document):
        reading.find("schema", where, problem)
    if kind == "namespace":
        reading.namespaces.add((collection, (*place, name)))
        if document.get("namespace") != [*place, name]:
            reading.find(
                "key",
                where,
                f"its document is that of {full_name(document.get('namespace') or ())}",
            )
        if place:
            reading.needs.append((collection, place, where))
    elif kind in SCHEMAS:
        reading.needs.append((collection.replace(IDENTIFIERS, NAMESPACES, 1), place, where))
        _check_metadata_file(reading, kind, document, where)
        if kind == "table" and tag not in {
            tag_of(body),
            tag_of_file(document.get("metadata-location", "")),
        }:
            reading.find("tag", where, "its tag is not that of this state")


def _wrong(reading: _Reading, kind: str, document: Any) -> Iterator[str]:
    if kind not in SCHEMAS:
        return
    schema, member = SCHEMAS[kind]
    try:
        part = document[member] if member else document
        reading.validators.check(schema, part)
        if kind == "table":
            existing_table_metadata(part)
    except (Invalid, Problem) as invalid:
        yield str(invalid)
    except (KeyError, TypeError):
        yield f"it has no {member}"


def _check_metadata_file(reading: _Reading, kind: str, document: Document, where: str) -> None:
    location = document.get("metadata-location", "")
    try:
        path = Path(local(location))
    except Outside:
        reading.unread += 1
        return
    reading.files += 1
    try:
        content = orjson.loads(decode(location, path.read_bytes()))
        same = content == document.get("metadata") or (
            kind == "table" and existing_table_metadata(content) == document.get("metadata")
        )
    except OSError as error:
        reading.find("metadata-file", where, f"{location} cannot be read: {error.strerror}")
    except (orjson.JSONDecodeError, Unreadable, Problem, KeyError, TypeError, AttributeError):
        reading.find("metadata-file", where, f"{location} does not hold metadata")
    else:
        if not same:
            reading.find("metadata-file", where, f"{location} holds other metadata than the store")
