"""Checks of the updates `add-encryption-key` and `remove-encryption-key`."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Table,
    check,
    expect,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored
from lakepact.conformance.checks.iceberg_rest.kit.tables.encryption_keys import KEY, ROOT, VERSION


def keys_of(table: Table, key_id: str) -> list[Document]:
    """Return the entries that a table has for a key id."""
    return [
        key for key in table.metadata.get("encryption-keys") or () if key.get("key-id") == key_id
    ]


def table_with_keys(lab: CatalogLab, *keys: Document) -> Table:
    """Return a table with these encryption keys.

    Raises:
        StepFailed: it lacks one.
    """
    table = stored(lab, upd.table_of_version(lab, VERSION), *map(upd.add_encryption_key, keys))
    with lab.step("IRC-UPD-079"):
        for key in keys:
            expect.equal(
                1,
                len(keys_of(table, key["key-id"])),
                f"entries for the key {key['key-id']}:",
                at=table.place("encryption-keys"),
            )
    return table


@check("IRC-UPD-079")
def keys_are_stored(lab: CatalogLab) -> None:
    """An encryption key is stored with all its members."""
    table = upd.table_of_version(lab, VERSION)

    with lab.judge_each("IRC-UPD-079") as case:
        after = lab.commit_and_load(
            table, upd.add_encryption_key(ROOT), upd.add_encryption_key(KEY)
        )
        for request in (ROOT, KEY):
            with case():
                entries = keys_of(after, request["key-id"])
                expect.equal(
                    1,
                    len(entries),
                    f"entries for the key {request['key-id']}:",
                    at=after.place("encryption-keys"),
                )
                expect.includes(
                    request,
                    entries[0],
                    "the key",
                    at=after.place("encryption-keys"),
                )


@check("IRC-UPD-079")
def key_ids_are_case_sensitive(lab: CatalogLab) -> None:
    """Keys whose ids differ only in letter case are two keys."""
    table = stored(lab, upd.table_of_version(lab, VERSION), upd.add_encryption_key(ROOT))
    other = {**KEY, "key-id": "Root"}

    with lab.judge_each("IRC-UPD-079") as case:
        after = lab.commit_and_load(table, upd.add_encryption_key(other))
        for request in (ROOT, other):
            with case():
                entries = [
                    key.get("encrypted-key-metadata") for key in keys_of(after, request["key-id"])
                ]
                expect.equal(
                    [request["encrypted-key-metadata"]],
                    entries,
                    f"encrypted-key-metadata of {request['key-id']}",
                    at=after.place("encryption-keys"),
                )


@check("IRC-UPD-080")
def keys_are_stored_once(lab: CatalogLab) -> None:
    """Adding a key id again does not make a second entry."""
    table = table_with_keys(lab, ROOT)

    for again in lab.each(
        (ROOT, {**ROOT, "encrypted-key-metadata": KEY["encrypted-key-metadata"]})
    ):
        reply = lab.try_commit(table, upd.add_encryption_key(again))
        with lab.judge("IRC-UPD-080"):
            expect.no_server_error(reply)
            after = lab.load(table)
            expect.equal(
                1,
                len(keys_of(after, "root")),
                "entries for the key root:",
                at=after.place("encryption-keys"),
            )


@check("IRC-UPD-081")
def incomplete_keys_return_400(lab: CatalogLab) -> None:
    """An encryption key without its id or its metadata returns 400."""
    table = table_with_keys(lab, ROOT)
    cases = {
        f"no {member}": upd.lacking(upd.add_encryption_key(KEY), "encryption-key", member)
        for member in ("key-id", "encrypted-key-metadata")
    }
    upd.judge_refusals(lab, "IRC-UPD-081", table, cases)


@check("IRC-UPD-082")
def keys_are_removed(lab: CatalogLab) -> None:
    """Removing a key keeps the others; removing an unknown key changes nothing."""
    table = table_with_keys(lab, ROOT, KEY, {**KEY, "key-id": "other"})

    with lab.judge_each("IRC-UPD-082") as case:
        for key_id in ("data", "nope"):
            with case():
                after = lab.commit_and_load(table, upd.remove_encryption_key(key_id))
                expect.equal(
                    [],
                    keys_of(after, "data"),
                    "as entries for the key data",
                    at=after.place("encryption-keys"),
                )
                for other in ("root", "other"):
                    expect.equal(
                        1,
                        len(keys_of(after, other)),
                        f"entries for the key {other}:",
                        at=after.place("encryption-keys"),
                    )


@check("IRC-UPD-082")
def removing_a_key_keeps_keys_encrypted_by_it(lab: CatalogLab) -> None:
    """Removing a key keeps the keys that it encrypted, or is refused."""
    table = table_with_keys(lab, ROOT, KEY)
    reply = lab.try_commit(table, upd.remove_encryption_key("root"))
    after = lab.load(table)

    with lab.judge("IRC-UPD-082"):
        expect.no_server_error(reply)
        expect.equal(
            0 if reply.status == 200 else 1,
            len(keys_of(after, "root")),
            "entries for the key root:",
            at=after.place("encryption-keys"),
        )
        expect.equal(
            1,
            len(keys_of(after, "data")),
            "entries for the key data:",
            at=after.place("encryption-keys"),
        )
