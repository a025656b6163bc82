"""The page of the published matrix is made from the published reports."""

from __future__ import annotations

from servers_matrix.__main__ import DOCS
from servers_matrix.page import page
from servers_matrix.servers import SERVERS


def test_matrix_page_equals_its_reports() -> None:
    assert (DOCS / "servers.md").read_text("utf-8") == page(DOCS, SERVERS)
