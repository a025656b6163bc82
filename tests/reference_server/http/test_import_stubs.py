"""Modules that the server does not use are not imported, and stay importable."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import lakepact.reference_server.http.connexion_engine
spared = [name for name in ("starlette.testclient", "requests", "httpx") if name in sys.modules]
import requests
from starlette.testclient import TestClient
print(spared, hasattr(requests, "get"), "request" in dir(TestClient))
"""


def test_unused_modules_are_not_imported_and_stay_importable() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=True
    )

    assert ran.stdout.split("\n")[0] == "[] True True"
