"""What a told fact names: people, projects, technologies, and whatever stands between quotation marks.

Spelling shows a name: capitals in any script that has them, "CamelCase", "snake_case", "next.js", "C++". Well-known
technologies are names in small letters too. A capital at the start of a sentence shows nothing, so a common word there is
none. Scripts without capitals name things between marks («», 「」), or by "又名" and its like. An apostrophe is no quotation
mark: "don't matter, they don't" names nothing.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from hymem.canonical import canonical_or_none
from hymem.models.rules.english import is_english
from hymem.models.rules.technologies import AMBIGUOUS, SPACED, TECHNOLOGIES
from hymem.models.rules.verbs import VERBS
from hymem.models.rules.words import CLOSED, TIME_WORDS, words

MOST_NAMES: Final = 32
"""Names of one fact, at most."""

_QUOTED: Final = re.compile(
    r"\"(?P<straight>[^\"\n]{1,60})\"|“(?P<curly>[^”\n]{1,60})”|„(?P<low>[^“”\n]{1,60})[“”]|«(?P<angle>[^»\n]{1,60})»"
    r"|「(?P<corner>[^」\n]{1,60})」|『(?P<corners>[^』\n]{1,60})』|《(?P<title>[^》\n]{1,60})》|`(?P<code>[^`\n]{1,60})`"
    r"|(?<![\w'’])['‘](?P<single>[^\W_][^'’‘\n]{0,58}[^\W_])['’](?!\w)"
)
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LETTER: Final = f"(?![{_UNSPACED}])[^\\W_]"
_WORD: Final = re.compile(rf"[{_UNSPACED}]+|(?:(?<!\w)\.)?{_LETTER}(?:(?![{_UNSPACED}])[\w+#]|[-.'’/](?={_LETTER}))*")
_ENDING: Final = re.compile(r"['’]s?$|['’](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
_SENTENCE_BEFORE: Final = re.compile(r"(?:^|[.!?:;。！？]|\n|[-*•])[\s\"'“„«‘(\[]*$")
_SHAPED: Final = re.compile(r".*[^\W\d_]_[^\W_]|.*[^\W\d_](?:\+\+|#)$|[^\W\d_]{2,}\.[a-z]{2,3}$|.*[a-z][A-Z]")
_CONNECTORS: Final = words("of de la van von der den del da di du bin ibn al el y")
_ALSO: Final = re.compile(
    r"\s*[,(（]?\s*(?:\b(?:aka|a\.k\.a\.|also (?:known|referred to) as|also called|auch bekannt als)"
    r"(?=[\s\"'“„«]|$)|又名|又称|也叫|別名は?|он же|она же|también conocid[oa] como)\s*",
    re.IGNORECASE,
)
_OPENING_WORDS: Final = words(
    """user users project team we i the assistant agent remember note fact todo nutzer benutzer der die das ein eine ich
    wir er sie es mein usuario el la los las un una mi yo utilisateur le les une je nous il elle mon ma о в на я мы он она
    они это пользователь пользователю проект команда мой ο η το οι"""
)


class _Found(NamedTuple):
    """A name, where it begins and ends, and whether it stood between marks."""

    start: int
    end: int
    name: str
    marked: bool = False


def names_in(text: str) -> list[str]:
    """The names in a text as it writes them, in their order, each once however it is spelt."""
    found = sorted([*_quoted(text), *_capitalized(text), *_well_known(text), *_aliased(text)])
    distinct: dict[str, str] = {}
    for each in found:
        if not any(_covers(other, each) for other in found) and (key := canonical_or_none(each.name)):
            distinct.setdefault(key, each.name)
    return list(distinct.values())[:MOST_NAMES]


def aliases_in(text: str) -> list[tuple[str, str]]:
    """Canonical names that a text says are one thing's: "Ada Lovelace aka Countess" → (countess, ada_lovelace)."""
    pairs = [
        (alias, name)
        for match in _ALSO.finditer(text)
        for named, called in [(_name_before(text, match.start()), _name_after(text, match.end()))]
        if named and called
        for alias, name in [(canonical_or_none(called.name), canonical_or_none(named.name))]
        if alias and name and alias != name
    ]
    return list(dict.fromkeys(pairs))


def _quoted(text: str) -> Iterator[_Found]:
    for match in _QUOTED.finditer(text):
        name = (match[match.lastgroup or 0]).strip()
        if len(name.split()) <= 6:
            yield _Found(match.start(), match.end(), name, marked=True)


def _capitalized(text: str) -> Iterator[_Found]:
    """Runs of capitalized and shaped words: "Ada Lovelace", "Bank of Iceland", "MedFlow", "next.js"."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if run and not _joins(text[run[-1].end() : word.start()], run[-1]):
            yield from _run(text, run)
            run = []
        if _shows_a_name(word[0]) or (run and word[0] in _CONNECTORS):
            run.append(word)
        elif run:
            yield from _run(text, run)
            run = []
    yield from _run(text, run)


def _joins(between: str, before: re.Match[str]) -> bool:
    return between in (" ", "\u00a0") and _ENDING.search(before[0]) is None


def _run(text: str, run: list[re.Match[str]]) -> Iterator[_Found]:
    """The name that a run of words is, without what is plain at its ends."""
    while run and run[-1][0] in _CONNECTORS:
        run = run[:-1]
    while run and _is_plain(text, run[0], alone=len(run) == 1):
        run = run[1:]
    if run and not (len(run) == 1 and _is_no_name(run[0][0])):
        end = run[-1].end()
        name = _ENDING.sub("", text[run[0].start() : end])
        yield _Found(run[0].start(), end, name)


def _shows_a_name(word: str) -> bool:
    return word[0].isupper() or word[0].istitle() or _SHAPED.match(word) is not None


def _is_plain(text: str, word: re.Match[str], alone: bool) -> bool:
    """Whether a run's first word is there for the sentence's sake: "Big Iron" keeps its first, "Deploy Zephyr" does not."""
    small = _ENDING.sub("", word[0]).lower()
    if small in CLOSED or small in _CONNECTORS or (word[0].isupper() and len(small) > 1 and is_english(small)):
        return True
    opens = _SENTENCE_BEFORE.search(text[max(0, word.start() - 12) : word.start()]) is not None
    common = is_english(small) if alone else small in VERBS
    return opens and small not in TECHNOLOGIES and (small in _OPENING_WORDS or common)


def _is_no_name(word: str) -> bool:
    small = _ENDING.sub("", word).lower()
    return small in CLOSED or small in TIME_WORDS or (len(small) == 1 and word.isalpha() and small not in TECHNOLOGIES)


def _well_known(text: str) -> Iterator[_Found]:
    """Technologies in small letters, unless the word may mean something else."""
    found = list(_WORD.finditer(text))
    for word in found:
        small = _ENDING.sub("", word[0]).lower()
        if small in TECHNOLOGIES and small not in AMBIGUOUS and not is_english(small):
            yield _Found(word.start(), word.start() + len(small), text[word.start() : word.start() + len(small)])
    for first, second in pairwise(found):
        if text[first.start() : second.end()].lower() in SPACED:
            yield _Found(first.start(), second.end(), text[first.start() : second.end()])


def _aliased(text: str) -> Iterator[_Found]:
    for match in _ALSO.finditer(text):
        yield from (each for each in (_name_before(text, match.start()), _name_after(text, match.end())) if each)


def _name_before(text: str, end: int) -> _Found | None:
    """The name that ends just there: what is marked or capitalized, else a word, or a run of a script without spaces."""
    told = [each for each in (*_quoted(text[:end]), *_capitalized(text[:end])) if each.end == end]
    if told:
        return min(told)
    word = re.search(r"[\w.+#-]+$", text[:end])
    return _Found(word.start(), end, word[0]) if word else None


def _name_after(text: str, start: int) -> _Found | None:
    rest = text[start:]
    marked = next(_quoted(rest), None)
    if marked and marked.start == 0:
        return _Found(start, start + marked.end, marked.name, marked=True)
    word = _WORD.match(rest)
    if word is None:
        return None
    run = next((each for each in _capitalized(f"- {rest}") if each.start == 2), None)
    name = run.name if run else _first_run(word[0])
    return _Found(start, start + len(name), name)


def _first_run(word: str) -> str:
    """The word; of one in Chinese, what stands before a word that joins names to the rest."""
    return re.split("[是的在有用]", word, maxsplit=1)[0] or word


def _covers(other: _Found, each: _Found) -> bool:
    """Whether `each` is but a part of another name; what stands between marks may hold names of its own."""
    wider = other.start <= each.start and each.end <= other.end and (other.end - other.start > each.end - each.start)
    return wider and not other.marked
