"""Updates of partition specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import INT32, child, children, exact, refused
from lakepact.reference_server.iceberg_rest.metadata import with_id
from lakepact.reference_server.iceberg_rest.partitioning import NONE_ASSIGNED, check_spec, highest_field_id, same_spec, with_field_ids

from .draft import chosen_id

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document

    from .draft import Draft


def add_spec(draft: Draft, update: Document) -> None:
    """The spec is known under the next id, or under the id of one that is the same; fields without an id get one."""
    where = f"{draft.where}/spec"
    spec = child(update, "spec", draft.where)
    check_spec(spec, draft.columns(where), where)
    known: list[Document] = draft.items("partition-specs")
    last_assigned: int = draft.get("last-partition-id") or NONE_ASSIGNED
    numbered = with_field_ids(spec, known, where, last_assigned=last_assigned, format_version=draft.format_version)
    twin = next((other for other in known if same_spec(other, numbered)), None)
    if twin is not None:
        draft.added_spec = twin["spec-id"]
        return
    draft.added_spec = max((other["spec-id"] for other in known), default=-1) + 1
    draft.own_list("partition-specs").append({**numbered, "spec-id": draft.added_spec})
    draft.set("last-partition-id", max(last_assigned, highest_field_id([numbered])))


def set_default_spec(draft: Draft, update: Document) -> None:
    """The spec is the one that data is written with, from now on."""
    spec_id = chosen_id(draft, update, "spec-id", added=draft.added_spec, kind="spec")
    if with_id(draft.items("partition-specs"), "spec-id", spec_id) is None:
        raise refused(f"{draft.where}/spec-id", f"the table has no partition spec {spec_id}")
    if draft.get("default-spec-id") != spec_id:
        draft.set("default-spec-id", spec_id)


def remove_partition_specs(draft: Draft, update: Document) -> None:
    """The specs are gone, those too that never were there; the default one cannot go."""
    where = f"{draft.where}/spec-ids"
    spec_ids = {exact(value, f"{where}/{index}", within=INT32) for index, value in enumerate(children(update, "spec-ids", draft.where))}
    if draft.get("default-spec-id") in spec_ids:
        raise refused(where, f"partition spec {draft.get('default-spec-id')} is the default; set another one first")
    known: list[Document] = draft.items("partition-specs")
    kept = [spec for spec in known if spec["spec-id"] not in spec_ids]
    if len(kept) < len(known):
        draft.set("partition-specs", kept)
    if draft.added_spec in spec_ids:
        draft.added_spec = None
