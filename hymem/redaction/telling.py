"""Secrets that tell by the words before them: assignments in any notation, options, and what people say.

Each telling word is looked at once. What joins it to a value decides how much the value must show for itself: nothing else
could stand after `password = `, while after "password" and a blank nearly anything could.
"""

import re
from collections.abc import Iterator
from typing import Final, cast

from hymem.redaction.judgement import is_code, is_drawn_by_lot, is_key, is_mixed_password, is_password, is_placeholder
from hymem.redaction.kinds import Kind, Secret
from hymem.redaction.values import Value, end_of, value_at

_NEEDLES: Final = (
    "pass", "token", "secret", "key", "wachtwoord", "pwd", "bearer", "credential", "sess", "sleutel", "code", "phrase", "akia", "sig=",
)  # fmt: skip

_WORD: Final = re.compile(
    r"""(?:
        (?P<password> pass(?:word|wort|wd|phrase|code) | (?<![a-z])(?:user|db|my)?pass(?=[\\"'\]]{0,3}[ ]?[:=]) | pwd
            | wachtwoord | toegangscode | mot[ ]de[ ]passe | (?<![a-z])pin[ -]?code )
      | (?P<api_key> api[ _-]?(?:secret[ _-]?)?(?:key|sleutel) )
      | (?P<access_token> (?:(?:access|auth|refresh|bearer|bot)[ _-]?)?token | bearer )
      | (?P<cookie> (?:session|csrf|xsrf)[_-]?(?:id|key|token) | sess_?id )
      | (?P<private_key> private[ _-]?key )
      | (?P<credentials> credentials? )
      | (?P<secret>
            (?:access|secret|auth|account|encryption|signing|master|service|licen[cs]e|shared|deploy|client|security|jwt)
            [ _-]?(?:access[ _-]?)?key
          | secret | (?<=[?&])(?:sig|signature|key)(?==) | (?<=_)key(?![a-z])
          | A[KS]IA[0-9A-Z]{16} )
    )(?:[_-]?(?:key|base|value|string|secret|token|password|confirm(?:ation)?|prod(?:uction)?|dev(?:elopment)?
        |test|staging|live|main|new|old|[0-9]{1,3})(?![a-z])){0,3}(?![a-z])""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)

_ASSIGNED: Final = re.compile(
    r"""[\\"'`\])*_]{0,6}(?:[ ]?\([^()\n]{1,30}\))?[ \t]{0,8}
        (?: :[ ]?[A-Za-z_][\w.\[\]|?]{0,40}[ ]=[ ] | :=|=>|[=!]?={1,2}|:|-> )
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
_CHANGE_BEFORE: Final = re.compile(r"\b(?:set|chang\w{1,3}|reset|updat\w{1,3}|ma[dk]e|rotated?|wijzig\w*|veranderd?)\b(?! from)[^.\n]{0,32}\Z", re.I)
_CHANGED: Final = re.compile(r"(?: for [^\s.]{1,60}+)?[ ](?:to|into|in|naar)[ ]:?", re.ASCII)
_BESIDE: Final = re.compile(r"[ ]{1,2}(?:\|[ ]{0,40})?")
_BEFORE: Final = re.compile(
    r"""(?<!\S)["'`(]?(?P<word>[^\s"'`]{4,64})["'`,]?[ ](?:(?:is|was|as|als)[ ])(?:(?:my|our|the|mijn|ons|onze|het|de|new|old|nieuwe|root|admin|user)[ ]){0,3}\Z""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_PAIR: Final = re.compile(r"[\"'`]?[\w.@+-]{1,64}[\"'`]?[ ]?[:/][ ]?", re.ASCII)
_NEARBY: Final = re.compile(
    r"[^\n]{0,40}?(?<![A-Za-z0-9+/_=.@:#-])(?P<run>[A-Za-z0-9+/_-]{20,512}={0,2})(?![A-Za-z0-9+/_=]|[.:(]\w)", re.ASCII
)
_OTHER_RUNS: Final = re.compile(
    r"commit|\bsha|hash|digest|checksum|integrity|revision|fingerprint|image|md5|etag|uuid|guid|\bid\b|address|contract|public",
    re.ASCII | re.IGNORECASE,
)
_DIGEST: Final = re.compile(r"0x.*|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CLAUSE_END: Final = re.compile(r"[\"'`)*_]{0,2}(?:[.!;,]?[ \t]*(?:\n|\Z|</|&)|[.!;](?=\s)|, ?(?=[\w\"']+\"?[:=]))", re.ASCII)
_SENTENCE_END: Final = re.compile(r"[\"'`)*_]{0,2}[.!,;)]?(?:\s*\Z|[ \t]*\n|(?<=[.!,;)])[ ])", re.ASCII)
_SEED: Final = re.compile(
    r"(?:seed|recovery|mnemonic|wallet|secret)[ _-](?:phrase|words)[\"']?(?:[ ]is)?[ ]?[:=]?\s{0,4}[\"'`]?(?P<words>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})\b",
    re.ASCII | re.IGNORECASE,
)


def told_secrets(text: str, folded: str) -> Iterator[Secret]:
    """The secrets in `text` that a word before them gives away; `folded` is the text in small letters."""
    if not any(needle in folded for needle in _NEEDLES):
        return
    place = 0
    while word := _WORD.search(text, place):
        kind = cast(Kind, str(word.lastgroup).replace("_", " "))
        value = _told_password(text, word) if kind == "password" else _told_key(text, word)
        place = word.end()
        if value:
            place = max(place, end_of(text, value))
            yield Secret(kind, value.start, end_of(text, value))
    if "phrase" in folded or "words" in folded:
        for seed in _SEED.finditer(text):
            yield Secret("seed phrase", *seed.span("words"))


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
        return value if value and is_password(value.word, value.quoted, _ends(_SENTENCE_END, text, value)) else None
    value = _changed(text, place, before) or _after(_BESIDE, text, place)
    if value and is_mixed_password(value.word) and (value.quoted or not is_code(value.word)):
        return value
    return _said_before(before, word.start())


def _told_key(text: str, word: re.Match[str]) -> Value | None:
    """The key, token or the like that follows the word."""
    place, before = word.end(), text[max(0, word.start() - 120) : word.start()]
    if word["credentials"] and (value := _in_pair(text, place)):
        return value
    if value := _in_element(text, place) or _as_option(text, place, before):
        return value if is_key(value.word, firm=True) else None
    value = _after(_ASSIGNED, text, place) or _after(_SAID, text, place) or _changed(text, place, before)
    firm = value is not None and (value.quoted or _is_loud(word) or before.endswith(("?", "&")))
    if value and (value.quoted or not is_code(value.word)) and is_key(value.word, firm):
        return value
    return _nearby(text, place, before)


def _is_assigned_password(text: str, word: re.Match[str], value: Value, below: bool) -> bool:
    """Whether what was assigned is a password: no expression, and below its name no plain word either."""
    if below and not is_mixed_password(value.word):
        return False
    if value.quoted:
        return is_password(value.word, quoted=True, alone=True)
    named_in_code = value.word.isalpha() and value.word != value.word.lower() and not value.word.isupper()
    if is_code(value.word) or (named_in_code and not _is_loud(word)):
        return False
    return is_password(value.word, quoted=False, alone=_is_loud(word) or _ends(_CLAUSE_END, text, value))


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


def _nearby(text: str, place: int, before: str) -> Value | None:
    """A long run, drawn by lot, a few words on; not where the words speak of commits and checksums."""
    found = _NEARBY.match(text, place)
    if not found:
        return None
    run, start = found["run"], found.start("run")
    slashed = "/" in run and len(run) != 40
    if slashed or _DIGEST.fullmatch(run) or is_placeholder(run) or not is_drawn_by_lot(run):
        return None
    return None if _OTHER_RUNS.search(before[-40:] + text[place:start]) else Value(run, start, found.end("run"))


def _is_loud(word: re.Match[str]) -> bool:
    """Whether a name is written as environment variables are."""
    return word.group().isupper()


def _ends(clause: re.Pattern[str], text: str, value: Value) -> bool:
    return clause.match(text, value.end) is not None
