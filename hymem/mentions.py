"""Which known names occur in a text.

Names of several words are found as runs of words. Scripts that put no space between words are searched by substring. The
cost grows with the text, not with the number of names; where these are few, most texts are passed over unread.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from hymem.canonical import folded_words, is_unspaced

FEW: Final = 16
_SPELT_OUT: Final = {"plus", "sharp", "dotnet"}


class NameFinder:
    """An index of canonical names that finds those a text mentions."""

    def __init__(self, names: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        self._unspaced: list[str] = []
        for name in names:
            if is_unspaced(name):
                self._unspaced.append(name)
            elif len(name) > 1 and "_" not in name:
                self._words.add(name)
            else:
                words = tuple(name.split("_"))
                self._by_first[words[0]].append(words)
        firsts = {*self._words, *self._by_first}
        self._sought = firsts if len(firsts) <= FEW and not firsts & _SPELT_OUT else None

    def find(self, text: str) -> set[str]:
        """The names that occur in the text, as whole words."""
        if self._cannot_be_in(text):
            return set()
        words = folded_words(text)
        found = self._words.intersection(words)
        for place, word in enumerate(words):
            if word in self._by_first:
                found.update("_".join(name) for name in self._by_first[word] if _begins(words, place, name))
        if self._unspaced:
            joined = "_".join(words)
            found.update(name for name in self._unspaced if name in joined)
        return found

    def _cannot_be_in(self, text: str) -> bool:
        """Whether a glance shows that no name occurs: plain text has the letters of a name as they are, but for signs."""
        if self._sought is None or not text.isascii():
            return False
        lower = text.lower()
        return not any(word in lower for word in self._sought)


def _begins(words: list[str], place: int, name: tuple[str, ...]) -> bool:
    """Whether a name stands at a place where its first word does. The letter of "C++" and of "F#" is no name."""
    if len(name) > 1:
        return tuple(words[place : place + len(name)]) == name
    return words[place + 1 : place + 2] not in (["plus"], ["sharp"])
