"""Parsing the bytes of an answer, block by block, with one block in memory.

A listing may have millions of lines, so this is written for speed. A block that has only file lines
is kept unparsed, and parsed at once at the first access to a file; files become values without
intermediate steps. Only after an error are lines parsed
one by one, to find the invalid one. Messages quote no line: it may hold signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import repeat
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from lakepact.client.decoding import explain
from lakepact.client.delta_sharing.capabilities import unsupported_part
from lakepact.client.delta_sharing.lines import (
    DeletionVector,
    EndOfStream,
    Facts,
    FileBlock,
    Format,
    Kind,
    Line,
    Metadata,
    Protocol,
    QueryStatus,
    SharedFile,
)
from lakepact.client.errors import (
    BadReply,
    DamagedData,
    Failure,
    LimitExceeded,
    QueryFailed,
    UpgradeNeeded,
)
from lakepact.client.limits import Limits
from lakepact.generated.delta_sharing import models

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_KINDS: dict[str, Kind] = {"file": "file", "add": "add", "remove": "remove", "cdf": "cdf"}
_ACTIONS: dict[str, Kind] = {"add": "add", "remove": "remove", "cdc": "cdf"}
_MODELS: dict[str, type[BaseModel]] = {
    "file": models.ParquetFile,
    "add": models.ParquetAdd,
    "remove": models.ParquetRemove,
    "cdf": models.ParquetCdf,
}
_MEMBERS = frozenset({*_KINDS, "protocol", "metaData", "endStreamAction", "queryStatus"})

#: How a line begins that tells of a file, as nearly all servers write it, and the line after
#: another.
_FILE, _NEXT_FILE = b'{"file":', b'\n{"file":'

_new: Callable[..., Facts] = tuple.__new__


class _Wrong(Exception):
    """A line breaks the contract."""


class LineReader:
    """Reads one answer, or one page of it.

    Args:
        formats: The response formats that were asked for.
        gives_changes: Whether files are those that versions added and removed.
        promises_end: Whether the server promised to say where the answer ends.
        failure: Makes what an error tells of the call.
        is_delta: Whether the answer is in delta format, where that is known before its protocol is.
        longest: Bytes of a line that is taken in, at most.
        may_wait: Whether the server may run the query in the background.
    """

    def __init__(
        self,
        *,
        formats: Collection[Format],
        gives_changes: bool,
        promises_end: bool,
        failure: Callable[[str], Failure],
        is_delta: bool | None = None,
        longest: int = Limits().line,
        may_wait: bool = False,
    ) -> None:
        self._formats = formats
        self._kind_of_add: Kind = "add" if gives_changes else "file"
        self._promises_end = promises_end
        self._failure = failure
        self._longest = longest
        self._may_wait = may_wait
        self._started: list[bytes] = []
        self._held = 0
        self._lines = 0
        #: Whether the answer is in delta format; None before that is known.
        self.is_delta = is_delta
        #: The state of the query, where it runs in the background and has no answer yet.
        self.status: QueryStatus | None = None
        self._end: EndOfStream | None = None

    def feed(self, block: bytes) -> list[Line]:
        """Return the lines that end in `block`.

        Raises:
            BadReply: A line is not what the contract says.
            LimitExceeded: A line is longer than allowed.
            UpgradeNeeded: The table needs a later reader.
            QueryFailed: The server says that it gave up.
        """
        at = block.rfind(b"\n")
        self._held = len(block) - at - 1 if at >= 0 else self._held + len(block)
        if self._held > self._longest:
            message = (
                f"line {self._lines + 1} of the reply is longer than {self._longest} bytes;"
                " Limits(line=…) allows more"
            )
            raise LimitExceeded(self._failure(message))
        if at < 0:
            self._started.append(block)
            return []
        pieces: tuple[bytes | memoryview, ...] = (*self._started, memoryview(block)[:at])
        self._started = [block[at + 1 :]] if at + 1 < len(block) else []
        return self._read(pieces)

    def end(self) -> tuple[list[Line], EndOfStream | None]:
        """Return the last line, where it does not end in a newline, and what the end of the answer
        says, if it says something.

        Raises:
            DamagedData: The server promised to say where the answer ends, and did not.
            BadReply: As for `feed`.
        """
        lines = self._read(tuple(self._started)) if self._started else []
        self._started = []
        if self._promises_end and self._end is None and self.status is None:
            raise DamagedData(
                self._failure(
                    "the reply breaks off: the server promised to say where it ends, and did not"
                )
            )
        return lines, self._end

    def _read(self, pieces: tuple[bytes | memoryview, ...]) -> list[Line]:
        """Return the lines of a block, which comes in pieces."""
        text = b"".join(pieces)
        before, count = self._lines, text.count(b"\n") + 1
        if (
            self.is_delta is not None
            and self._end is None
            and text.startswith(_FILE)
            and text.count(_NEXT_FILE) == count - 1
        ):
            self._lines += count
            block = FileBlock(partial(self._facts, text, before, is_delta=self.is_delta))
            return list(map(SharedFile, repeat(block), range(count)))
        documents = _documents(text) or list(_objects(text))
        self._lines += len(documents)
        return self._one_by_one(documents, before, self._line)

    def _facts(self, text: bytes, before: int, *, is_delta: bool) -> list[Facts]:
        """Return the file lines of a block that starts after so many lines."""
        documents = _documents(text)
        # Nearly all lines have one member, and are of the format that the protocol is of.
        if documents is not None and sum(map(len, documents)) == len(documents):
            try:
                if is_delta:
                    add = self._kind_of_add
                    return [_delta_file(document["file"], add) for document in documents]
                return [_parquet_file(document["file"], "file") for document in documents]
            except (_Wrong, KeyError, TypeError, AttributeError):
                pass
        return self._one_by_one(
            _objects(text), before, lambda document: self._file(*_member(document))
        )

    def _one_by_one(
        self, documents: Iterable[Any], before: int, read: Callable[[Any], T | None]
    ) -> list[T]:
        """Yield the value of each document, whose line comes after so many others."""
        items: list[T] = []
        number, document = before, None
        try:
            for document in documents:
                number += 1
                line = read(document)
                if line is not None:
                    items.append(line)
        except _Wrong as wrong:
            reason = str(wrong)
        except (KeyError, TypeError, AttributeError):
            reason = _why(document)
        else:
            return items
        # Raised out here so that the original is not carried along.
        raise BadReply(self._failure(f"line {number} of the reply {reason}"))

    def _line(self, document: Any) -> Line | None:
        """Return the value of a line of any kind; None for the end."""
        if self._end is not None:
            raise _Wrong("comes after the one that says where the reply ends")
        name, value = _member(document)
        if name == "endStreamAction":
            self._end = self._end_of_stream(value)
            return None
        if name == "queryStatus":
            self.status = self._status(value)
            return None
        if name in _KINDS:
            return SharedFile.of(self._file(name, value))
        is_delta = "deltaProtocol" in value or "deltaMetadata" in value
        self._check(is_delta=is_delta)
        if name == "metaData":
            return _metadata(value)
        self.is_delta = is_delta
        return self._protocol(value)

    def _file(self, name: str, value: Any) -> Facts:
        is_delta = name == "file" and "deltaSingleAction" in value
        self._check(is_delta=is_delta)
        return (
            _delta_file(value, self._kind_of_add)
            if is_delta
            else _parquet_file(value, _KINDS[name])
        )

    def _check(self, *, is_delta: bool) -> None:
        if is_delta and "delta" not in self._formats:
            raise _Wrong("is in delta format, which was not asked for")

    def _protocol(self, value: Any) -> Protocol:
        protocol = _protocol(value)
        if (missing := unsupported_part(protocol)) is not None:
            raise UpgradeNeeded(self._failure(missing))
        return protocol

    def _status(self, value: Any) -> QueryStatus:
        if not self._may_wait:
            raise _Wrong("is the status of a query in the background, which was not asked for")
        status = _validate(models.QueryStatus, value)
        return QueryStatus(query_id=status.query_id, status=status.status)

    def _end_of_stream(self, value: Any) -> EndOfStream:
        end = _validate(models.EndStreamAction, value)
        if end.error_message is not None:
            raise QueryFailed(self._failure(end.error_message))
        return EndOfStream(
            refresh_token=end.refresh_token or None,
            next_page_token=end.next_page_token or None,
            min_url_expiration=end.min_url_expiration_timestamp,
        )


def _member(document: Any) -> tuple[str, Any]:
    """Return kind and content of a line."""
    if not isinstance(document, dict):
        raise _Wrong("is not a JSON object")
    # Later versions of the contract may add members. They send lines of unknown kinds only to
    # clients that request them.
    names = [name for name in document if name in _MEMBERS]
    if len(names) != 1:
        raise _Wrong(
            f"holds {' and '.join(names) or 'nothing'} of what a line is about, and there is to be"
            " one of it"
        )
    return names[0], document[names[0]]


def _documents(text: bytes) -> list[Any] | None:
    """Return the JSON objects of a block, one for each of its lines; None where it is not just
    that.
    """
    try:
        documents: list[Any] = from_json(
            b"".join((b"[", text.replace(b"\n", b","), b"]")),
            allow_inf_nan=False,
            cache_strings="keys",
        )
    except ValueError:
        return None
    # Two objects in a line, or one in two, would have passed as well.
    return (
        documents
        if len(documents) == text.count(b"\n") + 1 and set(map(type, documents)) == {dict}
        else None
    )


def _objects(text: bytes) -> Iterator[Any]:
    """Yield the JSON value of each line that is not blank; None for what is none."""
    for line in text.split(b"\n"):
        if line.strip():
            try:
                yield from_json(line, allow_inf_nan=False)
            except ValueError:
                yield None


def _parquet_file(document: dict[str, Any], kind: Kind) -> Facts:
    get = document.get
    url = document["url"]
    id_ = document["id"]
    values = document["partitionValues"]
    size = document["size"]
    stats = get("stats")
    version = get("version")
    timestamp = get("timestamp")
    expiration = get("expirationTimestamp")
    if (
        type(url) is not str
        or type(id_) is not str
        or type(values) is not dict
        or type(size) is not int
        or (stats is not None and type(stats) is not str)
        or (version is not None and type(version) is not int)
        or (timestamp is not None and type(timestamp) is not int)
        or (expiration is not None and type(expiration) is not int)
        or (kind != "file" and (version is None or timestamp is None))
    ):
        raise TypeError
    for value in values.values():
        if value is not None and type(value) is not str:
            raise TypeError
    return _new(
        Facts,
        (kind, url, id_, values, size, stats, version, timestamp, expiration, None, None, False),
    )


def _delta_file(document: dict[str, Any], add: Kind) -> Facts:
    get = document.get
    id_ = document["id"]
    version = get("version")
    timestamp = get("timestamp")
    expiration = get("expirationTimestamp")
    vector_id = get("deletionVectorFileId")
    kind, action = _action(document["deltaSingleAction"], add)
    get = action.get
    url, values, size, stats = action["path"], get("partitionValues"), get("size"), get("stats")
    if values is None and kind == "remove":
        values = {}
    if (
        type(url) is not str
        or type(id_) is not str
        or type(values) is not dict
        or (type(size) is not int and (kind != "remove" or size is not None))
        or (stats is not None and type(stats) is not str)
        or (version is not None and type(version) is not int)
        or (timestamp is not None and type(timestamp) is not int)
        or (expiration is not None and type(expiration) is not int)
        or (vector_id is not None and type(vector_id) is not str)
    ):
        raise TypeError
    for value in values.values():
        if value is not None and type(value) is not str:
            raise TypeError
    vector = get("deletionVector")
    vector = None if vector is None else _deletion_vector(vector)
    return _new(
        Facts,
        (
            kind,
            url,
            id_,
            values,
            size,
            stats,
            version,
            timestamp,
            expiration,
            vector,
            vector_id,
            True,
        ),
    )


def _action(single: dict[str, Any], add: Kind) -> tuple[Kind, dict[str, Any]]:
    """Return the kind of file that an action of the log tells of, and the action."""
    actions = [
        (name, action) for name, action in single.items() if name in _ACTIONS and action is not None
    ]
    if len(actions) != 1:
        raise _Wrong("has a deltaSingleAction that is not one of add, remove and cdc")
    ((name, action),) = actions
    return (add if name == "add" else _ACTIONS[name]), action


def _deletion_vector(document: Any) -> DeletionVector:
    vector = _validate(models.DeletionVector, document)
    return DeletionVector(
        storage_type=vector.storage_type,
        path_or_inline=vector.path_or_inline_dv,
        offset=vector.offset,
        size=vector.size_in_bytes,
        cardinality=vector.cardinality,
    )


def _protocol(value: dict[str, Any]) -> Protocol:
    if "deltaProtocol" not in value:
        plain = _validate(models.ParquetProtocol, value)
        return Protocol(format="parquet", min_reader_version=plain.min_reader_version)
    around = _validate(models.DeltaProtocol, value)
    action = around.delta_protocol
    features = frozenset(action.reader_features or ())
    return Protocol(
        format="delta",
        min_reader_version=action.min_reader_version,
        reader_features=features,
        version=around.version,
    )


def _metadata(value: dict[str, Any]) -> Metadata:
    around: models.DeltaMetadata | models.ParquetMetadata
    within: models.DeltaMetadataAction | models.ParquetMetadata
    if "deltaMetadata" in value:
        around = _validate(models.DeltaMetadata, value)
        within = around.delta_metadata
    else:
        around = within = _validate(models.ParquetMetadata, value)
    return Metadata(
        format="delta" if "deltaMetadata" in value else "parquet",
        id=within.id,
        name=within.name,
        description=within.description,
        schema_string=within.schema_string,
        partition_columns=tuple(within.partition_columns),
        configuration=dict(within.configuration or {}),
        version=around.version,
        size=around.size,
        num_files=around.num_files,
        location=around.location,
        auxiliary_locations=tuple(around.auxiliary_locations or ()),
        access_modes=None if around.access_modes is None else tuple(around.access_modes),
    )


def _validate(model: type[M], value: Any) -> M:
    """Return the value as its model, with no type changed for another."""
    try:
        return model.model_validate(value, strict=True)
    except ValidationError as error:
        reason = explain(error)
    raise _Wrong(f"is not what the contract says: {reason}")


def _why(document: Any) -> str:
    """Return the error of an unreadable line."""
    name, value = next(iter(document.items()), ("", None))
    model = (
        models.DeltaFile
        if isinstance(value, dict) and "deltaSingleAction" in value
        else _MODELS.get(name)
    )
    try:
        if model is not None:
            _validate(model, value)
    except _Wrong as wrong:
        return str(wrong)
    return "is not what the contract says"
