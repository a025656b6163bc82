"""Recipients get no file outside the table's folder by any member of a log."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from sample_tables.delta_logs import VECTOR, add, metadata, remove
from sample_tables.shared_tables import SharedTable

from .test_changes import ON, VECTORS, WITH_VECTORS, cdc

SECRET = b"a file of nobody's business"
#: the file that the digits of VECTOR stand for
NAME = "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
URL = re.compile(r"https?://[^/\"]+(/[^\"]+)")


def vector(kind: str, stored: str) -> list[dict[str, Any]]:
    """Return actions that give a file another deletion vector."""
    return [
        remove("a"),
        add("a", deletionVector=VECTOR | {"storageType": kind, "pathOrInlineDv": stored}),
    ]


#: Actions that name a file by its path.
ACTIONS: dict[str, Callable[[str], list[dict[str, Any]]]] = {
    "add": lambda path: [add(path)],
    "remove": lambda path: [remove(path, extendedFileMetadata=True, partitionValues={}, size=5)],
    "cdc": lambda path: [cdc(path)],
    "vector at a path": lambda path: vector("p", path),
    "vector below a folder": lambda path: vector(
        "u", f"{path.removesuffix(NAME).rstrip('/')}{VECTOR['pathOrInlineDv'][-20:]}"
    ),
    "vector that was removed": lambda path: [
        remove("a", deletionVector=VECTOR | {"storageType": "p", "pathOrInlineDv": path})
    ],
}
#: Ways to spell a file of the folder beside the table's.
PATHS: dict[str, Callable[[str], str]] = {
    "relative": lambda file: f"../other/{file}",
    "relative, within": lambda file: f"sub/../../other/{file}",
    "encoded": lambda file: f"%2e%2e/other/{file}",
    "encoded slash": lambda file: f"..%2Fother%2F{file}",
    "encoded twice": lambda file: f"%252e%252e/other/{file}",
    "backslash": lambda file: f"..\\other\\{file}",
    "absolute": lambda file: f"{{folder}}/other/{file}",
    "absolute, encoded": lambda file: quote(f"{{folder}}/other/{file}", safe="{}").replace(
        "/", "%2F"
    ),
    "URI": lambda file: f"file://{{folder}}/other/{file}",
    "URI with one slash": lambda file: f"file:{{folder}}/other/{file}",
    "URI with a host": lambda file: f"file://localhost{{folder}}/other/{file}",
    "URI through the table": lambda file: f"file://{{folder}}/{{name}}/../other/{file}",
    "URI through the table, encoded": lambda file: (
        f"file://{{folder}}/{{name}}/%2e%2e/other/{file}"
    ),
    "link": lambda file: f"link/{file}",
    "URI of a link": lambda file: f"file://{{folder}}/{{name}}/link/{file}",
}


@pytest.fixture
def other(folder: Path) -> Path:
    """Return a folder beside the tables, with the file."""
    other = folder / "other"
    other.mkdir(exist_ok=True)
    (other / NAME).write_bytes(SECRET)
    return other


@pytest.mark.parametrize("spelled", PATHS)
@pytest.mark.parametrize("action", ACTIONS)
def test_path_outside_the_table_opens_no_file(
    table: SharedTable, folder: Path, other: Path, action: str, spelled: str
) -> None:
    path = PATHS[spelled](NAME).replace("{folder}", str(folder)).replace("{name}", table.name)
    table.commit(0, WITH_VECTORS, metadata(**ON, delta__enableDeletionVectors="true"), add("a"))
    table.commit(1, *ACTIONS[action](path))
    (table.folder / "link").symlink_to(other)

    answers = [
        ask(VECTORS) for ask in (table.query, lambda said: table.changes(said, startingVersion=1))
    ]
    answers.append(table.query(VECTORS, startingVersion=0))
    for answer in answers:
        sent = answer.body.decode()
        for url in URL.findall(json.dumps([json.loads(line) for line in sent.splitlines()])):
            assert SECRET not in table.send("GET", url, None).body
        assert answer.status == 200 or str(folder) not in unquote(sent)


@pytest.mark.parametrize(
    "path",
    [
        "file:///a%20b/c%20d/e",
        "/a b/c d/e",
        "%2Fa%20b%2Fc%20d%2Fe",
        "file%3A/a%20b/c%20d/e/../e",
        "s3://a b/c d/e",
    ],
)
def test_refusal_of_an_absolute_path_names_no_folder(table: SharedTable, path: str) -> None:
    message = unquote(table.begun(add(path)).query().message)

    assert "leads out" in message or "is not one of a local file" in message
    assert "a b" not in message
    assert "c d" not in message


def test_path_inside_the_table_opens_its_file(table: SharedTable) -> None:
    table.begun(add(NAME))
    (table.folder / NAME).write_bytes(SECRET)
    (url,) = URL.findall(json.dumps(table.query().lines))

    assert table.send("GET", url, None).body == SECRET
