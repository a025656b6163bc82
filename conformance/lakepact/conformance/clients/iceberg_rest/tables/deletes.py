"""Tables with delete files and deletion vectors, and with files that are older than their
layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from lakepact.conformance.clients.iceberg_rest.api import (
    CatalogClientLab,
    Document,
    check,
    expect,
)
from lakepact.conformance.clients.iceberg_rest.kit.deleted_rows import (
    DEFAULT,
    FIRST,
    KEPT,
    KEPT_IN_PARTITIONS,
    KINDS,
    LATER,
    NONE,
    WITH_NULL,
    require_libraries,
    table_with_default,
    table_with_deletes,
    table_with_names,
    table_with_older_order,
    table_with_older_spec,
    table_with_partitions,
    table_without_value,
)

Rows = list[Document]
#: Description and maker of a table, values of a filter, and the rows that a client returns.
Reads = Iterable[tuple[str, Callable[[], Document], Document, Rows]]


def _reads(lab: CatalogClientLab, requirement: str, reads: Reads) -> None:
    """Judge the rows that a client reads; it may refuse tables, and implement no filters."""
    with lab.judge_each(requirement, without="the client refuses these tables") as case:
        for how, make, where, rows in reads:
            arguments: Document = {**make(), **({"where": where} if where else {})}
            performance = lab.tries("read-rows-where" if where else "read-rows", **arguments)
            if performance is not None and performance.is_done:
                with case():
                    expect.same_items(
                        rows,
                        performance.result,
                        f"rows{f' where {expect.excerpt(where)}' if where else ''} of a table {how}:",
                    )


@check("IRC-CLI-075")
def deleted_rows(lab: CatalogClientLab) -> None:
    """A client that reads a table with position deletes, equality deletes or a deletion vector
    returns no deleted row, or fails.
    """
    require_libraries()
    lab.require_success(
        lab.performs("read-rows", **table_with_deletes(lab, NONE)), [*FIRST, *LATER]
    )
    reads = [
        (f"with {kind}", partial(table_with_deletes, lab, kind), where, rows)
        for kind in KINDS
        for where, rows in (({}, KEPT), ({"id": 2}, LATER), ({"data": "b"}, []))
    ]
    in_one, without = partial(table_with_partitions, lab), partial(table_without_value, lab)
    reads += [
        ("with equality deletes in one of two partitions", in_one, {}, KEPT_IN_PARTITIONS),
        ("with null, and equality deletes of a value", partial(without, "a"), {}, WITH_NULL[1:]),
        ("with equality deletes of null", partial(without, None), {}, WITH_NULL[:1]),
    ]
    _reads(lab, "IRC-CLI-075", reads)


@check("IRC-CLI-078")
def rows_older_than_the_layout(lab: CatalogClientLab) -> None:
    """A client reads rows that are older than a column with a default, than a partition field, or
    than a sort order, also with a filter.
    """
    require_libraries()
    older = [{**row, "kind": DEFAULT} for row in FIRST]
    default, column = partial(table_with_default, lab), "younger than its rows: kind"
    spec, order = partial(table_with_older_spec, lab), partial(table_with_older_order, lab)
    reads: Reads = (
        (f"with a column {column}, whose initial-default is set", default, {}, older),
        (f"with a column {column}", default, {"kind": DEFAULT}, older),
        (f"with a column {column}", default, {"kind": "other"}, []),
        ("with a partition field of id that is younger than its rows", spec, {"id": 2}, FIRST[1:2]),
        ("with an order by id that is younger than its rows", order, {"id": 2}, FIRST[1:2]),
    )
    _reads(lab, "IRC-CLI-078", reads)


@check("IRC-CLI-083")
def files_without_field_ids(lab: CatalogClientLab) -> None:
    """A client finds the columns of a file without field ids by the name mapping of the table, or
    fails.
    """
    require_libraries()
    names = partial(table_with_names, lab)
    how = "with a name mapping, whose file has no field ids"
    _reads(lab, "IRC-CLI-083", ((how, names, {}, FIRST), (how, names, {"data": "b"}, FIRST[1:2])))
