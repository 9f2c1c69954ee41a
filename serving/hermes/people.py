"""Whose memory it is: the profile's own, or that of one user of a gateway, behind a wall of its own.

On the command line there is one user, whose memory lies in the profile's folder. Through a gateway anybody may write; what
one says another must never be told. So each has a workspace, which no query can cross, in `workspaces/` of the profile's
folder. The `owners` that are named in the settings are the profile's own user, wherever they write from.
"""

import re
from hashlib import sha256
from typing import Final

from serving.hermes.configuration import Configuration
from serving.workspaces import DEFAULT

_PLAIN: Final = re.compile(r"[a-z0-9]{1,32}")


def workspace_of(platform: str, user_id: str | None, configuration: Configuration) -> str:
    """The id of the workspace that holds what is known of and to this user; two users never share one."""
    user = (user_id or "").strip()
    if not user or f"{platform}:{user}" in configuration.owners:
        return DEFAULT
    if _PLAIN.fullmatch(platform) and _PLAIN.fullmatch(user):
        return f"{platform}-{user}"
    digest = sha256(f"{platform}\x00{user}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"gateway_{digest[:40]}"
