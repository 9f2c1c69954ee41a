"""What a language model can do of that which dreams ask of it, found out by asking, and what follows from it.

Endpoints promise more than they keep. A JSON Schema may be accepted and ignored; so the probe never names the field that the
schema demands. A long text may lose its beginning without a word; so a word that stands there is asked for.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hymem.errors import ModelError
from hymem.models.chat import ChatRequest
from hymem.models.completions import reply_of
from hymem.models.dialect import Rung, learned_dialect
from hymem.models.envelope import mapping
from hymem.models.json_in_text import cut_reasoning
from hymem.models.openai_chat import OpenAIChat
from serving.doctor.findings import Finding

FIELD: Final = "wet_or_dry"
SCHEMA: Final = {
    "type": "object",
    "properties": {FIELD: {"type": "string", "enum": ["wet", "dry"]}},
    "required": [FIELD],
    "additionalProperties": False,
}
WORD: Final = "heron-4711"
CHARACTERS: Final = 20_000
"""Of the long text: what a session with long messages comes to, some 5,000 tokens."""

_FILLER: Final = "The ferry leaves the harbour at noon and comes back in the evening with bread, letters and rope. "


def abilities(llm: OpenAIChat, completion: Mapping[str, Any]) -> Iterator[Finding]:
    """Structured output, reasoning (read off a completion), and how much text is taken in."""
    yield _structured(llm)
    yield _reasoning(completion)
    yield _context(llm)


def _structured(llm: OpenAIChat) -> Finding:
    try:
        reply = llm.complete(ChatRequest("probe", "Answer the question.", "What is rain like?", SCHEMA))
    except ModelError as error:
        remedy = "dreams ask in this form: choose another model, or an endpoint that leaves reasoning out"
        return Finding("structured output", "warning", str(error), remedy)
    rung = learned_dialect(llm.base_url, llm.model).rung
    kept = _keeps(reply.text)
    if rung is Rung.JSON_SCHEMA:
        if kept:
            return Finding("structured output", "ok", "a JSON Schema is accepted and kept")
        told = "a JSON Schema is accepted and ignored: replies that do not fit are refused, and asked for again"
        return Finding("structured output", "warning", told, _REMEDY)
    told = "JSON objects, and no JSON Schema" if rung is Rung.JSON_OBJECT else "neither JSON Schema nor JSON objects"
    if kept:
        remedy = "nothing has to be done: the schema goes into the prompt, which costs some tokens"
        return Finding("structured output", "note", told, remedy)
    return Finding("structured output", "warning", f"{told}; and the schema in the prompt is ignored", _REMEDY)


_REMEDY: Final = "dreams learn less from this model: choose one with structured output, or HYMEM_LLM_MODEL=rules"


def _keeps(text: str) -> bool:
    begin, end = text.find("{"), text.rfind("}")
    try:
        answer = mapping(json.loads(text[begin : end + 1]))
    except (ValueError, RecursionError):
        return False
    return answer.get(FIELD) in SCHEMA["properties"][FIELD]["enum"]


def _reasoning(completion: Mapping[str, Any]) -> Finding:
    message = mapping(completion["choices"][0].get("message"))
    content = message.get("content")
    within = isinstance(content, str) and cut_reasoning(content) != content
    beside = any(message.get(name) for name in ("reasoning_content", "reasoning"))
    if not (within or beside):
        return Finding("reasoning", "ok", "the answer comes without a reasoning block")
    where = "before its answer; the block is cut" if within else "in a field of its own, which is left aside"
    remedy = "nothing has to be done; a model that does not reason dreams faster, and for less"
    return Finding("reasoning", "note", f"the model reasons {where}", remedy)


def _context(llm: OpenAIChat) -> Finding:
    filler = _FILLER * (CHARACTERS // len(_FILLER))
    text = f"The password is {WORD}.\n\n{filler}\n\nWhat is the password that stands at the beginning?"
    remedy = "give the model a longer context (Ollama: OLLAMA_CONTEXT_LENGTH=16384), or choose another"
    try:
        completion = llm.completion(ChatRequest("probe", "Answer with the password alone.", text))
        reply = reply_of(completion, llm.model)
    except ModelError as error:
        return Finding("context", "warning", f"{len(text):,} characters are too much: {error}", remedy)
    if WORD in reply.text:
        return Finding("context", "ok", f"{len(text):,} characters are taken in whole")
    told = f"of {len(text):,} characters the beginning is lost, without a word: what stands there is never learnt"
    return Finding("context", "warning", told, remedy)
