"""Secrets that tell by the words before them: assignments in any notation, options, and what people say.

Each telling word is looked at once. What joins it to a value decides how much the value must show for itself: nothing else
could stand after `password = `, while after "password" and a blank nearly anything could.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hymem.redaction.judgement import is_code, is_drawn_by_lot, is_key, is_mixed_password, is_password, is_placeholder
from hymem.redaction.kinds import Kind, Secret

_NEEDLES: Final = ("pass", "token", "secret", "key", "wachtwoord", "pwd", "bearer", "credential", "session", "sleutel", "pincode")

_WORD: Final = re.compile(
    r"""
    (?P<password>
        pass(?:word|wort|wd|phrase|code) | (?<![a-z])pass(?=[\\"'\]]{0,3}[ ]?[:=]) | pwd | wachtwoord | toegangscode
      | mot[ ]de[ ]passe | (?<![a-z])pin(?:[ -]?code)(?![a-z]) )
  | (?P<api_key> api[ _-]?(?:secret[ _-]?)?(?:key|sleutel) )
  | (?P<access_token> (?:access|auth|refresh|bearer|bot|id)?[ _-]?token | bearer )
  | (?P<cookie> (?:session|csrf|xsrf)(?:[_-]?(?:id|key|token)) | sess(?:ion)?id | (?<![a-z])sid(?==) | sessid )
  | (?P<private_key> private[ _-]?key )
  | (?P<secret>
        (?:access|secret|auth|account|encryption|signing|master|service|license|licence|shared|deploy|client|security|signature)[ _-]?(?:access[ _-]?)?key
      | secret | credential | sharedaccesssignature | (?<=[?&])(?:sig|signature|key) | (?<=_)key(?![a-z]) )
    """,
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
