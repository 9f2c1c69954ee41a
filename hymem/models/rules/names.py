"""Which noun phrases are names worth keeping, and of what kind.

`is_proper` asks for what the spelling shows to be a name, `is_thing` takes a common noun that says something. A graph of
"thing" and "problem" remembers nothing, so doubt keeps a phrase out.
"""

import re
from collections.abc import Callable
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.phrases import Phrase, is_spaced
from hymem.models.rules.prose import OPAQUE
from hymem.models.rules.spelling import is_name, is_number, is_strong
from hymem.models.rules.technologies import AMBIGUOUS, SPACED, TECHNOLOGIES

LONGEST: Final = 5
"""Words in the longest name; more is a sentence that lost its verb."""
_INDEFINITE: Final = small.words(
    "project app application system team tool game book website site service novel album startup"
)
_FITTING: Final = small.words(
    """right wrong proper correct necessary appropriate following latest above only particular exact first second third
    higher lower previous"""
)
_ADJECTIVES: Final = small.words(
    """sure great good nice classical modern academic professional personal wrong right true ready happy able familiar
    correct comfortable important necessary possible clear common easy simple due last next real free new old similar specific
    online offline available allergic aware afraid yummy tasty cute"""
)
_FILE: Final = re.compile(r"\.(?:conf|log|txt|py|json|ya?ml|toml|ini|cfg|md|sh|deb|iso|exe|lst|csv|html?)$")


def is_proper(phrase: Phrase) -> bool:
    """Whether the phrase holds a proper name, and is no longer than a name is."""
    return (
        0 < len(phrase.tokens) <= LONGEST
        and phrase.determiner not in small.OTHERS | small.DEMONSTRATIVES
        and (any(map(is_strong, phrase.tokens)) or _is_listed(phrase) or _is_weak(phrase))
        and not _is_chatter(phrase)
    )


def _is_weak(phrase: Phrase) -> bool:
    """A single word that no list knows, without a determiner, is taken for a name ("xine")."""
    return len(phrase.tokens) == 1 and not phrase.determiner and is_name(phrase.tokens[0])


def _is_listed(phrase: Phrase) -> bool:
    """An ambiguous technology counts with a version, or standing alone and lower-cased as names often are."""
    if is_spaced(phrase.tokens):
        return True
    return (
        len(phrase.tokens) == 1 and phrase.head in TECHNOLOGIES and (phrase.head not in AMBIGUOUS or bool(phrase.value))
    )


def is_resource(phrase: Phrase) -> bool:
    """Memory, disk space and the like, of which a program takes some but on which it does not depend."""
    lowers = {token.lower for token in phrase.tokens}
    return bool(lowers & nouns.RESOURCES) and lowers <= nouns.RESOURCES | nouns.MEASURED


def _is_chatter(phrase: Phrase) -> bool:
    """Numbers, times, quantities, resources and vague heads: no entity."""
    first, head = phrase.tokens[0], phrase.head
    singular = head.removesuffix("s")
    return (
        all(is_number(token) for token in phrase.tokens)
        or is_number(first)
        or is_number(phrase.tokens[-1])
        or first.text[0] in "$€£"
        or head in _ADJECTIVES
        or first.lower in _FITTING
        or head in nouns.EMPTY
        or singular in nouns.EMPTY
        or phrase.determiner in small.QUANTIFIERS
        or any(token.text == OPAQUE for token in phrase.tokens)
        or is_resource(phrase)
        or (len(head) < 2 and head not in ("c", "r", "x"))
    )


def is_thing(phrase: Phrase) -> bool:
    """Whether a common noun phrase says enough to be an entity."""
    if not 0 < len(phrase.tokens) <= LONGEST or _is_chatter(phrase):
        return False
    if phrase.determiner in small.OTHERS | small.DEMONSTRATIVES:
        return False
    if len(phrase.tokens) == 1 and not is_name(phrase.tokens[0]):
        return phrase.head not in nouns.VAGUE and phrase.head.removesuffix("s") not in nouns.VAGUE
    return True


def _is_versioned(phrase: Phrase) -> bool:
    return bool(phrase.value) and not phrase.unit and is_proper(phrase)


def _is_project(phrase: Phrase) -> bool:
    """A project is named, or is a thing of the kind that one works on."""
    if not phrase.tokens or phrase.determiner in small.OTHERS | small.QUANTIFIERS:
        return False
    return (is_proper(phrase) and any(map(is_strong, phrase.tokens))) or (
        is_thing(phrase)
        and phrase.head in nouns.PROJECT_HEADS
        and (len(phrase.tokens) > 1 or phrase.determiner in small.OWN or _is_definite(phrase))
    )


def _is_definite(phrase: Phrase) -> bool:
    """Whether "the" is enough to tell which one is meant ("the compiler", but not "the project")."""
    return phrase.determiner == "the" and phrase.head not in _INDEFINITE


def _is_object(phrase: Phrase) -> bool:
    return is_proper(phrase) or is_thing(phrase)


def is_file(name: str) -> bool:
    """Whether a lower-cased name is a file's by its ending."""
    return _FILE.search(name) is not None


def _is_command(phrase: Phrase) -> bool:
    """A path, an option, a file or a line for the shell: used for a moment, not as a thing."""
    return any(
        token.text[0] in "/#-~"
        or is_file(token.lower)
        or (token.lower in ("sudo", "install") and len(phrase.tokens) > 1)
        for token in phrase.tokens
    )


def _is_kind(phrase: Phrase) -> bool:
    """A kind of thing ("tabs", "a standing desk"), and not one that the talk points at ("the wizard", "my pc")."""
    if _is_command(phrase):
        return False
    return is_proper(phrase) or (is_thing(phrase) and phrase.determiner not in small.OWN | {"the"})


def is_technology(phrase: Phrase) -> bool:
    """A name that is a technology's by list, or by digits, dots and inner capitals."""
    return (
        is_proper(phrase)
        and not _is_command(phrase)
        and (
            is_spaced(phrase.tokens)
            or any(
                token.lower in TECHNOLOGIES
                or any(mark.isdigit() or mark in "._" for mark in token.text)
                or not token.text[1:].islower()
                for token in phrase.tokens
                if is_name(token) or token.lower in TECHNOLOGIES
            )
        )
    )


def is_exact_technology(phrase: Phrase) -> bool:
    """A technology and nothing besides: "Kubernetes", but not "Docker help"."""
    return is_technology(phrase) and (is_spaced(phrase.tokens) or is_strong(phrase.tokens[-1]))


def _kind(phrase: Phrase) -> str:
    """What the lists say a technology is."""
    name = " ".join(token.lower for token in phrase.tokens)
    return TECHNOLOGIES.get(name) or SPACED.get(name, "")


def _is_ground(phrase: Phrase) -> bool:
    """A language or a platform: what a program runs on."""
    return is_proper(phrase) and _kind(phrase) in ("language", "platform")


def _is_part(phrase: Phrase) -> bool:
    """A framework, a library or a database: what a program uses."""
    return is_proper(phrase) and _kind(phrase) in ("framework", "library", "database")


def _is_group(phrase: Phrase) -> bool:
    """A team or organisation that one may belong to."""
    return bool(phrase.tokens) and phrase.head in nouns.TEAM_HEADS and len(phrase.tokens) > 1 and is_thing(phrase)


def _is_bare(phrase: Phrase) -> bool:
    return is_proper(phrase) and phrase.determiner not in small.ARTICLES


def _is_language(phrase: Phrase) -> bool:
    return len(phrase.tokens) == 1 and TECHNOLOGIES.get(phrase.head) == "language" and not phrase.determiner


def _is_role(phrase: Phrase) -> bool:
    """What a technology may be as, of ours: "our main database"."""
    return 0 < len(phrase.tokens) <= 4 and phrase.determiner in small.OWN and phrase.head in nouns.ROLES


def _is_standard(phrase: Phrase) -> bool:
    """Something to be implemented: a protocol, a specification, an interface."""
    return len(phrase.tokens) > 1 and phrase.head in nouns.STANDARDS and is_thing(phrase)


def _is_container(phrase: Phrase) -> bool:
    """Something that code lives in: a repository, a package."""
    return bool(phrase.tokens) and phrase.head in nouns.CONTAINERS and _is_object(phrase)


ACCEPTS: Final[dict[str, Callable[[Phrase], bool]]] = {
    "O": _is_object,  # a thing or a name
    "P": _is_object,  # the second of two
    "S": _is_object,  # the doer, where it follows the verb
    "L": _is_object,  # one of a list that a colon opens
    "K": _is_kind,  # a kind of thing, or a name
    "N": is_proper,  # a proper name
    "X": _is_bare,  # a proper name without an article
    "Q": is_technology,  # a technology
    "V": _is_versioned,  # a name with its version
    "E": is_exact_technology,  # a technology by its bare name
    "H": _is_ground,  # a language or a platform
    "F": _is_part,  # a framework, a library, a database
    "J": _is_project,  # what one works on
    "G": _is_group,  # a team
    "U": _is_language,  # a programming language
    "B": _is_role,  # a role that a technology plays
    "Z": _is_standard,  # a protocol or an interface
    "M": _is_container,  # what code lives in
}
"""The letter of a slot → what may fill it."""
