"""Search in scripts that put no space between words: every pair of neighbouring characters is a word of its own.

A tokenizer takes "数据库缓存" for one word, and nobody would find 缓存 in it. Cut into 数据 据库 库缓 缓存 it is found
by any of its parts of two characters or more, which most words of these scripts are.
"""

import re
from functools import cache
from typing import Final

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)


def bigrams(text: str) -> str:
    """The pairs of a text's unspaced characters, with the words of other scripts between them; "" where it has none."""
    if text.isascii() or not _any().search(text):
        return ""
    return " ".join(word for run in _run().finditer(text) for word in _words(run))


def _words(run: re.Match[str]) -> list[str]:
    characters = run["unspaced"]
    if characters is None:
        return [run[0]]
    return [characters[i : i + 2] for i in range(max(1, len(characters) - 1))]


# Most processes meet ASCII only, and the two patterns take as long to compile as many a recall takes.
@cache
def _any() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"(?P<unspaced>[{_UNSPACED}]+)|[^\\W_{_UNSPACED}]+")
