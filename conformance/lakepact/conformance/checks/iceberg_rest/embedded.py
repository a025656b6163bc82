"""The embedded reference server as an Iceberg REST catalog with access control and several
principals.
"""

from __future__ import annotations

import secrets
from pathlib import Path

import orjson

from lakepact.conformance.checks.iceberg_rest.kit import principals
from lakepact.conformance.evidence.shared_files import READABLE_FILES, SharedFiles
from lakepact.conformance.running.embedded_target import EmbeddedTarget

CLIENT = "lakepact harness"
OF_THE_SECOND = "lakepact_second"  #: the namespace that the second principal may write in

#: Properties of tables whose scans this server plans in the background, or divides into plan tasks.
PLANNED = {
    "async-planning-properties": (
        "lakepact.scan-planning.at-once-files=0,lakepact.scan-planning.polls=1"
    ),
    "paged-planning-properties": "lakepact.scan-planning.page-files=1",
}

#: A named warehouse, made-up credentials, and the rights of each principal.
SERVER_FILE = """\
[warehouses.lakehouse]
defaults = {{clients = "4"}}

[warehouses.lakehouse.credentials]
rehearsal = true
seconds = 2
config = {{"client.region" = "eu-central-1"}}

[principals.harness]
token = "{first}"
client-id = "{client}"
client-secret = "{secret}"

[principals.second]
token = "{second}"

[principals.third]
token = "{third}"

[principals.former]
token = "{expired}"
token-expires = 2020-01-01T00:00:00Z

[[grants]]
principal = "harness"
access = "admin"

[[grants]]
principal = "former"
access = "admin"

[[grants]]
principal = "second"
access = "read"

[[grants]]
principal = "second"
namespace = ["{namespace}"]
access = "write"
"""


def launch_settings(folder: Path) -> EmbeddedTarget:
    """Return a server with one warehouse, and principals with random tokens.

    Features that no answer shows are on: suite and server share all files, and the server keeps
    all tables below one folder. Access and nesting are on too, so that no fault can hide them.
    """
    tokens = {
        name: secrets.token_hex() for name in ("first", "second", "third", "expired", "secret")
    }
    config, tokens_file = folder / "server.toml", folder / "principals.json"
    config.write_text(
        SERVER_FILE.format(**tokens, client=CLIENT, namespace=OF_THE_SECOND), encoding="utf-8"
    )
    principals_document = {
        principals.SECOND: tokens["second"],
        principals.THIRD: tokens["third"],
        principals.EXPIRED: tokens["expired"],
        principals.SUBJECT: tokens["second"],
        principals.CLIENT: f"{CLIENT}:{tokens['secret']}",
    }
    tokens_file.write_bytes(orjson.dumps(principals_document))
    for file in (config, tokens_file):
        file.chmod(0o600)
    access = ("authentication", "second-principal", "oauth-tokens", "token-exchange")
    others = (READABLE_FILES, "location-policy", "nesting", "async-planning", "plan-tasks")
    return EmbeddedTarget(
        settings={"config": str(config), "warehouse": str(folder / "tables")},
        headers={"Authorization": f"Bearer {tokens['first']}"},
        parameters={
            "warehouse": "lakehouse",
            "principals": str(tokens_file),
            principals.WRITES: OF_THE_SECOND,
            **PLANNED,
        },
        features=dict.fromkeys((*access, *others), True),
        shared_files=SharedFiles(folder / "tables"),
    )
