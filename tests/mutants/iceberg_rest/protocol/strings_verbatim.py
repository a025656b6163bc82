"""Names and properties that are changed on their way into the store."""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer
from mutants.iceberg_rest.operators.requests import asked_for

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document

COLUMN = 255  #: characters that fit into a column of many databases


def _ten_at_most(body: Document) -> Document:
    return {**body, "properties": dict([*(body.get("properties") or {}).items()][:10])}


@fault("IRC-NS-CREATE-002")
def namespaces_have_ten_properties() -> Install:
    """New namespaces keep ten properties."""
    return asked_for(op.create_namespace, _ten_at_most)


@fault("IRC-NS-PROP-002", by=partial(asked_for, op.update_properties))
def updates_set_ten_properties(body: Document) -> Document:
    """Updates of namespaces set ten properties."""
    return {**body, "updates": dict([*(body.get("updates") or {}).items()][:10])}


@fault("IRC-GEN-020")
def tables_have_ten_properties() -> Install:
    """New tables keep ten properties."""
    return asked_for(op.create_table, _ten_at_most)


@fault("IRC-GEN-020", by=partial(asked_for, op.create_table))
def docs_of_tables_have_one_line(body: Document) -> Document:
    """Docs of columns lose their ends of lines."""
    fields = [{**field, "doc": " ".join(field["doc"].split("\n"))} if "doc" in field else field for field in body["schema"]["fields"]]
    return {**body, "schema": {**body["schema"], "fields": fields}}


@fault("IRC-GEN-020", by=partial(asked_for, op.create_view))
def views_without_docs(body: Document) -> Document:
    """Columns of views lose their docs."""
    fields = [{member: value for member, value in field.items() if member != "doc"} for field in body["schema"]["fields"]]
    return {**body, "schema": {**body["schema"], "fields": fields}}


@fault("IRC-GEN-020", "IRC-NS-CREATE-002", by=partial(asked_for, op.create_namespace))
def property_keys_folded(body: Document) -> Document:
    """Keys of properties of new namespaces are stored in lower case."""
    return {**body, "properties": {key.lower(): value for key, value in (body.get("properties") or {}).items()}}


@fault("IRC-GEN-020", "IRC-NS-CREATE-002", by=partial(asked_for, op.create_namespace))
def long_properties_cut(body: Document) -> Document:
    """Values of properties of new namespaces are cut where a column ends."""
    return {**body, "properties": {key: value[:COLUMN] for key, value in (body.get("properties") or {}).items()}}


@fault("IRC-NS-PROP-002", by=partial(asked_for, op.update_properties))
def empty_updates_remove(body: Document) -> Document:
    """Setting a property of a namespace to nothing removes it."""
    updates: dict[str, str] = body.get("updates") or {}
    gone = [key for key, value in updates.items() if not value]
    return {
        **body,
        "removals": [*(body.get("removals") or []), *gone],
        "updates": {key: value for key, value in updates.items() if value},
    }


@fault("IRC-GEN-020", by=partial(asked_for, op.update_table))
def long_table_properties_cut(body: Document) -> Document:
    """Values that a commit sets are cut where a column ends."""

    def cut(update: Document) -> Document:
        texts = update.get("updates")
        return update if not isinstance(texts, dict) else {**update, "updates": {key: value[:COLUMN] for key, value in texts.items()}}

    return {**body, "updates": [cut(update) for update in body["updates"]]}


@fault("IRC-NS-CREATE-001", by=partial(asked_for, op.create_namespace))
def names_trimmed(body: Document) -> Document:
    """Spaces around names of namespaces are taken away."""
    return {**body, "namespace": [level.strip() or level for level in body["namespace"]]}


@fault("IRC-GEN-020", by=partial(asked_for, op.create_table))
def names_composed(body: Document) -> Document:
    """Names of tables are stored composed."""
    return {**body, "name": unicodedata.normalize("NFC", body["name"])}


@fault("IRC-GEN-020", by=partial(on_answer, op.list_tables))
def hidden_tables(document: dict[str, Any]) -> None:
    """Names that begin like hidden files are not listed."""
    document["identifiers"] = [one for one in document["identifiers"] if not one["name"].startswith(("_", "."))]
