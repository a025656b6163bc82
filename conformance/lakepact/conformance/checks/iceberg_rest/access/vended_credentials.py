"""Checks of the credentials that tables come with, and that can be had by themselves. Nothing of
them but keys and lengths is shown.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Members,
    Place,
    Reply,
    Table,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_tables

#: Values of X-Iceberg-Access-Delegation; the contract does not have the last ones.
DELEGATIONS = (
    "vended-credentials",
    "vended-credentials,remote-signing",
    "lakepact-telepathy, vended-credentials",
)

#: Keys whose value is the moment in which a credential ends, in milliseconds since 1970.
ENDS = re.compile(
    r"s3\.session-token-expires-at-ms|gcs\.oauth2\.token-expires-at|adls\.sas-token-expires-at-ms\..+"
)

#: Prefixes of keys that show the type of a credential.
FAMILIES = ("s3", "gcs", "adls", "oss", "cos", "abfs")


def load_credentials(lab: CatalogLab, table: Table) -> Reply:
    """Return the answer to loading the credentials of a table."""
    return lab.send(op.load_credentials, **table.at)


def credentials_of(document: Members) -> list[Any]:
    """Return the credentials in an answer, as far as they are an array."""
    credentials = document.get("storage-credentials")
    return credentials if isinstance(credentials, list) else []


def objects(items: Sequence[Any]) -> list[Document]:
    """Return those of the items that are objects."""
    return [item for item in items if isinstance(item, dict)]


def config_of(credential: Members) -> Document:
    """Return the content of a credential."""
    config = credential.get("config")
    return config if isinstance(config, dict) else {}


def kind_of(credential: Members) -> str:
    """Return the type of a credential: the storage that its keys are of."""
    return "+".join(
        sorted(
            {
                family
                for key in config_of(credential)
                if (family := str(key).partition(".")[0]) in FAMILIES
            }
        )
    )


def endings(credentials: Sequence[Members]) -> dict[tuple[str, str], int]:
    """When credentials end, by prefix and key; those that do not say so are left out."""
    ends: dict[tuple[str, str], int] = {}
    for credential in credentials:
        for key, value in config_of(credential).items():
            if ENDS.fullmatch(str(key)) and isinstance(value, str) and value.isdecimal():
                ends[str(credential.get("prefix")), key] = int(value)
    return ends


def says_no_table(reply: Reply) -> bool:
    """Return whether an answer is a 404 for the table or its namespace."""
    error = reply.exchange.json.get("error") if isinstance(reply.exchange.json, dict) else None
    kind = error.get("type") if isinstance(error, dict) else None
    return reply.status == 404 and kind in {"NoSuchTableException", "NoSuchNamespaceException"}


def shape(value: Any) -> str:
    """Return the kind of a value, without the value itself."""
    return "nothing" if value is None else type(value).__name__


@check("IRC-TBL-CRED-001", "IRC-TBL-CRED-002", "IRC-TBL-CRED-007", "IRC-TBL-CRED-009")
def storage_credentials_are_an_array(lab: CatalogLab) -> None:
    """`storage-credentials` is an array of objects with `prefix` and `config`; a server without
    credentials returns no 5xx.
    """
    table = lab.make_table()
    reply = load_credentials(lab, table)

    # A caller without credentials may be refused, but not with 404 for the table.
    if not 400 <= reply.status < 500 or says_no_table(reply):
        with lab.judge("IRC-TBL-CRED-001"):
            expect.status(reply, 200)
            value = reply.document.get("storage-credentials")
            expect.true(
                isinstance(value, list),
                "`storage-credentials` to be an array",
                shape(value),
                at=reply.place("storage-credentials"),
            )
    else:
        lab.skip("IRC-TBL-CRED-001", f"the target has no credentials for the table: {reply.status}")
    if reply.status != 200 or isinstance(reply.document.get("storage-credentials"), list):
        with lab.judge("IRC-TBL-CRED-007"):
            expect.no_server_error(reply)
    credentials = credentials_of(reply.document) if reply.status == 200 else []
    if not credentials:
        for requirement in ("IRC-TBL-CRED-002", "IRC-TBL-CRED-009"):
            lab.skip(requirement, "the target gives no credentials")
        return
    with lab.judge_each("IRC-TBL-CRED-002") as case:
        for index, credential in enumerate(credentials):
            with case():
                at = reply.place("storage-credentials", index)
                _expect_type(dict, credential, at)
                _expect_type(str, credential.get("prefix"), at.within("prefix"))
                _expect_type(dict, credential.get("config"), at.within("config"))
                for key, value in config_of(credential).items():
                    with case():
                        _expect_type(str, value, at.within("config", key))
    with lab.judge_each("IRC-TBL-CRED-009") as case:
        for index, credential in enumerate(credentials):
            for member in ("prefix", "config") if isinstance(credential, dict) else ():
                with case():
                    full = credential.get(member) not in ("", {})
                    at = reply.place("storage-credentials", index, member)
                    expect.true(
                        full,
                        f"`storage-credentials/{index}/{member}` that is not empty",
                        "an empty one",
                        at=at,
                        kind=Kind.MISSING,
                    )


def _expect_type(kind: type, value: Any, at: Place) -> None:
    """Expect a value of a kind, without showing it."""
    expected = (
        f"`{at.pointer.removeprefix('/body/')}` to be {'a string' if kind is str else 'an object'}"
    )
    expect.true(
        isinstance(value, kind),
        expected,
        shape(value),
        at=at,
        kind=Kind.MISSING if value is None else Kind.TYPE,
    )


@check("IRC-TBL-CRED-004", "IRC-TBL-CRED-005")
def credentials_cover_the_table_location(lab: CatalogLab) -> None:
    """Credentials of a table have a prefix that covers its location, and one of each type per
    prefix.
    """
    table = lab.make_table()
    replies = [load_credentials(lab, table)] if lab.offers(op.load_credentials) else []
    replies += [
        lab.send(op.load_table, headers=[("X-Iceberg-Access-Delegation", way)], **table.at)
        for way in DELEGATIONS
    ]
    replies += _creations_with_credentials(lab, table)
    replies = [reply for reply in replies if reply.status == 200]
    if not any(objects(credentials_of(reply.document)) for reply in replies):
        for requirement in ("IRC-TBL-CRED-004", "IRC-TBL-CRED-005"):
            lab.skip(requirement, "the target gives no credentials")
        return

    with lab.judge_each("IRC-TBL-CRED-004") as case:
        for reply in replies:
            with case():
                credentials = objects(credentials_of(reply.document))
                metadata = reply.document.get("metadata")
                location = (
                    str(metadata.get("location")) if isinstance(metadata, dict) else table.location
                )
                prefixes = [str(credential.get("prefix")) for credential in credentials]
                covers = any(begins(location, prefix) for prefix in prefixes)
                expected = f"a prefix that {location} begins with"
                at = reply.place("storage-credentials")
                expect.true(covers or not prefixes, expected, ", ".join(prefixes), at=at)
    with lab.judge_each("IRC-TBL-CRED-005") as case:
        for reply in replies:
            with case():
                places = [
                    (str(credential.get("prefix")), kind_of(credential))
                    for credential in objects(credentials_of(reply.document))
                ]
                again = sorted(
                    {prefix for prefix, kind in places if kind and places.count((prefix, kind)) > 1}
                )
                expected = "one credential of each type for a prefix"
                at = reply.place("storage-credentials")
                expect.true(
                    not again, expected, f"several for {', '.join(again)}", at=at, kind=Kind.SURPLUS
                )


def _creations_with_credentials(lab: CatalogLab, table: Table) -> list[Reply]:
    """Return the answers to creating a table, to creating one at a place of its own, and to loading
    it when it has moved on.
    """
    headers = [("X-Iceberg-Access-Delegation", DELEGATIONS[0])]
    names = [lab.name() for _ in range(2)]
    for name in names:
        lab.drop_afterwards(table.namespace, name)
    plain = lab.try_create_table(table.namespace, names[0], headers=headers)
    body = lab.table_request(names[1], location=f"{table.location}-{names[1]}")
    elsewhere = lab.send(op.create_table, headers=headers, namespace=table.namespace, body=body)
    answers = [plain, elsewhere]
    if plain.status == 200:
        at: Document = {"namespace": table.namespace, "table": names[0]}
        lab.send(op.load_table, headers=headers, **at)
        parent, _, last = str(plain.at("metadata", "location")).rstrip("/").rpartition("/")
        move = {"action": "set-location", "location": f"{parent}/moved-{last}"}
        lab.send(op.update_table, body={"requirements": [], "updates": [move]}, **at)
        answers.append(lab.send(op.load_table, headers=headers, **at))
    return [*answers, *_registration_with_credentials(lab, table)]


def _registration_with_credentials(lab: CatalogLab, table: Table) -> list[Reply]:
    """Return the answer to registering, by another name, a table that lies in a place of its own;
    none where that does not work.
    """
    name, again = lab.name(), lab.name()
    body = lab.table_request(name, location=f"{table.location}-{name}")
    creation = lab.send(op.create_table, namespace=table.namespace, body=body)
    if creation.status != 200 or not lab.offers(op.register_table):
        return []
    lab.drop_afterwards(table.namespace, name)
    location = creation.document.get("metadata-location")
    if not location or lab.send(
        op.drop_table, namespace=table.namespace, table=name
    ).status not in {200, 204}:
        return []
    lab.drop_afterwards(table.namespace, again)
    headers = [("X-Iceberg-Access-Delegation", DELEGATIONS[0])]
    return [
        lab.send(
            op.register_table,
            headers=headers,
            namespace=table.namespace,
            body={"name": again, "metadata-location": location},
        )
    ]


def begins(location: str, prefix: str) -> bool:
    """Return whether a location begins with a prefix, with or without the slash behind either, and
    however S3 is spelled.
    """
    texts = [re.sub(r"^s3[an]://", "s3://", f"{text.rstrip('/')}/") for text in (location, prefix)]
    return texts[0].startswith(texts[1]) or location.startswith(prefix)


@check("IRC-TBL-CRED-006")
def credentials_of_missing_tables_return_404(lab: CatalogLab) -> None:
    """Loading the credentials of a missing or dropped table returns 404."""
    table = lab.make_table()

    with lab.judge_each("IRC-TBL-CRED-006") as case:
        never: Document = {**table.at, "table": lab.name()}
        for at in chain((never,), (one.at for one in former_tables(lab, table.namespace))):
            with case():
                reply = lab.send(op.load_credentials, **at)
                expect.not_found(reply, "table")


@check("IRC-TBL-CRED-008")
def later_credentials_do_not_expire_sooner(lab: CatalogLab) -> None:
    """Credentials that are loaded later do not expire before those that were loaded earlier."""
    table = lab.make_table()
    earlier = load_credentials(lab, table)
    replies = [
        reply
        for reply in (earlier, load_credentials(lab, table), load_credentials(lab, table))
        if reply.status == 200
    ]
    moments = [endings(objects(credentials_of(reply.document))) for reply in replies]
    if not any(moments):
        lab.skip("IRC-TBL-CRED-008", "the credentials do not say when they end, or there are none")
        return

    with lab.judge_each("IRC-TBL-CRED-008") as case:
        for (before, after), reply in zip(itertools.pairwise(moments), replies[1:], strict=True):
            for place, moment in before.items():
                with case():
                    later = after.get(place, moment)
                    # A second is nothing: clocks that stand behind one address differ by as much.
                    expected = f"credentials for {place[0]} that expire at {moment} or later"
                    at = reply.place("storage-credentials")
                    expect.true(
                        later >= moment - 1000,
                        expected,
                        f"credentials that expire at {later}",
                        at=at,
                    )
