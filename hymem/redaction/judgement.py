"""Whether a value is a secret, or only stands where one would: the words of the trade, references, examples.

A miss shows a secret to a model; a false alarm takes a word from memory. Where the place alone is no proof, a key must look
drawn by lot, and a plain word is a password only where it ends its clause.
"""

import re
from typing import Final

from hymem.redaction.wording import is_example, is_prose, is_trade_word

_STAND_IN: Final = re.compile(
    r"""\$[A-Z_][A-Z0-9_]*(?:[:/].*)? | \$[A-Za-z_]+ | \$[({].* | %\w+% | %\(?\w*\)?[sd] | \{\{.* | \{%.* | \#\{.*
      | \{.* | .*\{[a-z_][\w.]*\}.* | <.* | \[.* | \(.* | @\w+@ | :[a-z_]+ | !(?:vault|secret|ref|env)\b.* | \*+
      | (?:arn|op|vault|ssm|file|https?|ftp|data|sha\d{1,3}|md5|keyring)(?::|-\w+=).*
      | \.{0,2}/[\w.-]+/.* | ~/.* | \./.* | [A-Z]:\\.*
      | [\w./-]+\.(?:pem|key|crt|txt|json|ya?ml|toml|env|py|ts|js|md|html?|php|sh|cfg|conf|ini|gpg|kdbx)
      | [\w.+-]{2,}@[\w-]+\.(?:[\w-]+\.)?(?:com|org|net|io|dev|nl|be|de|fr|uk|eu|edu|example|test|local)""",
    re.ASCII | re.VERBOSE | re.DOTALL,
)
"""A variable, a template, a path, an address: what says where the secret is, and not what it is."""

_CODE: Final = re.compile(
    r"""[A-Za-z_][\w:]*+(?:(?:\?\.|\.|->|::)[A-Za-z_]\w*+)*+!?[(\[].*
      | (?:[A-Za-z_]+(?:\?\.|\.|->|::))+[A-Za-z_]+[;,)]*
      | (?:process|os|import|env|secrets?|vars|self|this|cls|config|settings|options|args|request|req|data|user|props)\.\w.*
      | (?:await|new|lambda|function|async|return|not)""",
    re.ASCII | re.VERBOSE | re.DOTALL,
)
"""A call, an item, an attribute: what computes the secret."""

_ELIDED: Final = re.compile(r"\.\.\.|…|\*\*\*|xxxx|•••|####|____|EXAMPLE|0000000000|1234567890abcdef", re.IGNORECASE)
_TECHNICAL: Final = re.compile(
    r"""sha-?[0-9]{1,3} | md5 | base-?[0-9]{2}\w* | utf-?[0-9]{1,2}\w* | [bs]crypt[0-9]* | pbkdf2\w* | argon2\w*
      | o?auth-?[0-9.]* | [0-9]fa | 1password | aes-?[0-9]+\w* | rsa-?[0-9]+ | ed25519 | [hre]s(?:256|384|512) | x509
      | ipv[46] | log4j | k8s | v?[0-9]+(?:[.:/-][0-9]+)*(?:[a-z]{1,6}|[+%])? | [0-9]+-[a-z]+""",
    re.ASCII | re.VERBOSE | re.IGNORECASE,
)
"""Names with digits in them, versions, times and quantities."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_PARTS: Final = re.compile(r"[A-Za-z0-9]{5,}")
_LONG_PARTS: Final = re.compile(r"[A-Za-z0-9]{8,}")
_SWITCHES: Final = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_FLIPS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])")
_WORDS_ALONE: Final = re.compile(r"[^\W\d_]+(?:[-/_.'’&+][^\W\d_]+)*")
_NUMBERS_ALONE: Final = re.compile(r"[\W\d_]+")


def is_placeholder(value: str) -> bool:
    """Whether `value` says that a secret goes here, or where it is kept."""
    return bool(len(set(value)) < 3 or _ELIDED.search(value) or _STAND_IN.fullmatch(value) or is_example(value))


def is_code(value: str) -> bool:
    """Whether `value`, unquoted, is an expression."""
    return bool(_CODE.fullmatch(value))


def is_drawn_by_lot(value: str) -> bool:
    """Whether letters and digits, or capitals and small letters, follow one another as no name has them."""
    return bool(_UUID.fullmatch(value)) or any(map(_is_irregular, _LONG_PARTS.findall(value)))


def is_key(value: str, firm: bool) -> bool:
    """Whether `value`, after a word such as "token", is one; `firm` where nothing else could stand there."""
    if is_placeholder(value):
        return False
    if is_drawn_by_lot(value):
        return True
    return firm and len(value) >= 6 and _is_mixed(value)


def is_password(value: str, quoted: bool, alone: bool) -> bool:
    """Whether `value`, after a word such as "password", is one; `alone` where nothing follows in its clause."""
    if len(value) < 4 or is_placeholder(value) or (_TECHNICAL.fullmatch(value) and not _is_long_number(value)):
        return False
    if " " in value:
        return quoted and not is_prose(value)
    if _WORDS_ALONE.fullmatch(value):
        return _is_phrase(value) or ((quoted or alone) and not is_trade_word(value))
    return not _NUMBERS_ALONE.fullmatch(value) or _is_long_number(value)


def is_mixed_password(value: str) -> bool:
    """Whether `value`, which only stands beside a word such as "password", has letters and digits as a password has."""
    return len(value) >= 6 and _is_mixed(value) and is_password(value, quoted=False, alone=False)


def _is_mixed(value: str) -> bool:
    """Whether a word of `value` holds a letter and a digit, and is no version or the like."""
    if _TECHNICAL.fullmatch(value):
        return False
    if any(_SWITCHES.search(part) and not _TECHNICAL.fullmatch(part) for part in _PARTS.findall(value)):
        return True
    return 8 <= len(value) <= 128 and len({_class_of(character) for character in value}) == 4


def _is_irregular(part: str) -> bool:
    switches = len(_SWITCHES.findall(part))
    if len(part) < 16:
        return switches >= 3
    return switches >= 2 or len(_FLIPS.findall(part)) > 0.4 * len(part)


def _is_phrase(value: str) -> bool:
    """Whether words are joined as a generator of passphrases joins them."""
    words = re.split(r"[-_.]", value)
    return len(words) >= 4 and not is_prose(" ".join(words)) and sum(map(is_trade_word, words)) <= 1


def _is_long_number(value: str) -> bool:
    return value.isdigit() and len(value) >= 6


def _class_of(character: str) -> str:
    if character.isdigit():
        return "digit"
    if character.isalpha():
        return "capital" if character.isupper() else "letter"
    return "sign"
