"""How near conclusions lie to a question by their meaning, where an embedding model can tell."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hymem.errors import ModelError
from hymem.redaction import redacted
from hymem.store.conclusions import ConclusionRecord

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient

logger: Final = logging.getLogger("hymem.honcho")


def within(
    client: "EmbeddingClient | None", question: str, records: Sequence[ConclusionRecord], distance: float | None
) -> list[ConclusionRecord]:
    """Those within a cosine distance of the question; all, where there is no embedding model or it does not answer."""
    if client is None or distance is None or not records:
        return list(records)
    from hymem.models.embedding import embedded

    try:
        first, *others = embedded(client, [redacted(text) for text in (question, *(one.content for one in records))])
    except ModelError as error:
        logger.warning("conclusions were not compared by meaning: %s", error)
        return list(records)
    return [record for record, other in zip(records, others, strict=True) if 1 - float(first @ other) <= distance]
