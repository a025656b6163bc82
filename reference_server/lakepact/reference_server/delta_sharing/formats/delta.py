"""Response format delta: the actions of the log themselves, with signed URLs in place of paths.

Clients put a log of their own together from these lines and read it with a Delta library. So what
is said of the layout of the log that
is here is left out: the log that they make has another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lakepact.reference_server.delta_sharing.formats.links import (
    Links,
    ascii_json,
    file_id,
    once,
    size_of,
    stamps,
    stats_members,
)
from lakepact.reference_server.delta_sharing.log.active_files import Chunk
from lakepact.reference_server.delta_sharing.log.vectors import vector_path

Document = dict[str, Any]

#: Features of tables that say how the log is laid out or written, and nothing about data.
LOG_FEATURES = frozenset(
    {
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "inCommitTimestamp",
        "inCommitTimestamp-preview",
        "checkpointProtection",
        "catalogManaged",
        "catalogOwned",
        "catalogOwned-preview",
        "coordinatedCommits-preview",
    }
)
LOG_SETTINGS = (
    "delta.enableInCommitTimestamps",
    "delta.inCommitTimestamp",
    "delta.checkpoint",
    "delta.coordinatedCommits.",
    *(f"delta.feature.{feature}" for feature in sorted(LOG_FEATURES)),
)  #: beginnings of settings that say the same
PLACE = frozenset({"storageType", "pathOrInlineDv"})
REDACTED = frozenset({"tags", "path", "deletionVector"})


def protocol(protocol: Mapping[str, Any], *, version: int | None = None) -> Document:
    """Return the line that says what a client has to understand, from a version on if one is
    given.
    """
    result = {name: value for name, value in protocol.items() if value is not None}
    for member in ("readerFeatures", "writerFeatures"):
        if member in result:
            result[member] = [feature for feature in result[member] if feature not in LOG_FEATURES]
    return {
        "protocol": {"deltaProtocol": result}
        if version is None
        else {"deltaProtocol": result, "version": version}
    }


def metadata(
    metadata: Mapping[str, Any],
    *,
    access: Mapping[str, Any],
    version: int | None = None,
    size: int | None = None,
    num_files: int | None = None,
) -> Document:
    """Return the line that says what a table is (`Format.metadata`)."""
    action = {name: value for name, value in metadata.items() if value is not None}
    settings: Mapping[str, str] = action.get("configuration", {})
    action["configuration"] = {
        name: value for name, value in settings.items() if not name.startswith(LOG_SETTINGS)
    }
    action["format"] = {"provider": "parquet", "options": {}}
    members = {"version": version, "size": size, "numFiles": num_files}
    return {
        "metaData": {
            "deltaMetadata": action,
            **{name: value for name, value in members.items() if value is not None},
            **access,
        }
    }


def file(
    action: Mapping[str, Any],
    *,
    links: Links,
    columns: Sequence[str],
    version: int | None = None,
    timestamp: int | None = None,
) -> Document:
    """Return the line of a file that a table consists of (`Format.file`)."""
    del columns
    return _line(
        "add",
        {"modificationTime": 0, "dataChange": True, **action},
        links,
        stamps(links, version, timestamp),
    )


def change(
    kind: str,
    action: Mapping[str, Any],
    *,
    links: Links,
    columns: Sequence[str],
    version: int,
    timestamp: int,
) -> Document:
    """Return the line of a file that a version added or removed, or wrote its changed rows to
    (`Format.change`).
    """
    del columns
    return _line(kind, action, links, stamps(links, version, timestamp))


def _line(
    kind: str, action: Mapping[str, Any], links: Links, members: Mapping[str, int]
) -> Document:
    single: Document = {"path": links.url(action["path"]), "size": size_of(action)}
    single |= {
        name: value for name, value in action.items() if name not in REDACTED and value is not None
    }
    ids = {"id": file_id(action["path"])}
    vector = action.get("deletionVector")
    if vector is not None:
        path = vector_path(vector)
        single["deletionVector"] = _vector(vector, None if path is None else links.url(path))
        if path is not None:
            ids["deletionVectorFileId"] = file_id(path)
    return {"file": {**ids, "deltaSingleAction": {kind: single}, **members}}


def _vector(vector: Mapping[str, Any], url: str | None) -> Document:
    """Return a deletion vector that is at a URL, or in the log."""
    result = {name: value for name, value in vector.items() if value is not None}
    return result if url is None else result | {"storageType": "p", "pathOrInlineDv": url}


def block(chunk: Chunk, key: Callable[[str], str], columns: Sequence[str]) -> bytes:
    """Return the lines of the files of a chunk, with gaps for what every answer has of its own."""
    del columns
    partitions, others = once(chunk.partitions, ascii_json), once(chunk.others, _rest)
    vectors = (
        [("", "")] * len(chunk)
        if chunk.vectors is None
        else [_prepare_vector(vector, key) for vector in chunk.vectors]
    )
    columns_of_lines = zip(
        chunk.paths,
        chunk.partitions,
        chunk.sizes,
        chunk.mtimes,
        chunk.others,
        stats_members(chunk),
        vectors,
        strict=True,
    )
    lines = [
        f'{{"file":{{"id":"{file_id(path)}"{vector_id},"deltaSingleAction":{{"add":{{"path":"\0{key(path)}\1"'
        f',"partitionValues":{partitions[id(values)]},"size":{size},"modificationTime":{mtime}{others[id(rest)]}{stats}{vector}}}}}\2}}}}\n'
        for path, values, size, mtime, rest, stats, (vector, vector_id) in columns_of_lines
    ]
    return "".join(lines).encode("ascii")


def _rest(rest: Mapping[str, Any]) -> str:
    """Return members as they follow others."""
    return f",{ascii_json({'dataChange': True, **rest})[1:-1]}"


def _prepare_vector(vector: Mapping[str, Any] | None, key: Callable[[str], str]) -> tuple[str, str]:
    """Return a deletion vector as a member that follows others, and the id of its file likewise."""
    if vector is None:
        return "", ""
    path = vector_path(vector)
    if path is None:
        return f',"deletionVector":{ascii_json(_vector(vector, None))}', ""
    rest = ascii_json(
        {name: value for name, value in vector.items() if name not in PLACE and value is not None}
    )
    member = f',"deletionVector":{{"storageType":"p","pathOrInlineDv":"\0{key(path)}\1",{rest[1:]}'
    return member, f',"deletionVectorFileId":"{file_id(path)}"'
