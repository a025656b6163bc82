"""Temporary credentials for tables with the access mode dir: their location, kind and expiry."""

from __future__ import annotations

import time

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Exchange,
    Kind,
    NotOffered,
    Place,
    Placed,
    Reply,
    SharedTable,
    SharingLab,
    Wrong,
    check,
    expect,
    invariant,
    ndjson,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import is_answer

OPERATION = op.generate_temporary_table_credentials
TRAFFIC = ("access.credentials.credentials_cover_the_table_location",)
MOST_TABLES = 6

KINDS = ("awsTempCredentials", "azureUserDelegationSas", "gcpOauthToken")
AWS, AZURE, GOOGLE = KINDS
JSON = "application/json"


def by_directory(lab: SharingLab) -> list[SharedTable]:
    """Return some tables that are read by their directories.

    Raises:
        NotOffered: there are none.
    """
    tables = [table for table in lab.tables() if "dir" in table.access_modes][:MOST_TABLES]
    if not tables:
        raise NotOffered("no table has the access mode dir")
    return tables


def locations(table: SharedTable) -> list[str]:
    """Return the listed locations of a table: its own first."""
    further = table.document.get("auxiliaryLocations")
    values = [table.document.get("location"), *(further if isinstance(further, list) else ())]
    return [location for location in values if isinstance(location, str) and location]


def credentials_of(exchange: Exchange) -> Placed | None:
    """Return the credentials in an answer; `None` without any."""
    if not is_answer(exchange, frozenset({OPERATION})) or not isinstance(exchange.json, dict):
        return None
    credentials = exchange.json.get("credentials")
    return (
        Placed(credentials, Place(exchange, "/body/credentials"))
        if isinstance(credentials, dict)
        else None
    )


def _expect_location(reply: Reply, location: str, what: str) -> None:
    """Expect credentials with this location, with or without a slash at its end."""
    expect.status(reply, 200, about=f"for {what}")
    credentials = credentials_of(reply.exchange)
    if credentials is None:
        raise expect.unmet(
            "credentials",
            "no object `credentials`",
            at=reply.place("credentials"),
            kind=Kind.MISSING,
        )
    actual = str(ndjson.required(credentials, "location", str, "credentials")).rstrip("/")
    expect.equal(
        location.rstrip("/"),
        actual,
        f"for {what} the location of the credentials",
        at=credentials.place("location"),
    )


# -- requests --------------------------------------------------------------------------------------


@check("DS-TMP-01")
def credential_request_bodies_are_optional(lab: SharingLab) -> None:
    """A request for credentials succeeds without a body and with an empty object, with a
    Content-Type and without.
    """
    table = by_directory(lab)[0]
    with lab.judge_each("DS-TMP-01") as case:
        for content in (b"", b"{}"):
            for media_type in (JSON, f"{JSON}; charset=utf-8", ""):
                with case():
                    reply = lab.send(
                        OPERATION,
                        content=content,
                        headers=[("Content-Type", media_type)],
                        **table.address,
                    )
                    about = (
                        f"for the body {content.decode() or 'nothing'} with Content-Type"
                        f" {media_type or 'nothing'}"
                    )
                    expect.status(reply, 200, about=about)


@check("DS-TMP-02", "DS-TMP-03")
def credentials_cover_the_table_location(lab: SharingLab) -> None:
    """Credentials are for the table's location, or for the requested one of its locations."""
    for table in lab.each(by_directory(lab)):
        own = locations(table)
        if not own:
            continue
        with lab.judge_each("DS-TMP-02") as case:
            for body in ({}, None, {"location": None}):
                if (
                    body != {"location": None}
                    or lab.send(OPERATION, body=body, **table.address).status == 200
                ):
                    with case():
                        _expect_location(
                            lab.send(OPERATION, body=body, **table.address), own[0], table.name
                        )
        with lab.judge_each("DS-TMP-03") as case:
            for location in own:
                with case():
                    reply = lab.send(OPERATION, body={"location": location}, **table.address)
                    _expect_location(reply, location, f"{table.name} and a location")
    if not lab.verdicts:
        raise NotOffered("no table that is read by its directory says its location")


@check("DS-TMP-04")
def credentials_for_other_locations_are_refused(lab: SharingLab) -> None:
    """A request for credentials for a parent, a sibling or another table's location returns 400 or
    403.
    """
    tables = [table for table in by_directory(lab) if locations(table)]
    if not tables:
        raise NotOffered("no table that is read by its directory says its location")
    every = {location.rstrip("/") for table in tables for location in locations(table)}
    for table in lab.each(tables):
        own = {location.rstrip("/") for location in locations(table)}
        root = locations(table)[0].rstrip("/")
        others = [root.rpartition("/")[0], f"{root}_beside", f"{root}/..", *sorted(every - own)]
        with lab.judge_each("DS-TMP-04") as case:
            for location in others:
                with case(Wrong.ACCESS("/location")):
                    reply = lab.send(OPERATION, body={"location": location}, **table.address)
                    expect.status(reply, 400, 403, about=f"for {table.name} and another location")


@check("DS-TMP-05")
def credentials_are_json(lab: SharingLab) -> None:
    """Credentials return status 200 and an object that has them under `credentials`."""
    for table in lab.each(by_directory(lab)):
        with lab.judge("DS-TMP-05"):
            reply = lab.send(OPERATION, body={}, **table.address)
            expect.status(reply, 200, about=f"for {table.name}")
            has_credentials = isinstance(reply.document.get("credentials"), dict)
            members = ", ".join(reply.document)
            expect.true(
                has_credentials,
                f"for {table.name} an object `credentials`",
                members,
                at=reply.place("credentials"),
                kind=Kind.MISSING,
            )


@check("DS-TMP-16")
def url_tables_have_no_credentials(lab: SharingLab) -> None:
    """A request for credentials for a table without the access mode dir returns 4xx."""
    tables = [table for table in lab.tables() if "dir" not in table.access_modes][:MOST_TABLES]
    if not tables:
        raise NotOffered("every table has the access mode dir")
    for table in lab.each(tables):
        with lab.judge("DS-TMP-16"):
            reply = lab.send(OPERATION, body={}, **table.address)
            mutation = Wrong.ABSENT("access mode")
            expect.client_error(
                reply, about=f"for {table.name}, which is read by URLs alone", mutation=mutation
            )


# -- content ---------------------------------------------------------------------------------------


@invariant("DS-TMP-06", traffic=TRAFFIC)
def credentials_have_one_kind(exchange: Exchange) -> bool:
    """Credentials have exactly one of the three kinds."""
    credentials = credentials_of(exchange)
    if credentials is None:
        return False
    kinds = [kind for kind in KINDS if credentials.get(kind) is not None]
    way = Kind.SURPLUS if kinds else Kind.MISSING
    expect.true(
        len(kinds) == 1,
        f"one of {', '.join(KINDS)}",
        ", ".join(kinds) or "none",
        at=credentials.place(),
        kind=way,
    )
    return True


@invariant("DS-TMP-07", traffic=TRAFFIC)
def credentials_name_a_location(exchange: Exchange) -> bool:
    """Credentials name the directory that they can read."""
    credentials = credentials_of(exchange)
    if credentials is None:
        return False
    expect.true(
        ndjson.required(credentials, "location", str, "credentials") != "",
        "a location",
        "an empty text",
        at=credentials.place("location"),
    )
    return True


@invariant("DS-TMP-08", traffic=TRAFFIC)
def credentials_expire_in_the_future(exchange: Exchange) -> bool:
    """Credentials have an expiration time in the future, in milliseconds."""
    credentials = credentials_of(exchange)
    if credentials is None:
        return False
    when = ndjson.required(credentials, "expirationTime", int, "credentials")
    at = credentials.place("expirationTime")
    expect.true(
        ndjson.is_whole(when) and when > ndjson.IN_MILLISECONDS,
        "an expirationTime in milliseconds since 1970",
        when,
        at=at,
    )
    expect.true(
        when > time.time_ns() // 1_000_000 - 60_000, "an expirationTime in the future", when, at=at
    )
    return True


def _has_texts(exchange: Exchange, kind: str, *members: str) -> bool:
    credentials = credentials_of(exchange)
    if credentials is None or credentials.get(kind) is None:
        return False
    inner = ndjson.required(credentials, kind, dict, "credentials")
    # The value is a secret, so it is not shown.
    lacking = [member for member in members if not isinstance(inner.get(member), str)]
    expect.true(
        not lacking,
        f"{kind} with the texts {', '.join(members)}",
        f"no text {', '.join(lacking)}",
        at=credentials.place(kind, *lacking[:1]),
        kind=Kind.MISSING,
    )
    return True


@invariant("DS-TMP-09", traffic=TRAFFIC)
def aws_credentials_are_complete(exchange: Exchange) -> bool:
    """Credentials for AWS have an access key id, a secret and a session token."""
    return _has_texts(exchange, AWS, "accessKeyId", "secretAccessKey", "sessionToken")


@invariant("DS-TMP-10", traffic=TRAFFIC)
def azure_credentials_have_a_token(exchange: Exchange) -> bool:
    """Credentials for Azure have a token."""
    return _has_texts(exchange, AZURE, "sasToken")


@invariant("DS-TMP-11", traffic=TRAFFIC)
def google_credentials_have_a_token(exchange: Exchange) -> bool:
    """Credentials for Google have a token."""
    return _has_texts(exchange, GOOGLE, "oauthToken")


# -- access modes ----------------------------------------------------------------------------------


@check("DS-ACC-05")
def directory_tables_refuse_queries(lab: SharingLab) -> None:
    """A query of a table with only the access mode dir returns 4xx."""
    tables = [table for table in by_directory(lab) if table.access_modes == ("dir",)]
    if not tables:
        raise NotOffered("every table that is read by its directory is read by URLs too")
    for table in lab.each(tables):
        with lab.judge("DS-ACC-05"):
            reply = lab.send(ndjson.QUERY, body={}, headers=[EITHER_FORMAT], **table.address)
            mutation = Wrong.ABSENT("access mode")
            expect.client_error(
                reply,
                about=f"for {table.name}, which is read by its directory alone",
                mutation=mutation,
            )


@check("DS-ACC-04")
def access_modes_agree(lab: SharingLab) -> None:
    """The access modes in metadata equal those in the listings; a missing list means url."""
    tables = [table for table in lab.tables() if table.document.get("accessModes")] or list(
        lab.tables()
    )
    for table in lab.each([*tables[:MOST_TABLES], *lab.tables()[:MOST_TABLES]]):
        reply = lab.require(
            lab.send(ndjson.METADATA, headers=[EITHER_FORMAT], **table.address), 200
        )
        expected = table.document.get("accessModes") or ["url"]
        with lab.judge_each("DS-ACC-04") as case:
            for metadata in ndjson.objects(reply.lines, "metaData"):
                actual = metadata.get("accessModes") or ["url"]
                if ndjson.texts(actual) and ndjson.texts(expected):
                    with case():
                        at = metadata.place("accessModes")
                        expect.same_items(
                            expected,
                            actual,
                            f"access modes in the metadata of {table.name}:",
                            at=at,
                        )


@check("DS-MDT-03", "DS-DMD-05")
def directory_table_metadata_has_the_location(lab: SharingLab) -> None:
    """The metadata of a table with the access mode dir has the listed location."""
    for requirement, header in lab.each(
        (
            ("DS-MDT-03", "responseformat=parquet"),
            ("DS-DMD-05", EITHER_FORMAT[1].replace("delta,parquet", "delta")),
        )
    ):
        answers = [
            (t, lab.send(ndjson.METADATA, delta_sharing_capabilities=header, **t.address))
            for t in by_directory(lab)
        ]
        answers = [(t, reply) for t, reply in answers if reply.status == 200]
        if not answers:
            lab.skip(
                requirement, "no table that is read by its directory is answered in this format"
            )
        for table, reply in lab.each(answers):
            with lab.judge_each(requirement) as case:
                for metadata in ndjson.objects(reply.lines, "metaData"):
                    with case():
                        location = ndjson.required(
                            metadata, "location", str, f"metaData of {table.name}"
                        ).rstrip("/")
                        at, root = metadata.place("location"), not location.endswith("/_delta_log")
                        expect.true(root, f"the root directory of {table.name}", location, at=at)
                        if locations(table):
                            expect.equal(
                                locations(table)[0].rstrip("/"),
                                location,
                                f"location in the metadata of {table.name}",
                                at=at,
                            )
