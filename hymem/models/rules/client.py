"""The keyless extractor: a language model's place in dreaming, filled by a grammar.

The grammar is loaded with the first question. Its name is known without it, and that is all that a dream needs to see that
there is nothing to do.
"""

import hashlib
import json
from functools import cache
from pathlib import Path

from hymem.errors import ReplyError
from hymem.models.chat import ChatReply, ChatRequest


@cache
def grammar_digest() -> str:
    """Eight hexadecimal digits that change when the grammar's own source does."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:8]


class RulesExtractor:
    """An `LLMClient` that computes its replies: same text, same reply, no network, no key."""

    @property
    def model(self) -> str:
        """`rules-` and the digest of the grammar, so that another grammar is another answerer."""
        return f"rules-{grammar_digest()}"

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply about a chunk or a session; `ReplyError` for any other kind of question."""
        from hymem.models.rules.extractor import extract
        from hymem.models.rules.sessions import session_notes

        if request.kind == "session":
            return ChatReply(json.dumps(session_notes(request.material["turns"]), ensure_ascii=False), self.model)
        if request.kind != "extraction":
            raise ReplyError(f"the rules extractor does not know questions of the kind {request.kind!r}")
        text = str(request.material.get("text", ""))
        speaker = str(request.material.get("speaker") or "user")
        return ChatReply(json.dumps(extract(text, speaker).as_json(), ensure_ascii=False), self.model)
