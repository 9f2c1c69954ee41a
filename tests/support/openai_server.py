"""A real HTTP server that speaks OpenAI's protocol by a script: chat completions, embeddings, models.

In a test it is a context manager; `python tests/support/openai_server.py --port-file FILE` runs it as a process of its
own, for tests that kill the client. A script is a list of answers (the last one repeats), a mapping from words of the
prompt to answers, or a function of the request's body.
"""

import argparse
import base64
import hashlib
import json
import math
import re
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

NOTHING = {
    "triples": [],
    "markers": [],
    "entity_types": [],
    "summaries": [],
    "episodes": [],
    "procedures": [],
}


@dataclass(frozen=True)
class Answer:
    """One answer: its text (None is a null content), and everything that can go wrong with it."""

    text: str | None = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    finish_reason: str = "stop"
    message: Mapping[str, Any] = field(default_factory=dict)
    error: Any = None
    raw: bytes | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7})
    dripping: int = 0
    """Blank lines sent before the body, `delay` seconds apart."""
    hang_up: bool = False


Said = str | dict | Answer
Embedded = Callable[[dict, dict], dict | Answer]
"""Given an embedding request's body and its honest answer, what is answered."""
Script = Sequence[Said] | Mapping[str, Said] | Callable[[dict], Said]


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: dict


class OpenAIServer:
    """The server, on a free port of the loopback interface.

    `key`: the only bearer token that is let in. `rejects`: words of "json_schema", "json_object", "temperature" that
    are answered with 400. `max_inputs`: how many texts one embedding request may hold, `max_characters`: how many
    characters each of them. `embedded`: what becomes of an honest answer to an embedding request.
    """

    def __init__(
        self,
        script: Script = (NOTHING,),
        *,
        key: str | None = None,
        rejects: Sequence[str] = (),
        latency: float = 0.0,
        dimension: int = 32,
        max_inputs: int = 2048,
        max_characters: int = 100_000,
        embedded: Embedded = lambda body, honest: honest,
        log: Path | None = None,
    ) -> None:
        self.script, self.key, self.rejects, self.latency = script, key, set(rejects), latency
        self.dimension, self.max_inputs, self.max_characters = dimension, max_inputs, max_characters
        self.embedded, self.log = embedded, log
        self.requests: list[Received] = []
        self.lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def asked(self) -> list[dict]:
        """The bodies of the chat requests, in the order of their coming."""
        return [received.body for received in self.requests if received.path == "/v1/chat/completions"]

    @property
    def embedded_texts(self) -> list[list[str]]:
        """The texts of the embedding requests, in the order of their coming."""
        return [received.body["input"] for received in self.requests if received.path == "/v1/embeddings"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve_forever(self) -> None:
        self._server.serve_forever()

    def receive(self, received: Received) -> int:
        """Write the request down; how many came to its path before it."""
        with self.lock:
            before = sum(earlier.path == received.path for earlier in self.requests)
            self.requests.append(received)
            if self.log is not None:
                with self.log.open("a") as lines:
                    lines.write(json.dumps({"path": received.path, "body": received.body}) + "\n")
        return before

    def answer(self, body: dict, before: int) -> Answer:
        said = self._said(body, before)
        return said if isinstance(said, Answer) else Answer(said if isinstance(said, str) else json.dumps(said))

    def _said(self, body: dict, before: int) -> Said:
        for word in sorted(self.rejects):
            if word == body.get("response_format", {}).get("type") or (word == "temperature" and word in body):
                what = "temperature" if word == "temperature" else f"response_format.type {word}"
                return Answer(status=400, error={"message": f"This model does not support {what}"})
        if callable(self.script):
            return self.script(body)
        if isinstance(self.script, Mapping):
            prompt = "\n".join(message["content"] for message in body["messages"])
            return next((said for words, said in self.script.items() if words in prompt), NOTHING)
        return self.script[min(before, len(self.script) - 1)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: OpenAIServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def owner(self) -> OpenAIServer:
        assert isinstance(self.server, _Server)
        return self.server.owner

    def log_message(self, format: str, *args: object) -> None:
        """Tests read `requests` instead."""

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._send(200, {"object": "list", "data": [{"id": "test-model", "object": "model"}]})
        else:
            self._send(404, {"error": {"message": f"no such path: {self.path}"}})

    def do_POST(self) -> None:
        owner = self.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        before = owner.receive(Received(self.path, dict(self.headers), body))
        if owner.key is not None and self.headers["Authorization"] != f"Bearer {owner.key}":
            words = f"Incorrect API key provided: {self.headers['Authorization'].removeprefix('Bearer ')}"
            self._send(401, {"error": {"message": words, "code": "invalid_api_key"}})
        elif self.path == "/v1/chat/completions":
            answer = owner.answer(body, before)
            self._say(answer, _completion(answer, body))
        elif self.path == "/v1/embeddings":
            self._embed(body)
        else:
            self._send(404, {"error": {"message": f"no such path: {self.path}"}})

    def _say(self, answer: Answer, content: dict) -> None:
        time.sleep(self.owner.latency + (0 if answer.dripping else answer.delay))
        if answer.hang_up:
            self.close_connection = True
        elif answer.raw is not None:
            self._send_bytes(answer.status, answer.raw, answer.headers, "text/html")
        elif answer.error is not None or answer.status != 200:
            error = answer.error or {"message": f"scripted status {answer.status}"}
            self._send(answer.status, {"error": error}, answer.headers)
        elif answer.dripping:
            self._drip(answer, content)
        elif content.get("stream"):
            self._send_bytes(200, _events(content), answer.headers, "text/event-stream")
        else:
            self._send(200, content, answer.headers)

    def _embed(self, body: dict) -> None:
        owner = self.owner
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if len(texts) > owner.max_inputs or not all(texts):
            self._send(400, {"error": {"message": f"input: at most {owner.max_inputs} texts, none of them empty"}})
            return
        if any(len(text) > owner.max_characters for text in texts):
            self._send(400, {"error": {"message": "This model's maximum context length is exceeded"}})
            return
        vectors = [hashed_vector(text, body.get("dimensions") or owner.dimension) for text in texts]
        coded = [_base64(vector) if body.get("encoding_format") == "base64" else vector for vector in vectors]
        data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(coded)]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        said = owner.embedded(body, {"object": "list", "model": body["model"], "data": data, "usage": usage})
        if isinstance(said, Answer):
            self._say(said, {})
        else:
            self._send(200, said)

    def _send(self, status: int, content: dict, headers: Mapping[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(content).encode(), headers or {}, "application/json")

    def _send_bytes(self, status: int, content: bytes, headers: Mapping[str, str], kind: str) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except ConnectionError:  # the client has stopped waiting, which is what some tests are about
            self.close_connection = True

    def _drip(self, answer: Answer, content: dict) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) + answer.dripping))
        self.end_headers()
        try:
            for _ in range(answer.dripping):
                self.wfile.write(b"\n")
                time.sleep(answer.delay)
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True


def _completion(answer: Answer, body: dict) -> dict:
    message = {"role": "assistant", "content": answer.text, **answer.message}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    completion = {"id": "chatcmpl-test", "object": "chat.completion", "model": body["model"], "choices": [choice]}
    if body.get("stream"):
        completion["stream"] = True
    return completion if answer.usage is None else completion | {"usage": dict(answer.usage)}


def _events(completion: dict) -> bytes:
    """A completion as the events of a stream: what is said, why it ends, what it cost."""
    choice = completion["choices"][0]
    calls = [{"index": index, **call} for index, call in enumerate(choice["message"].get("tool_calls") or [])]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    told = {"id": completion["id"], "object": "chat.completion.chunk", "model": completion["model"], "created": 0}
    chunks = [
        {**told, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**told, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        {**told, "choices": [], "usage": completion.get("usage")},
    ]
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


def hashed_vector(text: str, dimension: int) -> list[float]:
    """A unit vector that texts share as far as they share words; the same on every machine."""
    vector = [0.0] * dimension
    for word in re.findall(r"\w+", text.casefold()) or [text]:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        vector[int.from_bytes(digest[:4]) % dimension] += 1.0 if digest[4] % 2 else -1.0
    length = math.hypot(*vector) or 1.0
    return [part / length for part in vector]


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port-file", type=Path, required=True, help="where to write the port")
    parser.add_argument("--script", type=Path, help="a JSON object: words of the prompt → text or object to answer")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that every answer takes")
    parser.add_argument("--log", type=Path, help="where to write the requests, one JSON object a line")
    options = parser.parse_args()
    script = json.loads(options.script.read_text()) if options.script else (NOTHING,)
    server = OpenAIServer(script, latency=options.latency, log=options.log)
    unfinished = options.port_file.with_suffix(".part")
    unfinished.write_text(str(server.port))
    unfinished.replace(options.port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
