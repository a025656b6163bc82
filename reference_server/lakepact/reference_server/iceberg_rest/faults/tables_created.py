"""Wrong ways of creating tables: what is answered, what is kept, and who is the first."""

from __future__ import annotations

import itertools
import time
import uuid
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, accept, all_of, anew, on_answer, on_call
from lakepact.reference_server.iceberg_rest.catalog import identifier_key, namespace_key
from lakepact.reference_server.iceberg_rest.faults.ways.creation import is_staging, made_with
from lakepact.reference_server.iceberg_rest.faults.ways.operations import CREATE, LOAD
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become, with_status
from lakepact.reference_server.iceberg_rest.faults.ways.requests import asked_for, during, refused_by_header
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.store import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.store import Place, Transaction

DELEGATION = "X-Iceberg-Access-Delegation"
WINDOW_MS = 300  #: how long a name that was just given away seems to be free


# -- that they exist ----------------------------------------------------------------------------------------------------


def _stage_when_mentioned(body: Document) -> Document:
    return {**body, "stage-create": "stage-create" in body}


def _forget(service: Service) -> None:
    drop = service.handlers["dropTable"]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        if not is_staging(arguments["body"]):
            drop(namespace=arguments["namespace"], table=arguments["body"]["name"])
        return reply

    on_call(CREATE, act)(service)


def _without_location(answer: Document) -> None:
    answer.pop("metadata-location", None)


def _of_another_file(answer: Document) -> None:
    if answer.get("metadata-location"):
        answer["metadata-location"] += ".gz"


def _empty_location(answer: Document) -> None:
    if "metadata-location" in answer:
        answer["metadata-location"] = ""


# -- what they are ------------------------------------------------------------------------------------------------------


def _properties(change: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[Document, Document], None]:
    def spoil(metadata: Document, _: Document) -> None:
        metadata["properties"] = change(metadata["properties"])

    return spoil


def _none(_: dict[str, str]) -> dict[str, str]:
    return {}


def _not_empty(properties: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in properties.items() if value}


def _trimmed(properties: dict[str, str]) -> dict[str, str]:
    return {key: value.strip() for key, value in properties.items()}


def _lower(properties: dict[str, str]) -> dict[str, str]:
    return {key: value.lower() for key, value in properties.items()}


def _lower_names(properties: dict[str, str]) -> dict[str, str]:
    return {key.lower(): value for key, value in properties.items()}


def _version_2_at_most(body: Document) -> Document:
    properties = dict(body.get("properties") or {})
    return {**body, "properties": {**properties, "format-version": "2"}} if properties.get("format-version") == "3" else body


def _without_format_version(body: Document) -> Document:
    properties = {key: value for key, value in (body.get("properties") or {}).items() if key != "format-version"}
    return {**body, "properties": properties}


def _keep_format_version(metadata: Document, _: Document) -> None:
    metadata["properties"]["format-version"] = str(metadata["format-version"])


def _columns(metadata: Document) -> list[Document]:
    columns: list[Document] = metadata["schemas"][0]["fields"]
    return columns


def _without_defaults(metadata: Document, _: Document) -> None:
    for column in _columns(metadata):
        column.pop("initial-default", None)
        column.pop("write-default", None)


def _write_what_was_first(metadata: Document, _: Document) -> None:
    for column in _columns(metadata):
        if "initial-default" in column:
            column["write-default"] = column["initial-default"]


def _uuid_of_name(metadata: Document, body: Document) -> None:
    metadata["table-uuid"] = str(uuid.uuid5(uuid.NAMESPACE_URL, body["name"]))


def _uuid_of_place(service: Service) -> None:
    places: list[str] = []

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        places.append(f"{arguments['namespace']}/{arguments['body']['name']}")
        return handler(**arguments)

    def spoil(metadata: Document, _: Document) -> None:
        metadata["table-uuid"] = str(uuid.uuid5(uuid.NAMESPACE_URL, places[-1]))

    all_of(on_call(CREATE, act), made_with(spoil))(service)


def _numbered() -> Install:
    numbers = itertools.count(1)

    def spoil(metadata: Document, _: Document) -> None:
        metadata["table-uuid"] = f"table-{next(numbers)}"

    return made_with(spoil)


def _with_snapshot(metadata: Document, _: Document) -> None:
    snapshot = {
        "snapshot-id": 1,
        "sequence-number": 0,
        "timestamp-ms": metadata["last-updated-ms"],
        "manifest-list": f"{metadata['location']}/metadata/snap-1.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    metadata |= {"snapshots": [snapshot], "refs": {"main": {"type": "branch", "snapshot-id": 1}}, "current-snapshot-id": 1}


def _at_snapshot_0(metadata: Document, _: Document) -> None:
    metadata["current-snapshot-id"] = 0


def _sequence_from_1(metadata: Document, _: Document) -> None:
    metadata["last-sequence-number"] = 1


# -- access and settings ------------------------------------------------------------------------------------------------


def _is_unknown(mechanism: str | None) -> bool:
    return mechanism not in {None, "vended-credentials", "remote-signing", "vended-credentials,remote-signing"}


def _is_list(mechanisms: str | None) -> bool:
    return mechanisms is not None and "," in mechanisms


def _is_absent(mechanisms: str | None) -> bool:
    return mechanisms is None


def _configured(config: Any, *credentials: Document) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        answer["config"] = config
        if credentials:
            answer["storage-credentials"] = list(credentials)

    return edit


# -- who is the first ---------------------------------------------------------------------------------------------------


def _make_namespace(usual: Callable[..., Record]) -> Callable[..., Record]:
    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        try:
            return usual(transaction, levels)
        except Problem:
            record = Record("namespace", {"namespace": list(levels), "properties": {}}, b'{"namespace":[],"properties":{}}')
            transaction.put(namespace_key(levels), record)
            return record

    return namespace_exists


def _answer_existing(service: Service) -> None:
    load = service.handlers[LOAD]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status != 409:
                raise
            return load(namespace=arguments["namespace"], table=arguments["body"]["name"])

    on_call(CREATE, act)(service)


def _replace_and_complain(service: Service) -> None:
    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409:
                usual = service.rules["identifier-is-free"]
                service.rules["identifier-is-free"] = accept
                try:
                    handler(**arguments)
                finally:
                    service.rules["identifier-is-free"] = usual
            raise

    on_call(CREATE, act)(service)


def _learn_late(usual: Callable[..., None]) -> Callable[..., None]:
    def identifier_is_free(transaction: Transaction, levels: Place, name: str, *wanted: str) -> None:
        record = transaction.get(identifier_key(levels, name))
        if record is None or time.time() * 1000 - record.document["metadata"]["last-updated-ms"] > WINDOW_MS:
            usual(transaction, levels, name, *wanted)

    return identifier_is_free


FAULTS = (
    Fault(
        "stages-when-it-is-mentioned",
        "A creation that says `stage-create` is staged, even if it says false.",
        ("IRC-TBL-CREATE-001",),
        asked_for(CREATE, _stage_when_mentioned),
    ),
    Fault("forgets-created-tables", "Tables are answered and not kept.", ("IRC-TBL-CREATE-001",), _forget),
    Fault(
        "creation-hides-the-metadata-location",
        "The answer to a creation has no metadata-location.",
        ("IRC-TBL-CREATE-002",),
        on_answer(CREATE, _without_location),
    ),
    Fault(
        "creation-empties-the-metadata-location",
        "The metadata-location in the answer to a creation is empty.",
        ("IRC-TBL-CREATE-002",),
        on_answer(CREATE, _empty_location),
    ),
    Fault(
        "creation-names-another-file",
        "The answer to a creation has another metadata-location than loading the table.",
        ("IRC-TBL-CREATE-002",),
        on_answer(CREATE, _of_another_file),
    ),
    Fault("forgets-properties", "New tables have no properties.", ("IRC-TBL-CREATE-009",), made_with(_properties(_none))),
    Fault("forgets-empty-properties", "Empty properties are dropped.", ("IRC-TBL-CREATE-009",), made_with(_properties(_not_empty))),
    Fault("trims-properties", "Spaces around properties are dropped.", ("IRC-TBL-CREATE-009",), made_with(_properties(_trimmed))),
    Fault(
        "lowers-names-of-properties",
        "The names of properties are kept in lower case.",
        ("IRC-TBL-CREATE-009",),
        made_with(_properties(_lower_names)),
    ),
    Fault("lowers-properties", "Properties are kept in lower case.", ("IRC-TBL-CREATE-009",), made_with(_properties(_lower))),
    Fault(
        "ignores-the-requested-version",
        "The property format-version of a creation does nothing.",
        ("IRC-TBL-CREATE-010",),
        asked_for(CREATE, _without_format_version),
    ),
    Fault(
        "version-2-instead-of-3",
        "Who asks for a table of format version 3 gets one of version 2.",
        ("IRC-TBL-CREATE-010",),
        asked_for(CREATE, _version_2_at_most),
    ),
    Fault(
        "keeps-the-requested-version", "The property format-version is stored.", ("IRC-TBL-CREATE-010",), made_with(_keep_format_version)
    ),
    Fault("forgets-default-values", "Columns lose their default values.", ("IRC-TBL-CREATE-011",), made_with(_without_defaults)),
    Fault("writes-the-first-default", "The write-default is the initial one.", ("IRC-TBL-CREATE-011",), made_with(_write_what_was_first)),
    Fault("uuid-of-the-name", "Tables of one name have one UUID.", ("IRC-TBL-CREATE-012",), made_with(_uuid_of_name)),
    Fault("uuid-of-the-place", "A table that takes another's place has its UUID.", ("IRC-TBL-CREATE-012",), _uuid_of_place),
    Fault("numbers-for-uuids", "Tables are numbered where they should have UUIDs.", ("IRC-TBL-CREATE-012",), anew(_numbered)),
    Fault(
        "makes-missing-namespaces",
        "Creating a table creates its namespace.",
        ("IRC-TBL-CREATE-013", "IRC-TBL-STAGE-011"),
        during(CREATE, "namespace-exists", _make_namespace),
    ),
    Fault(
        "creation-blames-the-table",
        "Creating a table in a missing namespace is refused with the error type of a missing table.",
        ("IRC-TBL-CREATE-013",),
        refusals_become(CREATE, 404, called("NoSuchTableException")),
    ),
    Fault(
        "creation-in-missing-namespace-is-400",
        "Creating a table in a missing namespace is answered with 400.",
        ("IRC-TBL-CREATE-013", "IRC-TBL-STAGE-011"),
        refusals_become(CREATE, 404, with_status(400)),
    ),
    Fault(
        "creation-replaces",
        "Creating a table that exists replaces it.",
        ("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024"),
        during(CREATE, "identifier-is-free", lambda _: accept),
    ),
    Fault(
        "creation-is-content-with-what-exists",
        "Creating a table that exists answers the one that does.",
        ("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024"),
        _answer_existing,
    ),
    Fault(
        "conflict-of-creation-is-400",
        "Creating a table that exists is answered with 400.",
        ("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024", "IRC-TBL-STAGE-009"),
        refusals_become(CREATE, 409, with_status(400)),
    ),
    Fault(
        "conflict-of-creation-is-of-commits",
        "Creating a table that exists is refused with the error type of commits.",
        ("IRC-TBL-CREATE-014",),
        refusals_become(CREATE, 409, called("CommitFailedException")),
    ),
    Fault(
        "replaces-and-complains",
        "Creating a table that exists is answered with 409, and replaces it.",
        ("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024"),
        _replace_and_complain,
    ),
    Fault(
        "creations-race",
        "For a moment after its creation a table can be created again.",
        ("IRC-TBL-CREATE-014", "IRC-TBL-CREATE-024"),
        during(CREATE, "identifier-is-free", _learn_late),
    ),
    Fault("creates-with-a-snapshot", "A new table has a snapshot.", ("IRC-TBL-CREATE-023",), made_with(_with_snapshot)),
    Fault("creates-at-snapshot-0", "A new table is at the snapshot 0.", ("IRC-TBL-CREATE-023",), made_with(_at_snapshot_0)),
    Fault("counts-sequences-from-1", "The last sequence number of a new table is 1.", ("IRC-TBL-CREATE-023",), made_with(_sequence_from_1)),
    Fault(
        "wants-delegation",
        "Tables are created only by those who ask for access delegation.",
        ("IRC-TBL-CREATE-025",),
        refused_by_header(CREATE, DELEGATION, _is_absent),
    ),
    Fault(
        "knows-all-mechanisms",
        "An unknown mechanism of access delegation is refused.",
        ("IRC-TBL-CREATE-025",),
        refused_by_header(CREATE, DELEGATION, _is_unknown),
    ),
    Fault(
        "takes-one-mechanism",
        "More than one mechanism of access delegation is refused.",
        ("IRC-TBL-CREATE-025",),
        refused_by_header(CREATE, DELEGATION, _is_list),
    ),
    Fault(
        "configures-created-tables-with-flags",
        "The settings of created tables have a boolean among them.",
        ("IRC-TBL-CREATE-027",),
        on_answer(CREATE, _configured({"client.region": "eu-west-1", "s3.remote-signing-enabled": True})),
    ),
    Fault(
        "credentials-without-prefix",
        "The storage credentials of created tables have no prefix.",
        ("IRC-TBL-CREATE-027",),
        on_answer(CREATE, _configured({}, {"config": {"client.region": "eu-west-1"}})),
    ),
)
