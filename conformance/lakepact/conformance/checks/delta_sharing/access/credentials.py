"""Temporary credentials: given for the directories of tables that are read so, of one kind, whole,
and for a while.
"""

from __future__ import annotations

import time

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Exchange,
    Kind,
    Mutation,
    NotOffered,
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
from lakepact.conformance.checks.delta_sharing.kit.answers import answered

OPERATION = op.generate_temporary_table_credentials
TRAFFIC = ("access.credentials.credentials_cover_the_table_location",)
MOST_TABLES = 6

KINDS = ("awsTempCredentials", "azureUserDelegationSas", "gcpOauthToken")
AWS, AZURE, GOOGLE = KINDS
JSON = "application/json"


def by_directory(lab: SharingLab) -> list[SharedTable]:
    """Some tables that are read by their directories.

    Raises:
        NotOffered: there are none.
    """
    found = [table for table in lab.tables() if "dir" in table.access_modes][:MOST_TABLES]
    if not found:
        raise NotOffered("no table has the access mode dir")
    return found


def locations(table: SharedTable) -> list[str]:
    """Return the locations of a table, as it is listed: its own first."""
    further = table.document.get("auxiliaryLocations")
    found = [table.document.get("location"), *(further if isinstance(further, list) else ())]
    return [location for location in found if isinstance(location, str) and location]


def credentials_of(exchange: Exchange) -> Placed | None:
    """Return the credentials that an answer gives; `None` where it gives none."""
    if not answered(exchange, frozenset({OPERATION})) or not isinstance(exchange.parsed, dict):
        return None
    found = exchange.parsed.get("credentials")
    return Placed(found, exchange, ("credentials",)) if isinstance(found, dict) else None


def _are_for(reply: Reply, location: str, what: str) -> None:
    """Expect credentials that say they are for a location, whether or not a slash is at its end."""
    expect.status(reply, 200, about=f"for {what}")
    found = credentials_of(reply.exchange)
    if found is None:
        raise expect.unmet(
            "credentials",
            "no object `credentials`",
            at=reply.place("credentials"),
            kind=Kind.MISSING,
        )
    actual = str(ndjson.required(found, "location", str, "credentials")).rstrip("/")
    expect.equal(
        location.rstrip("/"),
        actual,
        f"for {what} the location of the credentials",
        at=found.place("location"),
    )


# -- how they are asked for ------------------------------------------------------------------------


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
        known = locations(table)
        if not known:
            continue
        with lab.judge_each("DS-TMP-02") as case:
            for body in ({}, None, {"location": None}):
                if (
                    body != {"location": None}
                    or lab.send(OPERATION, body=body, **table.address).status == 200
                ):
                    with case():
                        _are_for(
                            lab.send(OPERATION, body=body, **table.address), known[0], table.name
                        )
        with lab.judge_each("DS-TMP-03") as case:
            for location in known:
                with case():
                    reply = lab.send(OPERATION, body={"location": location}, **table.address)
                    _are_for(reply, location, f"{table.name} and a location")
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
                with case(Mutation(Wrong.ACCESS, "/location")):
                    reply = lab.send(OPERATION, body={"location": location}, **table.address)
                    expect.status(reply, 400, 403, about=f"for {table.name} and another location")


@check("DS-TMP-05")
def credentials_are_json(lab: SharingLab) -> None:
    """Credentials return status 200 and an object that has them under `credentials`."""
    for table in lab.each(by_directory(lab)):
        with lab.judge("DS-TMP-05"):
            reply = lab.send(OPERATION, body={}, **table.address)
            expect.status(reply, 200, about=f"for {table.name}")
            named = isinstance(reply.document.get("credentials"), dict)
            members = ", ".join(reply.document)
            expect.true(
                named,
                f"for {table.name} an object `credentials`",
                members,
                at=reply.place("credentials"),
                kind=Kind.MISSING,
            )


@check("DS-TMP-16")
def url_tables_have_no_credentials(lab: SharingLab) -> None:
    """A request for credentials for a table without the access mode dir returns 4xx."""
    found = [table for table in lab.tables() if "dir" not in table.access_modes][:MOST_TABLES]
    if not found:
        raise NotOffered("every table has the access mode dir")
    for table in lab.each(found):
        with lab.judge("DS-TMP-16"):
            reply = lab.send(OPERATION, body={}, **table.address)
            mutation = Mutation(Wrong.ABSENT, "access mode")
            expect.client_error(
                reply, about=f"for {table.name}, which is read by URLs alone", mutation=mutation
            )


# -- what they hold --------------------------------------------------------------------------------


@invariant("DS-TMP-06", traffic=TRAFFIC)
def credentials_have_one_kind(exchange: Exchange) -> bool:
    """Credentials have exactly one of the three kinds."""
    found = credentials_of(exchange)
    if found is None:
        return False
    kinds = [kind for kind in KINDS if found.get(kind) is not None]
    way = Kind.SURPLUS if kinds else Kind.MISSING
    expect.true(
        len(kinds) == 1,
        f"one of {', '.join(KINDS)}",
        ", ".join(kinds) or "none",
        at=found.place(),
        kind=way,
    )
    return True


@invariant("DS-TMP-07", traffic=TRAFFIC)
def credentials_name_a_location(exchange: Exchange) -> bool:
    """Credentials name the directory that they can read."""
    found = credentials_of(exchange)
    if found is None:
        return False
    expect.true(
        ndjson.required(found, "location", str, "credentials") != "",
        "a location",
        "an empty text",
        at=found.place("location"),
    )
    return True


@invariant("DS-TMP-08", traffic=TRAFFIC)
def credentials_expire_in_the_future(exchange: Exchange) -> bool:
    """Credentials have an expiration time in the future, in milliseconds."""
    found = credentials_of(exchange)
    if found is None:
        return False
    when = ndjson.required(found, "expirationTime", int, "credentials")
    at = found.place("expirationTime")
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
    found = credentials_of(exchange)
    if found is None or found.get(kind) is None:
        return False
    inner = ndjson.required(found, kind, dict, "credentials")
    # The value is a secret, so it is not shown.
    lacking = [member for member in members if not isinstance(inner.get(member), str)]
    expect.true(
        not lacking,
        f"{kind} with the texts {', '.join(members)}",
        f"no text {', '.join(lacking)}",
        at=found.place(kind, *lacking[:1]),
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
    found = [table for table in by_directory(lab) if table.access_modes == ("dir",)]
    if not found:
        raise NotOffered("every table that is read by its directory is read by URLs too")
    for table in lab.each(found):
        with lab.judge("DS-ACC-05"):
            reply = lab.send(ndjson.QUERY, body={}, headers=[EITHER_FORMAT], **table.address)
            mutation = Mutation(Wrong.ABSENT, "access mode")
            expect.client_error(
                reply,
                about=f"for {table.name}, which is read by its directory alone",
                mutation=mutation,
            )


@check("DS-ACC-04")
def access_modes_agree(lab: SharingLab) -> None:
    """The access modes in metadata equal those in the listings; a missing list means url."""
    told = [table for table in lab.tables() if table.document.get("accessModes")] or list(
        lab.tables()
    )
    for table in lab.each([*told[:MOST_TABLES], *lab.tables()[:MOST_TABLES]]):
        reply = lab.require(
            lab.send(ndjson.METADATA, headers=[EITHER_FORMAT], **table.address), 200
        )
        listed = table.document.get("accessModes") or ["url"]
        with lab.judge_each("DS-ACC-04") as case:
            for metadata in ndjson.objects(reply.lines, "metaData"):
                found = metadata.get("accessModes") or ["url"]
                if ndjson.texts(found) and ndjson.texts(listed):
                    with case():
                        at = metadata.place("accessModes")
                        expect.equal(
                            sorted(listed),
                            sorted(found),
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
