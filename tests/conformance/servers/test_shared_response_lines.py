"""Checks of lines, capabilities, URLs and credentials pass on unusual but correct servers."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.reference_server.faults import (
    Install,
    all_of,
    on_answer,
    on_call,
    on_lines,
    on_reply,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from mutants.delta_sharing.operators.lines import on_metadata
from mutants.delta_sharing.operators.wrapped import (
    IN_LINES,
    METADATA,
    PARQUET,
    QUERY,
    leave_out,
    on_all,
    on_wrapped,
    write,
)
from mutants.delta_sharing.protocol.capabilities import on_capabilities
from sampling import by_day

from .conftest import failures, results_of

AREAS = (
    "formats",
    "metadata",
    "parquet",
    "delta",
    "schema",
    "capabilities",
    "end_stream",
    "query",
    "file_ids",
    "file_urls",
    "optional_members",
    "interoperability",
    "credentials",
)
OF_FILES = ("file", "add", "remove", "cdf")


def of_lines(
    folder: Path, *, quirk: Install | None = None, names_its_content: bool = True
) -> dict[str, Any]:
    """Return the results of all checks of lines."""
    return results_of(folder, *AREAS, quirk=quirk, names_its_content=names_its_content)


def test_server_with_unknown_content_fails_nothing(shares: Path) -> None:
    assert failures(of_lines(shares, names_its_content=False)) == {}


# -- quirks that the contract allows ---------------------------------------------------------------


def _news(lines: list[Any]) -> None:
    """Add an unknown member to every object."""
    for line in lines:
        for wrapper in list(line.values()):
            wrapper["somethingNew"] = {"a": [1, None]}


def _nulls(lines: list[Any]) -> None:
    """Write null for absent members."""
    for line in lines:
        for kind in OF_FILES:
            file = line.get(kind)
            if file and "url" in file:
                for member in ("stats", "expirationTimestamp"):
                    file.setdefault(member, None)
        metadata = line.get("metaData", {})
        if "schemaString" in metadata:
            for member in (
                "name",
                "description",
                "version",
                "size",
                "numFiles",
                "location",
                "accessModes",
                "auxiliaryLocations",
            ):
                metadata.setdefault(member, None)


def _only_what_must_be(lines: list[Any]) -> None:
    """Leave out optional members."""
    optional = (
        "stats",
        "expirationTimestamp",
        "name",
        "description",
        "size",
        "numFiles",
        "configuration",
    )
    for line in lines:
        for kind, wrapper in line.items():
            for member in optional:
                if kind == "metaData" or member != "size":
                    wrapper.pop(member, None)


def _no_delta(handler: Any, arguments: dict[str, Any]) -> Any:
    return handler(**arguments | {"delta_sharing_capabilities": None})


def _backwards(lines: list[Any]) -> list[Any]:
    ends = [line for line in lines if "endStreamAction" in line]
    return [*lines[:2], *(line for line in reversed(lines[2:]) if line not in ends), *ends]


def _not_there(_handler: Any, _arguments: dict[str, Any]) -> Any:
    raise Problem(404, "RESOURCE_DOES_NOT_EXIST", "there is nothing like that here")


def _delta_where_it_may(original: Any) -> Any:
    """Prefer delta format for clients that understand both formats."""

    def negotiate(capabilities: Any, features: Any) -> str:
        choice = original(capabilities, features)
        return "delta" if "delta" in (capabilities.formats or ()) else str(choice)

    return negotiate


def _without_end(original: Any) -> Any:
    return lambda header: replace(original(header), end_stream=False)


def _in_lines(reply: Any, _: Any) -> Any:
    """Answer credentials with the media type of the protocol's example."""
    return replace(reply, media_type=b"application/x-ndjson") if reply.status == 200 else reply


def _no_history(handler: Any, arguments: dict[str, Any]) -> Any:
    if {"version", "timestamp", "startingVersion"} & set(
        arguments.get("body") or {}
    ) or arguments.get("version") is not None:
        raise Problem(400, "INVALID_PARAMETER_VALUE", "the history of this table is not shared")
    return handler(**arguments)


def _at_another_host(reply: Any, _: Any) -> Any:
    """Sign URLs at another host name, with an unknown query parameter."""
    whole = reply.joined() if reply.has_body else reply
    body = whole.body.replace(b"http://127.0.0.1:", b"http://localhost:").replace(
        b"X-Amz-Signature=", b"x-id=GetObject&X-Amz-Signature="
    )
    return replace(whole, body=body)


QUIRKS: dict[str, tuple[Install, ...]] = {
    "adds unknown members, in another order, and signs URLs at another host": (
        on_lines(IN_LINES, _news),
        on_lines(QUERY, _backwards),
        on_capabilities(
            lambda v: v if b"includeend" in v else v + b";includeendstreamaction=false"
        ),
        on_answer(
            "generateTemporaryTableCredentials",
            lambda d: d["credentials"].update(azureUserDelegationSas=None, gcpOauthToken=None),
        ),
        on_reply((QUERY, "queryTableChanges"), _at_another_host),
    ),
    "writes null for absent members": (
        on_lines(IN_LINES, _nulls),
        on_reply("generateTemporaryTableCredentials", _in_lines),
    ),
    "leaves out optional members": (
        on_all(_only_what_must_be, form=PARQUET),
        on_wrapped("endStreamAction", leave_out("minUrlExpirationTimestamp")),
    ),
    "knows no delta format": (on_call(IN_LINES, _no_delta),),
    "prefers delta format": (wrap_rule("negotiate", _delta_where_it_may),),
    "sends no end action": (wrap_rule("read_capabilities", _without_end),),
    "has no change data feed": (
        on_call("queryTableChanges", _not_there),
        *(on_metadata(o, write(configuration={})) for o in (METADATA, QUERY)),
    ),
    "shares no history": (on_call((QUERY, METADATA), _no_history),),
}


#: Quirks of one server; by night each has a server of its own.
TOGETHER = "writes null for absent members + has no change data feed"


@pytest.mark.parametrize("quirks", by_day([TOGETHER, *QUIRKS], [TOGETHER]))
def test_allowed_quirks_fail_nothing(shares: Path, quirks: str) -> None:
    assert (
        failures(
            of_lines(
                shares,
                quirk=all_of(
                    *(install for quirk in quirks.split(" + ") for install in QUIRKS[quirk])
                ),
            )
        )
        == {}
    )


def _with_new_id(wrapper: dict[str, Any]) -> None:
    if "id" in wrapper:
        wrapper["id"] = uuid.uuid4().hex


@pytest.mark.nightly
def test_new_file_ids_in_each_answer_fail_only_the_id_requirements(shares: Path) -> None:
    areas = ("capabilities", "query", "file_ids", "names", "refresh", "pages", "time_travel")
    results = results_of(shares, *areas, quirk=on_wrapped(OF_FILES, _with_new_id))
    assert set(failures(results)) == {"DS-FIL-03", "DS-DFL-01", "DS-REM-02"}


# -- URLs that expire ------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def expiring_pack(shares: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the pack with URLs that expire after one second."""
    document = yaml.safe_load((shares / "shares.yaml").read_text(encoding="utf-8"))
    for share in document["shares"]:
        for schema in share["schemas"]:
            for table in schema["tables"]:
                table["location"] = str(shares / table["location"])
    folder: Path = tmp_path_factory.mktemp("short")
    (folder / "shares.yaml").write_text(
        yaml.safe_dump({**document, "preSignedUrlTimeoutSeconds": 1}), encoding="utf-8"
    )
    return folder


def test_urls_that_expire_pass(expiring_pack: Path) -> None:
    results = results_of(
        expiring_pack, "DS-FIL-10", names_its_content=False, **{"short-lived-urls": True}
    )
    assert results["DS-FIL-10"].outcome is Outcome.PASS


def test_urls_that_never_expire_are_a_warning(expiring_pack: Path) -> None:
    forever = replace_rule("url_holds", lambda *_: None)
    results = results_of(
        expiring_pack,
        "DS-FIL-10",
        quirk=forever,
        names_its_content=False,
        **{"short-lived-urls": True},
    )
    assert results["DS-FIL-10"].outcome is Outcome.WARN
