"""Secrets that tell by their own shape: issuers give their keys a prefix, so that a lost one can be known by sight."""

import re
from collections.abc import Iterator
from typing import Final, cast

from hymem.redaction.judgement import is_drawn_by_lot, is_placeholder
from hymem.redaction.kinds import Kind, Secret

# No shape is without one of these: a separator before a long run, or one of the prefixes that have none.
_SEPARATED_RUN: Final = re.compile(r"[_.:-][A-Za-z0-9_-]{16}", re.ASCII)
_UNSEPARATED_RUN: Final = re.compile(r"[AS][A-Z][A-Za-z0-9_-]{14}", re.ASCII)

# A shape begins where no longer word does; "\n" of an escaped text ends a word as well.
_SHAPES: Final = re.compile(
    r"""(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:
    (?P<api_key>
          sk-[\w-]{16,}                                 # OpenAI, Anthropic, DeepSeek, OpenRouter
        | [sr]k_(?:live|test|prod)_\w{10,} | whsec_[\w+/=]{16,}    # Stripe
        | AIza[\w-]{35}(?![\w-]) | GOCSPX-[\w-]{20,}    # Google
        | A[KS]IA[0-9A-Z]{16}(?!\w)                     # the name of an AWS key
        | SG\.[\w-]{16,}\.[\w-]{16,}                    # SendGrid
        | SK[0-9a-f]{32}(?!\w)                          # Twilio
        | (?:gsk|jina|figd|rzp_live|lin_api|sntrys|re|secret|ntn|AQ)_[\w-]{20,}
        | (?:xai|pplx|tvly|nvapi|tskey|PMAK|hch-v\d|m0|key|lsv2_pt|pa)-[\w-]{24,}
    )
    | (?P<access_token>
          gh[pousr]_[A-Za-z0-9]{20,} | github_pat_\w{20,}
        | gl(?:pat|rt|dt|cbt|ptt|oas|ft|soat|imt|agent)-[\w.-]{16,}    # GitLab
        | xox[abcdeoprs]-[\w-]{10,} | xapp-[\w-]{20,}   # Slack
        | npm_[A-Za-z0-9]{30,} | pypi-[\w-]{50,}
        | (?:hf|r8|dckr_pat|glsa|glc|dop_v1|doo_v1|shp(?:at|ca|pa|ss)|sbp|vercel|fio-u|pat)_[A-Za-z0-9_]{24,}
        | hv[sb]\.[\w-]{20,} | ya29\.[\w-]{20,} | ATATT3[\w=-]{20,}
        | (?:bot)?[0-9]{8,10}:AA[\w-]{32,34}(?![\w-])   # Telegram
        | [MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])    # Discord
    )
    | (?P<web_token> eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*+){0,3} )
    | (?P<private_key> AGE-SECRET-KEY-1[0-9A-Z]{50,} | [xyz]prv[1-9A-HJ-NP-Za-km-z]{100,} )
    )""",
    re.ASCII | re.VERBOSE,
)
_CHOSEN_NAMES: Final = ("sk-", "re_", "secret_", "AQ_", "pa-", "key-", "m0-", "pat_", "glc_", "xai-")
"""Prefixes that ordinary names bear as well; what follows decides."""

_PASSWORD_HASH: Final = re.compile(
    r"""\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}
      | \$argon2(?:id|i|d)\$[\w=,$+/.-]{30,}
      | \$[156y]\$[^\s$:]{1,40}\$[^\s:"']{22,}
      | pbkdf2[:_]sha\w{1,8}[:$][0-9]{1,9}\$[\w+/=.-]{1,64}\$[\w+/=]{32,}""",
    re.ASCII | re.VERBOSE,
)


def shaped_secrets(text: str) -> Iterator[Secret]:
    """The secrets in `text` that any reader would know by their looks."""
    if _SEPARATED_RUN.search(text) or _UNSEPARATED_RUN.search(text):
        for found in _SHAPES.finditer(text):
            if _is_real(found.group()):
                yield Secret(cast(Kind, str(found.lastgroup).replace("_", " ")), *found.span())
    if "$" in text:
        for found in _PASSWORD_HASH.finditer(text):
            yield Secret("password hash", *found.span())


def _is_real(token: str) -> bool:
    """Whether a token of a known shape is more than an example of the shape."""
    if is_placeholder(token) or len(set(token)) < 10:
        return False
    return not token.startswith(_CHOSEN_NAMES) or is_drawn_by_lot(token)
