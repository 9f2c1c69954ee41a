"""When two statements about a peer are the same statement."""

import re
import unicodedata
from typing import Final

_ATTITUDE: Final = re.compile(
    r"""(?: (?:the\ )?(?:user|speaker)\b | i\b | we\b )? \s*
    (?: (?:strongly|really|clearly|usually|always) \s+ )?
    (?: prefers? | likes? | loves? | wants? | favou?rs? | rejects? | avoids? | dislikes? | hates? | refuses?
      | (?:does|do) \s+ not \s+ (?:like|want) | doesn't \s+ (?:like|want) | don't \s+ (?:like|want)
      | never \s+ wants? )? \s+ (?: to \s+ (?:use|have) \s+ | to \s+ )?""",
    re.VERBOSE,
)
_ASIDES: Final = re.compile(
    r"(?:(?:again|remember|no|nee|actually|well|okay?|so|and|but|also|please|by the way|once more|as i said)\b[,:;!.–—-]*\s+)+"
)
_EDGES: Final = re.compile(r"^[\W_]+|[^\w)+#]+$")


def normalized_statement(statement: str) -> str:
    """What a statement is about, without case, spacing, end marks, and the asides and the attitude that it begins with.

    The attitude is the entry's kind: a preference for tabs and a rejection of tabs are both about tabs.
    """
    text = " ".join(unicodedata.normalize("NFKC", statement).casefold().replace("’", "'").split())
    text = _EDGES.sub("", text)
    aside = _ASIDES.match(text)
    text = text[aside.end() :] if aside else text
    attitude = _ATTITUDE.match(text)
    return _EDGES.sub("", text[attitude.end() :] if attitude else text) or text
