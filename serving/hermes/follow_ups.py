"""Follow-ups: "and the other one?" finds nothing by itself, so what was spoken of before is put beside it before recall.

The same turns give the same question: no model is asked. A prompt is a follow-up where it is short and leans on what came
before: it begins with a connective, or holds a pronoun, and names little itself. Then the telling words of the last turns
that are not in it follow it, the newest first.
"""

import re
from collections.abc import Sequence
from typing import Final

from serving.recall.telling import telling_words

LONGEST: Final = 120
"""Characters up to which a prompt may be a follow-up."""

FEW: Final = 3
"""Telling words up to which a prompt that leans on something counts as one."""

MOST_ADDED: Final = 12
LOOKED_AT: Final = 3
"""Turns before the prompt that are looked at."""

_BEGINS: Final = re.compile(
    r"^\W*(?:and|but|so|also|then|or|what about|how about|why|why not|which|en|maar|dus|und|aber|et|mais|y|pero)\b",
    re.I,
)
_LEANS: Final = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|their|he|him|his|she|her|there|one|ones|other|others|another|same|both|"
    r"former|latter|previous|again|instead|else|die|dat|deze|hem|haar|ze)\b|[他她它]|那个|这个",
    re.I,
)
_EMPTY: Final = {"one", "ones", "other", "another", "same", "both", "former", "latter", "previous", "else", "again"}


def rewritten(prompt: str, turns: Sequence[str]) -> str:
    """The prompt as recall should hear it; as it is where it stands by itself, or there is nothing before it.

    `turns` is what the user and the agent said before, the newest last.
    """
    if not is_follow_up(prompt):
        return prompt
    own = set(telling_words(prompt))
    before = [word for turn in reversed(turns[-LOOKED_AT:]) for word in telling_words(turn[:2000])]
    added = [word for word in dict.fromkeys(before) if word not in own and word not in _EMPTY][:MOST_ADDED]
    return f"{prompt} ({' '.join(added)})" if added else prompt


def is_follow_up(prompt: str) -> bool:
    """Whether a prompt leans on what was said before it."""
    text = prompt.strip()
    if not text or len(text) > LONGEST:
        return False
    telling = [word for word in telling_words(text) if word not in _EMPTY]
    return bool(_BEGINS.search(text) or _LEANS.search(text)) and len(telling) <= FEW
