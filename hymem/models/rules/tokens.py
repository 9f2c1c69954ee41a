"""Words with their places: a message becomes tokens that know where they stand and how they are spelled.

Contractions come apart ("don't" → do, n't), so that a negation is a token wherever it hides. A token keeps its offsets
in the message: whatever is read from it can be quoted verbatim.
"""

import re
from dataclasses import dataclass
from typing import Final

from hymem.models.rules.verbs import VERBS

_CHUNK: Final = re.compile(
    r"(?P<op>>=|<=|==|~=|≥|≤|>|<|\+(?=\s|$))"
    r"|(?P<word>[^\s,;:!?()\[\]{}<>=≥≤\"“”«»…—–|*]+(?:[:,][^\W_][^\s,;:!?()\[\]{}<>=≥≤\"“”«»…—–|*]*)*)"
    r"|(?P<punct>[,;:!?()\[\]{}\"“”«»…—–|*=])"
)
_CONTRACTION: Final = re.compile(r"(?i)^(.+?)(n['’]t|['’](?:m|re|ve|ll|d|s))$")
_BARE: Final = {
    "dont": "do n't", "doesnt": "does n't", "didnt": "did n't", "isnt": "is n't", "wasnt": "was n't",
    "arent": "are n't", "cant": "can n't", "wont": "will n't", "wouldnt": "would n't", "shouldnt": "should n't",
    "couldnt": "could n't", "havent": "have n't", "hasnt": "has n't", "im": "i 'm", "ive": "i 've",
    "cannot": "can not", "thats": "that 's", "theyre": "they 're", "youre": "you 're", "weve": "we 've",
}  # fmt: skip
_STEMS: Final = {"ca": "can", "wo": "will", "sha": "shall"}
_EDGE: Final = ".'’`&^-~_\\"


@dataclass(frozen=True, slots=True)
class Token:
    """One word or mark: its text, its lower-cased reading, and its place in the message."""

    text: str
    lower: str
    start: int
    end: int
    kind: str
    base: str = ""
    forms: frozenset[str] = frozenset()
    initial: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is a word and no mark."""
        return self.kind == "word"


def _token(text: str, lower: str, start: int, kind: str = "word", initial: bool = False) -> Token:
    base, forms = VERBS.get(lower, ("", frozenset[str]()))
    return Token(text, lower, start, start + len(text), kind, base, forms, initial)


def _pieces(text: str) -> list[tuple[str, str]]:
    """A word taken apart where it is a contraction: (text, reading) of each piece."""
    lower = text.lower().replace("’", "'")
    if lower in _BARE:
        first, second = _BARE[lower].split()
        cut = len(text) - len(second.replace("'", ""))
        return [(text[:cut], first), (text[cut:], second)]
    contraction = _CONTRACTION.match(text)
    if contraction is None:
        return [(text, lower)]
    stem, ending = contraction.groups()
    return [(stem, _STEMS.get(stem.lower(), stem.lower())), (ending, ending.lower().replace("’", "'"))]


def _words(chunk: str, start: int, initial: bool) -> list[Token]:
    """A run of letters as tokens; marks at its edges are split off."""
    lead = len(chunk) - len(chunk.lstrip("'’`&^-~_\\"))
    core = chunk[lead:].rstrip(_EDGE)
    if not core:
        return [_token(chunk, chunk, start, "punct")]
    tokens: list[Token] = []
    place = start + lead
    for text, lower in _pieces(core):
        tokens.append(_token(text, lower, place, "word", initial and not tokens))
        place += len(text)
    if place < start + len(chunk):
        tokens.append(_token(chunk[place - start :], ".", place, "punct"))
    return tokens


def tokenize(text: str, start: int, end: int, limit: int) -> list[Token]:
    """The tokens of `text[start:end]`, at most `limit` of them."""
    tokens: list[Token] = []
    for match in _CHUNK.finditer(text, start, end):
        initial = not any(token.is_word for token in tokens)
        if match.lastgroup == "word":
            tokens.extend(_words(match.group(), match.start(), initial))
        else:
            tokens.append(_token(match.group(), match.group(), match.start(), str(match.lastgroup)))
        if len(tokens) >= limit:
            break
    return tokens
