"""Statements with "be" and a role: "our CI is Buildkite now", "my favorite editor is Helix", "no more Jenkins"."""

from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.clauses import Clause, skip_adverbs
from hymem.models.rules.moods import FACT
from hymem.models.rules.names import ACCEPTS, is_proper
from hymem.models.rules.phrases import Phrase, is_spaced, noun_phrase, tidy
from hymem.models.rules.reading import Maker, Reading, Sentenced
from hymem.models.rules.slots import Listed, listed
from hymem.models.rules.spelling import is_strong
from hymem.models.rules.subjects import Subject, names_of
from hymem.models.rules.technologies import AMBIGUOUS, TECHNOLOGIES
from hymem.models.rules.tokens import Token

_FAVORITES: Final = small.words("favorite favourite go-to preferred")
_MATERIALS: Final = small.words("language framework library database")
_RUNTIMES: Final = small.words("node nodejs node.js deno bun wordpress shopify")
_PERSONAL: Final = small.words("manager host client provider runner worker environment site app")


def _is_technology(phrase: Phrase) -> bool:
    return any(token.lower in TECHNOLOGIES for token in phrase.tokens) or is_spaced(phrase.tokens)


def _is_named_tool(role: Phrase, named: Phrase) -> bool:
    """Whether a strong name fills a role that no person plays ("our production database is Aurora")."""
    return role.head not in _PERSONAL and is_proper(named) and any(map(is_strong, named.tokens))


def _is_favorite(phrase: Phrase) -> bool:
    return phrase.determiner in small.OWN and any(token.lower in _FAVORITES for token in phrase.tokens)


def _is_role(phrase: Phrase) -> bool:
    return phrase.determiner in small.OWN | {"the"} and phrase.head in nouns.ROLES and 0 < len(phrase.tokens) <= 4


def _complement(tokens: list[Token], clause: Clause, place: int) -> Listed | None:
    """What follows the form of "be" as a list of proper names, up to the end of the clause or a preposition."""
    found = listed(tokens, skip_adverbs(tokens, place, clause.end), clause.end, ACCEPTS["O"], denied=False)
    if found is None:
        return None
    rest = skip_adverbs(tokens, found.end, clause.end)
    closes = rest >= clause.end or not tokens[rest].is_word or tokens[rest].lower in small.PREPOSITIONS
    return found if closes and not any(phrase.determiner in small.ARTICLES for phrase in found.phrases) else None


def read_copula(reading: Reading, sentence: Sentenced, clause: Clause) -> None:
    """Add what "<role> is <technology>" and "my favorite <thing> is <name>" state."""
    tokens = sentence.tokens
    start = skip_adverbs(tokens, clause.start, clause.end)
    phrase = noun_phrase(tokens, start, clause.end)
    if phrase is None:
        return
    verb = skip_adverbs(tokens, phrase.end, clause.end)
    if verb >= clause.end or tokens[verb].lower not in ("is", "are", "'s"):
        return
    found = _complement(tokens, clause, verb + 1)
    if found is None:
        return
    maker = Maker(reading, sentence, clause)
    for named in found.phrases:
        if _is_favorite(phrase):
            maker.add(reading.speaker, "prefers", named.text, 1, named)
        elif _is_role(phrase) and (_is_technology(named) or _is_named_tool(phrase, named)):
            maker.add(tidy(phrase).text, "uses", named.text, 1, named)


def _made_of(phrase: Phrase | None) -> list[str]:
    """The technologies in "a small Svelte app": what stands before the thing that is built in them."""
    if phrase is None or phrase.determiner not in ("a", "an") or phrase.head not in nouns.BUILT:
        return []
    before = phrase.tokens[:-1]
    if is_spaced(before[-2:]):
        return [" ".join(token.text for token in before[-2:])]
    listed_ones = [token for token in before if TECHNOLOGIES.get(token.lower) in _MATERIALS or token.lower in _RUNTIMES]
    return [token.text for token in listed_ones if token.lower not in AMBIGUOUS or token.text[0].isupper()]


def read_kind(reading: Reading, sentence: Sentenced, clause: Clause) -> None:
    """Add what "<thing> is a <technology> app" says that the thing uses."""
    tokens = sentence.tokens
    start = skip_adverbs(tokens, clause.start, clause.end)
    subject, end = reading.topic, start + 1
    if start < clause.end and tokens[start].lower != "it":
        phrase = noun_phrase(tokens, start, clause.end)
        if phrase is None:
            return
        subject, end = Subject("thing", (phrase,)), phrase.end
    verb = skip_adverbs(tokens, end, clause.end)
    if verb >= clause.end or tokens[verb].lower not in ("is", "'s"):
        return
    maker = Maker(reading, sentence, clause)
    technologies = _made_of(noun_phrase(tokens, skip_adverbs(tokens, verb + 1, clause.end), clause.end))
    for name in names_of(subject, "", "") if technologies else ():
        for technology in technologies:
            maker.add(name, "uses", technology, 1)


def read_alias(reading: Reading, sentence: Sentenced, clause: Clause) -> None:
    """Add what "<name> aka <name>" holds to be one."""
    tokens = sentence.tokens
    for place in range(clause.start + 1, clause.end - 1):
        if tokens[place].lower not in ("aka", "a.k.a"):
            continue
        starts = range(max(clause.start, place - 4), place)
        before = next(
            (each for start in starts if (each := noun_phrase(tokens, start, place)) and each.end == place), None
        )
        after = noun_phrase(tokens, place + 1, clause.end)
        if before and after and is_proper(before) and is_proper(after):
            Maker(reading, sentence, clause).add(before.text, "equivalent_to", after.text, 1)


def read_no_more(reading: Reading, sentence: Sentenced, clause: Clause) -> None:
    """Add what "no more <name>" and "no <name> anymore" at the start of a clause deny."""
    tokens = sentence.tokens
    start = skip_adverbs(tokens, clause.start, clause.end)
    lowers = [token.lower for token in tokens[start : start + 2]]
    if lowers[:1] != ["no"]:
        return
    more = lowers[1:] == ["more"]
    found = listed(tokens, start + 1 + more, clause.end, ACCEPTS["N"], denied=True)
    following = tokens[found.end].lower if found is not None and found.end < clause.end else ""
    if found is None or not (more or following in ("anymore", "any")):
        return
    maker = Maker(reading, sentence, clause)
    for phrase in found.phrases:
        maker.add(reading.speaker, "uses", phrase.text, -1)


def read_copulas(reading: Reading, sentence: Sentenced) -> None:
    """The copular statements of every stating clause."""
    for clause, mood in zip(sentence.parts, sentence.moods, strict=True):
        if mood == FACT and clause.opener not in ("which", "that", "who"):
            read_copula(reading, sentence, clause)
            read_kind(reading, sentence, clause)
            read_alias(reading, sentence, clause)
            read_no_more(reading, sentence, clause)
