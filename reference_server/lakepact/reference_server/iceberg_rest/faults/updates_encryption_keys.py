"""Wrong ways with the updates `add-encryption-key` and `remove-encryption-key`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, instead
from lakepact.reference_server.iceberg_rest.faults.ways.updates import (
    Update,
    afterwards,
    forgiven,
    ignored,
    in_place_of,
    refused_when,
    rewritten,
)

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft

MEMBER = "encryption-keys"


def _required_members_only(_: Draft, document: Document) -> Document:
    key = document["encryption-key"]
    return {**document, "encryption-key": {member: key[member] for member in ("key-id", "encrypted-key-metadata")}}


def _add_whatever(draft: Draft, document: Document) -> None:
    draft.own_list(MEMBER).append(document["encryption-key"])


def _remove_all(draft: Draft, _: Document) -> None:
    draft.set(MEMBER, [])


def _is_unknown(draft: Draft, document: Document) -> bool:
    return all(key["key-id"] != document["key-id"] for key in draft.items(MEMBER))


def _in_any_case(update: Update, draft: Draft, document: Document) -> None:
    key_id = document["encryption-key"]["key-id"].casefold()
    if all(key["key-id"].casefold() != key_id for key in draft.items(MEMBER)):
        update(draft, document)


def _with_what_it_encrypts(draft: Draft, document: Document) -> None:
    draft.set(MEMBER, [key for key in draft.items(MEMBER) if key.get("encrypted-by-id") != document["key-id"]])


FAULTS = (
    Fault(
        "forgets-who-encrypts-keys",
        "Of an encryption key only the required members are stored.",
        ("IRC-UPD-079",),
        rewritten("add-encryption-key", _required_members_only),
    ),
    Fault("forgets-encryption-keys", "add-encryption-key does nothing.", ("IRC-UPD-079",), ignored("add-encryption-key")),
    Fault(
        "key-ids-in-any-case",
        "A key whose id differs from a known one in letter case alone is that one.",
        ("IRC-UPD-079",),
        in_place_of("add-encryption-key", _in_any_case),
    ),
    Fault(
        "keys-take-others-along",
        "A key that is removed takes those along that were encrypted by it.",
        ("IRC-UPD-082",),
        afterwards("remove-encryption-key", _with_what_it_encrypts),
    ),
    Fault(
        "keeps-keys-twice",
        "A key that is added again has two entries.",
        ("IRC-UPD-080",),
        instead("updates", "add-encryption-key", _add_whatever),
    ),
    Fault("forgives-incomplete-keys", "A key that lacks a member is ignored.", ("IRC-UPD-081",), forgiven("add-encryption-key")),
    Fault("keeps-removed-keys", "remove-encryption-key does nothing.", ("IRC-UPD-082",), ignored("remove-encryption-key")),
    Fault(
        "removes-all-keys",
        "remove-encryption-key removes all of them.",
        ("IRC-UPD-082",),
        instead("updates", "remove-encryption-key", _remove_all),
    ),
    Fault(
        "refuses-to-remove-unknown-keys",
        "Only keys that there are can be removed.",
        ("IRC-UPD-082",),
        refused_when("remove-encryption-key", _is_unknown),
    ),
)
