"""A principal that writes a shared table shares no file of a table that it may not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.table import Table

from sample_tables.shared_tables import write_shares
from sample_tables.table_documents import append_updates

from .conftest import Answer, Principal, guarded

TABLE = "/v1/namespaces/open/tables/shown"
ROWS = pa.table({"id": pa.array([1], pa.int64())})


@dataclass(frozen=True)
class Sharing:
    """A shared table that the writer may change, and a table hidden from the writer."""

    root: Principal
    writer: Principal
    recipient: Principal
    shared: Table
    hidden: Table

    def query(self, **body: Any) -> Answer:
        return self.recipient("POST", "/delta-sharing/shares/s/schemas/d/tables/t/query", body)

    def refuses(self, answer: Answer) -> bool:
        """Return whether an answer is a refusal that says nothing of the hidden table."""
        return (
            answer.status in {400, 500}
            and b"hidden_column" not in answer.body
            and b"/files/" not in answer.body
        )


@pytest.fixture
def sharing(tmp_path: Path) -> Iterator[Sharing]:
    tables = [{"name": "t", "iceberg": "open.shown", "historyShared": True}]
    shares = write_shares(tmp_path, tables, {"partner": "partner-token"})
    with guarded(tmp_path, warehouse=str(tmp_path / "warehouse"), shares=shares) as (
        server,
        bearing,
    ):
        catalog = RestCatalog("root", uri=server.url, token="root-token")
        made: list[Table] = []
        for name, column in (("open.shown", "id"), ("closed.secret", "hidden_column")):
            catalog.create_namespace(name.split(".")[0])
            rows = ROWS.rename_columns([column])
            made.append(catalog.create_table(name, rows.schema))
            made[-1].append(rows)
        yield Sharing(
            bearing("root-token"), bearing("writer-token"), bearing("partner-token"), *made
        )


def foreign_snapshot(hidden: Table) -> list[dict[str, Any]]:
    """Return updates that make the snapshot of the hidden table current."""
    return append_updates(7, hidden.current_snapshot().manifest_list, sequence_number=2)


@pytest.mark.parametrize(
    "member", [None, "write.data.path", "write.object-storage.path", "write.folder-storage.path"]
)
@pytest.mark.parametrize("place", ["{hidden}", "{hidden}/data", "{warehouse}"])
def test_snapshot_of_a_hidden_table_is_not_shared(
    sharing: Sharing, tmp_path: Path, member: str | None, place: str
) -> None:
    place = place.format(hidden=sharing.hidden.location(), warehouse=f"file://{tmp_path}/warehouse")
    updates = [] if member is None else [{"action": "set-properties", "updates": {member: place}}]
    body = {"requirements": [], "updates": [*updates, *foreign_snapshot(sharing.hidden)]}

    assert sharing.writer("POST", TABLE, body).status == 400
    assert sharing.query().status == 200


def test_table_within_a_shared_table_returns_400(sharing: Sharing) -> None:
    location = f"{sharing.shared.location()}/inner"
    inner = {
        "name": "inner",
        "schema": json.loads(sharing.hidden.schema().model_dump_json()),
        "location": location,
    }

    assert sharing.root("POST", "/v1/namespaces/closed/tables", inner).status == 400


@pytest.mark.parametrize("name", ["secret", "empty"])
@pytest.mark.parametrize("claimed", ["own", "hidden"])
def test_metadata_log_of_a_hidden_table_is_not_registered(
    sharing: Sharing, claimed: str, name: str
) -> None:
    empty = {"name": "empty", "schema": json.loads(sharing.hidden.schema().model_dump_json())}
    assert sharing.root("POST", "/v1/namespaces/closed/tables", empty).status == 200
    hidden = sharing.root("GET", f"/v1/namespaces/closed/tables/{name}").document
    number = int(Path(hidden["metadata-location"]).name.partition("-")[0])

    former = Path(sharing.shared.metadata_location.removeprefix("file://"))
    forged = former.with_name(f"{number + 1:05}-00000000-0000-4000-8000-000000000000.metadata.json")
    document = json.loads(former.read_bytes())
    document["metadata-log"] = [
        {
            "metadata-file": hidden["metadata-location"],
            "timestamp-ms": document["last-updated-ms"] - 1,
        }
    ]
    document["snapshots"] += [
        {**document["snapshots"][0], "snapshot-id": one["snapshot-id"]}
        for one in hidden["metadata"]["snapshots"]
    ]
    if claimed == "hidden":
        document["table-uuid"] = hidden["metadata"]["table-uuid"]
    forged.write_text(json.dumps(document), encoding="utf-8")
    assert sharing.writer("DELETE", TABLE).status == 204
    body = {"name": "shown", "metadata-location": f"file://{forged}"}

    assert sharing.writer("POST", "/v1/namespaces/open/register", body).status == 400


def link_to_hidden(sharing: Sharing, place: str) -> None:
    """Put a link to the data file of the hidden table, or to its folder, in the place of that of
    the shared table.
    """
    hidden, shared = (
        Path(next(iter(table.scan().plan_files())).file.file_path.removeprefix("file://"))
        for table in (sharing.hidden, sharing.shared)
    )
    if place == "file":
        shared.unlink()
        shared.symlink_to(hidden)
    else:
        shared.parent.rename(shared.parent.with_name("former"))
        hidden.rename(hidden.with_name(shared.name))
        shared.parent.symlink_to(hidden.parent)


@pytest.mark.parametrize("place", ["file", "folder"])
def test_link_to_a_file_of_a_hidden_table_is_not_sent(sharing: Sharing, place: str) -> None:
    link_to_hidden(sharing, place)
    url = next(
        json.loads(line)["file"]["url"]
        for line in sharing.query().body.splitlines()
        if b'"url"' in line
    )

    assert sharing.recipient("GET", "".join(url.partition("/delta-sharing")[1:])).status == 404


@pytest.mark.parametrize("place", ["file", "folder"])
def test_refusal_of_a_linked_file_names_no_column_of_the_hidden_table(
    sharing: Sharing, place: str
) -> None:
    with sharing.shared.update_schema() as update:
        update.rename_column("id", "renamed")  # names are compared with those in the file
    link_to_hidden(sharing, place)

    assert sharing.refuses(sharing.query())
