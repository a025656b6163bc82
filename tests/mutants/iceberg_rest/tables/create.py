"""Wrong ways of creating tables: what is answered, what is kept, and who is the first."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, accept, all_of, fault, on_answer, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key, namespace_key
from lakepact.reference_server.storage.store import Place, Record, Transaction
from mutants.iceberg_rest.operators.creation import is_staging, made_with
from mutants.iceberg_rest.operators.operations import CREATE, LOAD
from mutants.iceberg_rest.operators.refusals import called, refusals_become, with_status
from mutants.iceberg_rest.operators.requests import (
    asked_for,
    refused_by_header,
    switched,
    while_handling,
)

DELEGATION = "X-Iceberg-Access-Delegation"
WINDOW_MS = 300  #: how long a name that was just given away seems to be free


def _properties(
    change: Callable[[dict[str, str]], dict[str, str]],
) -> Callable[[Document, Document], None]:
    def spoil(metadata: Document, _: Document) -> None:
        metadata["properties"] = change(metadata["properties"])

    return spoil


def _columns(metadata: Document) -> list[Document]:
    columns: list[Document] = metadata["schemas"][0]["fields"]
    return columns


def _set_config(config: Any, *credentials: Document) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        answer["config"] = config
        if credentials:
            answer["storage-credentials"] = list(credentials)

    return edit


@fault("IRC-TBL-CREATE-001")
def forgets_created_tables(service: Service) -> None:
    drop = service.handlers[op.drop_table]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        if not is_staging(arguments["body"]):
            drop(namespace=arguments["namespace"], table=arguments["body"]["name"])
        return reply

    on_call(CREATE, act)(service)


@fault("IRC-TBL-CREATE-002", by=partial(on_answer, CREATE))
def creation_hides_the_metadata_location(answer: Document) -> None:
    answer.pop("metadata-location", None)


@fault("IRC-TBL-CREATE-002", by=partial(on_answer, CREATE))
def creation_empties_the_metadata_location(answer: Document) -> None:
    if "metadata-location" in answer:
        answer["metadata-location"] = ""


@fault("IRC-TBL-CREATE-002", by=partial(on_answer, CREATE))
def creation_names_another_file(answer: Document) -> None:
    if answer.get("metadata-location"):
        answer["metadata-location"] += ".gz"


@fault("IRC-TBL-CREATE-010", by=partial(asked_for, CREATE))
def ignores_the_requested_version(body: Document) -> Document:
    properties = {
        key: value
        for key, value in (body.get("properties") or {}).items()
        if key != "format-version"
    }
    return {**body, "properties": properties}


@fault("IRC-TBL-CREATE-010", by=partial(asked_for, CREATE))
def version_2_instead_of_3(body: Document) -> Document:
    properties = dict(body.get("properties") or {})
    return (
        {**body, "properties": {**properties, "format-version": "2"}}
        if properties.get("format-version") == "3"
        else body
    )


@fault("IRC-TBL-CREATE-011", by=made_with)
def forgets_default_values(metadata: Document, _: Document) -> None:
    for column in _columns(metadata):
        column.pop("initial-default", None)
        column.pop("write-default", None)


@fault("IRC-TBL-CREATE-011", by=made_with)
def writes_the_first_default(metadata: Document, _: Document) -> None:
    for column in _columns(metadata):
        if "initial-default" in column:
            column["write-default"] = column["initial-default"]


@fault("IRC-TBL-CREATE-012")
def uuid_of_the_place(service: Service) -> None:
    places: list[str] = []

    def act(handler: Handler, arguments: Arguments) -> Reply:
        places.append(f"{arguments['namespace']}/{arguments['body']['name']}")
        return handler(**arguments)

    def spoil(metadata: Document, _: Document) -> None:
        metadata["table-uuid"] = str(uuid.uuid5(uuid.NAMESPACE_URL, places[-1]))

    all_of(on_call(CREATE, act), made_with(spoil))(service)


@fault("IRC-TBL-CREATE-012")
def numbers_for_uuids() -> Install:
    numbers = itertools.count(1)

    def spoil(metadata: Document, _: Document) -> None:
        metadata["table-uuid"] = f"table-{next(numbers)}"

    return made_with(spoil)


@fault(
    "IRC-TBL-CREATE-013",
    "IRC-TBL-STAGE-011",
    by=partial(while_handling, CREATE, "namespace_exists"),
)
def makes_missing_namespaces(usual: Callable[..., Record]) -> Callable[..., Record]:
    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        try:
            return usual(transaction, levels)
        except Problem:
            record = Record(
                "namespace",
                {"namespace": list(levels), "properties": {}},
                b'{"namespace":[],"properties":{}}',
            )
            transaction.put(namespace_key(levels), record)
            return record

    return namespace_exists


@fault("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024")
def creation_is_content_with_what_exists(service: Service) -> None:
    load = service.handlers[LOAD]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status != 409:
                raise
            return load(namespace=arguments["namespace"], table=arguments["body"]["name"])

    on_call(CREATE, act)(service)


@fault("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024")
def existing_tables_are_replaced_with_409(service: Service) -> None:
    everything_free = switched(service, "identifier_is_free", lambda _: accept)

    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409:
                with everything_free():
                    handler(**arguments)
            raise

    on_call(CREATE, act)(service)


@fault(
    "IRC-TBL-CREATE-014",
    "IRC-TBL-CREATE-024",
    by=partial(while_handling, CREATE, "identifier_is_free"),
)
def creations_race(usual: Callable[..., None]) -> Callable[..., None]:
    def identifier_is_free(
        transaction: Transaction, levels: Place, name: str, *wanted: str
    ) -> None:
        record = transaction.get(identifier_key(levels, name))
        if (
            record is None
            or time.time() * 1000 - record.document["metadata"]["last-updated-ms"] > WINDOW_MS
        ):
            usual(transaction, levels, name, *wanted)

    return identifier_is_free


@fault("IRC-TBL-CREATE-023", by=made_with)
def creates_with_a_snapshot(metadata: Document, _: Document) -> None:
    snapshot = {
        "snapshot-id": 1,
        "sequence-number": 0,
        "timestamp-ms": metadata["last-updated-ms"],
        "manifest-list": f"{metadata['location']}/metadata/snap-1.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    metadata |= {
        "snapshots": [snapshot],
        "refs": {"main": {"type": "branch", "snapshot-id": 1}},
        "current-snapshot-id": 1,
    }


@fault("IRC-TBL-CREATE-025", by=partial(refused_by_header, CREATE, DELEGATION))
def knows_all_mechanisms(mechanism: str | None) -> bool:
    return mechanism not in {
        None,
        "vended-credentials",
        "remote-signing",
        "vended-credentials,remote-signing",
    }


FAULTS = {
    "stages-when-it-is-mentioned IRC-TBL-CREATE-001": asked_for(
        CREATE, lambda body: {**body, "stage-create": "stage-create" in body}
    ),
    "forgets-properties IRC-TBL-CREATE-009": made_with(_properties(lambda _: {})),
    "forgets-empty-properties IRC-TBL-CREATE-009": made_with(
        _properties(lambda properties: {key: value for key, value in properties.items() if value})
    ),
    "trims-properties IRC-TBL-CREATE-009": made_with(
        _properties(lambda properties: {key: value.strip() for key, value in properties.items()})
    ),
    "lowers-names-of-properties IRC-TBL-CREATE-009": made_with(
        _properties(lambda properties: {key.lower(): value for key, value in properties.items()})
    ),
    "lowers-properties IRC-TBL-CREATE-009": made_with(
        _properties(lambda properties: {key: value.lower() for key, value in properties.items()})
    ),
    "keeps-the-requested-version IRC-TBL-CREATE-010": made_with(
        lambda metadata, _: metadata["properties"].update(
            {"format-version": str(metadata["format-version"])}
        )
    ),
    "uuid-of-the-name IRC-TBL-CREATE-012": made_with(
        lambda metadata, body: metadata.update(
            {"table-uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, body["name"]))}
        )
    ),
    "creation-blames-the-table IRC-ERR-008": refusals_become(
        CREATE, 404, called("NoSuchTableException")
    ),
    "creation-in-missing-namespace-is-400 IRC-TBL-CREATE-013 IRC-TBL-STAGE-011": refusals_become(
        CREATE, 404, with_status(400)
    ),
    "creation-replaces IRC-TBL-CREATE-014 IRC-TBL-CREATE-024": while_handling(
        CREATE, "identifier_is_free", lambda _: accept
    ),
    "conflict-of-creation-is-400 IRC-TBL-CREATE-014 IRC-TBL-CREATE-024 IRC-TBL-STAGE-009": refusals_become(
        CREATE, 409, with_status(400)
    ),
    "conflict-of-creation-is-of-commits IRC-ERR-010": refusals_become(
        CREATE, 409, called("CommitFailedException")
    ),
    "creates-at-snapshot-0 IRC-TBL-CREATE-023": made_with(
        lambda metadata, _: metadata.update({"current-snapshot-id": 0})
    ),
    "counts-sequences-from-1 IRC-TBL-CREATE-023": made_with(
        lambda metadata, _: metadata.update({"last-sequence-number": 1})
    ),
    "wants-delegation IRC-TBL-CREATE-025": refused_by_header(
        CREATE, DELEGATION, lambda mechanisms: mechanisms is None
    ),
    "takes-one-mechanism IRC-TBL-CREATE-025": refused_by_header(
        CREATE, DELEGATION, lambda mechanisms: mechanisms is not None and "," in mechanisms
    ),
    "configures-created-tables-with-flags IRC-TBL-CREATE-027": on_answer(
        CREATE, _set_config({"client.region": "eu-west-1", "s3.remote-signing-enabled": True})
    ),
    "credentials-without-prefix IRC-TBL-CREATE-027": on_answer(
        CREATE, _set_config({}, {"config": {"client.region": "eu-west-1"}})
    ),
}
