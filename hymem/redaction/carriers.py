"""Secrets that tell by the place that carries them: addresses, headers, cookies, command lines."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from hymem.redaction.judgement import is_placeholder
from hymem.redaction.kinds import Kind, Secret

_ADDRESS: Final = re.compile(
    r"""://[^\s/?\#:@"'<>`]{0,128}+:(?:
        (?P<plain>[^\s/?\#"'<>`]{1,256})@(?=[\w.\[$\{(-])
      | (?![0-9]{1,5}[/?\#])(?P<unescaped>[^\s"'<>`@]{1,256})@(?=[\w.-]+(?:[:/?\s"'`]|\Z)) )""",
    re.ASCII | re.VERBOSE,
)
"""`scheme://user:password@host`; an unescaped slash in the password is common, and no port is a password."""

_WEBHOOK: Final = re.compile(
    r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<a>[\w/-]{20,})"
    r"|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/(?P<b>[\w-]{20,})"
    r"|\.webhook\.office\.com/webhookb2/(?P<c>[\w@/-]{20,})",
    re.ASCII,
)
_AUTHORIZATION: Final = re.compile(
    r"""authori[sz]ation[\\"'\]]{0,3}[ ]?[:=,][ ]?[\\"'`]{0,3}
        (?:(?:bearer|basic|token|apikey|digest|key|bot|negotiate)[ ]+)?(?P<value>[^\s\\"'`<,;)}]{8,512})""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_BASIC: Final = re.compile(r"\bBasic (?P<value>[A-Za-z0-9+/]{8,512}={0,2})", re.ASCII)
_COOKIES: Final = re.compile(r"(?<![\w-])(?:set-)?cookie[\"']?[ ]?:[ ]?[\\\"'`]{0,2}(?P<pairs>[\w.-]+=[^\n\"'`\\]{1,4096})", re.IGNORECASE)
_PAIR: Final = re.compile(r"(?:\A|; ?)(?P<name>[\w.-]+)=(?P<value>[^;\s]{8,})", re.ASCII)
_COOKIE_ATTRIBUTES: Final = frozenset({"path", "domain", "expires", "max-age", "samesite", "version", "priority"})

_QUOTE: Final = r"[\"']?"
_COMMAND: Final = re.compile(
    rf"""(?<![\w-])(?:
        curl\b[^\n|;]{{0,200}}?[ ](?:-u|--user)[ =]?{_QUOTE}[^\s:"']{{1,64}}:(?P<curl>[^\s"']{{3,128}})
      | (?:mysql\w*|mariadb\w*)[ ][^\n|;]{{0,120}}?(?<=[ ])-p{_QUOTE}(?P<mysql>[^\s"']{{4,128}})
      | sshpass[ ]+-p[ ]?{_QUOTE}(?P<sshpass>[^\s"']{{3,128}})
      | docker[ ]+login\b[^\n|;]{{0,120}}?[ ]-p[ ]{_QUOTE}(?P<docker>[^\s"']{{3,128}})
      | redis-cli\b[^\n|;]{{0,120}}?[ ]-a[ ]{_QUOTE}(?P<redis>[^\s"']{{3,128}})
      | smb\w+[ ][^\n|;]{{0,120}}?[ ]-U[ ]?{_QUOTE}[^\s%"']{{1,64}}%(?P<smb>[^\s"']{{3,128}})
      | identified[ ]+by[ ]+(?:password[ ]+)?["'](?P<sql>[^\n"']{{3,128}})
      | (?:nickserv|/ns)[ ]+(?:identify|register)[ ]+(?:[^\s@]{{1,32}}[ ]+(?=[^\s@]+$))?(?P<irc>[^\s@]{{4,64}})(?=\s|$)
    )""",
    re.ASCII | re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_COMMANDS: Final = ("curl", "mysql", "mariadb", "sshpass", "docker login", "redis-cli", "smb", "identified by", "nickserv", "/ns ")


def carried_secrets(text: str, folded: str) -> Iterator[Secret]:
    """The secrets in `text` that stand where their carrier keeps one; `folded` is `text` in small letters."""
    if "@" in text and "://" in text:
        yield from _values("password", _ADDRESS.finditer(text))
    if "/" in text and _WEBHOOK_HOSTS.search(text):
        yield from _values("webhook", _WEBHOOK.finditer(text))
