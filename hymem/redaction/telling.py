"""Secrets that tell by the words before them: assignments in any notation, options, and what people say.

Each telling word is looked at once. What joins it to a value decides how much the value must show for itself: nothing else
could stand after `password = `, while after "password" and a blank nearly anything could.
"""

import re
from collections.abc import Iterator
from typing import Final, cast

from hymem.redaction.judgement import is_code, is_key, is_mixed_password, is_password
from hymem.redaction.kinds import Kind, Secret
from hymem.redaction.nearby import run_nearby, seed_phrases
from hymem.redaction.values import Value, end_of, value_at

NEEDLES: Final = (
    "pass", "token", "secret", "key", "wachtwoord", "pw", "ww:", "bearer", "credential", "sess", "sleutel", "phrase", "sig=",
    "pincode", "pin code", "pin is",
)  # fmt: skip
"""A text in small letters without any of these has nothing that `told_secrets` could find."""

# In small letters, each alternative beginning with one of its own, so that the search skips from first letter to first letter.
_WORD: Final = re.compile(
    r"""(?: pass(?:word|wort|wd|[ -]?phrase|code) | pass(?=[\\"'\]]{0,3}[ ]?[:=])(?<![a-z]pass) | pwd | pw(?<![a-z0-9]pw)
      | wachtwoord | ww(?=:)(?<![a-z0-9]ww) | pin(?:[ ]?code|(?=[ ]is))(?<![a-z]pincode)(?<![a-z]pin) | token | key | sleutel
      | bearer | secret | credentials? | sess(?:ion)?_?id | sig(?==)(?<=[?&]sig)
    )(?:[_-]?(?:key|base|value|string|secret|token|password|confirm(?:ation)?|prod(?:uction)?|dev(?:elopment)?
        |test|staging|live|main|new|old|[0-9]{1,3})(?![a-z])){0,3}(?![a-z])""",
    re.ASCII | re.VERBOSE,
)
_KEY_OF: Final = re.compile(
    r"""(?: (?P<api_key>api(?:[ _-]?secret)?) | (?P<private_key>private) | (?P<cookie>session|csrf|xsrf)
      | (?P<secret>(?:secret|access|auth|account|encryption|signing|master|service|licen[cs]e|shared|deploy|client|security
            |wi-?fi|wpa2?|geheime)(?:[ _-]?access)?)
    )[ _-]?\Z | (?P<other>_|[?&])\Z""",
    re.ASCII | re.VERBOSE,
)
_KINDS: Final[dict[str, Kind]] = {
    "pa": "password", "pw": "password", "wa": "password", "ww": "password", "pi": "password",
    "to": "access token", "be": "access token", "cr": "credentials",
}  # fmt: skip

_ASSIGNED: Final = re.compile(
    r"""[\\"'`\])*_]{0,6}(?:[ ]?\([^()\n]{1,30}\))?[ \t]{0,8}
        (?: :[ ]?[A-Za-z_][\w.\[\]|?]{0,40}[ ]=[ ] | :=|=>|[=!]?={1,2}|[:：]|-> )
        [*_]{0,3}[ \t]{0,8}(?P<below>\n[ \t]{0,8})?""",
    re.ASCII | re.VERBOSE,
)
_OPTION_BEFORE: Final = re.compile(r"(?:^|[\s\"'`])--?[\w-]{0,30}\Z", re.ASCII)
_OPTION: Final = re.compile(r"[\"']?(?:=|,?[ ]+)(?!-)")
_ELEMENT: Final = re.compile(r">\s{0,8}")
_SAID: Final = re.compile(
    r"""(?:[ ](?:for|of|to|on|at|in|van|voor|op|bij)(?:[ ][^\s.]{1,60}+){1,5}?)?
        [ ](?:is|was|wordt|werd|luidt|ist|est)(?:[ ](?:now|still|nu|nog|actually|just|currently))?[ ]?:?\s{1,4}""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_CHANGE_BEFORE: Final = re.compile(
    r"\b(?:set|chang\w{1,3}|reset|updat\w{1,3}|ma[dk]e|rotated?|wijzig\w*|veranderd?)\b(?! from)[^.\n]{0,32}\Z", re.I
)
_CHANGED: Final = re.compile(r"(?: for [^\s.]{1,60}+)?[ ](?:to|into|in|naar)[ ]:?", re.ASCII)
_BESIDE: Final = re.compile(r"[ ]{1,2}(?:\|[ ]{0,40})?")
_BEFORE: Final = re.compile(
    r"""(?<!\S)["'`(]?(?P<word>[^\s"'`]{4,64})["'`,]?[ ](?:is|was|as|als)[ ]
        (?:(?:my|our|the|mijn|ons|onze|het|de|new|old|nieuwe|root|admin|user)[ ]){0,3}\Z""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_PAIR: Final = re.compile(r"[\"'`]?[\w.@+-]{1,64}[\"'`]?[ ]?[:/][ ]?", re.ASCII)
_CLAUSE_END: Final = re.compile(
    r"[\"'`)*_]{0,2}(?:[.!;,]?[ \t]*(?:\n|\Z|</|&)|[.!;](?=\s)|, ?(?=[\w\"']+\"?[:=]))", re.ASCII
)
_SENTENCE_END: Final = re.compile(r"[\"'`)*_]{0,2}[.!,;)]?(?:\s*\Z|[ \t]*\n|(?<=[.!,;)])[ ])", re.ASCII)


def told_secrets(text: str, folded: str) -> Iterator[Secret]:
    """The secrets in `text` that a word before them gives away; `folded` is the text in small letters, place for place."""
    place = 0
    while word := _WORD.search(folded, place):
        place = word.end()
        kind = _kind_of(word, folded)
        if kind and (value := _told_password(text, word) if kind == "password" else _told_key(text, word, kind)):
            place = max(place, end_of(text, value))
            yield Secret(kind, value.start, end_of(text, value))
    if "phrase" in folded:
        yield from seed_phrases(folded)


def _kind_of(word: re.Match[str], folded: str) -> Kind | None:
    """What the word announces; None for a key that opens nothing, such as one of a keyboard."""
    name = word.group()
    if name.startswith(("key", "sleutel", "token")):
        owner = _KEY_OF.search(folded[max(0, word.start() - 24) : word.start()])
        if owner and owner.lastgroup != "other" and (owner.lastgroup == "cookie" or name[0] != "t"):
            return cast(Kind, str(owner.lastgroup).replace("_", " "))
        if not owner and name[0] != "t":
            return None
    return "cookie" if name.startswith("sess") else _KINDS.get(name[:2], "secret")


def _told_password(text: str, word: re.Match[str]) -> Value | None:
    """The password that follows the word, or stands just before it."""
    place, before = word.end(), text[max(0, word.start() - 120) : word.start()]
    if (value := _in_element(text, place)) and is_password(value.word, quoted=True, alone=True):
        return value
    if value := _as_option(text, place, before):
        return value if is_password(value.word, value.quoted, alone=True) else None
    if assigned := _ASSIGNED.match(text, place):
        value = value_at(text, assigned.end())
        return value if value and _is_assigned_password(text, word, value, bool(assigned["below"])) else None
    if said := _SAID.match(text, place):
        value = value_at(text, said.end())
        if value and word.group().startswith("pin"):
            return value if value.word.isdecimal() and len(value.word) >= 4 else None
        return value if value and is_password(value.word, value.quoted, _ends(_SENTENCE_END, text, value)) else None
    value = _changed(text, place, before) or _after(_BESIDE, text, place)
    if value and is_mixed_password(value.word) and (value.quoted or not is_code(value.word)):
        return value
    return _said_before(before, word.start())


def _told_key(text: str, word: re.Match[str], kind: Kind) -> Value | None:
    """The key, token or the like that follows the word."""
    place, before = word.end(), text[max(0, word.start() - 120) : word.start()]
    if kind == "credentials" and (value := _in_pair(text, place)):
        return value
    if value := _in_element(text, place) or _as_option(text, place, before):
        return value if is_key(value.word, firm=True) else None
    value = _after(_ASSIGNED, text, place) or _after(_SAID, text, place) or _changed(text, place, before)
    firm = value is not None and (value.quoted or _is_loud(text, word) or before.endswith(("?", "&")))
    if value and (value.quoted or not is_code(value.word)) and is_key(value.word, firm):
        return value
    return run_nearby(text, place, before)


def _is_assigned_password(text: str, word: re.Match[str], value: Value, below: bool) -> bool:
    """Whether what was assigned is a password: no expression, and below its name no plain word either."""
    if below and not is_mixed_password(value.word):
        return False
    if value.quoted:
        return is_password(value.word, quoted=True, alone=True)
    named_in_code = value.word.isalpha() and value.word != value.word.lower() and not value.word.isupper()
    if is_code(value.word) or (named_in_code and not _is_loud(text, word)):
        return False
    return is_password(value.word, quoted=False, alone=_is_loud(text, word) or _ends(_CLAUSE_END, text, value))


def _after(joint: re.Pattern[str], text: str, place: int) -> Value | None:
    """The value that `joint` joins to what ends at `place`."""
    found = joint.match(text, place)
    return value_at(text, found.end()) if found else None


def _in_element(text: str, place: int) -> Value | None:
    """What an XML element holds whose name ends at `place`."""
    value = _after(_ELEMENT, text, place)
    return value if value and text.startswith("</", value.end) else None


def _as_option(text: str, place: int, before: str) -> Value | None:
    """What follows an option of a command line, `--password hunter2`."""
    return _after(_OPTION, text, place) if _OPTION_BEFORE.search(before) else None


def _changed(text: str, place: int, before: str) -> Value | None:
    """What somebody set the password or key to."""
    return _after(_CHANGED, text, place) if _CHANGE_BEFORE.search(before) else None


def _said_before(before: str, place: int) -> Value | None:
    """The password in "hunter2 is my password", where `before` ends at `place`."""
    found = _BEFORE.search(before)
    if not found or not is_mixed_password(found["word"]) or is_code(found["word"]):
        return None
    offset = place - len(before)
    return Value(found["word"], found.start("word") + offset, found.end("word") + offset)


def _in_pair(text: str, place: int) -> Value | None:
    """The password in `credentials: admin / hunter2`."""
    joint = _ASSIGNED.match(text, place) or _SAID.match(text, place)
    name = _PAIR.match(text, joint.end()) if joint else None
    value = value_at(text, name.end()) if name else None
    return value if value and is_mixed_password(value.word) and not is_code(value.word) else None


def _is_loud(text: str, word: re.Match[str]) -> bool:
    """Whether a name is written as environment variables are."""
    return text[word.start() : word.end()].isupper()


def _ends(clause: re.Pattern[str], text: str, value: Value) -> bool:
    return clause.match(text, value.end) is not None
