"""The embedded reference server as an instance of watsonx.data, with its credentials."""

from __future__ import annotations

import secrets
from pathlib import Path

import orjson

from lakepact.conformance.evidence.shared_files import READABLE_FILES, SharedFiles
from lakepact.conformance.running.embedded_target import EmbeddedTarget

ROOT = "/mds/iceberg"
CATALOG = "lakepact"
USER = "harness"


def launch_settings(folder: Path) -> EmbeddedTarget:
    """Return a catalog that requires credentials, with a generated token and API key.

    Its features cannot be detected: suite and server share all files, and the server keeps all
    tables below one folder.
    """
    token, key = secrets.token_hex(), secrets.token_hex()
    file = folder / "credentials.yaml"
    file.write_bytes(orjson.dumps({"tokens": [token], "api-keys": {USER: key}}))  # YAML too
    return EmbeddedTarget(
        settings={
            "credentials": str(file),
            "prefix": CATALOG,
            "warehouse": str(folder / "tables"),
        },
        root=ROOT,
        headers={"Authorization": f"Bearer {token}"},
        parameters={"warehouse": CATALOG, "credentials": str(file)},
        features={READABLE_FILES: True, "location-policy": True},
        shared_files=SharedFiles(folder / "tables"),
    )
