"""The meaning of a question: its vector, where there is an embedding model and its vectors are the stored ones.

Recall works without. A model that fails, or is another one than the stored vectors are of, costs recall its sense of meaning
for this question, and recall says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hymem.errors import ModelError
from hymem.store.vectors import Space

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient


@dataclass(frozen=True)
class Meaning:
    """The question's vector and those of other texts, as the store has vectors; or the trouble that kept them away."""

    vector: bytes | None = None
    others: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    trouble: str = ""


def meaning(client: "EmbeddingClient | None", space: Space | None, text: str, others: Sequence[str] = ()) -> Meaning:
    """The vectors of a question and of other texts, asked for in one call; none where no vectors are stored."""
    if client is None or space is None:
        return Meaning()
    if client.model != space.model:
        return Meaning(trouble=f"the stored vectors are of {space.model}, not of {client.model}: run `hymem reembed`")
    from hymem.models.embedding import embedded

    try:
        vectors = embedded(client, [text, *others])
    except ModelError as error:
        return Meaning(trouble=str(error))
    if vectors.shape[1] != space.dimension:
        found = f"{vectors.shape[1]} numbers where the stored ones have {space.dimension}"
        return Meaning(trouble=f"the vectors of {client.model} have {found}: run `hymem reembed`")
    first, *rest = (row.astype("<f4").tobytes() for row in vectors)
    return Meaning(first, dict(zip(others, rest, strict=True)))
