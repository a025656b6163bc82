"""Signed URLs are made only for paths below the table's folders, and open exactly that path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.files import Files, Forged, Rules
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog
from lakepact.reference_server.delta_sharing.shares import (
    Share,
    SharedSchema,
    SharedTable,
    Shares,
    by_name,
)

ROOTS = (Path("/shared/one"), Path("/further/of one"))
STEPS = [
    "..",
    "%2e%2e",
    "/",
    "%2F",
    "//",
    "file:",
    "file://",
    "a",
    "shared",
    "one",
    "further",
    "of one",
    "of%20one",
]
NASTY = st.sampled_from([*STEPS, "\\", "%00", ":", ".", "é", "%", "?"])
PATHS = st.one_of(
    st.text(), st.lists(NASTY, max_size=9).map("".join), st.lists(NASTY, max_size=9).map("/".join)
)


def table(name: str, *roots: Path) -> SharedTable:
    return SharedTable("s", "d", name, "", name, roots, roots[0].as_uri())


ONE, TWO = table("one", *ROOTS), table("two", Path("/shared/two"))
SHARES = Shares(
    by_name([Share("s", "", by_name([SharedSchema("s", "d", by_name([ONE, TWO]))]))]), ()
)
FILES = Files(SHARES, Rules())


def opened(key: str, *, of: SharedTable = ONE) -> Any:
    query = dict(pair.split("=") for pair in FILES.signature(of, FILES.until()).split("&"))
    return FILES.open(FILES.address(of, "").split("/")[-2], key, query)


def inside(path: bytes) -> bool:
    return b".." not in path.split(b"/") and b"\0" not in path and not path.startswith(b"/")


@given(path=PATHS)
def test_a_key_leads_into_the_table_or_is_not_made(path: str) -> None:
    try:
        key = FILES.key(ONE, path)
    except DamagedLog:
        return
    file = opened(key)

    assert file.root in ROOTS
    assert inside(file.path)
    assert (os.path.normpath(os.fsencode(file.root) + b"/" + file.path) + b"/").startswith(
        os.fsencode(file.root) + b"/"
    )


@given(
    name=st.binary(min_size=1, max_size=200).filter(lambda name: inside(name) and b".." not in name)
)
def test_any_name_of_a_file_comes_back_as_it_is(name: bytes) -> None:
    file = opened(FILES.key(ONE, quote(name)))

    assert (file.root, file.path) == (ROOTS[0], name)


@given(
    name=st.binary(min_size=1, max_size=50).filter(lambda name: inside(name) and b".." not in name),
    root=st.sampled_from(ROOTS),
)
def test_an_absolute_path_leads_to_the_root_that_it_lies_below(name: bytes, root: Path) -> None:
    file = opened(FILES.key(ONE, f"file://{quote(str(root))}/{quote(name)}"))

    assert (file.root, file.path) == (root, name.lstrip(b"/"))


@given(one=PATHS, other=PATHS)
def test_different_files_have_different_keys(one: str, other: str) -> None:
    try:
        keys = [FILES.key(ONE, path) for path in (one, other)]
    except DamagedLog:
        return
    found = [opened(key) for key in keys]

    assert (keys[0] == keys[1]) == (found[0] == found[1])


@given(path=PATHS)
def test_key_of_another_table_is_refused(path: str) -> None:
    try:
        key = FILES.key(ONE, path)
    except DamagedLog:
        return

    with pytest.raises(Forged):
        opened(key, of=TWO)


@given(key=st.text())
def test_forged_key_is_refused(key: str) -> None:
    with pytest.raises(Forged):
        opened(key)
