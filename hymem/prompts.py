"""Which prompts carry no question: acknowledgements, greetings, slash commands, nothing at all."""

import re
from typing import Final

_TRIVIAL: Final = re.compile(
    r"""(?: y | n | k | yes | no | yep | yeah | yup | nope | nah | ok | okay | sure | thanks | thank\ you | thx | ty
      | hi | hey | hello | yo | sup | good\ (?:morning|evening|night) | bye
      | continue | go\ ahead | go\ on | do\ it | proceed | got\ it | cool | nice | great | perfect | done | next | lgtm
      | ja | nee | dank\ je | bedankt | hoi | prima | ga\ door )
    [\W_]*""",
    re.IGNORECASE | re.VERBOSE,
)
_HAS_WORD: Final = re.compile(r"[^\W_]")


def is_trivial_prompt(text: str | None) -> bool:
    """Whether nothing should be recalled for this prompt; the one source of truth for every door."""
    stripped = (text or "").strip()
    return not _HAS_WORD.search(stripped) or stripped.startswith("/") or bool(_TRIVIAL.fullmatch(stripped))
