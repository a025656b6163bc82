"""Lines of delta format: invariants over every answer that is in it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Exchange,
    NotOffered,
    OperationId,
    Placed,
    SharingLab,
    Unmet,
    check,
    expect,
    invariant,
    ndjson,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    ask,
    by_url,
    questions,
)
from lakepact.conformance.checks.delta_sharing.lines.parquet import (
    check_access_modes,
    expire_later,
    locations_are_texts,
)

LINES = ("protocol", "metaData", "file", ndjson.END)
OF_ALL = ("path", "partitionValues", "size", "dataChange", "tags")

#: Members of Delta's actions.
MEMBERS = {
    "add": frozenset(
        {
            *OF_ALL,
            "modificationTime",
            "stats",
            "deletionVector",
            "baseRowId",
            "defaultRowCommitVersion",
            "clusteringProvider",
        }
    ),
    "remove": frozenset(
        {
            *OF_ALL,
            "deletionTimestamp",
            "extendedFileMetadata",
            "stats",
            "deletionVector",
            "baseRowId",
            "defaultRowCommitVersion",
        }
    ),
    "cdc": frozenset(OF_ALL),
}

#: Keys of queries by which the Delta kernel knows a signed URL.
SIGNED = frozenset(
    {"x-amz-signature", "sp", "x-goog-credential", "x-oss-credential", "x-databricks-signature"}
)


def metadata(exchange: Exchange) -> list[Placed]:
    """Return the metaData lines of an answer in delta format, as they wrap the action."""
    return list(ndjson.objects(ndjson.in_form(exchange, ndjson.DELTA), "metaData"))


def files(exchange: Exchange, *operations: OperationId) -> list[Placed]:
    """Return the file lines of an answer in delta format."""
    return list(
        ndjson.objects(
            ndjson.in_form(exchange, ndjson.DELTA, *(operations or (ndjson.QUERY, ndjson.CHANGES))),
            "file",
        )
    )


def actions(exchange: Exchange) -> list[Placed]:
    """Return the actions that the file lines of an answer wrap; lines without one are checked by
    `files_wrap_one_action`.
    """
    return list(
        ndjson.objects(ndjson.objects(files(exchange), "deltaSingleAction"), *ndjson.ACTIONS)
    )


@invariant("DS-DWP-01", traffic=ndjson.TOUR)
def lines_have_one_wrapper_in_delta_format(exchange: Exchange) -> bool:
    """Each line in delta format has exactly one of `protocol`, `metaData`, `file` and
    `endStreamAction`.
    """
    lines = ndjson.in_form(exchange, ndjson.DELTA)
    for line in lines or ():
        members = ", ".join(map(str, line)) or "an empty object"
        expect.true(
            ndjson.kind_of(line) in LINES,
            f"one of {', '.join(LINES)} on each line",
            members,
            at=line.place(),
        )
    return bool(lines)


@invariant("DS-DPR-01", traffic=ndjson.TOUR)
def protocol_is_wrapped(exchange: Exchange) -> bool:
    """The protocol line in delta format has a valid `deltaProtocol`."""
    return _fit(exchange, "protocol", "DeltaProtocolLine")


@invariant("DS-DMD-01", traffic=ndjson.TOUR)
def metadata_is_wrapped(exchange: Exchange) -> bool:
    """The metaData line in delta format has a valid `deltaMetadata`."""
    lines = metadata(exchange)
    for line in lines:
        ndjson.fits(
            "DeltaMetadataAction",
            ndjson.required(line, "deltaMetadata", dict, "metaData"),
            line.place("deltaMetadata"),
        )
    return bool(lines)


def _fit(exchange: Exchange, kind: str, component: str) -> bool:
    lines = [
        line for line in ndjson.in_form(exchange, ndjson.DELTA) or () if line.get(kind) is not None
    ]
    for line in lines:
        ndjson.fits(component, {kind: line[kind]}, line.place())
    return bool(lines)


@invariant("DS-DMD-06", traffic=ndjson.TOUR)
def auxiliary_locations_are_texts_in_delta_format(exchange: Exchange) -> bool:
    """`auxiliaryLocations` in metaData, if present, is an array of strings."""
    return locations_are_texts(metadata(exchange))


@invariant("DS-DMD-07", traffic=ndjson.TOUR)
def access_modes_are_known_in_delta_format(exchange: Exchange) -> bool:
    """`accessModes` in metaData, if present, holds url, dir or both."""
    return check_access_modes(metadata(exchange))


@invariant("DS-DFL-05", traffic=ndjson.TOUR)
def urls_expire_in_the_future_in_delta_format(exchange: Exchange) -> bool:
    """The `expirationTimestamp` of a file, if present, is in milliseconds and after the response's
    Date.
    """
    return expire_later(exchange, files(exchange))


@invariant("DS-DFL-06", traffic=ndjson.TOUR)
def files_wrap_one_action(exchange: Exchange) -> bool:
    """Each file line wraps one valid `add`, `remove` or `cdc` as `deltaSingleAction`, whose `path`
    is a URL.
    """
    file_lines = files(exchange)
    for file in file_lines:
        kind, action = ndjson.action_of(file)
        url = urlsplit(ndjson.required(action, "path", str, kind))
        expect.true(
            url.scheme in {"http", "https"} and bool(url.netloc),
            "a URL as path",
            url.path[:100],
            at=action.place("path"),
        )
        ndjson.fits(
            {"add": "DeltaAddAction", "remove": "DeltaRemoveAction", "cdc": "DeltaCdcAction"}[kind],
            action,
            action.place(),
        )
    return bool(file_lines)


@check("DS-DFL-06")
def actions_have_the_members_of_delta(lab: SharingLab) -> None:
    """Wrapped actions have only members of Delta's actions, and `dataChange` is false for a `cdc`
    and true otherwise.
    """
    has_files = False
    for table in by_url(lab):
        for question in questions(lab, table):
            reply = ask(lab, table, question, ONE_FORMAT[ndjson.DELTA])
            for kind, strange in _strange(reply.exchange).items():
                of_delta = f"the members of Delta's {kind} in {question.what} of {table.name}"
                lab.warn(
                    "DS-DFL-06", expected=of_delta, actual=f"{', '.join(sorted(strange))[:200]} too"
                )
            if question.is_of_changes:
                for kind, data_change in _wrong_data_change(reply.exchange):
                    of_delta = (
                        f"dataChange as Delta's log has it in {kind} in {question.what} of"
                        f" {table.name}"
                    )
                    lab.warn("DS-DFL-06", expected=of_delta, actual=expect.excerpt(data_change))
            has_files |= bool(files(reply.exchange))
    if not has_files:
        raise NotOffered("no table that is read by URLs is answered in delta format")
    lab.note("DS-DFL-06", "")


def _strange(exchange: Exchange) -> dict[str, set[str]]:
    """Return the members of each kind of action that Delta does not know."""
    by_kind: dict[str, set[str]] = {}
    with contextlib.suppress(Unmet):  # An invariant checks lines without an action.
        for kind, action in map(ndjson.action_of, files(exchange)):
            if action.keys() - MEMBERS[kind]:
                by_kind.setdefault(kind, set()).update(action.keys() - MEMBERS[kind])
    return by_kind


def _wrong_data_change(exchange: Exchange) -> Iterator[tuple[str, Any]]:
    """Yield each kind of action with a wrong `dataChange`, and that value: false is right for
    `cdc`, true for `add` and `remove`.
    """
    by_kind: Document = {}
    with contextlib.suppress(Unmet):
        for kind, action in map(ndjson.action_of, files(exchange)):
            if action.get("dataChange") is not (kind != "cdc"):
                by_kind.setdefault(kind, action.get("dataChange"))
    yield from by_kind.items()


@invariant("DS-DFL-08", traffic=ndjson.TOUR)
def files_wrap_any_action(exchange: Exchange) -> bool:
    """A file line wraps exactly one of `add`, `remove` and `cdc`."""
    file_lines = files(exchange)
    for file in file_lines:
        ndjson.action_of(file)
    return bool(file_lines)


@invariant("DS-DF-01", traffic=ndjson.TOUR)
def urls_are_known_as_signed(exchange: Exchange) -> bool:
    """The URL of a file in delta format has a query key by which the Delta kernel recognizes a
    signed URL.
    """
    urls = [
        (at, url) for at, url in ndjson.members(actions(exchange), "path") if isinstance(url, str)
    ]
    for at, url in urls:
        keys = {key.lower() for key, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)}
        query_keys = ", ".join(sorted(keys)) or "no query"
        expect.true(
            bool(keys & SIGNED),
            f"one of the query keys {', '.join(sorted(SIGNED))}",
            query_keys,
            at=at,
        )
    return bool(urls)


@invariant("DS-DF-16", traffic=ndjson.TOUR)
def deletion_vectors_are_files(exchange: Exchange) -> bool:
    """A stored deletion vector has `storageType` p and a `deletionVectorFileId`, and its data file
    has a `size`.
    """
    has_vectors = False
    for file in files(exchange):
        for action in (file.get("deltaSingleAction") or {}).values():
            vector = action.get("deletionVector") if isinstance(action, dict) else None
            if isinstance(vector, Placed) and vector.get("storageType") != "i":
                has_vectors = True
                expect.equal(
                    "p", vector.get("storageType"), "storageType", at=vector.place("storageType")
                )
                ndjson.required(
                    file, "deletionVectorFileId", str, "a file line with a deletion vector"
                )
                ndjson.required(action, "size", int, "a file with a deletion vector")
    return has_vectors


@invariant("DS-DF-17", traffic=ndjson.TOUR)
def changes_are_dated_in_delta_format(exchange: Exchange) -> bool:
    """Changes in delta format have `version` and `timestamp` in each file line, and `version` in
    metaData.
    """
    file_lines = files(exchange, ndjson.CHANGES)
    for file in file_lines:
        for member in ("version", "timestamp"):
            ndjson.required(file, member, int, "a file line of changes")
    for one in metadata(exchange) if file_lines else ():
        ndjson.required(one, "version", int, "metaData of changes")
    return bool(file_lines)
