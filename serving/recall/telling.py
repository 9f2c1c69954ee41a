"""The telling words of a text: those that a search looks for, in any script."""

import re
from typing import Final

from hymem.bigrams import bigrams
from hymem.canonical import folded_words
from hymem.models.rules.words import CLOSED, QUESTION_AUX, WH

MOST_WORDS: Final = 32
_UNTELLING: Final = (
    CLOSED | WH | QUESTION_AUX | {"user", "tell", "know", "remember", "please", "s", "t", "re", "ve", "ll"}
)
_WORD: Final = re.compile(r"[^\W_]+")


def telling_words(text: str, most: int | None = MOST_WORDS) -> list[str]:
    """The words that a search looks for: no function words; pairs of characters where a script has no spaces."""
    told = [*folded_words(text), *(word.casefold() for word in _WORD.findall(bigrams(text)))]
    return [word for word in dict.fromkeys(told) if word and word not in _UNTELLING][:most]
