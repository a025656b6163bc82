"""Every request that is answered in lines, in either format, for tables of different kinds."""

from __future__ import annotations

from lakepact.conformance.checks.delta_sharing.api import SharingLab, check, ndjson
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    WITH_END,
    ask,
    questions,
    sample_tables,
)


@check("DS-CAP-04")
def requested_formats_are_returned_or_refused(lab: SharingLab) -> None:
    """A request with one `responseformat` returns 200 in that format, or 4xx."""
    for table in lab.each(sample_tables(lab)):
        for question in lab.each(questions(lab, table)):
            for form, header in lab.each(ONE_FORMAT.items()):
                replies = (
                    ask(lab, table, question, header),
                    ask(lab, table, question, header + WITH_END),
                )
                with lab.judge_each("DS-CAP-04") as case:
                    for reply in replies:
                        with case():
                            ndjson.expect_format_or_refusal(
                                reply, form, f"for {question.what} of {table.name}"
                            )
