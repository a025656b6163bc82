# Made by codegen.registry from the registry of delta_sharing 2026-02, sha256 ba57d236509979fb. Do not edit: nox -s generate
"""What Delta Sharing Protocol 2026-02 demands, what a target may leave out, and how we corrected the contract."""

from __future__ import annotations

from lakepact.generated.contract import Edit, Feature, Requirement

FEATURES: dict[str, Feature] = {
    "fixtures": Feature(
        name="fixtures",
        says="the server shares the tables of lakepact's fixture pack, whose content is known to the harness",
        default=False,
    ),
}

EDITS: dict[str, Edit] = {
    "E01": Edit(
        id="E01",
        says="a partition value may be null",
        why="The prose writes the null of every type as an empty string. Every Delta log and the official server write JSON null, and Spark fails on the empty string of a date (DF-02).",
        effect="widens",
        targets=("/components/schemas/PartitionValues/additionalProperties",),
    ),
    "E02": Edit(
        id="E02",
        says="queries and changes may be asked for in pages, and queries again with fresh URLs",
        why="The prose names refreshToken and nextPageToken in EndStreamAction and never says how they are sent back. Clients and the official server agree on these members.",
        effect="widens",
        targets=(
            "/components/schemas/QueryTableRequest/properties/includeRefreshToken",
            "/components/schemas/QueryTableRequest/properties/refreshToken",
            "/components/schemas/QueryTableRequest/properties/maxFiles",
            "/components/schemas/QueryTableRequest/properties/pageToken",
            "/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1changes/get/parameters",
        ),
    ),
    "E03": Edit(
        id="E03",
        says="metadata may be asked for as of a version or a time",
        why="Spark asks for the metadata of the version that it reads (DF-13); later prose has it.",
        effect="widens",
        targets=("/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1metadata/get/parameters",),
    ),
    "E04": Edit(
        id="E04",
        says="clients may say how the ids of files are to be made",
        why="Clients on the JVM send the header and fail unless the server repeats it (DF-20); later prose has it.",
        effect="widens",
        targets=(
            "/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1query/post/parameters",
            "/paths/~1shares~1{share}~1schemas~1{schema}~1tables~1{table}~1changes/get/parameters",
        ),
    ),
}

REQUIREMENTS: dict[str, Requirement] = {}
