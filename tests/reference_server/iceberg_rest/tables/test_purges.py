"""A purge removes only the files of its table; each test is an attack that once worked."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server import Server, running
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from lakepact.reference_server.iceberg_rest.tables.metadata import new_table_metadata
from lakepact.reference_server.warehouse.local import FileWarehouse, Unreadable
from raw_requests import Sender, serving
from sample_tables import table_documents as td
from sample_tables.schemas import SCHEMA

#: Spellings of the folder `name` in a folder of the warehouse at `root`; `first` is the letter that
#: the name begins with.
EVERYWHERE = {
    "as it is": "{root}/{folder}/{name}",
    "trailing slash": "{root}/{folder}/{name}/",
    "double slash": "{root}/{folder}//{name}",
    "dot": "{root}/{folder}/./{name}",
    "percent": "{root}/{folder}/%{first:02x}{rest}",
    "percent-encoded slash": "{root}/{folder}%2F{name}",
    "above": "{root}/{folder}",
    "below": "{root}/{folder}/{name}/data",
}
FILES = {
    **EVERYWHERE,
    "one slash": "file:{path}/{folder}/{name}",
    "bare path": "{path}/{folder}/{name}",
    "localhost": "file://localhost{path}/{folder}/{name}",
    "four slashes": "file:///{path}/{folder}/{name}",
    "link": "{root}/link_{folder}/{name}",
}
MEMORY = {
    **EVERYWHERE,
    "two slashes": "memory://{folder}/{name}",
    "three slashes": "memory:///{folder}/{name}",
}
SPELLINGS = [("file", what) for what in FILES] + [("memory", what) for what in MEMORY]


@dataclass(frozen=True)
class Attacked:
    """A catalog with the table `victim`, and the steps of attacks on it."""

    send: Sender
    catalog: Catalog
    namespace: str
    victim: dict[str, Any]
    kind: str

    @property
    def location(self) -> str:
        location: str = self.victim["metadata"]["location"]
        return location

    @property
    def at(self) -> str:
        """Return the path of the namespace."""
        return f"/v1/namespaces/{self.namespace}"

    @property
    def folder(self) -> str:
        """Return the location of the namespace."""
        return f"{self.catalog.warehouse.root}/{self.namespace}"

    def spelled(self, what: str, location: str | None = None) -> str:
        """Return another spelling of the location of the victim, or of a given location."""
        root = self.catalog.warehouse.root
        folder, _, name = (location or self.location).removeprefix(f"{root}/").rpartition("/")
        path = root.removeprefix("file://")
        if what == "link":
            Path(path, f"link_{folder}").symlink_to(Path(path, folder))
        spelling = (FILES if self.kind == "file" else MEMORY)[what]
        return spelling.format(
            root=root, path=path, folder=folder, name=name, first=ord(name[0]), rest=name[1:]
        )

    def create(self, name: str, **members: Any) -> Any:
        return self.send("POST", f"{self.at}/tables", {"name": name, "schema": SCHEMA, **members})

    def view(self, name: str, **members: Any) -> Any:
        body = {
            "name": name,
            "schema": SCHEMA,
            "view-version": td.view_version(),
            "properties": {},
            **members,
        }
        return self.send("POST", f"{self.at}/views", body)

    def commit(self, name: str, *updates: dict[str, Any], kind: str = "tables") -> Any:
        return self.send(
            "POST", f"{self.at}/{kind}/{name}", {"requirements": [], "updates": list(updates)}
        )

    def move(self, name: str, location: str, kind: str = "tables") -> Any:
        return self.commit(name, td.update("set-location", location=location), kind=kind)

    def transact(self, *changes: tuple[str, dict[str, Any]]) -> Any:
        """Send a transaction with an update of each of these tables."""
        changed = [
            {
                "identifier": {"namespace": [self.namespace], "name": name},
                "requirements": [],
                "updates": [update],
            }
            for name, update in changes
        ]
        return self.send("POST", "/v1/transactions/commit", {"table-changes": changed})

    def purge(self, name: str) -> None:
        assert self.send("DELETE", f"{self.at}/tables/{name}?purgeRequested=true").status == 204

    def planted(self, name: str, location: str) -> None:
        """Put a table into the store, like earlier versions of the server, which compared locations
        as texts.
        """
        metadata = new_table_metadata(
            {"schema": SCHEMA},
            table_uuid=str(uuid.uuid4()),
            location=location.rstrip("/"),
            now_ms=1,
        )
        record = self.catalog.rules.write_metadata(self.catalog.warehouse, metadata, former=None)
        with self.catalog.store.begin() as transaction:
            transaction.put(identifier_key((self.namespace,), name), record)

    def exists(self, table: dict[str, Any]) -> bool:
        """Return whether the metadata file of a table can be read."""
        try:
            self.catalog.warehouse.read(table["metadata-location"])
        except Unreadable:
            return False
        return True

    def is_whole(self, table: dict[str, Any] | None = None) -> bool:
        """Return whether the current metadata file of the victim, or of another table, can be
        read.
        """
        document = table or self.victim
        return (
            json.loads(self.catalog.warehouse.read(document["metadata-location"]))
            == document["metadata"]
        )


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    with (
        running(warehouse=str(tmp_path_factory.mktemp("warehouse"))) as files,
        running(warehouse="memory:") as memory,
    ):
        yield {"file": files, "memory": memory}


@contextmanager
def attacked(server: Server, kind: str) -> Iterator[Attacked]:
    """Yield a table in a namespace of its own."""
    name = f"n{uuid.uuid4().hex}"
    with Sender(server.url) as send:
        send("POST", "/v1/namespaces", {"namespace": [name]})
        victim = send(
            "POST", f"/v1/namespaces/{name}/tables", {"name": "victim", "schema": SCHEMA}
        ).document
        yield Attacked(send, server.service.catalogs[0], name, victim, kind)


@pytest.fixture
def spelling(
    request: pytest.FixtureRequest, servers: dict[str, Server]
) -> Iterator[tuple[Attacked, str]]:
    """Yield a table of one kind, and its location in another spelling."""
    kind, what = request.param
    with attacked(servers[kind], kind) as one:
        yield one, one.spelled(what)


@pytest.fixture(params=["file", "memory"])
def both(request: pytest.FixtureRequest, servers: dict[str, Server]) -> Iterator[Attacked]:
    with attacked(servers[request.param], request.param) as one:
        yield one


@pytest.fixture
def files(servers: dict[str, Server]) -> Iterator[Attacked]:
    with attacked(servers["file"], "file") as one:
        yield one


each_spelling = pytest.mark.parametrize(
    "spelling", SPELLINGS, indirect=True, ids=lambda one: f"{one[0]}: {one[1]}"
)


@each_spelling
def test_purge_of_table_at_location_of_another_keeps_its_files(
    spelling: tuple[Attacked, str],
) -> None:
    attack, location = spelling
    attack.planted("mine", location)
    attack.purge("mine")

    assert attack.is_whole()


@each_spelling
def test_create_at_location_of_another_returns_400(spelling: tuple[Attacked, str]) -> None:
    attack, location = spelling

    assert attack.create("mine", location=location).error[0] == 400
    assert attack.create("mine", location=location, **{"stage-create": True}).error[0] == 400
    assert attack.view("mine", location=location).error[0] == 400


@each_spelling
def test_set_location_to_that_of_another_returns_400(spelling: tuple[Attacked, str]) -> None:
    attack, location = spelling
    attack.create("mine")
    attack.view("view")

    assert attack.move("mine", location).error[0] == 400
    assert attack.move("view", location, kind="views").error[0] == 400
    moved = ("mine", td.update("set-location", location=location))
    assert attack.transact(moved).error[0] == 400


@each_spelling
def test_commit_of_staged_table_at_location_of_another_returns_400(
    spelling: tuple[Attacked, str],
) -> None:
    attack, location = spelling
    body = {
        "requirements": [{"type": "assert-create"}],
        "updates": td.creation_updates(SCHEMA, location),
    }

    assert attack.send("POST", f"{attack.at}/tables/mine", body).error[0] == 400


@each_spelling
def test_register_of_another_table_at_a_location_returns_400(
    spelling: tuple[Attacked, str],
) -> None:
    attack, location = spelling
    mine = attack.create("mine").document
    crafted = {**mine["metadata"], "table-uuid": str(uuid.uuid4()), "location": location}
    at = f"{mine['metadata']['location']}/metadata/crafted.metadata.json"
    attack.catalog.warehouse.write(at, json.dumps(crafted).encode())

    assert (
        attack.send(
            "POST", f"{attack.at}/register", {"name": "crafted", "metadata-location": at}
        ).error[0]
        == 400
    )


PATHS = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)


def set_path(name: str, location: str) -> dict[str, Any]:
    return {"action": "set-properties", "updates": {name: location}}


@each_spelling
@pytest.mark.parametrize("name", PATHS)
def test_path_property_with_the_location_of_another_returns_400(
    spelling: tuple[Attacked, str], name: str
) -> None:
    attack, location = spelling
    attack.create("mine")
    update = set_path(name, location)
    refused = [
        attack.commit("mine", update),
        attack.create("new", properties={name: location}),
        attack.create("new", properties={name: location}, **{"stage-create": True}),
        attack.transact(("mine", update)),
    ]

    assert [answer.error[:2] for answer in refused] == [(400, "BadRequestException")] * 4
    attack.purge("victim")
    assert not attack.exists(attack.victim)


def test_path_property_of_a_view_with_the_location_of_another_returns_400(both: Attacked) -> None:
    update = set_path("write.metadata.path", both.location)
    both.view("view")

    assert both.commit("view", update, kind="views").error[0] == 400
    assert both.view("new", properties=update["updates"]).error[0] == 400


def test_path_property_above_a_namespace_returns_400(both: Attacked) -> None:
    both.create("mine")

    assert both.commit("mine", set_path("write.data.path", both.folder)).error[0] == 400


def test_path_properties_of_its_own_and_outside_are_accepted(both: Attacked) -> None:
    location = both.create("mine").document["metadata"]["location"]
    folders = (location, f"{location}/x", f"{both.folder}/objects", "s3://elsewhere/objects")

    for folder in folders:
        assert both.commit("mine", set_path("write.data.path", folder)).status == 200


def test_former_path_property_refuses_no_later_commit(both: Attacked) -> None:
    folder = f"{both.folder}/objects"
    both.create("mine", properties={"write.data.path": folder})
    both.create("other", location=f"{folder}/other")

    assert both.commit("mine", set_path("a", "b")).status == 200


def test_registered_path_property_with_the_location_of_another_returns_400(
    both: Attacked,
) -> None:
    mine = both.create("mine").document["metadata"]
    folder = f"{mine['location']}/metadata"
    lists = [
        {
            "snapshot-id": 1,
            "timestamp-ms": 1,
            "summary": {"operation": "append"},
            "manifest-list": at,
        }
        for at in (f"{both.location}/metadata/x.avro",)
    ]
    entry = {"timestamp-ms": 1, "metadata-file": f"{both.location}/metadata/0.metadata.json"}
    crafted = [
        {"properties": {"write.data.path": both.location}},
        {"snapshots": lists},
        {"metadata-log": [entry]},
    ]
    for number, members in enumerate(crafted):
        at = f"{folder}/{number}.json"
        table = {**mine, **members, "table-uuid": str(uuid.uuid4()), "location": f"{folder}/own"}
        both.send("DELETE", f"{both.at}/tables/mine")
        both.catalog.warehouse.write(at, json.dumps(table).encode())
        refused = both.send("POST", f"{both.at}/register", {"name": "r", "metadata-location": at})
        assert "overlaps with that of another table" in refused.message


def test_snapshot_with_a_list_at_the_location_of_another_returns_400(both: Attacked) -> None:
    both.create("mine")
    snapshot = {
        "snapshot-id": 1,
        "sequence-number": 1,
        "timestamp-ms": 1,
        "summary": {"operation": "append"},
        "manifest-list": f"{both.location}/metadata/x.avro",
    }

    refused = both.commit("mine", {"action": "add-snapshot", "snapshot": snapshot})

    assert "overlaps with that of another table" in refused.message


def test_transaction_that_names_a_new_location_as_path_returns_400(both: Attacked) -> None:
    both.create("mine")
    folder = f"{both.folder}/new"
    changes = [
        ("victim", td.update("set-location", location=folder)),
        ("mine", set_path("write.data.path", folder)),
    ]

    for some in (changes, changes[::-1]):
        assert "the new locations of" in both.transact(*some).message


def test_table_in_a_namespace_at_the_location_of_another_returns_400(both: Attacked) -> None:
    inner = {"namespace": [f"{both.namespace}_in"], "properties": {"location": both.location}}
    assert both.send("POST", "/v1/namespaces", inner).status == 200

    refused = both.send("POST", f"{both.at}_in/tables", {"name": "t", "schema": SCHEMA})

    assert "overlaps with that of another table" in refused.message


@pytest.mark.parametrize(
    "what",
    ["as it is", "double slash", "dot", "one slash", "bare path", "localhost", "four slashes"],
)
def test_location_of_its_own_is_kept_as_spelled_and_purged(files: Attacked, what: str) -> None:
    location = files.spelled(what, f"{files.folder}/own")
    made = files.create("own", location=location).document
    files.purge("own")

    assert made["metadata"]["location"] == location
    assert not Path(files.folder.removeprefix("file://"), "own").exists()
    assert files.is_whole()


def test_transaction_that_moves_two_tables_to_one_folder_returns_400(both: Attacked) -> None:
    both.create("mine")
    changes = [
        (name, td.update("set-location", location=f"{both.folder}/{place}"))
        for name, place in (("victim", "new"), ("mine", "/new/below"))
    ]

    assert both.transact(*changes).error[0] == 400


def test_purge_of_a_keeps_ab(both: Attacked) -> None:
    longer = both.create("ab", location=f"{both.folder}/ab").document
    both.create("a", location=f"{both.folder}/a")
    both.purge("a")

    assert both.is_whole(longer)


@pytest.mark.parametrize("place", ["/{}", "/{}/", "//{}", "/{}_other", "/{}/child"])
def test_location_that_holds_the_folder_of_a_namespace_returns_400(
    both: Attacked, place: str
) -> None:
    both.send("POST", "/v1/namespaces", {"namespace": [f"{both.namespace}_other"]})
    both.send("POST", "/v1/namespaces", {"namespace": [both.namespace, "child"]})
    location = f"{both.catalog.warehouse.root}{place.format(both.namespace)}"

    assert both.create("mine", location=location).error[0] == 400


def test_purge_at_the_folder_of_a_namespace_keeps_files_of_dropped_tables(both: Attacked) -> None:
    both.send("DELETE", f"{both.at}/tables/victim")
    both.planted("mine", both.folder)
    both.purge("mine")

    assert both.is_whole()


def test_purge_of_a_moved_registered_twin_keeps_the_first_metadata(both: Attacked) -> None:
    both.send(
        "POST",
        f"{both.at}/register",
        {"name": "twin", "metadata-location": both.victim["metadata-location"]},
    )
    assert both.move("twin", f"{both.folder}/twin").status == 200
    both.purge("twin")

    assert both.is_whole()


def test_purge_at_the_metadata_path_of_another_keeps_its_metadata(both: Attacked) -> None:
    folder = f"{both.folder}/elsewhere"
    other = both.create("other", properties={"write.metadata.path": folder}).document
    both.create("mine", location=folder)
    both.purge("mine")

    assert other["metadata-location"].startswith(folder)
    assert both.is_whole(other)


@pytest.mark.parametrize(
    "name", ["write.data.path", "write.object-storage.path", "write.folder-storage.path"]
)
@pytest.mark.parametrize("below", ["", "/part"])
def test_purge_at_the_data_path_of_another_keeps_its_data(
    both: Attacked, name: str, below: str
) -> None:
    folder = f"{both.folder}/elsewhere"
    both.create("other", properties={name: folder})
    both.catalog.warehouse.prepare(f"{folder}/part")
    both.catalog.warehouse.write(f"{folder}/part/1.parquet", b"PAR1")
    both.create("mine", location=f"{folder}{below}")
    both.purge("mine")

    assert both.catalog.warehouse.read(f"{folder}/part/1.parquet") == b"PAR1"


@pytest.mark.parametrize("below", ["", "/data", "/metadata"])
def test_purge_at_the_former_location_of_another_keeps_its_files(
    both: Attacked, below: str
) -> None:
    data = f"{both.location}/data/1.parquet"
    both.catalog.warehouse.write(data, b"PAR1")
    assert both.move("victim", f"{both.folder}/moved").status == 200
    both.planted("mine", f"{both.location}{below}")
    both.purge("mine")

    assert both.is_whole()
    assert both.catalog.warehouse.read(data) == b"PAR1"


def test_purge_keeps_files_behind_a_link_that_took_the_place_of_the_table(files: Attacked) -> None:
    mine = files.create("mine", location=f"{files.folder}/mine").document
    files.send("DELETE", f"{files.at}/tables/victim")  # its files stay, and block no other table
    here, there = (
        Path(location.removeprefix("file://"))
        for location in (mine["metadata"]["location"], files.location)
    )
    here.rename(here.with_name("away"))
    here.symlink_to(there)
    files.purge("mine")

    assert files.is_whole()


def test_purge_does_not_follow_links_in_the_table(files: Attacked, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("outside")
    here = Path(files.location.removeprefix("file://"))
    (here / "data").symlink_to(tmp_path)
    files.purge("victim")

    assert (here.exists(), (tmp_path / "outside").read_text()) == (False, "outside")


def test_purge_of_a_warehouse_does_not_go_through_links(tmp_path: Path) -> None:
    kept = FileWarehouse(tmp_path / "w")
    kept.write(f"{kept.root}/a/t/0.json", b"{}")
    (tmp_path / "w" / "b").symlink_to(tmp_path / "w" / "a")
    kept.purge(f"{kept.root}/b/t")

    assert kept.read(f"{kept.root}/a/t/0.json") == b"{}"


def test_purge_works_where_the_warehouse_itself_is_reached_through_a_link(tmp_path: Path) -> None:
    kept = FileWarehouse(tmp_path / "w")
    kept.write(f"{kept.root}/a/t/0.json", b"{}")
    (tmp_path / "link").symlink_to(tmp_path / "w")
    kept.purge(f"file:{tmp_path}/link/a//t")

    assert not (tmp_path / "w" / "a" / "t").exists()


def test_purge_of_a_dropped_view_keeps_its_neighbours(both: Attacked) -> None:
    both.view("view", location=f"{both.folder}/view")
    assert both.send("DELETE", f"{both.at}/views/view").status == 204

    assert both.is_whole()


def test_warehouses_that_share_a_folder_keep_the_files_of_each_other(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    config = tmp_path / "server.toml"
    config.write_text(
        "".join(f'[warehouses.{name}]\nlocation = "{tmp_path}/shared/{name}"\n' for name in "ab")
    )
    shared = str(tmp_path / "shared")
    with serving(config=config, allowed_locations=(shared,), warehouse=str(tmp_path / "w")) as send:
        for name in "ab":
            assert send("POST", f"/v1/{name}/namespaces", {"namespace": ["n"]}).status == 200
        made = send(
            "POST",
            "/v1/a/namespaces/n/tables",
            {"name": "t", "schema": SCHEMA, "location": f"{shared}/t"},
        ).document
        for location in (f"file:{shared}/t", f"{shared}/t/below", f"{shared}/a/n/t", f"{shared}/a"):
            body = {"name": "mine", "schema": SCHEMA, "location": location}
            assert send("POST", "/v1/b/namespaces/n/tables", body).error[0] == 400

        assert Path(made["metadata-location"]).exists()
