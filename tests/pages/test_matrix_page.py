"""The pages of the published matrices are made from the published reports."""

from __future__ import annotations

import pytest

from clients_matrix.clients import CLIENTS
from clients_matrix.page import page as page_of_clients
from servers_matrix.__main__ import DOCS, PAGES
from servers_matrix.page import page


@pytest.mark.parametrize("name", PAGES)
def test_matrix_page_equals_its_reports(name: str) -> None:
    title, servers = PAGES[name]

    assert (DOCS / name).read_text("utf-8") == page(DOCS, servers, title=title)


def test_page_of_clients_equals_its_reports() -> None:
    assert (DOCS / "clients.md").read_text("utf-8") == page_of_clients(DOCS / "clients", CLIENTS)
