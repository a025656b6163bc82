"""Names and properties that are changed on their way into the store."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, on_answer
from lakepact.reference_server.iceberg_rest.faults.ways.requests import asked_for

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document

COLUMN = 255  #: characters that fit into a column of many databases


def _folded_keys(body: Document) -> Document:
    return {**body, "properties": {key.lower(): value for key, value in (body.get("properties") or {}).items()}}


def _cut_values(body: Document) -> Document:
    return {**body, "properties": {key: value[:COLUMN] for key, value in (body.get("properties") or {}).items()}}


def _cut_by_commits(body: Document) -> Document:
    def cut(update: Document) -> Document:
        texts = update.get("updates")
        return update if not isinstance(texts, dict) else {**update, "updates": {key: value[:COLUMN] for key, value in texts.items()}}

    return {**body, "updates": [cut(update) for update in body["updates"]]}


def _empty_is_removed(body: Document) -> Document:
    updates: dict[str, str] = body.get("updates") or {}
    gone = [key for key, value in updates.items() if not value]
    return {
        **body,
        "removals": [*(body.get("removals") or []), *gone],
        "updates": {key: value for key, value in updates.items() if value},
    }


def _trimmed(body: Document) -> Document:
    return {**body, "namespace": [level.strip() or level for level in body["namespace"]]}


def _composed(body: Document) -> Document:
    return {**body, "name": unicodedata.normalize("NFC", body["name"])}


def _without_hidden(document: dict[str, Any]) -> None:
    document["identifiers"] = [one for one in document["identifiers"] if not one["name"].startswith(("_", "."))]


def _without_docs(body: Document) -> Document:
    fields = [{member: value for member, value in field.items() if member != "doc"} for field in body["schema"]["fields"]]
    return {**body, "schema": {**body["schema"], "fields": fields}}


def _ten_at_most(body: Document) -> Document:
    return {**body, "properties": dict([*(body.get("properties") or {}).items()][:10])}


def _ten_updates_at_most(body: Document) -> Document:
    return {**body, "updates": dict([*(body.get("updates") or {}).items()][:10])}


def _docs_of_one_line(body: Document) -> Document:
    fields = [{**field, "doc": " ".join(field["doc"].split("\n"))} if "doc" in field else field for field in body["schema"]["fields"]]
    return {**body, "schema": {**body["schema"], "fields": fields}}


FAULTS = (
    Fault(
        "namespaces-have-ten-properties",
        "New namespaces keep ten properties.",
        ("IRC-NS-CREATE-002",),
        asked_for("createNamespace", _ten_at_most),
    ),
    Fault(
        "updates-set-ten-properties",
        "Updates of namespaces set ten properties.",
        ("IRC-NS-PROP-002",),
        asked_for("updateProperties", _ten_updates_at_most),
    ),
    Fault("tables-have-ten-properties", "New tables keep ten properties.", ("IRC-GEN-020",), asked_for("createTable", _ten_at_most)),
    Fault(
        "docs-of-tables-have-one-line",
        "Docs of columns lose their ends of lines.",
        ("IRC-GEN-020",),
        asked_for("createTable", _docs_of_one_line),
    ),
    Fault("views-without-docs", "Columns of views lose what was said of them.", ("IRC-GEN-020",), asked_for("createView", _without_docs)),
    Fault(
        "property-keys-folded",
        "Keys of properties of new namespaces are stored in lower case.",
        ("IRC-GEN-020", "IRC-NS-CREATE-002"),
        asked_for("createNamespace", _folded_keys),
    ),
    Fault(
        "long-properties-cut",
        "Values of properties of new namespaces are cut where a column ends.",
        ("IRC-GEN-020", "IRC-NS-CREATE-002"),
        asked_for("createNamespace", _cut_values),
    ),
    Fault(
        "empty-updates-remove",
        "Setting a property of a namespace to nothing removes it.",
        ("IRC-NS-PROP-002",),
        asked_for("updateProperties", _empty_is_removed),
    ),
    Fault(
        "long-table-properties-cut",
        "Values that a commit sets are cut where a column ends.",
        ("IRC-GEN-020",),
        asked_for("updateTable", _cut_by_commits),
    ),
    Fault(
        "names-trimmed", "Spaces around names of namespaces are taken away.", ("IRC-NS-CREATE-001",), asked_for("createNamespace", _trimmed)
    ),
    Fault("names-composed", "Names of tables are stored composed.", ("IRC-GEN-020",), asked_for("createTable", _composed)),
    Fault(
        "hidden-tables", "Names that begin like hidden files are not listed.", ("IRC-GEN-020",), on_answer("listTables", _without_hidden)
    ),
)
