"""Rows, snapshots, branches and tags of the small catalog client; its data files and manifests are
JSON.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from miniature_session import FAULT, STYLES, CommitStateUnknown, Conflict, Refused, Unauthorized

MAIN = "main"


def local(location: str) -> Path:
    """Return the path of a file."""
    return Path(unquote(urlsplit(location).path))


def with_defaults(rows: list[Any], schema: dict[str, Any]) -> list[Any]:
    """Return rows with the defaults of columns that they do not have."""
    defaults = {
        column["name"]: column["initial-default"]
        for column in schema["fields"]
        if "initial-default" in column and FAULT != "ignores-initial-defaults"
    }
    return [defaults | row for row in rows]


def real_rows(
    manifest_list: Path,
    names: dict[str, str],
    *,
    is_filtered: bool = False,
    spec: int | None = None,
) -> list[Any]:
    """Return the rows of a snapshot with Avro manifests, without deleted rows; deletion vectors are
    refused.

    Args:
        manifest_list: of the snapshot.
        names: of columns, by those in files without field ids.
        is_filtered: whether only some rows are of use.
        spec: that of the files to read; all by default.
    """
    import fastavro  # noqa: PLC0415 - slow to import, and of use to real tables alone
    import pyarrow.parquet as pq  # noqa: PLC0415

    files: list[tuple[int, dict[str, Any]]] = []
    for manifest in fastavro.reader(manifest_list.open("rb")):
        if spec not in {None, manifest["partition_spec_id"]}:
            continue
        entries = fastavro.reader(local(manifest["manifest_path"]).open("rb"))
        files += [(manifest["sequence_number"], entry["data_file"]) for entry in entries]
    positions, values, rows = set(), list[tuple[int, Any, Any]](), list[Any]()
    for sequence, file in files:
        if (
            file["content"] == 1
            and file["file_format"] == "PARQUET"
            and FAULT != "ignores-position-deletes"
        ):
            positions |= {
                (row["file_path"], row["pos"])
                for row in pq.read_table(local(file["file_path"])).to_pylist()
            }
        if file["content"] == 2 and FAULT != "ignores-equality-deletes":
            values += [
                (sequence, file["partition"], row)
                for row in pq.read_table(local(file["file_path"])).to_pylist()
            ]
        if file["file_format"] == "PUFFIN" and FAULT != "ignores-deletion-vectors":
            raise Refused("deletion vectors are not supported")
    if is_filtered and FAULT == "forgets-deletes-under-filters":
        positions, values = set(), []
    for sequence, file in files:
        for place, row in enumerate(
            pq.read_table(local(file["file_path"])).to_pylist() if file["content"] == 0 else ()
        ):
            deletions = [
                key
                for number, partition, key in values
                if (number > sequence or FAULT == "applies-all-equality-deletes")
                and (partition == file["partition"] or FAULT == "applies-deletes-to-all-partitions")
            ]
            is_deleted = (file["file_path"], place) in positions or any(
                is_equal(key, row) for key in deletions
            )
            rows += [] if is_deleted else [{names.get(name, name): row[name] for name in row}]
    return rows


def is_equal(key: dict[str, Any], row: dict[str, Any]) -> bool:
    """Return whether a key deletes a row; null is equal to null alone."""
    if FAULT == "deletes-null-by-any-key" and any(row[name] is None for name in key):
        return True
    if FAULT == "deletes-no-null" and None in key.values():
        return False
    return key.items() <= row.items()


def names_of_mapping(metadata: dict[str, Any]) -> dict[str, str]:
    """Return the names of columns, by those that files without field ids have."""
    mapping = json.loads(metadata["properties"].get("schema.name-mapping.default", "[]"))
    columns = {column["id"]: column["name"] for column in metadata["schemas"][0]["fields"]}
    return {name: columns[one["field-id"]] for one in mapping for name in one["names"]}


class History:
    """The tasks about rows and snapshots; what commits and loads is the catalog's."""

    arguments: dict[str, Any]

    def load(self) -> Any:
        raise NotImplementedError

    def register_again(self) -> None:
        raise NotImplementedError

    def commit(self, updates: list[dict[str, Any]], *requirements: dict[str, Any]) -> None:
        raise NotImplementedError

    @staticmethod
    def root_of(metadata: dict[str, Any]) -> Path:
        return local(metadata["location"])

    @staticmethod
    def files_of(snapshot: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the files of a snapshot, each with its partition: values by names of columns."""
        files: list[dict[str, Any]] = json.loads(local(snapshot["manifest-list"]).read_text())
        return files

    @staticmethod
    def snapshot(metadata: dict[str, Any], identifier: int | None) -> dict[str, Any] | None:
        return next(
            (s for s in metadata.get("snapshots") or [] if s["snapshot-id"] == identifier), None
        )

    @staticmethod
    def head(metadata: dict[str, Any], branch: str) -> int | None:
        identifier: int | None = ((metadata.get("refs") or {}).get(branch) or {}).get("snapshot-id")
        return identifier

    # -- reading -----------------------------------------------------------------------------------

    def rows(
        self,
        metadata: dict[str, Any],
        snapshot: dict[str, Any] | None,
        where: dict[str, Any] | None = None,
    ) -> list[Any]:
        """Return the rows of a snapshot in partitions that may hold these values; data files have
        them by field ids.
        """
        if snapshot and snapshot["manifest-list"].endswith(".avro"):
            names = {} if FAULT == "ignores-name-mapping" else names_of_mapping(metadata)
            rows = real_rows(local(snapshot["manifest-list"]), names, is_filtered=bool(where))
            if where and FAULT == "trusts-the-sort-order" and metadata["default-sort-order-id"]:
                rows = rows[
                    : next((n for n, row in enumerate(rows) if row["id"] < where["id"]), None)
                ]
            if where and FAULT == "filters-before-defaults":
                rows = [row for row in rows if where.items() <= row.items()]
            return with_defaults(rows, self.schema(metadata))
        files = self.files_of(snapshot) if snapshot else []
        matching_files = [
            one["file"]
            for one in files
            if all(
                one["partition"].get(name, value) == value for name, value in (where or {}).items()
            )
        ]
        return self.rows_of_files(metadata, matching_files)

    def rows_of_files(self, metadata: dict[str, Any], files: list[str]) -> list[Any]:
        columns = self.schema(metadata)["fields"]
        stored_rows = [row for file in files for row in json.loads(Path(file).read_text())]
        key = "name" if FAULT == "finds-columns-by-name" else "id"
        return [
            {column["name"]: row.get(str(column[key])) for column in columns} for row in stored_rows
        ]

    @staticmethod
    def schema(metadata: dict[str, Any]) -> dict[str, Any]:
        current: dict[str, Any] = next(
            s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"]
        )
        return metadata["schemas"][-1] if FAULT == "begins-from-the-latest-schema" else current

    def read_rows_where(self) -> Any:
        result, where = self.load(), self.arguments["where"]
        metadata = result["metadata"]
        if (result.get("config") or {}).get("scan-planning-mode") != "server":
            return self.select(
                self.rows(
                    metadata, self.snapshot(metadata, metadata.get("current-snapshot-id")), where
                ),
                where,
            )
        selection = []
        for task in self.scan_tasks():
            rows = self.rows_of_files(metadata, [str(local(task["data-file"]["file-path"]))])
            residual = task.get("residual-filter")
            is_filtered = FAULT == "leaves-filters-to-the-server" or (
                residual is None and FAULT == "needs-a-residual"
            )
            selection += rows if is_filtered else self.select(rows, where)
        return selection

    @staticmethod
    def select(rows: list[Any], where: dict[str, Any]) -> list[Any]:
        return [row for row in rows if all(row[name] == value for name, value in where.items())]

    def read_rows(self) -> Any:
        metadata = self.load()["metadata"]
        return self.rows(metadata, self.snapshot(metadata, metadata.get("current-snapshot-id")))

    def read_rows_at_snapshot(self) -> Any:
        metadata = self.load()["metadata"]
        snapshot = self.snapshot(metadata, self.arguments["snapshot-id"])
        if FAULT == "reads-the-newest-snapshot":
            snapshot = self.snapshot(metadata, metadata["current-snapshot-id"])
        if snapshot is None and FAULT != "takes-missing-snapshots-for-empty":
            raise Refused("no such snapshot")
        return self.rows(metadata, snapshot)

    def read_rows_at_timestamp(self) -> Any:
        metadata = self.load()["metadata"]
        log = (
            metadata["snapshots"]
            if FAULT == "takes-times-of-snapshots"
            else metadata["snapshot-log"]
        )
        entries = sorted(log, key=lambda entry: entry["timestamp-ms"])
        past = [
            entry["snapshot-id"]
            for entry in entries
            if entry["timestamp-ms"] <= self.arguments["timestamp"]
        ]
        if FAULT == "reads-the-present":
            past = [metadata["current-snapshot-id"]]
        if not past and FAULT == "takes-the-first-snapshot":
            past = [entries[0]["snapshot-id"]]
        if not past:
            raise Refused("the table has no snapshot of that time")
        return self.rows(metadata, self.snapshot(metadata, past[-1]))

    def read_rows_at_ref(self) -> Any:
        metadata = self.load()["metadata"]
        head = self.head(metadata, self.arguments["ref"])
        if head is None and FAULT != "reads-main-for-missing-refs":
            raise Refused("no such reference")
        return self.rows(
            metadata,
            self.snapshot(
                metadata,
                metadata["current-snapshot-id"] if head is None or FAULT == "reads-main" else head,
            ),
        )

    # -- writing -----------------------------------------------------------------------------------

    def append_rows(self) -> Any:
        self.append(MAIN)

    def append_rows_to_branch(self) -> Any:
        self.append(self.arguments["branch"])

    def delete_rows_where(self) -> Any:
        where = self.arguments["where"]

        def is_left(row: dict[str, Any]) -> bool:
            if FAULT == "deletes-rows-with-null" and any(row[name] is None for name in where):
                return False
            if FAULT == "deletes-rows-with-nan" and any(row[name] != row[name] for name in where):
                return False
            return not where.items() <= row.items()

        rows = self.read_rows()
        metadata = self.load()["metadata"]
        if FAULT == "leaves-rows-of-older-specs" and metadata["default-spec-id"]:
            snapshot = self.snapshot(metadata, metadata["current-snapshot-id"]) or {}
            older = real_rows(local(snapshot["manifest-list"]), {}, spec=0)
            rows = [*older, *(row for row in rows if row not in older and is_left(row))]
            return self.replace_rows(rows)
        return self.replace_rows([row for row in rows if is_left(row)])

    def update_rows(self) -> Any:
        where, new = self.arguments["where"], self.arguments["set"]
        self.replace_rows(
            [row | new if where.items() <= row.items() else row for row in self.read_rows()]
        )

    def upsert_rows(self) -> Any:
        rows, key = self.arguments["rows"], self.arguments["key"]
        keys = [[row[name] for name in key] for row in rows]
        if FAULT == "upserts-beside":
            keys = []
        others = [row for row in self.read_rows() if [row[name] for name in key] not in keys]
        self.replace_rows([*others, *rows])

    def overwrite_rows(self) -> Any:
        self.replace_rows(self.arguments["rows"])

    def replace_rows(self, rows: list[Any]) -> None:
        self.arguments = {**self.arguments, "rows": rows}
        metadata = self.load_writable()["metadata"]
        data = self.data_file(metadata)
        try:
            self.append_file(metadata, MAIN, data, [], operation="overwrite")
        except CommitStateUnknown:
            if FAULT != "replaces-again-after-a-lost-answer":
                raise
            self.append(MAIN)
        except Conflict:
            if FAULT != "replaces-rows-that-it-has-not-read":
                raise
            self.append_file(self.load()["metadata"], MAIN, data, [], operation="overwrite")

    def append_and_read(self) -> Any:
        before = self.load()["metadata"]
        self.append(MAIN)
        if FAULT == "reads-what-it-had-loaded":
            return self.rows(before, self.snapshot(before, before["current-snapshot-id"]))
        return self.read_rows()

    def change_and_read(self) -> Any:
        changes = self.arguments["changes"]
        for change in changes[:2] if FAULT == "loses-the-third-change" else changes:
            self.arguments |= change
            self.update_rows()
        return self.read_rows()

    def expire_snapshots(self) -> None:
        if "expires-nothing" in STYLES:
            return
        metadata = self.load()["metadata"]
        heads = {
            reference["snapshot-id"]
            for name, reference in metadata["refs"].items()
            if name == MAIN or FAULT != "expires-heads-of-branches"
        }
        expired = [
            one
            for one in metadata["snapshots"]
            if one["snapshot-id"] not in heads
            and one["timestamp-ms"] < self.arguments["older-than"]
        ]
        ids = [one["snapshot-id"] for one in expired]
        self.commit([{"action": "remove-snapshots", "snapshot-ids": ids}])
        for snapshot in expired:
            for file in self.files_of(snapshot) if FAULT == "deletes-shared-files" else ():
                Path(file["file"]).unlink(missing_ok=True)
            local(snapshot["manifest-list"]).unlink(missing_ok=True)

    def load_writable(self) -> Any:
        result = self.load()
        if "sparse" in STYLES and result["metadata"]["format-version"] != 2:
            raise Refused("only tables of version 2 are written")
        return result

    def data_file(self, metadata: dict[str, Any]) -> Path:
        data = self.root_of(metadata) / "data" / f"{uuid.uuid4()}.json"
        ids = {
            column["name"]: column["name" if FAULT == "finds-columns-by-name" else "id"]
            for column in self.schema(metadata)["fields"]
        }
        self.write(
            data,
            [{ids[name]: value for name, value in row.items()} for row in self.arguments["rows"]],
        )
        return data

    def append(self, branch: str) -> Any:
        metadata = self.load_writable()["metadata"]
        data = self.data_file(metadata)
        former = self.former_files(metadata, branch)
        try:
            try:
                self.append_file(metadata, branch, data, former)
            except Conflict:
                if "retries-conflicts" not in STYLES and FAULT != "appends-to-old-files":
                    raise
                metadata = self.load()["metadata"]
                self.append_file(
                    metadata,
                    branch,
                    data,
                    former
                    if FAULT == "appends-to-old-files"
                    else self.former_files(metadata, branch),
                )
        except CommitStateUnknown:
            if FAULT == "deletes-files-of-unknown-commits":
                data.unlink()
            if FAULT == "registers-again-after-a-lost-answer":
                self.register_again()
            if FAULT == "takes-its-own-commit-for-a-conflict":
                with contextlib.suppress(Conflict):
                    return self.append_file(metadata, branch, data, former)
                data.unlink()
            if FAULT == "appends-again-after-a-lost-answer":
                metadata = self.load()["metadata"]
                self.append_file(metadata, branch, data, self.former_files(metadata, branch))
                return None
            raise
        except Refused as refused:
            data.unlink()
            if FAULT != "deletes-files-before-another-attempt" or not isinstance(
                refused, Unauthorized
            ):
                raise
            self.append_file(metadata, branch, data, former)
        return self.compact(branch) if "compacts" in STYLES else None

    def compact(self, branch: str) -> None:
        metadata = self.load()["metadata"]
        files = self.former_files(metadata, branch)
        self.append_file(metadata, branch, Path(files[-1]["file"]), files[:-1], operation="replace")

    @staticmethod
    def write(file: Path, content: Any) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))

    def former_files(self, metadata: dict[str, Any], branch: str) -> list[dict[str, Any]]:
        before = self.snapshot(
            metadata, self.head(metadata, MAIN if FAULT == "builds-branches-on-main" else branch)
        )
        files = self.files_of(before) if before else []
        if FAULT == "deletes-older-files":
            for one in files:
                Path(one["file"]).unlink(missing_ok=True)
        return files

    def partition(self, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the partition that all rows of the task are in; no field where rows
        differ.
        """
        names = {column["id"]: column["name"] for column in self.schema(metadata)["fields"]}
        spec = next(
            spec
            for spec in metadata["partition-specs"]
            if spec["spec-id"] == metadata["default-spec-id"]
        )
        sources = [
            names[one["source-id"]] for one in spec["fields"] if one["transform"] == "identity"
        ]
        values = {name: {row.get(name) for row in self.arguments["rows"]} for name in sources}
        if FAULT == "writes-no-partition-values":
            return dict.fromkeys(values)
        return {name: distinct.pop() for name, distinct in values.items() if len(distinct) == 1}

    def append_file(
        self,
        metadata: dict[str, Any],
        branch: str,
        data: Path,
        former: list[dict[str, Any]],
        operation: str = "append",
    ) -> None:
        head = self.head(metadata, branch)
        count = len(self.arguments["rows"]) + (FAULT == "counts-too-many")
        counts = (
            {"added-records": str(count), "deleted-records": str(count)}
            if operation == "replace"
            else {"added-records": str(count)}
        )
        if FAULT == "forgets-former-totals":
            counts["total-records"] = str(count)
        manifest = self.root_of(metadata) / "metadata" / f"snap-{uuid.uuid4()}.json"
        self.write(manifest, [*former, {"file": str(data), "partition": self.partition(metadata)}])
        snapshot = {
            "snapshot-id": 1 if FAULT == "has-one-snapshot-id" else random.randrange(1, 2**63),
            "timestamp-ms": int(time.time())
            if FAULT == "writes-seconds"
            else max(int(time.time() * 1000), metadata["last-updated-ms"]),
            "manifest-list": manifest.as_uri(),
            "summary": {"operation": operation, **counts},
            "schema-id": 1
            if FAULT == "writes-another-schema-id"
            else metadata["current-schema-id"],
        }
        if metadata["format-version"] > 1:
            snapshot["sequence-number"] = metadata["last-sequence-number"] + 1
        if metadata["format-version"] > 2:
            snapshot |= {
                "first-row-id": metadata["next-row-id"],
                "added-rows": len(self.arguments["rows"]) if operation == "append" else 0,
            }
        parent = self.head(metadata, MAIN) if FAULT == "builds-branches-on-main" else head
        if FAULT == "appends-to-minus-one" and metadata.get("current-snapshot-id") == -1:
            parent = head = -1
        if parent is not None and FAULT != "forgets-parents":
            snapshot["parent-snapshot-id"] = parent
        branches = {branch, MAIN} if FAULT == "moves-main-with-branches" else {branch}
        updates = [
            {
                **self.retention(metadata, name),
                **self.reference(name, "branch", snapshot["snapshot-id"]),
            }
            for name in sorted(branches)
        ]
        try:
            is_unguarded = FAULT == "moves-any-head" or (
                FAULT == "appends-without-a-head" and head is None
            )
            first_updates: list[dict[str, Any]] = [{"action": "add-snapshot", "snapshot": snapshot}]
            if "stages" in STYLES:
                self.commit(first_updates)
                first_updates = []
            self.commit(
                [*first_updates, *updates], *([] if is_unguarded else [self.stays(branch, head)])
            )
        except CommitStateUnknown:
            if FAULT == "deletes-metadata-of-unknown-commits":
                manifest.unlink()
            raise
        except Refused:
            manifest.unlink()
            raise

    # -- branches and tags -------------------------------------------------------------------------

    @staticmethod
    def reference(name: str, kind: str, snapshot: int) -> dict[str, Any]:
        return {
            "action": "set-snapshot-ref",
            "ref-name": name,
            "type": kind,
            "snapshot-id": snapshot,
        }

    @staticmethod
    def retention(metadata: dict[str, Any], name: str) -> dict[str, Any]:
        """Return the members of a branch that say how long it is retained."""
        former = (metadata.get("refs") or {}).get(name) or {}
        return {} if FAULT == "forgets-retention" else former

    @staticmethod
    def stays(name: str, snapshot: int | None) -> dict[str, Any]:
        return {"type": "assert-ref-snapshot-id", "ref": name, "snapshot-id": snapshot}

    def create_branch(self) -> Any:
        name = self.arguments["branch"]
        self.commit(
            [self.reference(name, "branch", self.arguments["snapshot-id"])], self.stays(name, None)
        )

    def create_tag(self) -> Any:
        name, snapshot = self.arguments["tag"], self.arguments["snapshot-id"]
        if FAULT == "tags-are-floats":
            snapshot = int(float(snapshot))
        self.commit(
            [self.reference(name, "branch" if FAULT == "tags-are-branches" else "tag", snapshot)],
            self.stays(name, None),
        )

    def fast_forward_branch(self) -> Any:
        name, metadata = self.arguments["branch"], self.load()["metadata"]
        head, to = self.head(metadata, name), self.head(metadata, self.arguments["to"])
        ancestor = to
        while ancestor not in {None, head}:
            ancestor = (self.snapshot(metadata, ancestor) or {}).get("parent-snapshot-id")
        if to is None or (ancestor is None and FAULT != "fast-forwards-anything"):
            raise Refused("the other branch does not descend from it")
        self.commit([self.reference(name, "branch", to)], self.stays(name, head))

    def drop_reference(self, name: str) -> None:
        names = (
            [name, *(other for other in self.load()["metadata"]["refs"] if other != MAIN)]
            if FAULT == "drops-all-references"
            else [name]
        )
        self.commit(
            [{"action": "remove-snapshot-ref", "ref-name": one} for one in dict.fromkeys(names)]
        )

    def drop_branch(self) -> Any:
        self.drop_reference(self.arguments["branch"])

    def drop_tag(self) -> Any:
        self.drop_reference(self.arguments["tag"])
