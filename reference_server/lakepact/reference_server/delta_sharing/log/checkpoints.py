"""Checkpoints: the state of a table at one version, in one file or several, as columns wherever
there can be many rows.

Classic checkpoints are one Parquet file or numbered parts of one; those of the second version are
Parquet or JSON and may leave the
files of the table to sidecars. pyarrow is loaded when the first checkpoint is read: a table without
one never needs it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lakepact.formats.limits import DECODED, Limit
from lakepact.reference_server.delta_sharing.log.actions import (
    actions,
    check_metadata,
    check_protocol,
    check_vector,
)
from lakepact.reference_server.delta_sharing.log.active_files import ActiveFiles, Changes, Columns
from lakepact.reference_server.delta_sharing.log.arrow_values import values_of
from lakepact.reference_server.delta_sharing.log.listing import Vanished
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.generated.delta_sharing.documents import DeltaMetadataAction, DeltaProtocolAction
    from lakepact.reference_server.delta_sharing.log.actions import Document
    from lakepact.reference_server.delta_sharing.log.listing import Checkpoint, LogFolder

    Arrow = Any  # pyarrow has no annotations

SIDECARS = "_sidecars"
HEADING = ("protocol", "metaData")
FLAT = {
    "path": "string",
    "size": "int64",
    "modificationTime": "int64",
    "stats": "string",
    "dataChange": "bool",
    "baseRowId": "int64",
    "defaultRowCommitVersion": "int64",
    "clusteringProvider": "string",
}  #: the members of an add action that are not nested, and their types
REST = tuple(FLAT)[4:]
VECTOR = ("storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality")
LIMIT = Limit(DECODED, "no setting")


def read_checkpoint(
    folder: LogFolder, checkpoint: Checkpoint, *, files: bool
) -> tuple[DeltaProtocolAction, DeltaMetadataAction, ActiveFiles]:
    """Protocol, metadata and files of a table as a checkpoint has them.

    Args:
        folder: the log.
        checkpoint: which one.
        files: whether the files are asked for; there are none otherwise.

    Raises:
        DamagedLog: it cannot be read; the message names the file.
        Vanished: it is not there any more.
    """
    state = State()
    for name in checkpoint.names:
        if name.endswith(".json"):
            state.take_lines(folder, name, files=files)
        else:
            state.take_table(folder, name, files=files)
    if state.protocol is None or state.metadata is None:
        missing = "protocol" if state.protocol is None else "metaData"
        raise DamagedLog(f"{checkpoint.names[0]} has no {missing} action")
    for sidecar in state.sidecars if files else ():
        try:
            state.take_table(folder, f"{SIDECARS}/{sidecar}", files=True)
        except Vanished as vanished:
            raise DamagedLog(f"{vanished}, a part of {checkpoint.names[0]}, is missing") from None
    if len(set(state.files.paths)) != len(state.files):
        raise DamagedLog(f"{checkpoint.names[0]} has a file twice")
    return state.protocol, state.metadata, ActiveFiles(state.files.chunks())


class State:
    """Content of a checkpoint that was read so far."""

    def __init__(self) -> None:
        self.protocol: DeltaProtocolAction | None = None
        self.metadata: DeltaMetadataAction | None = None
        self.sidecars: list[str] = []
        self.files = Columns()
        self._same: dict[Any, Mapping[str, Any]] = {}
        self._same_names: dict[
            tuple[str, ...], dict[tuple[str | None, ...], Mapping[str, str | None]]
        ] = {}

    def take_lines(self, folder: LogFolder, name: str, *, files: bool) -> None:
        """Take in a checkpoint of JSON lines."""
        changes = Changes()
        for kind, action, where in actions(folder, name):
            if kind == "add" and files:
                changes.add(action, where)
            elif kind == "protocol":
                self.protocol = check_protocol(action, where)
            elif kind == "metaData":
                self.metadata = check_metadata(action, where)
            elif kind == "sidecar":
                self._take_sidecar(action.get("path"), where)
        self.files.extend(changes.come())

    def take_table(self, folder: LogFolder, name: str, *, files: bool) -> None:
        """Take in a checkpoint, a part or a sidecar that is a Parquet file."""
        import pyarrow as pa  # noqa: PLC0415 the first checkpoint loads it

        from lakepact.formats.parquet import BoundedParquet  # noqa: PLC0415

        with folder.open(name) as stream:
            try:
                table = BoundedParquet(stream, LIMIT)
                check_shape(table.schema_arrow, name)
                columns = columns_to_read(table, files=files)
                for group in range(table.metadata.num_row_groups):
                    for batch in table.batches(group, columns):
                        self._take_batch(batch, name)
            except (pa.ArrowException, OSError, OverflowError, ValueError) as error:
                reason = str(error).partition("\n")[0]
                raise DamagedLog(
                    f"{name} is not a checkpoint that can be read ({reason})"
                ) from None
        pa.default_memory_pool().release_unused()

    def _take_batch(self, batch: Arrow, name: str) -> None:
        for kind in batch.schema.names:
            column = batch.column(kind)
            column = column.filter(column.is_valid())
            if not len(column):
                continue
            if kind == "add":
                self._take_files(column, name)
            elif kind == "sidecar":
                for row in column.field("path").to_pylist():
                    self._take_sidecar(row, name)
            elif kind == "protocol":
                self.protocol = check_protocol(column[-1].as_py(), name)
            elif kind == "metaData":
                self.metadata = check_metadata(with_maps(column[-1].as_py()), name)

    def _take_sidecar(self, path: Any, where: str) -> None:
        if not isinstance(path, str) or not path:
            raise DamagedLog(f"{where}: a sidecar without a path")
        # Sidecars lie in one folder, however much of the path to them is written down.
        self.sidecars.append(unquote(path).rsplit("/", 1)[-1])

    def _take_files(self, adds: Arrow, name: str) -> None:
        count = len(adds)
        there = {field.name for field in adds.type}
        flat = {
            member: values_of(adds.field(member).cast(kind))
            for member, kind in FLAT.items()
            if member in there
        }
        for member in ("path", "size"):
            if None in flat.get(member, (None,)):
                raise DamagedLog(f"{name} has an add without a {member}")
        if min(flat["size"]) < 0 or "" in flat["path"]:
            raise DamagedLog(f"{name} has an add with a size below 0, or with a path that is empty")
        nothing: list[Any] = [None] * count
        self.files.paths.extend(flat["path"])
        self.files.sizes.extend(flat["size"])
        self.files.mtimes.extend(value or 0 for value in flat.get("modificationTime", nothing))
        self.files.stats.extend(statistics(adds, flat.get("stats", nothing)))
        self.files.partitions.extend(
            self._maps(adds.field("partitionValues"))
            if "partitionValues" in there
            else [{}] * count
        )
        self.files.vectors.extend(
            vectors(adds.field("deletionVector"), name) if "deletionVector" in there else nothing
        )
        self.files.others.extend(
            self._rows({member: flat[member] for member in REST if member in flat}, count)
        )

    def _rows(
        self, columns: Mapping[str, Sequence[Any]], count: int
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of columns without their nulls; equal ones are one object."""
        same = self._same
        for values in zip(*columns.values(), strict=True) if columns else ((),) * count:
            if values not in same:
                same[values] = {
                    name: value
                    for name, value in zip(columns, values, strict=True)
                    if value is not None
                }
            yield same[values]

    def _maps(self, maps: Arrow) -> Iterator[Mapping[str, str | None]]:
        """Return maps of strings; equal ones are one object."""
        import pyarrow as pa  # noqa: PLC0415 a column has loaded it

        same = self._same
        maps = maps.cast(pa.map_(pa.string(), pa.string()))
        names = values_of(maps.keys)
        values = values_of(maps.items)
        offsets = maps.offsets.to_pylist()
        width = offsets[1] - offsets[0]
        first = tuple(names[offsets[0] : offsets[1]])
        if (
            not maps.null_count
            and offsets == list(range(0, len(values) + 1, width or 1))
            and names == list(first) * len(maps)
        ):
            # All maps have the same names.
            by_row = self._same_names.setdefault(first, {})
            for row in zip(*[iter(values)] * width, strict=True):
                if row not in by_row:
                    by_row[row] = dict(zip(first, row, strict=True))
                yield by_row[row]
            return
        items = list(zip(names, values, strict=True))
        for valid, (start, end) in zip(maps.is_valid().to_pylist(), pairwise(offsets), strict=True):
            key = tuple(items[start:end]) if valid else ()
            if key not in same:
                same[key] = dict(key)
            yield same[key]


def columns_to_read(table: Arrow, *, files: bool) -> list[str]:
    """Return the columns of a Parquet file that are looked at."""
    schema = table.schema_arrow
    columns = [name for name in HEADING if name in schema.names]
    if files:
        columns += ["sidecar.path"] if "sidecar" in schema.names else []
        members = [*FLAT, "partitionValues", "deletionVector"]
        there = (
            {field.name for field in schema.field("add").type}
            if "add" in schema.names
            else set[str]()
        )
        columns += [f"add.{member}" for member in members if member in there]
        if "stats_parsed" in there and is_absent(table.metadata, "add.stats"):
            columns.append("add.stats_parsed")
    return columns


def check_shape(schema: Arrow, name: str) -> None:
    """Actions are structs that have what cannot be missed.

    Raises:
        DamagedLog: they are not.
    """
    for kind, member in (
        ("protocol", None),
        ("metaData", None),
        ("add", "path"),
        ("sidecar", "path"),
    ):
        if kind in schema.names:
            check_struct(
                schema.field(kind).type,
                member,
                f"{name} is not a checkpoint that can be read: column {kind}",
            )


def check_struct(kind: Arrow, member: str | None, where: str) -> None:
    """Check that a type is a struct with a member.

    Raises:
        DamagedLog: it is not, or lacks the member.
    """
    import pyarrow as pa  # noqa: PLC0415 a type has loaded it

    if not pa.types.is_struct(kind):
        raise DamagedLog(f"{where} is no struct")
    if member and kind.get_field_index(member) < 0:
        raise DamagedLog(f"{where} has no {member}")


def is_absent(metadata: Arrow, path: str) -> bool:
    """Return whether a column is not there, or is null in all rows."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    all_statistics = [column.statistics for column in columns if column.path_in_schema == path]
    return all(
        statistics is not None and statistics.num_values == 0 for statistics in all_statistics
    )


def with_maps(metadata: Document) -> Document:
    """Return a metaData action whose maps are objects again."""
    form = metadata.get("format") or {}
    return {
        **{name: value for name, value in metadata.items() if value is not None},
        "format": {**form, "options": dict(form.get("options") or ())},
        "configuration": dict(metadata.get("configuration") or ()),
    }


def vectors(column: Arrow, name: str) -> Iterator[Document | None]:
    """Yield the deletion vectors of files."""
    if column.null_count == len(column):
        yield from (None,) * len(column)
        return
    check_struct(column.type, None, f"{name}: deletionVector")
    there = {field.name for field in column.type}
    members = [member for member in VECTOR if member in there]
    columns = [values_of(column.field(member)) for member in members]
    for valid, *values in zip(column.is_valid().to_pylist(), *columns, strict=True):
        if not valid:
            yield None
            continue
        vector = {
            member: value
            for member, value in zip(members, values, strict=True)
            if value is not None
        }
        check_vector(vector, name)
        yield vector


def statistics(adds: Arrow, texts: list[str | None]) -> Sequence[str | None]:
    """Return the texts of statistics, put together from columns where a checkpoint has them only
    so.
    """
    if "stats_parsed" not in {field.name for field in adds.type}:
        return texts
    from lakepact.reference_server.delta_sharing.log.parsed_statistics import texts_of  # noqa: PLC0415 - few checkpoints need it

    return texts_of(adds.field("stats_parsed"))
