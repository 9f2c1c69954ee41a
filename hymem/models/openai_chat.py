"""A language model behind any endpoint that speaks OpenAI's chat protocol.

Trouble that passes is waited out, as `hymem.models.endpoint` tells. Trouble that stays (a key, a model name) is reported
in words that say what to set; trouble with one text (too long, filtered, cut off) concerns that text alone.
"""

import threading
from typing import Any, ClassVar

from hymem.models.chat import ChatReply, ChatRequest
from hymem.models.completions import completion_of, reply_of
from hymem.models.dialect import learn, learned_dialect
from hymem.models.endpoint import Endpoint
from hymem.models.trouble import LANGUAGE, Service, Trouble, verdict


class OpenAIChat(Endpoint):
    """An `LLMClient` for an OpenAI-compatible endpoint, safe to use from many threads."""

    service: ClassVar[Service] = LANGUAGE

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one question; see `hymem.models.chat` for what is raised."""
        return reply_of(self.completion(request), self.model)

    def completion(self, request: ChatRequest) -> dict[str, Any]:
        """The endpoint's whole answer to one question, as it came."""
        impatience = self._impatience
        dialect = learned_dialect(self.base_url, self.model)
        while True:
            try:
                completion = self._completion(dialect.parameters(request), impatience)
            except Trouble as trouble:
                simpler = dialect.without(trouble.words, request) if trouble.concerns_the_request else None
                if simpler is None:
                    raise verdict(trouble, self.base_url, self.model, self.service) from None
                dialect = simpler
            else:
                learn(self.base_url, self.model, dialect)
                return completion

    def _completion(self, parameters: dict[str, Any], impatience: threading.Event) -> dict[str, Any]:
        return self._answered(
            lambda client: client.chat.completions.with_streaming_response.create(model=self.model, **parameters),
            completion_of,
            impatience,
        )
