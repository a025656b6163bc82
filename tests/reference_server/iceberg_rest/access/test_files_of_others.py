"""Files of a hidden table in a folder of this machine: no spelling or link lets a writer read them
through the server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sample_tables.table_documents import append_updates

from .conftest import SCHEMA, Principal, fill, guarded

OPEN = "/v1/namespaces/open"

#: Spellings of the path of a hidden file; `{folder}` is that of the writer's own table.
SPELLINGS: dict[str, Callable[[str, str], str]] = {
    "file:///": lambda path, _: f"file://{path}",
    "file:/": lambda path, _: f"file:{path}",
    "FILE:///": lambda path, _: f"FILE://{path}",
    "localhost": lambda path, _: f"file://localhost{path}",
    "a path": lambda path, _: path,
    "double slashes": lambda path, _: f"file://{path.replace('/', '//')}",
    "dots": lambda path, _: f"file://{path.replace('/', '/./')}",
    "percent encoding": lambda path, _: "file://" + path.replace("closed", "%63losed"),
    "percent-encoded slashes": lambda path, _: f"file://{path.replace('/', '%2F')}",
    "..": lambda path, own: (
        f"file://{own}/../..{path[len(own.rpartition('/')[0].rpartition('/')[0]) :]}"
    ),
    "%2e%2e": lambda path, own: (
        f"file://{own}/%2e%2e/%2e%2e{path[len(own.rpartition('/')[0].rpartition('/')[0]) :]}"
    ),
    "a link to the file": lambda path, own: link(path, f"{own}/metadata/00009-link.metadata.json"),
    "a link to its folder": lambda path, own: (
        f"{link(str(Path(path).parent), f'{own}/elsewhere')}/{Path(path).name}"
    ),
    "a link, percent-encoded": lambda path, own: link(
        path, f"{own}/metadata/00009-link.json"
    ).replace("link", "%6cink"),
}


def link(path: str, at: str) -> str:
    """Make a link to a path, and return the location of the link."""
    Path(at).symlink_to(path)
    return f"file://{at}"


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Principal, Principal]]:
    """Yield root and the writer, on a server with files that are hidden from the writer."""
    with guarded(tmp_path, warehouse=str(tmp_path / "w"), allowed_locations=[str(tmp_path)]) as (
        _,
        bearing,
    ):
        root = bearing("root-token")
        fill(root, "open", "closed", tables=("closed.secret", "open.shown"))
        yield root, bearing("writer-token")


def load(who: Principal, namespace: str, table: str) -> dict[str, Any]:
    document: dict[str, Any] = who("GET", f"/v1/namespaces/{namespace}/tables/{table}").document
    return document


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_hidden_file_answers_like_a_missing_file(
    both: tuple[Principal, Principal], spelling: str
) -> None:
    root, writer = both
    secret = load(root, "closed", "secret")["metadata-location"].removeprefix("file://")
    said = []
    for number, path in enumerate((secret, secret.replace("00000-", "00001-"))):
        made = writer("POST", f"{OPEN}/tables", {"name": f"own{number}", "schema": SCHEMA}).document
        location = SPELLINGS[spelling](path, made["metadata"]["location"].removeprefix("file://"))
        registered = writer(
            "POST", f"{OPEN}/register", {"name": f"mine{number}", "metadata-location": location}
        )
        committed = commit_snapshot(writer, f"own{number}", manifest_list=location)
        assert registered.status == 400
        last = committed
        if committed.status != 400:  # the location looks like one of the table's own
            last = writer("POST", f"{OPEN}/tables/own{number}/plan", {})
            assert last.document["status"] == "failed"
        said.append(
            [
                re.sub(r"'(?:file|FILE)?:?/[^']*'", "#", answer.body.decode())
                for answer in (registered, last)
            ]
        )

    assert said[0] == said[1]


def commit_snapshot(who: Principal, table: str, *, manifest_list: str) -> Any:
    updates = append_updates(1, manifest_list)
    return who("POST", f"{OPEN}/tables/{table}", {"requirements": [], "updates": updates})


def test_metadata_file_of_another_warehouse_is_not_registered(tmp_path: Path) -> None:
    config = f"""
[warehouses.lake]
location = "{tmp_path}/lake"
[warehouses.other]
location = "{tmp_path}/other"
[principals.root]
token = "root-token"
[principals.lake]
token = "lake-token"
[[grants]]
principal = "root"
access = "admin"
[[grants]]
principal = "lake"
warehouse = "lake"
access = "admin"
"""
    with guarded(tmp_path, config, warehouse=str(tmp_path), allowed_locations=[str(tmp_path)]) as (
        _,
        bearing,
    ):
        root, lake = bearing("root-token"), bearing("lake-token")
        for name in ("lake", "other"):
            assert root("POST", f"/v1/{name}/namespaces", {"namespace": ["n"]}).status == 200
            assert (
                root(
                    "POST", f"/v1/{name}/namespaces/n/tables", {"name": "t", "schema": SCHEMA}
                ).status
                == 200
            )
        secret = (
            root("GET", "/v1/other/namespaces/n/tables/t")
            .document["metadata-location"]
            .removeprefix("file://")
        )
        own = (
            lake("GET", "/v1/lake/namespaces/n/tables/t")
            .document["metadata"]["location"]
            .removeprefix("file://")
        )
        for spell in SPELLINGS.values():
            answer = lake(
                "POST",
                "/v1/lake/namespaces/n/register",
                {"name": "mine", "metadata-location": spell(secret, own)},
            )
            assert answer.error == (400, "BadRequestException"), answer.body
