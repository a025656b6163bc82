"""Updates of encryption keys."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

from lakepact.reference_server.iceberg_rest.documents import child, refusal, text

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import (
        AddEncryptionKeyUpdate,
        EncryptedKey,
        RemoveEncryptionKeyUpdate,
    )
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft

MEMBER: Final = "encryption-keys"


def add_encryption_key(draft: Draft, update: AddEncryptionKeyUpdate) -> None:
    """Add an encryption key; an existing key of that id stays unchanged."""
    where = f"{draft.where}/encryption-key"
    key: EncryptedKey = child(update, "encryption-key", draft.where)
    key_id = text(key, "key-id", where)
    try:
        base64.b64decode(text(key, "encrypted-key-metadata", where), validate=True)
    except (binascii.Error, ValueError):
        raise refusal(f"{where}/encrypted-key-metadata", "expected base64") from None
    if draft.members(MEMBER).get(key_id) is None:
        draft.append(MEMBER, key)


def remove_encryption_key(draft: Draft, update: RemoveEncryptionKeyUpdate) -> None:
    """Remove an encryption key; unknown ones are ignored."""
    draft.discard(MEMBER, [text(update, "key-id", draft.where)])
