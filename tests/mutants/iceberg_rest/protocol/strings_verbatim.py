"""Names and properties that are changed on their way into the store."""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault, on_answer
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.requests import asked_for

COLUMN = 255  #: characters that fit into a column of many databases


def _ten_at_most(body: Document) -> Document:
    return {**body, "properties": dict([*(body.get("properties") or {}).items()][:10])}


@fault("IRC-GEN-020", by=partial(asked_for, op.create_table))
def docs_of_tables_have_one_line(body: Document) -> Document:
    fields = [
        {**field, "doc": " ".join(field["doc"].split("\n"))} if "doc" in field else field
        for field in body["schema"]["fields"]
    ]
    return {**body, "schema": {**body["schema"], "fields": fields}}


@fault("IRC-GEN-020", by=partial(asked_for, op.create_view))
def views_without_docs(body: Document) -> Document:
    fields = [
        {member: value for member, value in field.items() if member != "doc"}
        for field in body["schema"]["fields"]
    ]
    return {**body, "schema": {**body["schema"], "fields": fields}}


@fault("IRC-GEN-020", "IRC-NS-CREATE-002", by=partial(asked_for, op.create_namespace))
def property_keys_folded(body: Document) -> Document:
    return {
        **body,
        "properties": {key.lower(): value for key, value in (body.get("properties") or {}).items()},
    }


@fault("IRC-GEN-020", "IRC-NS-CREATE-002", by=partial(asked_for, op.create_namespace))
def long_properties_cut(body: Document) -> Document:
    return {
        **body,
        "properties": {
            key: value[:COLUMN] for key, value in (body.get("properties") or {}).items()
        },
    }


@fault("IRC-NS-PROP-002", by=partial(asked_for, op.update_properties))
def empty_updates_remove(body: Document) -> Document:
    updates: dict[str, str] = body.get("updates") or {}
    gone = [key for key, value in updates.items() if not value]
    return {
        **body,
        "removals": [*(body.get("removals") or []), *gone],
        "updates": {key: value for key, value in updates.items() if value},
    }


@fault("IRC-GEN-020", by=partial(asked_for, op.update_table))
def long_table_properties_cut(body: Document) -> Document:
    def cut(update: Document) -> Document:
        texts = update.get("updates")
        return (
            update
            if not isinstance(texts, dict)
            else {**update, "updates": {key: value[:COLUMN] for key, value in texts.items()}}
        )

    return {**body, "updates": [cut(update) for update in body["updates"]]}


@fault("IRC-GEN-020", by=partial(on_answer, op.list_tables))
def hidden_tables(document: dict[str, Any]) -> None:
    document["identifiers"] = [
        one for one in document["identifiers"] if not one["name"].startswith(("_", "."))
    ]


FAULTS = {
    "namespaces-have-ten-properties IRC-NS-CREATE-002": asked_for(
        op.create_namespace, _ten_at_most
    ),
    "updates-set-ten-properties IRC-NS-PROP-002": asked_for(
        op.update_properties,
        lambda body: {**body, "updates": dict([*(body.get("updates") or {}).items()][:10])},
    ),
    "tables-have-ten-properties IRC-GEN-020": asked_for(op.create_table, _ten_at_most),
    "names-trimmed IRC-NS-CREATE-001": asked_for(
        op.create_namespace,
        lambda body: {**body, "namespace": [level.strip() or level for level in body["namespace"]]},
    ),
    "names-composed IRC-GEN-020": asked_for(
        op.create_table, lambda body: {**body, "name": unicodedata.normalize("NFC", body["name"])}
    ),
}
