"""The examples of the documentation run as they stand and print what they say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from lakepact.reference_server import running

PAGE = Path(__file__).resolve().parents[2] / "docs" / "use-the-client.md"
ADDRESS = "http://127.0.0.1:8181"


def blocks_of(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_every_example_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of("python")
    (shares,) = blocks_of("yaml")
    Path("shares.yaml").write_text(shares, "utf-8")
    names: dict[str, object] = {}

    with running(warehouse=tmp_path.as_uri(), shares="shares.yaml") as server:
        address = server.address("delta_sharing")
        Path("partner.share").write_bytes(server.services["delta_sharing"].profiles(address)["partner.share"])
        for block in blocks:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block.replace(ADDRESS, server.url), str(PAGE), "exec", flags=0, dont_inherit=True), names)

            assert printed.getvalue().splitlines() == re.findall(r"^#> (.*)$", block, re.MULTILINE)
