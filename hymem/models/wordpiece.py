"""WordPiece as BERT's uncased models read: words in lower case, cut into the longest pieces that the vocabulary has.

Devlin et al., *BERT: Pre-training of Deep Bidirectional Transformers* (NAACL 2019), after Wu et al. (2016). Characters are
judged one by one, as the reference implementations do: marks go, punctuation and Chinese characters stand alone.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Final

CLS: Final = "[CLS]"
SEP: Final = "[SEP]"
UNKNOWN: Final = "[UNK]"
LONGEST_WORD: Final = 100
"""Characters; a longer word is unknown."""

_CHINESE: Final = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)


class WordPiece:
    """A tokenizer over one vocabulary: the pieces in the order of their numbers. Safe to use from many threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary))
        self._pieces = lru_cache(maxsize=1 << 15)(self._cut)

    def ids(self, text: str, most: int) -> list[int]:
        """The numbers of the text's pieces between those of [CLS] and [SEP]: `most` at most, these two included."""
        pieces = chain.from_iterable(map(self._pieces, words(text)))
        return [self._ids[CLS], *islice(pieces, most - 2), self._ids[SEP]]

    def _cut(self, word: str) -> tuple[int, ...]:
        """The longest piece that begins the word, and so on; all of it is unknown where the vocabulary has no piece."""
        found, start = list[int](), 0
        while start < len(word) <= LONGEST_WORD:
            opening = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = self._ids.get(opening + word[start:end])
                if piece is not None:
                    found.append(piece)
                    start = end
                    break
            else:
                return (self._ids[UNKNOWN],)
        return tuple(found) if found else (self._ids[UNKNOWN],)


def words(text: str) -> list[str]:
    """The text's words in lower case and without accents; each mark of punctuation is a word."""
    return unicodedata.normalize("NFD", text).translate(_CHARACTERS).split()


class _Characters(dict[int, str]):
    """What becomes of a character, by its number; found out when it is first met."""

    def __missing__(self, number: int) -> str:
        self[number] = _rewritten(chr(number), number)
        return self[number]


def _rewritten(character: str, number: int) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r" or category.startswith("Z"):
        return " "
    if category.startswith("C") or category == "Mn" or character == "\ufffd":
        return ""
    if _is_punctuation(character, category) or any(number in chinese for chinese in _CHINESE):
        return f" {character} "
    return character.lower()


def _is_punctuation(character: str, category: str) -> bool:
    return category.startswith("P") or (character.isascii() and not character.isalnum())


_CHARACTERS: Final = _Characters()
