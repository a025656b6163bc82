"""View metadata documents: where one begins, and how each follows the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.documents import (
    INT32,
    as_text,
    child,
    hashable,
    integer,
    objects,
    refusal,
    text,
    texts,
)
from lakepact.reference_server.iceberg_rest.tables.metadata import with_id
from lakepact.reference_server.iceberg_rest.tables.schemas import columns

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from lakepact.generated.iceberg_rest import documents

FORMAT_VERSION = 1
#: The format version of tables whose types the columns of a view may have: a view reads tables of
#: every version.
TYPES_OF = 3
FIRST_VERSION = 1
#: Members that two equal versions share; the time is none of them.
_MEANING = ("schema-id", "summary", "representations", "default-catalog", "default-namespace")
HISTORY_SIZE = (
    "version.history.num-entries"  #: the property that says how many versions a view keeps
)
DEFAULT_HISTORY_SIZE = 10
DIALECTS_MAY_GO = (
    "replace.drop-dialect.allowed"  #: the property without which no dialect of a view gets lost
)


def new_view_metadata(
    request: documents.CreateViewRequest, *, view_uuid: str, location: str, now_ms: int
) -> documents.ViewMetadata:
    """Return the metadata of the view that a create request describes: one schema and one version,
    which is current.

    The ids of its fields stay as they are, for the engine that made the view has bound its columns
    to them.

    Args:
        request: body of a create request; its name and location are not looked at.
        view_uuid: uuid of the view.
        location: where the view lives.
        now_ms: the time of creation.

    Raises:
        Problem: 400, the schema, the version or a property is not valid.
    """
    properties = (
        dict(texts(request, "properties", "")) if request.get("properties") is not None else {}
    )
    schema = valid_schema(request, "")
    version: documents.ViewVersion = valid_version(request, "")
    version = {**version, "version-id": following_id(version, "/view-version"), "schema-id": 0}
    return {
        "view-uuid": view_uuid,
        "format-version": FORMAT_VERSION,
        "location": location,
        "current-version-id": version["version-id"],
        "versions": [version],
        "version-log": [{"version-id": version["version-id"], "timestamp-ms": now_ms}],
        "schemas": [{**schema, "schema-id": 0}],
        "properties": properties,
    }


def valid_schema(
    holder: documents.CreateViewRequest | documents.AddSchemaUpdate, where: str
) -> documents.Schema:
    """Return the member `schema` of a request or update, if it is valid.

    Raises:
        Problem: 400, it is not.
    """
    schema: documents.Schema = child(holder, "schema", where)
    columns(schema, f"{where}/schema", format_version=TYPES_OF, ids=INT32)
    return schema


def valid_version(
    holder: documents.CreateViewRequest | documents.AddViewVersionUpdate, where: str
) -> documents.ViewVersion:
    """Return the member `view-version` of a request or update, if its representations can stand
    beside each other.

    Raises:
        Problem: 400, there is none, or one of an unknown kind, or two of one dialect.
    """
    version: documents.ViewVersion = child(holder, "view-version", where)
    here = f"{where}/view-version"
    integer(version, "timestamp-ms", here)
    representations = objects(version, "representations", here)
    if not representations:
        raise refusal(f"{here}/representations", "expected at least one representation, found none")
    dialects: set[str] = set()
    for index, representation in enumerate(representations):
        place = f"{here}/representations/{index}"
        if representation.get("type") != "sql":
            raise refusal(
                f"{place}/type",
                "expected sql, the only kind of representation, found"
                f" {as_text(representation.get('type'))}",
            )
        text(representation, "sql", place)
        dialect = text(representation, "dialect", place)
        if dialect.casefold() in dialects:
            # Kind and words as Iceberg's own library has them: its clients make of the kind the
            # error that their callers expect.
            why = f"Invalid view version: Cannot add multiple queries for dialect {dialect[:100]}"
            raise Problem(400, "IllegalArgumentException", f"at {place}/dialect: {why}")
        dialects.add(dialect.casefold())
    return version


def version_meaning(version: documents.ViewVersion) -> Hashable:
    """Return the meaning of a version: equal for the same versions, and only for them. The time
    does not count.
    """
    return tuple(hashable(version.get(member)) for member in _MEANING)


def following_id(
    version: documents.ViewVersion, where: str, *, highest: int = FIRST_VERSION - 1
) -> int:
    """Return the id of a new version: the one that it brings if that is above the highest one, else
    the next.

    Raises:
        Problem: 400, the id is no integer of 32 bits, or none is left.
    """
    own_id = integer(version, "version-id", where, within=INT32)
    following = highest + 1
    if following not in INT32:
        raise refusal(
            f"{where}/version-id", f"no id is left: the view has a version {following - 1}"
        )
    return max(own_id, following)


def finish_view_commit(
    metadata: documents.ViewMetadata, previous: documents.ViewMetadata
) -> documents.ViewMetadata:
    """Return the document as it is stored: no dialect of the current version gets lost, and the
    oldest versions go.

    As many versions stay as the property `version.history.num-entries` says, those that are new and
    the current one in any case. The log begins behind the last entry of a version that is gone.

    Args:
        metadata: the new document; when it is `previous` itself, it is returned as it is.
        previous: the document that is replaced.

    Raises:
        Problem: 400, the new current version lacks a dialect of the former one, and no property
            allows it.
    """
    if metadata is previous:
        return metadata
    _dialects_stay(metadata, previous)
    before = {version["version-id"] for version in previous["versions"]}
    newest = sorted((version["version-id"] for version in metadata["versions"]), reverse=True)
    numbers = {
        metadata["current-version-id"],
        *(number for number in newest if number not in before),
    }
    room = max(0, _history_size(metadata.get("properties") or {}) - len(numbers))
    numbers.update([number for number in newest if number not in numbers][:room])
    if len(numbers) == len(newest):
        return metadata
    log = metadata["version-log"]
    begin = max(
        (place for place, entry in enumerate(log, 1) if entry["version-id"] not in numbers),
        default=0,
    )
    versions = [version for version in metadata["versions"] if version["version-id"] in numbers]
    return {**metadata, "versions": versions, "version-log": log[begin:]}


def _dialects_stay(metadata: documents.ViewMetadata, previous: documents.ViewMetadata) -> None:
    if (metadata.get("properties") or {}).get(DIALECTS_MAY_GO, "false").casefold() == "true":
        return
    missing = sorted(_dialects(previous) - _dialects(metadata))
    if missing:
        why = (
            f"the new current version has no representation for {', '.join(missing)}; keep it, or set"
            f" the property {DIALECTS_MAY_GO}=true"
        )
        raise refusal("/updates", why)


def _dialects(metadata: documents.ViewMetadata) -> set[str]:
    current: Any = with_id(metadata["versions"], "version-id", metadata["current-version-id"])
    return {
        representation["dialect"].casefold()
        for representation in (current or {}).get("representations", ())
    }


def _history_size(properties: Mapping[str, str]) -> int:
    try:
        return max(1, int(properties.get(HISTORY_SIZE, DEFAULT_HISTORY_SIZE)))
    except ValueError:
        # Properties are free text; one that is no number must not make each later commit fail.
        return DEFAULT_HISTORY_SIZE
