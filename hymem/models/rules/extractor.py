"""The grammar at work: from a message's text to what it states.

It reads the user's turn only, never what was said before it, and would rather miss a statement than invent one.
"""

from typing import Final

from hymem.models.rules.copulas import read_copulas
from hymem.models.rules.findings import EntityType, Extraction, Marker, Triple
from hymem.models.rules.grammar import read_sentence
from hymem.models.rules.markers import sentence_markers
from hymem.models.rules.names import is_file
from hymem.models.rules.prose import addressed, own_words
from hymem.models.rules.reading import Reading, project_named
from hymem.models.rules.sentences import sentences
from hymem.models.rules.technologies import SPACED, TECHNOLOGIES
from hymem.models.rules.tokens import tokenize
from hymem.models.rules.tongues import foreign_marker, foreign_triples, is_foreign

SENTENCE_TOKENS: Final = 160
"""Tokens of a sentence that are looked at; what lies beyond is no sentence."""
SENTENCES: Final = 400
"""Sentences of a message that are looked at."""


def _type(name: str) -> str | None:
    """What a lower-cased name is: by the lists, by a file's ending, or because it calls itself a team."""
    if is_file(name):
        return "file"
    return TECHNOLOGIES.get(name) or SPACED.get(name) or ("team" if name.endswith((" team", " squad")) else None)


def _types(triples: list[Triple]) -> list[EntityType]:
    """The types of the names found, where the word lists know them."""
    found: dict[str, EntityType] = {}
    for triple in triples:
        for name in (triple.subject, triple.object):
            kind = _type(name.lower())
            if kind:
                found.setdefault(name.lower(), EntityType(name, kind))
    return list(found.values())


def _distinct(triples: list[Triple]) -> list[Triple]:
    found: dict[tuple[str, str, str, int], Triple] = {}
    for triple in triples:
        found.setdefault(triple.key, triple)
    return list(found.values())


def extract(text: str, speaker: str = "user") -> Extraction:
    """What a message states, by its own words; `speaker` is the name that "I" stands for."""
    start = addressed(text)
    prose = " " * start + own_words(text)[start:]
    reading = Reading(text, speaker, advises=start > 0)
    markers: list[Marker] = []
    for number, sentence in enumerate(sentences(prose)):
        if number >= SENTENCES:
            break
        tokens = tokenize(prose, sentence.start, sentence.end, SENTENCE_TOKENS)
        if not tokens:
            continue
        words = text[sentence.start : sentence.end]
        if is_foreign(words):
            reading.triples += foreign_triples(words, speaker)
            markers += filter(None, [foreign_marker(words)])
        apart = read_sentence(reading, tokens, sentence.asks)
        read_copulas(reading, apart)
        reading.project = reading.project or project_named(reading.triples, speaker)
        markers += sentence_markers(text, apart, sentence, reading.advises)
    triples = _distinct(reading.triples)
    return Extraction(tuple(triples), tuple(dict.fromkeys(markers)), tuple(_types(triples)))
