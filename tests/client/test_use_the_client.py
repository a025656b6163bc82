"""The examples of the documentation run as they stand and print what they say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from lakepact.reference_server import running

PAGE = Path(__file__).resolve().parents[2] / "docs" / "use-the-client.md"
ADDRESS = "http://127.0.0.1:8181"


def test_every_example_prints_what_it_says(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}

    with running(warehouse=tmp_path.as_uri()) as server:
        for block in blocks:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block.replace(ADDRESS, server.url), str(PAGE), "exec", flags=0, dont_inherit=True), names)

            assert printed.getvalue().splitlines() == re.findall(r"^#> (.*)$", block, re.MULTILINE)
