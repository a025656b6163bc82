# Made by codegen.registry from the registry of shelf 2, sha256 bc5c1edfa9664671. Do not edit: nox -s generate
"""What Shelf 2 demands, what a target may leave out, and how we corrected the contract."""

from __future__ import annotations

from lakepact.generated.contract import Correction, Difference, Feature, Prose, Requirement

PROSE: Prose | None = Prose(name="SHELVES.md", address="https://example.org/SHELVES.md", headings={"keys": "Keys"})

FEATURES: dict[str, Feature] = {
    "paging": Feature(name="paging", sentence="books are listed page by page", default=True),
}

CORRECTIONS: dict[str, Correction] = {
    "S01": Correction(
        id="S01",
        sentence="changes are told apart by their kind",
        why="The description says so.",
        effect="corrects",
        targets=("/components/schemas/Change/anyOf", "/components/schemas/Change/oneOf", "/components/schemas/Change/discriminator"),
    ),
    "S02": Correction(id="S02", sentence="dates stay text", why="Classes would write them otherwise.", effect="none", targets=()),
}

DIFFERENCES: dict[str, Difference] = {}

REQUIREMENTS: dict[str, Requirement] = {
    "SH-BOOK-001": Requirement(
        id="SH-BOOK-001",
        level="MUST",
        sentence="A missing shelf is a 404.",
        clause="/paths/~1shelves~1{shelf-id}~1books/get/responses/404",
        basis="text",
        area="books",
        operations=("listBooks",),
        interpretation="R-1: It is not said what a shelf is. Whatever has an id.",
    ),
    "SH-BOOK-002": Requirement(
        id="SH-BOOK-002",
        level="SHOULD",
        sentence="Pages hold no more books than asked for.",
        clause="/paths/~1shelves~1{shelf-id}~1books/get/parameters/1",
        basis="implied",
        area="books",
        operations=("listBooks",),
        features=("paging",),
    ),
    "SH-BOOK-003": Requirement(
        id="SH-BOOK-003",
        level="MUST",
        sentence="An unknown change is refused.",
        clause="/components/schemas/Change",
        basis="schema",
        area="books",
        operations=("changeShelf",),
        corrections=("S01",),
    ),
    "SH-KEY-001": Requirement(
        id="SH-KEY-001",
        level="MAY",
        sentence="Keys may be short.",
        clause="#keys",
        basis="our-interpretation",
        area="books",
        operations=("getKey",),
        side="client",
        uncovered="there are no keys yet",
    ),
}
