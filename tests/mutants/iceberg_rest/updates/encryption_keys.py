"""Wrong ways with the updates `add-encryption-key` and `remove-encryption-key`."""

from __future__ import annotations

from functools import partial
from typing import Final

from lakepact.reference_server.faults import fault, replace_entry
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators import updates

MEMBER: Final = "encryption-keys"


@fault("IRC-UPD-079", by=partial(updates.rewritten, "add-encryption-key"))
def forgets_the_encrypting_key(_: Draft, document: Document) -> Document:
    key = document["encryption-key"]
    return {
        **document,
        "encryption-key": {member: key[member] for member in ("key-id", "encrypted-key-metadata")},
    }


@fault("IRC-UPD-079", by=partial(updates.in_place_of, "add-encryption-key"))
def key_ids_in_any_case(update: updates.Update, draft: Draft, document: Document) -> None:
    key_id = document["encryption-key"]["key-id"].casefold()
    if all(key["key-id"].casefold() != key_id for key in draft.items(MEMBER)):
        update(draft, document)


@fault("IRC-UPD-082", by=partial(updates.afterwards, "remove-encryption-key"))
def keys_take_others_along(draft: Draft, document: Document) -> None:
    draft.set(
        MEMBER,
        [key for key in draft.items(MEMBER) if key.get("encrypted-by-id") != document["key-id"]],
    )


@fault("IRC-UPD-082", by=partial(updates.in_place_of, "remove-encryption-key"))
def keys_take_their_siblings_along(
    update: updates.Update, draft: Draft, document: Document
) -> None:
    by = {
        key.get("encrypted-by-id")
        for key in draft.items(MEMBER)
        if key["key-id"] == document["key-id"]
    } - {None}
    update(draft, document)
    rest = [key for key in draft.items(MEMBER) if key.get("encrypted-by-id") not in by]
    draft.set(MEMBER, rest)


FAULTS = {
    "removes-all-keys IRC-UPD-082": replace_entry(
        "updates", "remove-encryption-key", lambda draft, _: draft.set(MEMBER, [])
    ),
    "forgets-encryption-keys IRC-UPD-079": updates.ignored("add-encryption-key"),
    "keeps-keys-twice IRC-UPD-080": replace_entry(
        "updates",
        "add-encryption-key",
        lambda draft, document: draft.own_list(MEMBER).append(document["encryption-key"]),
    ),
    "ignores-incomplete-keys IRC-UPD-081": updates.accepting_anyway("add-encryption-key"),
    "keeps-removed-keys IRC-UPD-082": updates.ignored("remove-encryption-key"),
    "refuses-to-remove-unknown-keys IRC-UPD-082": updates.refused_when(
        "remove-encryption-key",
        lambda draft, document: all(
            key["key-id"] != document["key-id"] for key in draft.items(MEMBER)
        ),
    ),
}
