"""The index of table locations follows every creation, move and drop, and ignores undone
changes.
"""

from __future__ import annotations

import contextlib

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.reference_server.iceberg_rest.identifiers import identifier_key, namespace_key
from lakepact.reference_server.iceberg_rest.tables.locations import Located
from lakepact.reference_server.storage.store import MemoryStore, Record
from lakepact.reference_server.warehouse.local import MemoryWarehouse, overlap

KEYS = [identifier_key(("n",), name) for name in "abcd"]
SLASHES = st.sampled_from(["/", "//", "/./", "%2F"])
STEPS = st.lists(
    st.tuples(SLASHES, st.sampled_from(["x", "x-1", "y", "x y", "%78"])), min_size=1, max_size=3
)
PLACES = STEPS.map(lambda steps: "memory:/n" + "".join(map("".join, steps)))
CHANGES = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | PLACES), max_size=3)
WAREHOUSE = MemoryWarehouse()


def table(location, **properties):
    metadata = {"location": location, "properties": properties}
    document = {
        "metadata-location": f"{location}/metadata/00000-0.metadata.json",
        "metadata": metadata,
    }
    return Record("table", document, orjson.dumps(document))


def placed(key, record):
    located = Located(MemoryStore(), WAREHOUSE)
    with located.begin() as transaction:
        transaction.put(key, record)
    return located


class Undone(Exception):
    pass


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(CHANGES, st.booleans(), st.sampled_from(["never", "within", "after"])), max_size=6
    ),
    PLACES,
    st.sampled_from(KEYS),
)
def test_a_neighbour_is_found_as_by_looking_at_all(transactions, location, key):
    located = Located(MemoryStore(), WAREHOUSE)
    there = {}
    for changes, is_undone, asked in transactions:
        with contextlib.suppress(Undone), located.begin() as transaction:
            for changed, place in changes:
                if place is None:
                    transaction.remove(changed)
                else:
                    transaction.put(changed, table(place))
                if asked == "within":
                    located.is_alone(key, location)
            if is_undone:
                raise Undone
        if not is_undone:
            there |= dict(changes)
        if asked == "after":
            located.is_alone(key, location)

    others = [place for other, place in there.items() if place is not None and other != key]
    near = [
        overlap(one, two)
        for place in others
        for one in WAREHOUSE.places(location)
        for two in WAREHOUSE.places(place)
    ]
    assert located.is_alone(key, location) is not any(near)


@pytest.mark.parametrize(
    ("location", "is_free"),
    [
        ("memory:/n/m", True),
        ("memory:/n/child/t", True),
        ("memory:/n-1", True),
        ("memory:/n", False),
        ("memory://n/", False),
        ("memory:/%6e", False),
        ("memory:/n/child", False),
    ],
)
def test_folder_of_a_namespace_is_not_free(location, is_free):
    located = Located(MemoryStore(), WAREHOUSE)
    with located.begin() as transaction:
        transaction.put(namespace_key(("n", "child")), Record("namespace", {}, b"{}"))

    assert located.is_free(KEYS[0], location) is is_free


@pytest.mark.parametrize("name", ["write.metadata.path", "write.data.path"])
@pytest.mark.parametrize(
    ("location", "is_unused"),
    [
        ("memory:/n/w", False),
        ("memory:/n//w", False),
        ("memory:/n", False),
        ("memory:/n/wide", True),
    ],
)
def test_folder_that_a_table_names_is_free_but_not_unused(name, location, is_unused):
    located = placed(KEYS[0], table("memory:/n/t", **{name: "memory:/n/w/"}))

    assert located.is_unused(location) is is_unused
    assert located.is_free(KEYS[1], "memory:/n/w")


def test_table_that_gets_a_data_path_later_is_followed():
    located = placed(KEYS[0], table("memory:/n/t"))
    before = located.is_unused("memory:/n/w")
    with located.begin() as transaction:
        transaction.put(KEYS[0], table("memory:/n/t", **{"write.data.path": "memory:/n/w"}))

    assert (before, located.is_unused("memory:/n/w")) == (True, False)
