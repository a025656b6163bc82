# Made by codegen.registry from the registry of rack 2, sha256 768c254d193d9a8c. Do not edit: nox -s generate
"""The requirements of Rack 2, its optional features, and the corrections of the contract."""

from __future__ import annotations

from lakepact.generated.contract import Correction, Difference, Feature, Prose, Requirement

PROSE: Prose | None = Prose(name="RACKS.md", address="https://example.org/RACKS.md", headings={"keys": "Keys"})

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
        sentence="A missing rack is a 404.",
        clause="/paths/~1racks~1{rack-id}~1books/get/responses/404",
        basis="text",
        area="books",
        operations=("listBooks",),
        interpretation="R-1: It is not said what a rack is. Anything with an id is a rack.",
    ),
    "SH-BOOK-002": Requirement(
        id="SH-BOOK-002",
        level="SHOULD",
        sentence="Pages hold no more books than asked for.",
        clause="/paths/~1racks~1{rack-id}~1books/get/parameters/1",
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
        operations=("changeRack",),
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
