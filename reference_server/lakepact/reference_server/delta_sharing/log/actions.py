"""The actions of one commit, checked for what a list of files rests on: a file that is missing or
counted twice is worse than a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.delta_sharing.log.listing import commit_name
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog, UnsupportedTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.generated.delta_sharing.documents import DeltaMetadataAction, DeltaProtocolAction
    from lakepact.reference_server.delta_sharing.log.listing import LogFolder

    Document = dict[str, Any]
    Key = str | tuple[str, str]

NEWEST_READER = 3
#: Reader features under which a list of files, and what is said of each, are what they are without
#: them, or are passed on as they are.
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
VECTORS = {
    "u": "relative to the table",
    "p": "absolute",
    "i": "inline",
}  #: the storage types of deletion vectors


@dataclass(frozen=True, slots=True)
class Commit:
    """The changes of one version of a table: the actions of its commit as documents."""

    version: int
    timestamp: int  #: milliseconds since 1970
    protocol: DeltaProtocolAction | None
    metadata: DeltaMetadataAction | None
    adds: tuple[Document, ...]
    removes: tuple[Document, ...]
    cdcs: tuple[Document, ...]


def actions(
    folder: LogFolder, name: str, only: Sequence[bytes] = ()
) -> Iterator[tuple[str, Any, str]]:
    """Yield each action of a file: its kind, document and position.

    Args:
        folder: the log.
        name: the file.
        only: a line is parsed if it contains one of these texts; empty parses all lines.

    Raises:
        DamagedLog: a line is not an action, or the file is empty.
        Vanished: the file does not exist.
    """
    has_any = False
    with folder.open(name) as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            has_any = True
            if only and not any(text in line for text in only):
                continue
            where = f"line {number} of {name}"
            try:
                document = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise DamagedLog(f"{where} is not JSON ({error})") from None
            if not isinstance(document, dict):
                raise DamagedLog(f"{where} is not a JSON object")
            for kind, action in document.items():
                if action is not None:
                    if not isinstance(action, dict):
                        raise DamagedLog(f"{where}: {kind!r} is not a JSON object")
                    yield kind, action, where
    if not has_any:
        raise DamagedLog(f"{name} holds no action")


def check_file(kind: str, action: Document, where: str) -> Document:
    """Return an add, remove or cdc action whose path, size, partition values, statistics and
    deletion vector are what they have to be.

    Raises:
        DamagedLog: they are not.
    """
    check_path_and_size(kind, action.get("path"), action.get("size"), where)
    if action.get("partitionValues") is not None:
        check_partition(action["partitionValues"], where)
    elif kind != "remove":
        action["partitionValues"] = {}
    if action.get("deletionVector") is not None:
        check_vector(action["deletionVector"], where)
    check_stats(action.get("stats"), where)
    return action


def check_path_and_size(kind: str, path: Any, size: Any, where: str) -> None:
    """Check that an action about a file has a path and a size.

    Raises:
        DamagedLog: one of them is missing.
    """
    if not isinstance(path, str) or not path:
        raise DamagedLog(f"{where}: {kind} without a path")
    if type(size) is int and 0 <= size < 1 << 63:
        return
    if (
        kind != "remove" or size is not None
    ):  # what was removed may have been written before sizes were noted
        raise DamagedLog(f"{where}: {kind} of {path!r} without a size")


def check_stats(stats: Any, where: str) -> str | None:
    """Return the text of statistics.

    Raises:
        DamagedLog: it is none.
    """
    if stats is None or isinstance(stats, str):
        return stats
    raise DamagedLog(f"{where}: the stats are not a string")


def check_partition(values: Any, where: str) -> None:
    """Partition values as a log has them.

    Raises:
        DamagedLog: they are not.
    """
    if not isinstance(values, dict) or not all(
        value is None or isinstance(value, str) for value in values.values()
    ):
        raise DamagedLog(f"{where}: the partitionValues are not an object of strings")


def check_vector(vector: Any, where: str) -> None:
    """Check that a deletion vector can be located and counted.

    Raises:
        DamagedLog: it cannot; without it deleted rows would reappear.
    """
    if (
        not isinstance(vector, dict)
        or vector.get("storageType") not in VECTORS
        or not isinstance(vector.get("pathOrInlineDv"), str)
    ):
        raise DamagedLog(f"{where}: a deletion vector that is stored in no known way")
    for member in ("sizeInBytes", "cardinality"):
        if type(vector.get(member)) is not int:
            raise DamagedLog(f"{where}: a deletion vector without {member}")


def key_of(path: str, vector: Mapping[str, Any] | None) -> Key:
    """Return the identity of a logical file: its path and its deletion vector."""
    if vector is None:
        return path
    offset = vector.get("offset")
    return (
        path,
        (
            f"{vector['storageType']}{vector['pathOrInlineDv']}{'' if offset is None else f'@{offset}'}"
        ),
    )


def check_protocol(protocol: Any, where: str) -> Any:
    """Return a protocol action that says which readers it takes.

    Raises:
        DamagedLog: it does not.
    """
    features = protocol.get("readerFeatures")
    if type(protocol.get("minReaderVersion")) is not int:
        raise DamagedLog(f"{where}: protocol without minReaderVersion")
    if features is not None and not (
        isinstance(features, list) and all(isinstance(feature, str) for feature in features)
    ):
        raise DamagedLog(f"{where}: the readerFeatures of the protocol are not a list of names")
    return protocol


def check_metadata(metadata: Any, where: str) -> Any:
    """Return a metaData action that says what a table is.

    Raises:
        DamagedLog: it does not.
    """
    for member, kind in (("id", str), ("schemaString", str), ("partitionColumns", list)):
        if not isinstance(metadata.get(member), kind):
            raise DamagedLog(f"{where}: metaData without {member}")
    if not all(isinstance(column, str) for column in metadata["partitionColumns"]):
        raise DamagedLog(f"{where}: the partitionColumns of the metaData are not names")
    configuration = metadata.get("configuration")
    if configuration is None:
        metadata["configuration"] = {}
    elif not isinstance(configuration, dict) or not all(
        isinstance(value, str) for value in configuration.values()
    ):
        raise DamagedLog(f"{where}: the configuration of the metaData is not an object of strings")
    return metadata


def check_support(protocol: DeltaProtocolAction) -> None:
    """Check that this server can read a table correctly.

    Raises:
        UnsupportedTable: the protocol is newer, or a table feature may change which rows a file
            has.
    """
    if protocol["minReaderVersion"] > NEWEST_READER:
        raise UnsupportedTable(
            f"the table needs reader version {protocol['minReaderVersion']}; this server knows them"
            f" up to {NEWEST_READER}"
        )
    unknown = sorted(set(protocol.get("readerFeatures") or ()) - READER_FEATURES)
    if unknown:
        raise UnsupportedTable(
            f"the table needs reader features that this server does not know: {', '.join(unknown)}"
        )


def commit_of(version: int, timestamp: int, folder: LogFolder) -> Commit:
    """Return one commit of a log.

    Raises:
        DamagedLog: its file holds none.
        Vanished: the file is not there.
    """
    protocol: DeltaProtocolAction | None = None
    metadata: DeltaMetadataAction | None = None
    files: dict[str, list[Document]] = {"add": [], "remove": [], "cdc": []}
    for kind, action, where in actions(folder, commit_name(version)):
        if kind in files:
            files[kind].append(check_file(kind, action, where))
        elif kind == "protocol":
            protocol = check_protocol(action, where)
        elif kind == "metaData":
            metadata = check_metadata(action, where)
    return Commit(
        version,
        timestamp,
        protocol,
        metadata,
        tuple(files["add"]),
        tuple(files["remove"]),
        tuple(files["cdc"]),
    )
