"""The keyless extractor: a language model's place in dreaming, filled by a grammar.

It reads the user's turn only, never what was said before it, and would rather miss a statement than invent one.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

from hymem.errors import ReplyError
from hymem.models.chat import ChatReply, ChatRequest
from hymem.models.rules.copulas import read_copulas
from hymem.models.rules.findings import EntityType, Extraction, Marker, Triple
from hymem.models.rules.grammar import read_sentence
from hymem.models.rules.markers import sentence_markers
from hymem.models.rules.prose import addressed, own_words
from hymem.models.rules.reading import Reading, project_named
from hymem.models.rules.sentences import sentences
from hymem.models.rules.sessions import session_notes
from hymem.models.rules.technologies import SPACED, TECHNOLOGIES
from hymem.models.rules.tokens import tokenize
from hymem.models.rules.tongues import foreign_marker, foreign_triples, is_foreign

SENTENCE_TOKENS: Final = 160
"""Tokens of a sentence that are looked at; what lies beyond is no sentence."""
SENTENCES: Final = 400
"""Sentences of a message that are looked at."""


@cache
def grammar_digest() -> str:
    """Eight hexadecimal digits that change when the grammar's own source does."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:8]


def _types(triples: list[Triple]) -> list[EntityType]:
    """The types of the names found, where the word lists know them."""
    found: dict[str, EntityType] = {}
    for triple in triples:
        for name in (triple.subject, triple.object):
            kind = TECHNOLOGIES.get(name.lower()) or SPACED.get(name.lower())
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


class RulesExtractor:
    """An `LLMClient` that computes its replies: same text, same reply, no network, no key."""

    @property
    def model(self) -> str:
        """`rules-` and the digest of the grammar, so that another grammar is another answerer."""
        return f"rules-{grammar_digest()}"

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply about a chunk or a session; `ReplyError` for any other kind of question."""
        if request.kind == "session":
            return ChatReply(json.dumps(session_notes(request.material["turns"]), ensure_ascii=False), self.model)
        if request.kind != "extraction":
            raise ReplyError(f"the rules extractor does not know questions of the kind {request.kind!r}")
        text = str(request.material.get("text", ""))
        speaker = str(request.material.get("speaker") or "user")
        return ChatReply(json.dumps(extract(text, speaker).as_json(), ensure_ascii=False), self.model)
