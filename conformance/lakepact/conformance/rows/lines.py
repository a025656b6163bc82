"""The lines of an answer in either format, as one thing: protocol, metadata, files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from lakepact.conformance.evidence.exchanges import Place, place_of
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect

SNAPSHOT, ADD, REMOVE, CHANGE = "file", "add", "remove", "cdf"


@dataclass(frozen=True)
class SharedFile:
    """One file of an answer, whichever format its line is in."""

    kind: str  #: SNAPSHOT, ADD, REMOVE or CHANGE
    id: str
    url: str
    size: int | None
    partition_values: Mapping[str, Any]
    stats: str | None
    version: int | None
    timestamp: int | None
    vector: Mapping[str, Any] | None
    line: Mapping[str, Any]
    action: Mapping[str, Any]  #: the line, or the action that it wraps

    def place(self, *path: str | int) -> Place | None:
        """Return the place of a member of its action, if the line knows its own."""
        return place_of(self.action, *path)

    @property
    def place_of_url(self) -> Place | None:
        """The place of its URL."""
        return self.place("path" if "path" in self.action else "url")

    @property
    def statistics(self) -> dict[str, Any] | None:
        """Its statistics.

        Raises:
            Unmet: they are not the text of a JSON object.
        """
        if not self.stats:
            return None
        try:
            document = orjson.loads(self.stats)
        except orjson.JSONDecodeError:
            document = None
        if not isinstance(document, dict):
            raise expect.unmet(
                "statistics that are the text of a JSON object",
                expect.excerpt(self.stats[:200]),
                at=self.place("stats"),
            )
        return document


@dataclass(frozen=True)
class Answer:
    """The content of an answer to metadata, query or changes."""

    format: str  #: `parquet` or `delta`
    protocol: Mapping[str, Any]
    metadata: Mapping[str, Any]
    wrapper: Mapping[str, Any]  #: the `metaData` line, in which the delta format wraps the metadata
    historical: tuple[Mapping[str, Any], ...]  #: further `metaData` lines, as they are
    files: tuple[SharedFile, ...]
    end: Mapping[str, Any] | None

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The schema object.

        Raises:
            Unmet: `schemaString` is not the text of one.
        """
        return schema_object(self.metadata)

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The columns."""
        return list(self.schema["fields"])

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """Names of the partition columns."""
        return tuple(self.metadata.get("partitionColumns") or ())

    @property
    def mapping(self) -> str:
        """How columns are found in data files: by `name`, by `id`, or `none` of both."""
        configuration = self.metadata.get("configuration")
        mode = (
            configuration.get("delta.columnMapping.mode")
            if isinstance(configuration, Mapping)
            else None
        )
        return mode if mode in {"name", "id"} and self.format == "delta" else "none"

    def of(self, *kinds: str) -> tuple[SharedFile, ...]:
        """Return the files of some kinds."""
        return tuple(f for f in self.files if f.kind in kinds)


def schema_object(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema that a metadata object has as text.

    Raises:
        Unmet: there is none.
    """
    try:
        schema = orjson.loads(metadata["schemaString"])
    except (KeyError, TypeError, orjson.JSONDecodeError):
        schema = None
    if not isinstance(schema, dict) or not isinstance(schema.get("fields"), list):
        text = expect.excerpt(metadata.get("schemaString"))
        raise expect.unmet(
            "a schemaString that is the text of a schema object",
            text,
            at=place_of(metadata, "schemaString"),
        )
    return schema


def parse(lines: Sequence[Mapping[str, Any]]) -> Answer:
    """Return the lines of an answer, understood; a kind of line that is null counts as absent.

    Raises:
        Unmet: they are not those of an answer.
    """
    lines = [
        {kind: document for kind, document in line.items() if document is not None}
        for line in lines
    ]
    protocols = [line["protocol"] for line in lines if "protocol" in line]
    wrappers = [line["metaData"] for line in lines if "metaData" in line]
    if (
        not protocols
        or not wrappers
        or not all(isinstance(d, Mapping) for d in (*protocols, *wrappers))
    ):
        raise Unmet(
            "a protocol line and a metaData line",
            f"lines with {', '.join(sorted({key for line in lines for key in line})) or 'nothing'}",
        )
    delta = "deltaProtocol" in protocols[0] or "deltaMetadata" in wrappers[0]
    end = next(
        (line["endStreamAction"] for line in reversed(lines) if "endStreamAction" in line), None
    )
    files = (
        [_delta_file(line["file"]) for line in lines if "file" in line]
        if delta
        else _parquet_files(lines)
    )
    return Answer(
        format="delta" if delta else "parquet",
        protocol=_member(protocols[0], "deltaProtocol") if delta else protocols[0],
        metadata=_member(wrappers[0], "deltaMetadata") if delta else wrappers[0],
        wrapper=wrappers[0],
        historical=tuple(wrappers[1:]),
        files=tuple(files),
        end=end,
    )


def _member(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    member = document.get(name)
    if not isinstance(member, Mapping):
        raise expect.unmet(
            f"an object {name}",
            f"members {', '.join(map(str, document)) or 'none'}",
            at=place_of(document, name),
        )
    return member


def _parquet_files(lines: Sequence[Mapping[str, Any]]) -> list[SharedFile]:
    return [
        _file(line[kind], line[kind], kind)
        for line in lines
        for kind in (SNAPSHOT, ADD, REMOVE, CHANGE)
        if kind in line
    ]


def _delta_file(line: Any) -> SharedFile:
    if not isinstance(line, Mapping):
        raise Unmet("an object as a file line", expect.excerpt(line))
    single = _member(line, "deltaSingleAction")
    kinds = [kind for kind in ("add", "remove", "cdc") if single.get(kind) is not None]
    if len(kinds) != 1:
        actual = f"members {', '.join(single) or 'none'}"
        raise expect.unmet(
            "a deltaSingleAction with one of add, remove and cdc", actual, at=place_of(single)
        )
    action = _member(single, kinds[0])
    return _file(line, action, {"add": ADD, "remove": REMOVE, "cdc": CHANGE}[kinds[0]])


def _file(line: Any, action: Any, kind: str) -> SharedFile:
    if not isinstance(line, Mapping) or not isinstance(action, Mapping):
        raise Unmet("an object as a file line", expect.excerpt(line))
    url, identifier = action.get("url", action.get("path")), line.get("id")
    if not isinstance(url, str) or not isinstance(identifier, str):
        raise expect.unmet(
            "a file line with url and id", f"members {', '.join(map(str, line))}", at=place_of(line)
        )
    values = action.get("partitionValues")
    vector = action.get("deletionVector")
    stats = action.get("stats")
    return SharedFile(
        kind=kind,
        id=identifier,
        url=url,
        size=action.get("size"),
        partition_values=values if isinstance(values, Mapping) else {},
        stats=stats if isinstance(stats, str) else None,
        version=line.get("version"),
        timestamp=line.get("timestamp"),
        vector=vector if isinstance(vector, Mapping) else None,
        line=line,
        action=action,
    )
