"""Secrets that tell by the place that carries them: addresses, headers, cookies, command lines."""

import re
from collections.abc import Iterator
from typing import Final

from hymem.redaction.judgement import is_code, is_placeholder
from hymem.redaction.kinds import Kind, Secret

NEEDLES: Final = ("hook", "authori", "cookie", "identif", "auth=(", "sudo -s")
OPTION: Final = re.compile(r" -(?:[paUu]|-user)")
"""A text without an option, without "@", and in small letters without a needle has nothing that `carried_secrets` could find."""

# `scheme://user:password@host`. An unescaped slash in a password is common; digits before a slash are a port.
_ADDRESS: Final = re.compile(
    r"""://[^\s/?\#:@"'<>`]{0,128}+:(?:
        (?P<escaped>[^\s/?\#"'<>`]{1,256})@(?=[\w.\[$\{(-])
      | (?![0-9]{1,5}[/?\#])(?P<unescaped>[^\s"'<>`@]{1,256})@(?=[\w-]{1,64}(?:\.[\w-]{1,64}){0,8}(?:[:/?\s"'`]|\Z)) )""",
    re.ASCII | re.VERBOSE,
)
_WEBHOOK: Final = re.compile(
    r"""hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<slack>[\w/-]{20,})
      | discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/(?P<discord>[\w-]{20,})
      | webhook\.office\.com/webhookb2/(?P<teams>[\w@/-]{20,})""",
    re.ASCII | re.VERBOSE,
)
_AUTHORIZATION: Final = re.compile(
    r"""authori[sz]ation[\\"'\]]{0,3}(?:[ ]?[:=][ ]?[\\"'`]{0,3}|(?<=["'])[ ]?,[ ]?["'`])
        (?:(?:bearer|basic|token|apikey|digest|key|bot|negotiate)[ ]{1,4})?(?P<value>[^\s\\"'`<,;)}]{8,2048})""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_COOKIES: Final = re.compile(
    r"""(?<![\w-])(?:set-)?cookie["']?[ ]?:[ ]?[\\"'`]{0,2}(?P<pairs>[\w.-]{1,64}=[^\n"'`\\]{1,8192})""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_COOKIE: Final = re.compile(
    r"(?:^|; ?)(?!(?:path|domain|expires|max-age|samesite)=)[\w.-]{1,64}=(?P<value>[^;\s]{8,})", re.I
)
_COMMAND: Final = re.compile(
    r"""(?<![\w-])(?:
        curl\b[^\n|;]{0,200}?[ ](?:-u|--user)[ =]?["']?[^\s:"']{1,64}:(?P<curl>[^\s"']{3,128})
      | (?:mysql|mariadb)[\w-]{0,12}[ ][^\n|;]{0,120}?(?<=[ ])-p["']?(?P<mysql>[^\s"']{4,128})
      | sshpass[ ]{1,4}-p[ ]?["']?(?P<sshpass>[^\s"']{3,128})
      | docker[ ]login\b[^\n|;]{0,120}?[ ]-p[ ]["']?(?P<docker>[^\s"']{3,128})
      | redis-cli\b[^\n|;]{0,120}?[ ]-a[ ]["']?(?P<redis>[^\s"']{3,128})
      | smb\w{1,12}[ ][^\n|;]{0,120}?[ ]-U[ ]?["']?[^\s%"']{1,64}%(?P<smb>[^\s"']{3,128})
    )""",
    re.ASCII | re.VERBOSE,
)
_STATEMENT: Final = re.compile(
    r"""identified[ ]by[ ](?:password[ ])?["'](?P<sql>[^\n"']{3,128})["']
      | (?:nickserv|/ns)[ ]identify[ ](?P<irc>[^\s<"'@]{4,64})[ ]*(?:[\n`"']|\Z)
      | \bauth=\(["'][^"'\n]{1,64}["'],[ ]?["'](?P<python>[^"'\n]{1,128})["']
      | \becho[ ](?:-n[ ])?["']?(?P<sudo>[^\s"'|]{3,128})["']?[ ]?\|[ ]?sudo[ ]-S""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
"""Statements and calls in which the password has a place of its own."""


def carried_secrets(text: str, folded: str) -> Iterator[Secret]:
    """The secrets in `text` that stand where their carrier keeps one; `folded` is the text in small letters."""
    if "@" in text and "://" in text:
        yield from _values("password", _ADDRESS.finditer(text))
    if "hook" in folded:
        yield from _values("webhook", _WEBHOOK.finditer(text))
    if "authori" in folded:
        yield from _values("credentials", _AUTHORIZATION.finditer(text))
    if "cookie" in folded:
        for header in _COOKIES.finditer(text):
            yield from _values("cookie", _COOKIE.finditer(header["pairs"]), header.start("pairs"))
    if OPTION.search(text):
        yield from _values("password", _COMMAND.finditer(text))
    if "identif" in folded or "auth=(" in folded or "sudo -s" in folded:
        yield from _values("password", _STATEMENT.finditer(text))


def _values(kind: Kind, carriers: Iterator[re.Match[str]], offset: int = 0) -> Iterator[Secret]:
    """What the carriers hold, examples and references left out."""
    for carrier in carriers:
        value = str(carrier.lastgroup)
        if not is_placeholder(carrier[value]) and not is_code(carrier[value]):
            yield Secret(kind, *carrier.span(value)).moved(offset)
