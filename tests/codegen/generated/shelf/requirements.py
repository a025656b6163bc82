# Made by codegen.registry from the registry of shelf 2, sha256 5236ab5a5625b700. Do not edit: nox -s generate
"""What Shelf 2 demands, what a target may leave out, and how we corrected the contract."""

from __future__ import annotations

from lakepact.generated.contract import Difference, Edit, Feature, Prose, Requirement

PROSE: Prose | None = Prose(name="SHELVES.md", address="https://example.org/SHELVES.md", headings={"keys": "Keys"})

FEATURES: dict[str, Feature] = {
    "paging": Feature(name="paging", says="books are listed page by page", default=True),
}

EDITS: dict[str, Edit] = {
    "S01": Edit(
        id="S01",
        says="changes are told apart by their kind",
        why="The description says so.",
        effect="corrects",
        targets=("/components/schemas/Change/anyOf", "/components/schemas/Change/oneOf", "/components/schemas/Change/discriminator"),
    ),
    "S02": Edit(id="S02", says="dates stay text", why="Classes would write them otherwise.", effect="none", targets=()),
}

DIFFERENCES: dict[str, Difference] = {}

REQUIREMENTS: dict[str, Requirement] = {
    "SH-BOOK-001": Requirement(
        id="SH-BOOK-001",
        level="MUST",
        says="A missing shelf is a 404.",
        clause="/paths/~1shelves~1{shelf-id}~1books/get/responses/404",
        basis="text",
        area="books",
        operations=("listBooks",),
        reading="R-1: It is not said what a shelf is. Whatever has an id.",
    ),
    "SH-BOOK-002": Requirement(
        id="SH-BOOK-002",
        level="SHOULD",
        says="Pages hold no more books than asked for.",
        clause="/paths/~1shelves~1{shelf-id}~1books/get/parameters/1",
        basis="implied",
        area="books",
        operations=("listBooks",),
        features=("paging",),
    ),
    "SH-BOOK-003": Requirement(
        id="SH-BOOK-003",
        level="MUST",
        says="An unknown change is refused.",
        clause="/components/schemas/Change",
        basis="schema",
        area="books",
        operations=("changeShelf",),
        edits=("S01",),
    ),
    "SH-KEY-001": Requirement(
        id="SH-KEY-001",
        level="MAY",
        says="Keys may be short.",
        clause="#keys",
        basis="our-reading",
        area="books",
        operations=("getKey",),
        side="client",
        uncovered="there are no keys yet",
    ),
}
