"""Where tables lie is known in order, however they come, move and go, and changes that are undone move nothing."""

from __future__ import annotations

import contextlib

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.reference_server.iceberg_rest.catalog import identifier_key
from lakepact.reference_server.iceberg_rest.locations import Located
from lakepact.reference_server.store import MemoryStore, Record
from lakepact.reference_server.warehouse import overlap

KEYS = [identifier_key(("n",), name) for name in "abcd"]
PLACES = st.lists(st.sampled_from(["x", "x-1", "y", "x y"]), min_size=1, max_size=3).map(lambda steps: "s3://b/" + "/".join(steps))
CHANGES = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | PLACES), max_size=3)


def table(location):
    document = {"metadata": {"location": location}}
    return Record("table", document, orjson.dumps(document))


class Undone(Exception):
    pass


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(CHANGES, st.booleans(), st.booleans()), max_size=6), PLACES, st.sampled_from(KEYS))
def test_a_neighbour_is_found_as_by_looking_at_all(transactions, location, key):
    located = Located(MemoryStore())
    there = {}
    for changes, is_undone, is_asked in transactions:
        with contextlib.suppress(Undone), located.begin() as transaction:
            for changed, place in changes:
                if place is None:
                    transaction.remove(changed)
                else:
                    transaction.put(changed, table(place))
            if is_undone:
                raise Undone
        if not is_undone:
            there |= dict(changes)
        if is_asked:
            located.is_alone(key, location)

    others = [place for other, place in there.items() if place is not None and other != key]
    assert located.is_alone(key, location) is not any(overlap(location, place) for place in others)
