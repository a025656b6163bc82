"""The section temporaryCredentials of the shares file: the issuer of credentials, and the addresses
of local folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from lakepact.reference_server.delta_sharing.places import Place
from lakepact.reference_server.warehouse.vended_credentials.policies import (
    Unlimited,
    bucket_and_prefix,
)
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys
from lakepact.reference_server.warehouse.vended_credentials.token_services import (
    FakeSts,
    SecurityTokenService,
    TokenService,
)

SETTINGS = (
    "sts",
    "region",
    "role",
    "accessKeyIdFrom",
    "secretAccessKeyFrom",
    "sessionTokenFrom",
    "stores",
    "rehearsal",
)
STORE = ("folder", "address")
ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]*)*"
)
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def read_token_service(place: Place) -> TokenService:
    """Return the issuer of credentials.

    Raises:
        BadShares: the section does not name one, or this server's keys are missing from its
            environment.
    """
    members = place.members(SETTINGS)
    rehearsal = members["rehearsal"].truth() if "rehearsal" in members else False
    if rehearsal == ("sts" in members):
        raise place.wrong(
            "must have either `sts`, the address of a token service, or `rehearsal: true` for keys"
            " that open nothing"
        )
    if rehearsal:
        return FakeSts()
    if "region" not in members:
        raise place.wrong(
            "has no region; write that of the token service, us-east-1 if it has none"
        )
    session = _variable(members["sessionTokenFrom"]) if "sessionTokenFrom" in members else None
    own = Keys(
        _key(place, members, "accessKeyIdFrom"),
        _key(place, members, "secretAccessKeyFrom"),
        session,
    )
    if "stores" not in members:
        raise place.wrong(
            "has no stores, which say where recipients find the folders of this machine"
        )
    return SecurityTokenService(
        _address(members["sts"]),
        members["region"].text(),
        own,
        members["role"].text() if "role" in members else None,
    )


def read_stores(place: Place, folder: Callable[[Place], Path]) -> tuple[tuple[Path, str], ...]:
    """Folders of this machine, and where recipients find them.

    Args:
        place: what stands under temporaryCredentials.
        folder: reads the location of a folder.

    Raises:
        BadShares: an address is not one of a bucket.
    """
    members = place.members(SETTINGS)
    folders = list[tuple["Path", str]]()
    for item in members["stores"].items() if "stores" in members else []:
        store = item.members(STORE)
        if set(store) != set(STORE):
            raise item.wrong(
                "must have a folder of this machine, and the address at which recipients find it"
            )
        address = store["address"].text().rstrip("/")
        try:
            bucket_and_prefix(f"{address}/table")
        except Unlimited as error:
            raise store["address"].wrong(f"cannot be granted: {error}") from None
        folders.append((folder(store["folder"]), address))
    return tuple(folders)


def _key(place: Place, members: dict[str, Place], name: str) -> str:
    if name not in members:
        raise place.wrong(
            f"has no {name}, the name of the environment variable that holds it; keys do not stand"
            " in this file"
        )
    return _variable(members[name])


def _variable(place: Place) -> str:
    name = place.secret()  # the value may be the key itself
    if not VARIABLE.fullmatch(name):
        raise place.wrong(
            "must be the name of an environment variable; keys do not stand in this file"
        )
    value = os.environ.get(name)
    if not value:
        raise place.wrong("names an environment variable that is not set")
    return value


def _address(place: Place) -> str:
    url = place.text()
    if not ADDRESS.fullmatch(url):
        raise place.wrong(
            "must be an http(s) address without a query, https://sts.eu-central-1.amazonaws.com for"
            " example"
        )
    return url
