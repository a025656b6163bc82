"""Wrong ways of creating tables: what is answered, what is kept, and who is the first."""

from __future__ import annotations

import itertools
import time
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, accept, all_of, fault, on_answer, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key, namespace_key
from lakepact.reference_server.storage.store import Record
from mutants.iceberg_rest.operators.creation import is_staging, made_with
from mutants.iceberg_rest.operators.operations import CREATE, LOAD
from mutants.iceberg_rest.operators.refusals import called, refusals_become, with_status
from mutants.iceberg_rest.operators.requests import asked_for, refused_by_header, switched, while_handling

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.storage.store import Place, Transaction

DELEGATION = "X-Iceberg-Access-Delegation"
WINDOW_MS = 300  #: how long a name that was just given away seems to be free


# -- that they exist ----------------------------------------------------------------------------------------------------


# -- what they are ------------------------------------------------------------------------------------------------------


def _properties(change: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[Document, Document], None]:
    def spoil(metadata: Document, _: Document) -> None:
        metadata["properties"] = change(metadata["properties"])

    return spoil


def _columns(metadata: Document) -> list[Document]:
    columns: list[Document] = metadata["schemas"][0]["fields"]
    return columns


# -- access and settings ------------------------------------------------------------------------------------------------


def _configured(config: Any, *credentials: Document) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        answer["config"] = config
        if credentials:
            answer["storage-credentials"] = list(credentials)

    return edit


# -- who is the first ---------------------------------------------------------------------------------------------------


@fault("IRC-TBL-CREATE-001", by=partial(asked_for, CREATE))
def stages_when_it_is_mentioned(body: Document) -> Document:
    """A creation that says `stage-create` is staged, even if it says false."""
    return {**body, "stage-create": "stage-create" in body}


@fault("IRC-TBL-CREATE-001")
def forgets_created_tables(service: Service) -> None:
    """Tables are answered and not kept."""
    drop = service.handlers[op.drop_table]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        if not is_staging(arguments["body"]):
            drop(namespace=arguments["namespace"], table=arguments["body"]["name"])
        return reply

    on_call(CREATE, act)(service)


@fault("IRC-TBL-CREATE-002", by=partial(on_answer, CREATE))
def creation_hides_the_metadata_location(answer: Document) -> None:
    """The answer to a creation has no metadata-location."""
    answer.pop("metadata-location", None)


@fault("IRC-TBL-CREATE-002", by=partial(on_answer, CREATE))
def creation_empties_the_metadata_location(answer: Document) -> None:
    """The metadata-location in the answer to a creation is empty."""
    if "metadata-location" in answer:
        answer["metadata-location"] = ""


@fault("IRC-TBL-CREATE-002", by=partial(on_answer, CREATE))
def creation_names_another_file(answer: Document) -> None:
    """The answer to a creation has another metadata-location than loading the table."""
    if answer.get("metadata-location"):
        answer["metadata-location"] += ".gz"


@fault("IRC-TBL-CREATE-009", by=lambda act: made_with(_properties(act)))
def forgets_properties(_: dict[str, str]) -> dict[str, str]:
    """New tables have no properties."""
    return {}


@fault("IRC-TBL-CREATE-009", by=lambda act: made_with(_properties(act)))
def forgets_empty_properties(properties: dict[str, str]) -> dict[str, str]:
    """Empty properties are dropped."""
    return {key: value for key, value in properties.items() if value}


@fault("IRC-TBL-CREATE-009", by=lambda act: made_with(_properties(act)))
def trims_properties(properties: dict[str, str]) -> dict[str, str]:
    """Spaces around properties are dropped."""
    return {key: value.strip() for key, value in properties.items()}


@fault("IRC-TBL-CREATE-009", by=lambda act: made_with(_properties(act)))
def lowers_names_of_properties(properties: dict[str, str]) -> dict[str, str]:
    """The names of properties are kept in lower case."""
    return {key.lower(): value for key, value in properties.items()}


@fault("IRC-TBL-CREATE-009", by=lambda act: made_with(_properties(act)))
def lowers_properties(properties: dict[str, str]) -> dict[str, str]:
    """Properties are kept in lower case."""
    return {key: value.lower() for key, value in properties.items()}


@fault("IRC-TBL-CREATE-010", by=partial(asked_for, CREATE))
def ignores_the_requested_version(body: Document) -> Document:
    """The property format-version of a creation does nothing."""
    properties = {key: value for key, value in (body.get("properties") or {}).items() if key != "format-version"}
    return {**body, "properties": properties}


@fault("IRC-TBL-CREATE-010", by=partial(asked_for, CREATE))
def version_2_instead_of_3(body: Document) -> Document:
    """A request for format version 3 creates a table of version 2."""
    properties = dict(body.get("properties") or {})
    return {**body, "properties": {**properties, "format-version": "2"}} if properties.get("format-version") == "3" else body


@fault("IRC-TBL-CREATE-010", by=partial(made_with))
def keeps_the_requested_version(metadata: Document, _: Document) -> None:
    """The property format-version is stored."""
    metadata["properties"]["format-version"] = str(metadata["format-version"])


@fault("IRC-TBL-CREATE-011", by=partial(made_with))
def forgets_default_values(metadata: Document, _: Document) -> None:
    """Columns lose their default values."""
    for column in _columns(metadata):
        column.pop("initial-default", None)
        column.pop("write-default", None)


@fault("IRC-TBL-CREATE-011", by=partial(made_with))
def writes_the_first_default(metadata: Document, _: Document) -> None:
    """The write-default is the initial one."""
    for column in _columns(metadata):
        if "initial-default" in column:
            column["write-default"] = column["initial-default"]


@fault("IRC-TBL-CREATE-012", by=partial(made_with))
def uuid_of_the_name(metadata: Document, body: Document) -> None:
    """Tables of one name have one UUID."""
    metadata["table-uuid"] = str(uuid.uuid5(uuid.NAMESPACE_URL, body["name"]))


@fault("IRC-TBL-CREATE-012")
def uuid_of_the_place(service: Service) -> None:
    """A table that takes another's place has its UUID."""
    places: list[str] = []

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        places.append(f"{arguments['namespace']}/{arguments['body']['name']}")
        return handler(**arguments)

    def spoil(metadata: Document, _: Document) -> None:
        metadata["table-uuid"] = str(uuid.uuid5(uuid.NAMESPACE_URL, places[-1]))

    all_of(on_call(CREATE, act), made_with(spoil))(service)


@fault("IRC-TBL-CREATE-012")
def numbers_for_uuids() -> Install:
    """Tables are numbered where they should have UUIDs."""
    numbers = itertools.count(1)

    def spoil(metadata: Document, _: Document) -> None:
        metadata["table-uuid"] = f"table-{next(numbers)}"

    return made_with(spoil)


@fault("IRC-TBL-CREATE-013", "IRC-TBL-STAGE-011", by=partial(while_handling, CREATE, "namespace_exists"))
def makes_missing_namespaces(usual: Callable[..., Record]) -> Callable[..., Record]:
    """Creating a table creates its namespace."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        try:
            return usual(transaction, levels)
        except Problem:
            record = Record("namespace", {"namespace": list(levels), "properties": {}}, b'{"namespace":[],"properties":{}}')
            transaction.put(namespace_key(levels), record)
            return record

    return namespace_exists


@fault("IRC-ERR-008")
def creation_blames_the_table() -> Install:
    """Creating a table in a missing namespace is refused with the error type of a missing table."""
    return refusals_become(CREATE, 404, called("NoSuchTableException"))


@fault("IRC-TBL-CREATE-013", "IRC-TBL-STAGE-011")
def creation_in_missing_namespace_is_400() -> Install:
    """Creating a table in a missing namespace returns 400."""
    return refusals_become(CREATE, 404, with_status(400))


@fault("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024")
def creation_replaces() -> Install:
    """Creating a table that exists replaces it."""
    return while_handling(CREATE, "identifier_is_free", lambda _: accept)


@fault("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024")
def creation_is_content_with_what_exists(service: Service) -> None:
    """Creating a table that exists answers the one that does."""
    load = service.handlers[LOAD]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status != 409:
                raise
            return load(namespace=arguments["namespace"], table=arguments["body"]["name"])

    on_call(CREATE, act)(service)


@fault("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024", "IRC-TBL-STAGE-009")
def conflict_of_creation_is_400() -> Install:
    """Creating a table that exists returns 400."""
    return refusals_become(CREATE, 409, with_status(400))


@fault("IRC-ERR-010")
def conflict_of_creation_is_of_commits() -> Install:
    """Creating a table that exists is refused with the error type of commits."""
    return refusals_become(CREATE, 409, called("CommitFailedException"))


@fault("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024")
def existing_tables_are_replaced_with_409(service: Service) -> None:
    """Creating a table that exists returns 409, and replaces it."""
    everything_free = switched(service, "identifier_is_free", lambda _: accept)

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409:
                with everything_free():
                    handler(**arguments)
            raise

    on_call(CREATE, act)(service)


@fault("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024", by=partial(while_handling, CREATE, "identifier_is_free"))
def creations_race(usual: Callable[..., None]) -> Callable[..., None]:
    """For a moment after its creation a table can be created again."""

    def identifier_is_free(transaction: Transaction, levels: Place, name: str, *wanted: str) -> None:
        record = transaction.get(identifier_key(levels, name))
        if record is None or time.time() * 1000 - record.document["metadata"]["last-updated-ms"] > WINDOW_MS:
            usual(transaction, levels, name, *wanted)

    return identifier_is_free


@fault("IRC-TBL-CREATE-023", by=partial(made_with))
def creates_with_a_snapshot(metadata: Document, _: Document) -> None:
    """A new table has a snapshot."""
    snapshot = {
        "snapshot-id": 1,
        "sequence-number": 0,
        "timestamp-ms": metadata["last-updated-ms"],
        "manifest-list": f"{metadata['location']}/metadata/snap-1.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    metadata |= {"snapshots": [snapshot], "refs": {"main": {"type": "branch", "snapshot-id": 1}}, "current-snapshot-id": 1}


@fault("IRC-TBL-CREATE-023", by=partial(made_with))
def creates_at_snapshot_0(metadata: Document, _: Document) -> None:
    """A new table is at the snapshot 0."""
    metadata["current-snapshot-id"] = 0


@fault("IRC-TBL-CREATE-023", by=partial(made_with))
def counts_sequences_from_1(metadata: Document, _: Document) -> None:
    """The last sequence number of a new table is 1."""
    metadata["last-sequence-number"] = 1


@fault("IRC-TBL-CREATE-025", by=partial(refused_by_header, CREATE, DELEGATION))
def wants_delegation(mechanisms: str | None) -> bool:
    """Tables are created only with X-Iceberg-Access-Delegation."""
    return mechanisms is None


@fault("IRC-TBL-CREATE-025", by=partial(refused_by_header, CREATE, DELEGATION))
def knows_all_mechanisms(mechanism: str | None) -> bool:
    """An unknown mechanism of access delegation is refused."""
    return mechanism not in {None, "vended-credentials", "remote-signing", "vended-credentials,remote-signing"}


@fault("IRC-TBL-CREATE-025", by=partial(refused_by_header, CREATE, DELEGATION))
def takes_one_mechanism(mechanisms: str | None) -> bool:
    """More than one mechanism of access delegation is refused."""
    return mechanisms is not None and "," in mechanisms


@fault("IRC-TBL-CREATE-027")
def configures_created_tables_with_flags() -> Install:
    """The settings of created tables have a boolean among them."""
    return on_answer(CREATE, _configured({"client.region": "eu-west-1", "s3.remote-signing-enabled": True}))


@fault("IRC-TBL-CREATE-027")
def credentials_without_prefix() -> Install:
    """The storage credentials of created tables have no prefix."""
    return on_answer(CREATE, _configured({}, {"config": {"client.region": "eu-west-1"}}))
