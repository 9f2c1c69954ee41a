"""The words around secrets: those that examples are made of, those that describe a password, those that make a sentence."""

import re
from typing import Final

_OF_EXAMPLES: Final = """
    a access account an and anthropic any api apikey app auth authorization aws azure bar base baz bearer bool bytes
    change changeit changeme chars client code config cookie credential credentials customer database db deepseek
    default demo dummy encryption enter env example expired fake false field fill foo form from generated github gitlab
    goes google hash header here hidden hier id in input insert int invalid is it jouw jwt key keys link long masked me
    missing mock mongo my mysql name new nil none null number object of old omitted openai optional or our param
    parameter pass passcode passphrase passwd password passwords passwort paste payload personal pin placeholder
    plaintext postgres private prod production property provide public put pwd random read real redacted refresh removed
    replace required sample secret secrets secure security service session set shared sign signing some something
    staging store str string stripe strong super test testing text that the this to todo token tokens type undefined
    unknown url use user username valid value var variable vault verification wachtwoord webhook with world write yes
    your yours
"""
_OF_DESCRIPTIONS: Final = """
    absent accepted again ago alleen allowed also always available bad basic below best better blank bogus both broken
    case changed char character characters clear cleartext common compromised confirm correct correctly data dialog
    different done easy else email empty enough error everything exactly exists fails fine first forbidden forever
    forgotten found free gegeven geheim given goed gone good gotten great hard here hints ignored important impossible
    incorrect insecure inside instead invalid irrelevant juist kept known kwijt label labels last later leaked letters
    logged login lost manager mandatory matches maybe mismatch modal necessary needed never nice nodig nothing nowhere
    obvious often okay onjuist only other page perhaps permanent plain pointless policies policy possible prompt
    protection public ready recovery reminder requirements reset resets right root safe same saved screen secure
    securely sent separately serious settings short shown simple slow stale stolen strength strong stupid sudo temporary
    terrible there today tomorrow tonight trivial true twice unchanged unclear unique unknown unnecessary unsafe unset
    useless user username users vague veilig vereist vergeten verkeerd verlopen verplicht weak well where working works
    wrong wrongly zichtbaar zwak
"""
_OF_SENTENCES: Final = """
    a an and any are as at be been but by can cannot could de do does een en enter for forgot from geen has have het if
    incorrect invalid is it je jouw least match moet must need new niet no not of on only or please required reset same
    should that the their there these they this to too used uw van voor was when which will with wrong you your zijn
"""
_EXAMPLES: Final = frozenset(_OF_EXAMPLES.split())
_DESCRIPTIONS: Final = frozenset(_OF_DESCRIPTIONS.split())
_SENTENCES: Final = frozenset(_OF_SENTENCES.split())

_WITHIN_WORDS: Final = "|".join(
    sorted((word for word in _EXAMPLES if len(word) > 2 or word in ("my", "id")), key=len, reverse=True)
)
_AS_WORDS: Final = "|".join(word for word in sorted(_EXAMPLES) if len(word) < 3)

# Each word is taken whole and for good, so that no value is read in more than one way.
_MADE_OF_EXAMPLES: Final = re.compile(
    rf"(?>(?:{_WITHIN_WORDS}|(?<![a-z])(?:{_AS_WORDS})(?![a-z])|x{{3,}}|(?<=[\W_])[0-9]{{1,3}})[\W_]*)+", re.IGNORECASE
)
_TRADE_FORMS: Final = re.compile(
    r".*(?:passw|wachtwoord|secret|token|hash|crypt|string|valid|field|input|schema|handler)"
    r"|.*(?:ing|able|ible|[aiuoe][lmnrstvzdp]ed|[crs][kt]ed|ssed|rged|osed|ied|wed|ced|ged)\Z|ge[a-z]+(?:d|t|en)\Z",
    re.IGNORECASE,
)
_LONGEST_EXAMPLE: Final = 80


def is_example(value: str) -> bool:
    """Whether `value` is made of nothing but what examples are made of: "your-api-key-here", "MySecretToken"."""
    return len(value) <= _LONGEST_EXAMPLE and bool(_MADE_OF_EXAMPLES.fullmatch(value))


def is_trade_word(word: str) -> bool:
    """Whether a plain word is rather said of a password than chosen for one: "required", "hashed", "newPassword"."""
    lowered = word.lower()
    return lowered in _EXAMPLES or lowered in _DESCRIPTIONS or lowered in _SENTENCES or bool(_TRADE_FORMS.match(word))


def is_prose(phrase: str) -> bool:
    """Whether a phrase is a sentence about passwords rather than one of them."""
    words = re.findall(r"\w+", phrase.lower())
    return any(word in _SENTENCES or _TRADE_FORMS.match(word) for word in words) or all(
        word in _EXAMPLES for word in words
    )
