"""An answer composed by a language model from what was found, where one is configured and the client asks for reasoning.

The model sees what was found and nothing else. Where it cannot be had, the findings are told as they are; only an answer in a
form that the client prescribes cannot be given without it.
"""

import json
import logging
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from hymem.errors import ModelError
from hymem.models.chat import ChatRequest, LLMClient
from hymem.redaction import redacted
from serving.honcho.answering import Findings
from serving.honcho.errors import Refusal

NEEDS_A_MODEL: Final = (
    "response_format needs a language model: set HYMEM_LLM_API_KEY, or leave it out and take the answer as prose"
)

logger: Final = logging.getLogger("hymem.honcho")


def composed(model: LLMClient, findings: Findings) -> str | None:
    """The answer in the model's words; that of the findings where the model does not answer, or where nothing was found."""
    told = findings.prose()
    if told is None:
        return None
    try:
        return model.complete(_request(findings)).text.strip() or told
    except ModelError as error:
        logger.warning("an answer was not composed: %s", error)
        return told


def shaped(model: LLMClient | None, findings: Findings, form: Mapping[str, Any]) -> str:
    """The answer as a JSON object of a prescribed form; raises `Refusal` where no model gives one."""
    if model is None:
        raise Refusal(422, NEEDS_A_MODEL)
    try:
        answer = json.loads(model.complete(_request(findings, form)).text)
    except (ModelError, ValueError) as error:
        raise Refusal(503, f"the language model gave no answer of the form asked for: {error}") from None
    if not isinstance(answer, dict) or not answer.keys() >= set(form.get("required", ())):
        raise Refusal(
            503, "the language model's answer has not the form asked for: ask again, or without response_format"
        )
    return json.dumps(answer, ensure_ascii=False)


def _request(findings: Findings, form: Mapping[str, Any] | None = None) -> ChatRequest:
    material = {
        "question": findings.question,
        "remembered": findings.statements(),
        "said": [
            {"who": hit.message.peer_id, "when": hit.message.created_at[:10], "text": hit.message.content}
            for hit in findings.quotes
        ],
    }
    prompt = files("serving.honcho.prompts").joinpath("answer.md").read_text(encoding="utf-8")
    shape = (
        ""
        if form is None
        else f"\nAnswer with one JSON object of this schema:\n{json.dumps(form, ensure_ascii=False)}\n"
    )
    return ChatRequest("answer", prompt + shape, redacted(json.dumps(material, ensure_ascii=False)), form, material)
