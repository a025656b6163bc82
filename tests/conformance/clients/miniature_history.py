"""Rows, snapshots, branches and tags of the small catalog client; its data files and manifests are JSON."""

from __future__ import annotations

import json
import random
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from miniature_session import FAULT, STYLE, CommitStateUnknown, Conflict, Refused

MAIN = "main"


class History:
    """The tasks about rows and snapshots; what commits and loads is the catalog's."""

    given: dict[str, Any]

    def load(self) -> Any:
        raise NotImplementedError

    def commit(self, updates: list[dict[str, Any]], *requirements: dict[str, Any]) -> None:
        raise NotImplementedError

    @staticmethod
    def root_of(metadata: dict[str, Any]) -> Path:
        return Path(unquote(urlsplit(metadata["location"]).path))

    @staticmethod
    def files_of(snapshot: dict[str, Any]) -> list[str]:
        files: list[str] = json.loads(Path(unquote(urlsplit(snapshot["manifest-list"]).path)).read_text())
        return files

    @staticmethod
    def snapshot(metadata: dict[str, Any], wanted: int | None) -> dict[str, Any] | None:
        return next((s for s in metadata.get("snapshots") or [] if s["snapshot-id"] == wanted), None)

    @staticmethod
    def head(metadata: dict[str, Any], branch: str) -> int | None:
        found: int | None = ((metadata.get("refs") or {}).get(branch) or {}).get("snapshot-id")
        return found

    # -- reading -------------------------------------------------------------------------------------------------

    def rows(self, snapshot: dict[str, Any] | None) -> list[Any]:
        return [row for file in self.files_of(snapshot) for row in json.loads(Path(file).read_text())] if snapshot else []

    def read_rows(self) -> Any:
        metadata = self.load()["metadata"]
        return self.rows(self.snapshot(metadata, metadata.get("current-snapshot-id")))

    def read_rows_at_snapshot(self) -> Any:
        metadata = self.load()["metadata"]
        found = self.snapshot(metadata, self.given["snapshot-id"])
        if FAULT == "reads-the-newest-snapshot":
            found = self.snapshot(metadata, metadata["current-snapshot-id"])
        if found is None and FAULT != "takes-missing-snapshots-for-empty":
            raise Refused("no such snapshot")
        return self.rows(found)

    def read_rows_at_timestamp(self) -> Any:
        metadata = self.load()["metadata"]
        log = metadata["snapshots"] if FAULT == "takes-times-of-snapshots" else metadata["snapshot-log"]
        entries = sorted(log, key=lambda entry: entry["timestamp-ms"])
        past = [entry["snapshot-id"] for entry in entries if entry["timestamp-ms"] <= self.given["timestamp"]]
        if FAULT == "reads-the-present":
            past = [metadata["current-snapshot-id"]]
        if not past and FAULT == "takes-the-first-snapshot":
            past = [entries[0]["snapshot-id"]]
        if not past:
            raise Refused("the table has no snapshot of that time")
        return self.rows(self.snapshot(metadata, past[-1]))

    def read_rows_at_ref(self) -> Any:
        metadata = self.load()["metadata"]
        head = self.head(metadata, self.given["ref"])
        if head is None and FAULT != "reads-main-for-missing-refs":
            raise Refused("no such reference")
        return self.rows(self.snapshot(metadata, metadata["current-snapshot-id"] if head is None or FAULT == "reads-main" else head))

    # -- writing -------------------------------------------------------------------------------------------------

    def append_rows(self) -> Any:
        self.append(MAIN)

    def append_rows_to_branch(self) -> Any:
        self.append(self.given["branch"])

    def append(self, branch: str) -> None:
        metadata = self.load()["metadata"]
        data = self.root_of(metadata) / "data" / f"{uuid.uuid4()}.json"
        self.write(data, self.given["rows"])
        former = self.former_files(metadata, branch)
        try:
            try:
                self.append_file(metadata, branch, data, former)
            except Conflict:
                if STYLE != "retries-conflicts" and FAULT != "appends-to-old-files":
                    raise
                metadata = self.load()["metadata"]
                self.append_file(metadata, branch, data, former if FAULT == "appends-to-old-files" else self.former_files(metadata, branch))
        except CommitStateUnknown:
            if FAULT == "deletes-files-of-unknown-commits":
                data.unlink()
            raise
        except Refused:
            data.unlink()
            raise

    @staticmethod
    def write(file: Path, content: Any) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))

    def former_files(self, metadata: dict[str, Any], branch: str) -> list[str]:
        before = self.snapshot(metadata, self.head(metadata, MAIN if FAULT == "builds-branches-on-main" else branch))
        return self.files_of(before) if before else []

    def append_file(self, loaded: dict[str, Any], branch: str, data: Path, former: list[str]) -> None:
        head = self.head(loaded, branch)
        manifest = self.root_of(loaded) / "metadata" / f"snap-{uuid.uuid4()}.json"
        self.write(manifest, [*former, str(data)])
        snapshot = {
            "snapshot-id": random.randrange(1, 2**63),
            "sequence-number": loaded.get("last-sequence-number", 0) + 1,
            "timestamp-ms": max(int(time.time() * 1000), loaded["last-updated-ms"]),
            "manifest-list": manifest.as_uri(),
            "summary": {"operation": "append"},
            "schema-id": loaded.get("current-schema-id", 0),
        }
        parent = self.head(loaded, MAIN) if FAULT == "builds-branches-on-main" else head
        if parent is not None:
            snapshot["parent-snapshot-id"] = parent
        moved = {branch, MAIN} if FAULT == "moves-main-with-branches" else {branch}
        updates = [self.reference(name, "branch", snapshot["snapshot-id"]) for name in sorted(moved)]
        try:
            self.commit([{"action": "add-snapshot", "snapshot": snapshot}, *updates], self.stays(branch, head))
        except CommitStateUnknown:
            if FAULT == "deletes-metadata-of-unknown-commits":
                manifest.unlink()
            raise
        except Refused:
            manifest.unlink()
            raise

    # -- branches and tags ---------------------------------------------------------------------------------------

    @staticmethod
    def reference(name: str, kind: str, snapshot: int) -> dict[str, Any]:
        return {"action": "set-snapshot-ref", "ref-name": name, "type": kind, "snapshot-id": snapshot}

    @staticmethod
    def stays(name: str, snapshot: int | None) -> dict[str, Any]:
        return {"type": "assert-ref-snapshot-id", "ref": name, "snapshot-id": snapshot}

    def create_branch(self) -> Any:
        name = self.given["branch"]
        self.commit([self.reference(name, "branch", self.given["snapshot-id"])], self.stays(name, None))

    def create_tag(self) -> Any:
        name, snapshot = self.given["tag"], self.given["snapshot-id"]
        if FAULT == "tags-are-floats":
            snapshot = int(float(snapshot))
        self.commit([self.reference(name, "branch" if FAULT == "tags-are-branches" else "tag", snapshot)], self.stays(name, None))

    def fast_forward_branch(self) -> Any:
        name, metadata = self.given["branch"], self.load()["metadata"]
        head, to = self.head(metadata, name), self.head(metadata, self.given["to"])
        ancestor = to
        while ancestor not in {None, head}:
            ancestor = (self.snapshot(metadata, ancestor) or {}).get("parent-snapshot-id")
        if to is None or (ancestor is None and FAULT != "fast-forwards-anything"):
            raise Refused("the other branch does not descend from it")
        self.commit([self.reference(name, "branch", to)], self.stays(name, head))

    def drop_reference(self, name: str) -> None:
        dropped = (
            [name, *(other for other in self.load()["metadata"]["refs"] if other != MAIN)] if FAULT == "drops-all-references" else [name]
        )
        self.commit([{"action": "remove-snapshot-ref", "ref-name": one} for one in dict.fromkeys(dropped)])

    def drop_branch(self) -> Any:
        self.drop_reference(self.given["branch"])

    def drop_tag(self) -> Any:
        self.drop_reference(self.given["tag"])
