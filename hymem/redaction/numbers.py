"""Numbers that carry a checksum: payment cards (Luhn's) and bank accounts (ISO 7064, modulo 97).

A checksum alone errs once in ten or once in a hundred, so the issuer's first digits and the country's length must agree too.
"""

import re
from collections.abc import Iterator
from typing import Final

from hymem.redaction.kinds import Secret

_FOUR_DIGITS: Final = re.compile(r"[0-9][0-9][0-9][0-9]")
_CARD: Final = re.compile(
    r"""(?<![\w.$-])(?:
        (?:[0-9]{4}[ ]){3}[0-9]{4} | (?:[0-9]{4}-){3}[0-9]{4} | [0-9]{4}[ ][0-9]{6}[ ][0-9]{5} | [0-9]{15,16}
    )(?![\w-])""",
    re.ASCII | re.VERBOSE,
)
_ISSUERS: Final = {16: re.compile(r"4|5[1-5]|2[2-7]|6011|64[4-9]|65|35"), 15: re.compile(r"3[47]")}
"""How the numbers of each length begin."""
_OF_SOMETHING_ELSE: Final = re.compile(
    r"\b(?:order|invoice|tracking|ticket|transaction|parcel|bestel\w*|factuur\w*|id)\W{0,3}(?:(?:number|nummer|no|nr|id)\b)?"
    r"\W{0,3}(?:is )?\Z",
    re.ASCII | re.IGNORECASE,
)
_ACCOUNT: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?=((?: ?[A-Z0-9]){11,30}))")
_LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL", 19: "MK SI", 20: "AT BA EE KZ LT LU XK", 21: "CH HR LI LV",
        22: "BG BH DE GB GE IE ME RS", 23: "AE GI IL", 24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "PT", 26: "IS TR",
        27: "FR GR IT MC SM", 28: "AL AZ CY DO GT HU LB PL", 29: "BR PS QA UA", 30: "JO KW MU", 31: "MT SC",
    }.items()
    for country in countries.split()
}  # fmt: skip
"""Characters of an account number, by country."""


def checked_numbers(text: str) -> Iterator[Secret]:
    """The card and account numbers in `text` whose checksums are right."""
    if not _FOUR_DIGITS.search(text):
        return
    for card in _CARD.finditer(text):
        before = text[max(0, card.start() - 40) : card.start()]
        if _is_card(re.sub("[ -]", "", card.group())) and not _OF_SOMETHING_ELSE.search(before):
            yield Secret("card number", *card.span())
    for head in _ACCOUNT.finditer(text):
        length = _length_of_account(head.group() + head[1])
        if length:
            yield Secret("bank account", head.start(), head.start() + length)


def _is_card(digits: str) -> bool:
    if not _ISSUERS[len(digits)].match(digits) or len(set(digits)) == 1:
        return False
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def _length_of_account(spaced: str) -> int:
    """How many characters of `spaced`, spaces included, are a valid account number; 0 where none is."""
    wanted = _LENGTHS.get(spaced[:2], 0)
    places = [place for place, character in enumerate(spaced) if character != " "][:wanted]
    if not wanted or len(places) < wanted:
        return 0
    end = places[-1] + 1
    account = spaced[:end].replace(" ", "")
    ends_there = not spaced[end : end + 1].strip()
    return (
        end if ends_there and int("".join(str(int(digit, 36)) for digit in account[4:] + account[:4])) % 97 == 1 else 0
    )
