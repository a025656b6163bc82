"""What the catalog of watsonx.data gets wrong when it is asked to: its own differences here, and what the Iceberg one can."""

#: What faults of the Iceberg catalog break of this contract's own requirements.
ALSO_BREAKS: dict[str, tuple[str, ...]] = {
    "skips-unknown-requirements": ("WXD-COM-001", "WXD-COM-002"),
    "unknown-requirements-fail": ("WXD-COM-002",),
    "skips-unknown-updates": ("WXD-COM-001", "WXD-COM-002"),
    "unknown-kinds-are-failures": ("WXD-COM-001", "WXD-COM-002"),
    "applies-updates-up-to-the-bad-one": ("WXD-COM-001",),
    "applies-all-but-the-bad-update": ("WXD-COM-001",),
    "config-without-defaults": ("WXD-CFG-005",),
    "config-without-overrides": ("WXD-CFG-004",),
    "config-defaults-null": ("WXD-CFG-004",),
    "no-levels-needed": ("WXD-NS-002",),
    "drops-what-holds-tables": ("WXD-NS-006",),
    "drops-what-holds-views": ("WXD-NS-007",),
    "bad-page-sizes-are-empty-pages": ("WXD-PAG-002",),
    "registers-over-tables": ("WXD-TBL-001",),
    "ignores-what-exists": ("WXD-TBL-001",),
    "replaces-and-refuses": ("WXD-TBL-001",),
    "registered-names-are-called-otherwise": ("WXD-TBL-001",),
    "taken-names-cannot-be-read": ("WXD-TBL-001",),
    "loads-the-newest": ("WXD-TBL-004",),
    "ignores-unknown-updates-of-views": ("WXD-VIEW-002",),
    "ignores-unknown-requirements-of-views": ("WXD-VIEW-002",),
}

#: Faults of the Iceberg catalog that break nothing here, and why.
NOT_INHERITED: dict[str, str] = {
    **dict.fromkeys(
        (
            "endpoints-as-text",
            "endpoints-as-objects",
            "endpoints-with-two-spaces",
            "endpoints-with-other-names",
            "endpoints-promise-credentials",
            "endpoints-hide-renaming",
            "endpoints-twice",
            "config-changes",
        ),
        "the configuration names no endpoints that could be wrong",
    ),
    **dict.fromkeys(("credentials-for-a-location", "credentials-end-at-a-number"), "tables come without credentials"),
    "not-offered-is-500": "no operation of the contract is not offered",
    "created-name-shortened": "a namespace has no level that could be left out",
    **dict.fromkeys(
        (
            "top-level-holds-children",
            "lists-with-joined-levels",
            "lists-tables-of-children",
            "lists-views-of-children",
            "lists-with-the-last-level",
            "default-namespaces-are-cut",
            "exists-at-the-top-only",
        ),
        "no namespace has children",
    ),
}
