"""The actions of one commit, checked for what a list of files rests on: a file that is missing or counted twice is worse than a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from .refusals import DamagedLog, UnsupportedTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = dict[str, Any]

NEWEST_READER = 3
#: Reader features under which a list of files, and what is said of each, are what they are without them, or are passed on as they are.
READER_FEATURES = frozenset(
    {
        "columnMapping",
        "deletionVectors",
        "timestampNtz",
        "typeWidening",
        "typeWidening-preview",
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "variantType",
        "variantType-preview",
        "variantShredding-preview",
    }
)
VECTORS = {"u": "relative to the table", "p": "absolute", "i": "inline"}  #: the storage types of deletion vectors


@dataclass(frozen=True, slots=True)
class Commit:
    """What one version of a table changed: the actions as documents, as the log has them."""

    version: int
    timestamp: int  #: milliseconds since 1970
    protocol: Document | None
    metadata: Document | None
    adds: tuple[Document, ...]
    removes: tuple[Document, ...]
    cdcs: tuple[Document, ...]


def actions(data: bytes, name: str) -> Iterator[tuple[str, Document, str]]:
    """Each action of a file: its kind, its document, and where it stands.

    Raises:
        DamagedLog: a line is not an action, or there is none at all.
    """
    found = False
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line or line.isspace():
            continue
        found = True
        try:
            document = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise DamagedLog(f"line {number} of {name} is not JSON ({error})") from None
        if not isinstance(document, dict):
            raise DamagedLog(f"line {number} of {name} is not a JSON object")
        for kind, action in document.items():
            if action is not None:
                if not isinstance(action, dict):
                    raise DamagedLog(f"line {number} of {name}: {kind!r} is not a JSON object")
                yield kind, action, f"line {number} of {name}"
    if not found:
        raise DamagedLog(f"{name} holds no action")


def checked_file(kind: str, action: Document, where: str) -> Document:
    """An add, remove or cdc action whose path, size, partition values and deletion vector are what they have to be.

    Raises:
        DamagedLog: they are not.
    """
    path, size, partition = action.get("path"), action.get("size"), action.get("partitionValues")
    if not isinstance(path, str) or not path:
        raise DamagedLog(f"{where}: {kind} without a path")
    unsaid = kind == "remove" and size is None  # what was removed may have been written before sizes were noted
    if not unsaid and (type(size) is not int or size < 0):
        raise DamagedLog(f"{where}: {kind} of {path!r} without a size")
    if partition is None:
        if kind != "remove":
            action["partitionValues"] = {}
    elif not isinstance(partition, dict) or not all(value is None or isinstance(value, str) for value in partition.values()):
        raise DamagedLog(f"{where}: the partitionValues of {path!r} are not an object of strings")
    vector = action.get("deletionVector")
    if vector is not None:
        checked_vector(vector, where)
    stats = action.get("stats")
    if stats is not None and not isinstance(stats, str):
        raise DamagedLog(f"{where}: the stats of {path!r} are not a string")
    return action


def checked_vector(vector: Any, where: str) -> None:
    """A deletion vector that can be found and counted.

    Raises:
        DamagedLog: it cannot; without it deleted rows would come back.
    """
    if not isinstance(vector, dict) or vector.get("storageType") not in VECTORS or not isinstance(vector.get("pathOrInlineDv"), str):
        raise DamagedLog(f"{where}: a deletion vector that is stored in no known way")
    for member in ("sizeInBytes", "cardinality"):
        if type(vector.get(member)) is not int:
            raise DamagedLog(f"{where}: a deletion vector without {member}")


def key_of(path: str, vector: Mapping[str, Any] | None) -> str | tuple[str, str]:
    """What makes a logical file: its path, and the deletion vector that it is read with."""
    if vector is None:
        return path
    offset = vector.get("offset")
    return path, f"{vector['storageType']}{vector['pathOrInlineDv']}{'' if offset is None else f'@{offset}'}"


def checked_protocol(protocol: Document, where: str) -> Document:
    """A protocol action that says which readers it takes.

    Raises:
        DamagedLog: it does not.
    """
    features = protocol.get("readerFeatures")
    if type(protocol.get("minReaderVersion")) is not int:
        raise DamagedLog(f"{where}: protocol without minReaderVersion")
    if features is not None and not (isinstance(features, list) and all(isinstance(feature, str) for feature in features)):
        raise DamagedLog(f"{where}: the readerFeatures of the protocol are not a list of names")
    return protocol


def checked_metadata(metadata: Document, where: str) -> Document:
    """A metaData action that says what a table is.

    Raises:
        DamagedLog: it does not.
    """
    for member, kind in (("id", str), ("schemaString", str), ("partitionColumns", list)):
        if not isinstance(metadata.get(member), kind):
            raise DamagedLog(f"{where}: metaData without {member}")
    if not isinstance(metadata.get("configuration") or {}, dict):
        raise DamagedLog(f"{where}: the configuration of the metaData is not an object")
    return metadata


def understood(protocol: Document) -> None:
    """A table that this server reads rightly.

    Raises:
        UnsupportedTable: it has a newer protocol, or a feature that may change which files are rows of it.
    """
    if protocol["minReaderVersion"] > NEWEST_READER:
        raise UnsupportedTable(
            f"the table needs reader version {protocol['minReaderVersion']}; this server knows them up to {NEWEST_READER}"
        )
    unknown = sorted(set(protocol.get("readerFeatures") or ()) - READER_FEATURES)
    if unknown:
        raise UnsupportedTable(f"the table needs reader features that this server does not know: {', '.join(unknown)}")


def commit_of(version: int, timestamp: int, data: bytes, name: str) -> Commit:
    """The commit that a file holds.

    Raises:
        DamagedLog: it holds none.
    """
    protocol: Document | None = None
    metadata: Document | None = None
    files: dict[str, list[Document]] = {"add": [], "remove": [], "cdc": []}
    for kind, action, where in actions(data, name):
        if kind in files:
            files[kind].append(checked_file(kind, action, where))
        elif kind == "protocol":
            protocol = checked_protocol(action, where)
        elif kind == "metaData":
            metadata = checked_metadata(action, where)
    return Commit(version, timestamp, protocol, metadata, tuple(files["add"]), tuple(files["remove"]), tuple(files["cdc"]))
