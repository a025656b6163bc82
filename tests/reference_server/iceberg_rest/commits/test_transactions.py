"""Transactions over HTTP: all changes or none, and no files of refused changes."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.reference_server import Server, running
from raw_requests import Sender, serving
from sample_tables import table_documents as td
from sample_tables.schemas import SCHEMA

Document = dict[str, Any]

COMMIT = "/v1/transactions/commit"
NOBODY = "00000000-0000-4000-8000-000000000000"
ASSERT_CREATE = {"type": "assert-create"}
IMPOSSIBLE = {"action": "set-current-schema", "schema-id": 99}


def setting(**properties: str) -> Document:
    return {"action": "set-properties", "updates": properties}


def is_uuid(value: str) -> Document:
    return {"type": "assert-table-uuid", "uuid": value}


def creating(location: str) -> list[Document]:
    return [
        td.update("assign-uuid", uuid=str(uuid.uuid4())),
        *td.creation_updates(SCHEMA, location),
    ]


@dataclass
class Tables:
    """A namespace, its tables a, b and c, and transactions on them."""

    send: Sender
    namespace: str = field(default_factory=lambda: f"ns_{uuid.uuid4().hex}")

    def __post_init__(self) -> None:
        assert self.send("POST", "/v1/namespaces", {"namespace": [self.namespace]}).status == 200
        for name in "abc":
            assert (
                self.send(
                    "POST",
                    f"/v1/namespaces/{self.namespace}/tables",
                    {"name": name, "schema": SCHEMA},
                ).status
                == 200
            )

    def change(
        self, name: str, *updates: Document, requires: tuple[Document, ...] = ()
    ) -> Document:
        identifier = {"namespace": [self.namespace], "name": name}
        return {"identifier": identifier, "requirements": list(requires), "updates": list(updates)}

    def commit(self, *changes: Document) -> Any:
        return self.send("POST", COMMIT, {"table-changes": list(changes)})

    def load(self, name: str) -> Document | None:
        answer = self.send("GET", f"/v1/namespaces/{self.namespace}/tables/{name}")
        return answer.document if answer.status == 200 else None

    def state(self) -> dict[str, bytes]:
        return {
            name: self.send("GET", f"/v1/namespaces/{self.namespace}/tables/{name}").body
            for name in "abcd"
        }

    def properties(self, name: str) -> Document | None:
        loaded = self.load(name)
        return loaded["metadata"]["properties"] if loaded else None


@pytest.fixture
def tables(send: Sender) -> Tables:
    return Tables(send)


REFUSED: dict[str, tuple[Callable[[Tables], Document], str]] = {
    "creation in part": (
        lambda t: t.change("d", setting(x="1"), requires=(ASSERT_CREATE,)),
        "change to",
    ),
    "the same table": (
        lambda t: t.change("a", setting(y="2")),
        "at /table-changes/1/identifier",
    ),
    "no identifier": (
        lambda t: {"requirements": [], "updates": []},
        "at /table-changes/1: identifier",
    ),
    "a name for no path": (
        lambda t: t.change("..", requires=(ASSERT_CREATE,)),
        "another place",
    ),
    "a location outside": (
        lambda t: t.change("b", {"action": "set-location", "location": "file:///etc"}),
        "not below the warehouse",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_change_refuses_the_whole_transaction(tables: Tables, case: str) -> None:
    wrong, why = REFUSED[case]
    before = tables.state()
    answer = tables.commit(
        tables.change("a", setting(x="1")), wrong(tables), tables.change("c", setting(x="1"))
    )

    assert answer.error == (400, "BadRequestException")
    assert why in answer.message
    assert tables.state() == before


def test_invalid_requirement_precedes_a_failed_requirement(tables: Tables) -> None:
    unknown = {"type": "assert-view-uuid", "uuid": NOBODY}
    answer = tables.commit(
        tables.change("a", requires=(is_uuid(NOBODY),)), tables.change("b", requires=(unknown,))
    )

    assert answer.error == (400, "BadRequestException")


def test_metadata_files_of_a_failed_transaction_are_removed(tmp_path: Path) -> None:
    with serving(warehouse=tmp_path.as_uri()) as send:
        tables = Tables(send)
        before, files = tables.state(), metadata_files(tmp_path)
        (tmp_path / "file").write_text("in the way of a folder")
        answer = tables.commit(
            tables.change("a", setting(x="1")),
            tables.change(
                "b", {"action": "set-location", "location": f"{tmp_path.as_uri()}/file/below"}
            ),
        )

        assert answer.error == (400, "BadRequestException")
        assert (tables.state(), metadata_files(tmp_path)) == (before, files)


def metadata_files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*.metadata.json")}


# -- against a model -------------------------------------------------------------------------------

CHANGES = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from(["nothing", "is itself", "is another", "is not there"]),
        st.lists(st.sampled_from(["set x", "set y", "unset x", "impossible"]), max_size=2),
    ),
    max_size=3,
)


@dataclass
class Model:
    """The expected properties of the tables, by name."""

    tables: dict[str, dict[str, str]] = field(default_factory=lambda: {"a": {}, "b": {}, "c": {}})
    turn: int = 0

    def expected(self, changes: list[tuple[str, str, list[str]]]) -> int:
        """Return the expected status of a transaction, and apply its changes if it is accepted."""
        self.turn += 1
        names = [name for name, _, _ in changes]
        if len(set(names)) < len(names):
            return 400
        if any(
            name not in self.tables and required != "is not there" for name, required, _ in changes
        ):
            return 404
        if any(
            required == "is another" or (name in self.tables and required == "is not there")
            for name, required, _ in changes
        ):
            return 409
        if any("impossible" in updates for _, _, updates in changes):
            return 400
        for name, _, updates in changes:
            after = self.tables.setdefault(name, {})
            for update in updates:
                after.pop("x", None) if update == "unset x" else after.update(
                    {update[-1]: str(self.turn)}
                )
        return 204


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="module")
def files(folder: Path) -> Iterator[Server]:
    with running(warehouse=folder.as_uri()) as server:
        yield server


@given(history=st.lists(CHANGES, min_size=1, max_size=8))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_transactions_match_the_model_and_leave_no_files(
    files: Server,
    folder: Path,
    history: list[list[tuple[str, str, list[str]]]],
) -> None:
    model = Model()
    with Sender(files.url) as send:
        tables = Tables(send)
        place = f"{folder.as_uri()}/{tables.namespace}/of_d"
        for changes in history:
            known = {name: tables.load(name) for name in "abcd"}
            sent = [
                _spelled(tables, change, known, turn=model.turn + 1, place=place)
                for change in changes
            ]

            assert tables.commit(*sent).status == model.expected(changes)
            assert {name: tables.properties(name) for name in "abcd"} == {
                name: model.tables.get(name) for name in "abcd"
            }
        loaded = [document for name in "abcd" if (document := tables.load(name))]
    named = {d["metadata-location"] for d in loaded} | {
        e["metadata-file"] for d in loaded for e in d["metadata"]["metadata-log"]
    }

    assert {Path(path).as_uri() for path in metadata_files(folder / tables.namespace)} == named


def _spelled(
    tables: Tables,
    change: tuple[str, str, list[str]],
    known: dict[str, Any],
    *,
    turn: int,
    place: str,
) -> Document:
    name, required, wanted = change
    there = known[name]
    itself = there["metadata"]["table-uuid"] if there else NOBODY
    requirement = {
        "is itself": is_uuid(itself),
        "is another": is_uuid(str(uuid.uuid4())),
        "is not there": ASSERT_CREATE,
    }
    updates = [] if there else creating(place)
    for update in wanted:
        spelled: dict[str, Document] = {
            "impossible": IMPOSSIBLE,
            "unset x": {"action": "remove-properties", "removals": ["x"]},
        }
        updates.append(spelled.get(update) or setting(**{update[-1]: str(turn)}))
    return tables.change(
        name, *updates, requires=(requirement[required],) if required in requirement else ()
    )
