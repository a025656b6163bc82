"""Attackers with any spelling of a location: purges keep foreign files, and foreign folders are not
written.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.reference_server import running
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from lakepact.reference_server.iceberg_rest.tables.metadata import new_table_metadata
from lakepact.reference_server.iceberg_rest.tables.metadata_files import record_of
from lakepact.reference_server.warehouse.local import Warehouse
from sample_tables import table_documents as td

from .conftest import SCHEMA, As, Principal, principals

SERVER_FILE = """
[principals.root]
token = "root-token"

[principals.owner]
token = "owner-token"

[principals.writer]
token = "writer-token"

[[grants]]
principal = "root"
access = "admin"

[[grants]]
principal = "owner"
namespace = ["open"]
access = "admin"

[[grants]]
principal = "writer"
namespace = ["open"]
access = "write"
"""

#: Spellings of a path below the root, which begins with a slash.
SPELLINGS = {
    "plain": "{root}{path}",
    "trailing slash": "{root}{path}/",
    "double slashes": "{root}{doubled}",
    "dots": "{root}{dotted}",
    "percent-encoded letter": "{root}{escaped}",
    "percent-encoded slashes": "{root}/x%2F..{path}",
    "one slash": "file:{folder}{path}",
    "bare path": "{folder}{path}",
    "localhost": "file://localhost{folder}{path}",
    "four slashes": "file:///{folder}{path}",
    "two slashes": "memory:/{path}",
    "link": "{root}{link}",
    "out": "{root}{path}/../../..",
}
#: Targets of an attacker, of the victims.
TARGETS = ["location", "metadata", "data", "namespace", "level", "own", "longer"]
OPERATIONS = [
    "create",
    "stage",
    "register",
    "set-location",
    "write.metadata.path",
    "write.data.path",
    "view",
    "move-view",
    "planted",
]


@dataclass(frozen=True)
class Served:
    """A server, its warehouse and its principals."""

    warehouse: Warehouse
    catalog: Catalog
    bearing: As

    @property
    def folder(self) -> Path | None:
        """Return the folder of the warehouse, if it is in a file system."""
        return (
            Path(self.warehouse.root.removeprefix("file://"))
            if self.warehouse.root.startswith("file:")
            else None
        )

    def documents(self) -> set[str]:
        """Return the places of all files in the warehouse."""
        folder = self.folder
        if folder is None:
            documents: dict[str, bytes] = self.warehouse._documents  # type: ignore[attr-defined]
            return set(documents)
        return {str(path) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Served]]:
    folder = tmp_path_factory.mktemp("served")
    config = folder / "server.toml"
    config.write_text(SERVER_FILE, encoding="utf-8")
    with ExitStack() as stack:
        found = {}
        for kind, warehouse in (("memory", "memory:"), ("file", str(folder / "w"))):
            server = stack.enter_context(running(warehouse=warehouse, config=config))
            bearing = stack.enter_context(principals(server.url))
            for level in ("open", "closed"):
                assert (
                    bearing("root-token")("POST", "/v1/namespaces", {"namespace": [level]}).status
                    == 200
                )
            found[kind] = Served(
                server.service.warehouses[0].files, server.service.catalogs[0], bearing
            )
        yield found


class Attack:
    """Victim tables of root in an open and a closed namespace, and an attacker of their files."""

    def __init__(self, served: Served, root: Principal, attacker: Principal) -> None:
        self.served, self.root, self.attacker = served, root, attacker
        self.level = f"n{uuid.uuid4().hex[:8]}"
        self.kept: set[str] = set()
        for top in ("open", "closed"):
            assert root("POST", "/v1/namespaces", {"namespace": [top, self.level]}).status == 200
            for name in ("victim", "dropped"):
                made = self.made(
                    root,
                    top,
                    "tables",
                    {"name": name, "schema": SCHEMA, "location": self.place(top, name)},
                )
                self.kept |= {self.path(made["metadata-location"]), self.data(top, name)}
            self.made(root, top, "views", self.view("seen", location=self.place(top, "seen")))
            self.kept |= {path for path in served.documents() if f"/{self.level}/seen/" in path}
            assert root("DELETE", f"{self.at(top)}/tables/dropped").status == 204
        self.mine = f"m{uuid.uuid4().hex[:8]}"

    def at(self, top: str) -> str:
        return f"/v1/namespaces/{top}%1F{self.level}"

    def place(self, top: str, name: str) -> str:
        return f"{self.served.warehouse.root}/{top}/{self.level}/{name}"

    def path(self, location: str) -> str:
        return self.served.warehouse.places(location)[0]

    def data(self, top: str, name: str) -> str:
        location = f"{self.place(top, name)}/data/1.parquet"
        self.served.warehouse.prepare(f"{self.place(top, name)}/data")
        self.served.warehouse.write(location, b"PAR1")
        return self.path(location)

    @staticmethod
    def view(name: str, **members: Any) -> dict[str, Any]:
        return {
            "name": name,
            "schema": SCHEMA,
            "view-version": td.view_version(),
            "properties": {},
            **members,
        }

    def made(self, who: Principal, top: str, kind: str, body: dict[str, Any]) -> Any:
        answer = who("POST", f"{self.at(top)}/{kind}", body)
        assert answer.status == 200, answer.body
        return answer.document

    def spelled(self, what: str, top: str, target: str) -> str:
        """Return the location that the attacker asks for."""
        base = f"/{top}/{self.level}"
        path = {
            "location": f"{base}/victim",
            "metadata": f"{base}/victim/metadata",
            "data": f"{base}/victim/data",
            "namespace": base,
            "level": f"/{top}",
            "own": f"{base}/{self.mine}",
            "longer": f"{base}/victim-2",
        }[target]
        folder, root = self.served.folder, self.served.warehouse.root
        link = f"/open/{self.level}/link-{uuid.uuid4().hex[:8]}"
        if what == "link" and folder is not None:
            Path(f"{folder}{link}").symlink_to(Path(f"{folder}{path}"))
        return SPELLINGS[what].format(
            root=root,
            folder=folder or "",
            path=path,
            doubled=path.replace("/", "//"),
            dotted=path.replace("/", "/./"),
            escaped=f"/%{ord(path[1]):02x}{path[2:]}",
            link=link,
        )

    def try_to(self, operation: str, location: str) -> None:
        """Do an operation with a location, then one that would write there; most are refused."""
        name = f"{self.mine}-{uuid.uuid4().hex[:8]}"
        request: dict[str, Any] = {"name": name, "schema": SCHEMA}
        tables, views = f"{self.at('open')}/tables", f"{self.at('open')}/views"
        if operation == "create":
            self.attacker("POST", tables, {**request, "location": location})
        elif operation == "stage":
            self.attacker("POST", tables, {**request, "location": location, "stage-create": True})
            updates = td.creation_updates(SCHEMA, location)
            self.attacker(
                "POST",
                f"{tables}/{name}",
                {"requirements": [{"type": "assert-create"}], "updates": updates},
            )
        elif operation == "register":
            self.register(name, location)
        elif operation == "set-location":
            self.attacker("POST", tables, request)
            self.commit(f"{tables}/{name}", {"action": "set-location", "location": location})
        elif operation == "planted":
            self.plant(name, location)
        elif operation.startswith("write."):
            self.attacker("POST", tables, {**request, "properties": {operation: location}})
        else:
            body = self.view(name, **({"location": location} if operation == "view" else {}))
            self.attacker("POST", views, body)
            self.commit(f"{views}/{name}", {"action": "set-location", "location": location})
            self.attacker("DELETE", f"{views}/{name}")
        if (
            operation != "planted"
        ):  # `plant` would have put the table where the principal may not write
            self.commit(f"{tables}/{name}", {"action": "set-properties", "updates": {"a": "b"}})
        self.attacker("DELETE", f"{tables}/{name}?purgeRequested=true")
        self.root("DELETE", f"{tables}/{name}?purgeRequested=true")

    def commit(self, path: str, update: dict[str, Any]) -> None:
        self.attacker("POST", path, {"requirements": [], "updates": [update]})

    def plant(self, name: str, location: str) -> None:
        """Put a table into the store at a location that only earlier versions of the server
        accept.
        """
        metadata = new_table_metadata(
            {"schema": SCHEMA}, table_uuid=str(uuid.uuid4()), location=location, now_ms=1
        )
        record = record_of(
            metadata, f"{location}/metadata/00000-0.metadata.json", json.dumps(metadata).encode()
        )
        with self.served.catalog.store.begin() as transaction:
            transaction.put(identifier_key(("open", self.level), name), record)

    def register(self, name: str, location: str) -> None:
        """Register a file with a table location there, and files of the victim as its former
        metadata.
        """
        first = self.made(
            self.attacker, "open", "tables", {"name": f"{name}-first", "schema": SCHEMA}
        )
        victim = self.root("GET", f"{self.at('open')}/tables/victim").document
        log = [{"timestamp-ms": 1, "metadata-file": victim["metadata-location"]}]
        crafted = {
            **first["metadata"],
            "location": location,
            "table-uuid": victim["metadata"]["table-uuid"],
            "metadata-log": log,
        }
        at = f"{first['metadata']['location']}/metadata/crafted.metadata.json"
        self.served.warehouse.write(at, json.dumps(crafted).encode())
        self.attacker(
            "POST", f"{self.at('open')}/register", {"name": name, "metadata-location": at}
        )


TRIES = st.lists(
    st.tuples(
        st.sampled_from(OPERATIONS),
        st.sampled_from(list(SPELLINGS)),
        st.sampled_from(["open", "closed"]),
        st.sampled_from(TARGETS),
    ),
    min_size=1,
    max_size=4,
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    tries=TRIES,
    token=st.sampled_from(["root-token", "owner-token", "writer-token"]),
    kind=st.sampled_from(["memory", "file"]),
)
def test_no_spelling_of_a_location_reaches_foreign_files_or_folders(
    served: dict[str, Served], tries: list[tuple[str, str, str, str]], token: str, kind: str
) -> None:
    one = served[kind]
    attack = Attack(one, one.bearing("root-token"), one.bearing(token))
    closed = one.warehouse.places(f"{one.warehouse.root}/closed")[0]
    for operation, spelling, top, target in tries:
        before = one.documents()
        attack.try_to(operation, attack.spelled(spelling, top, target))
        after = one.documents()
        assert attack.kept <= after
        if token != "root-token":
            assert not [path for path in after - before if path.startswith(f"{closed}/")]
