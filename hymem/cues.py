"""What the wording of a question says about where its answer stands: who said it, when, and that it names a time."""

import re
from dataclasses import dataclass
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            *(
                "january januari jan",
                "february februari feb",
                "march maart",
                "april apr",
                "may mei",
                "june juni",
                "july juli",
            ),
            *("august augustus aug", "september sept sep", "october oktober oct okt", "november nov", "december dec"),
        ),
        start=1,
    )
    for name in names.split()
}
_AMBIGUOUS: Final = {"may", "march", "jan", "mei", "sep", "dec", "mar"}
"""Months that are other words too: taken for a month beside a number, or after "in" and the like."""

_WORDS: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH: Final = re.compile(
    rf"(?P<before>\b(?:in|of|since|until|till|last|this|next|early|late|mid|during|sinds|vorige|begin|eind|\d{{1,2}}(?:st|nd|rd|th)?)\s+)?"
    rf"\b(?P<month>{_WORDS})\b(?P<after>,?\s+\d{{1,4}})?",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_ISO: Final = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-\d\d)?\b")
_WHEN: Final = re.compile(
    r"\b(?:when|how long|how often|since when|(?:what|which) (?:date|day|month|year|time)|wanneer|hoe lang|sinds wanneer)\b",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|recently|since|days?|weeks?|weekends?|months?|years?|morning|evening|night"
    rf"|{_WORDS}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d+"
    rf"|gisteren|vandaag|morgen|geleden|vorige?|volgende?|sinds|dagen|dag|weken|maanden|maand|jaar|(?:maan|dins|woens|donder|vrij|zater|zon)dag)\b",
    re.IGNORECASE,
)
_OF_THE_ASSISTANT: Final = re.compile(
    r"\b(?:(?:did|had|have) you|you (?:said|suggest\w*|recommend\w*|told|gave|wrote|explain\w*|propos\w*|advis\w*|mention\w*)"
    r"|your (?:answer|advice|suggestions?|recommendations?|explanation|reply|list)|assistant"
    r"|je (?:zei|raadde)|jouw (?:advies|antwoord))\b",
    re.IGNORECASE,
)
_A_SUMMARY: Final = re.compile(
    r"\b(?:summar(?:y|ies|i[sz]\w+)|recap\w*|overviews?|samenvat\w*|vat [^.?!]{1,60} samen|overzicht(?:en)?)\b",
    re.IGNORECASE,
)
LOOKED_AT: Final = 4000
"""Characters of a text in which times are looked for."""


@dataclass(frozen=True)
class Cues:
    """What a question asks for besides its words: months and years, a time, whose words, a summary."""

    months: frozenset[int]
    years: frozenset[int]
    asks_when: bool
    asks_the_assistant: bool
    asks_for_a_summary: bool

    @classmethod
    def of(cls, question: str) -> "Cues":
        """The cues of a question, of its first characters where it is long."""
        text = question[:LOOKED_AT]
        iso = [(int(year), int(month)) for year, month in _ISO.findall(text)]
        months = {_MONTHS[found["month"].lower()] for found in _MONTH.finditer(text) if _is_month(found)}
        return cls(
            frozenset(months | {month for _, month in iso}),
            frozenset(int(year) for year in _YEAR.findall(text)),
            bool(_WHEN.search(text)),
            bool(_OF_THE_ASSISTANT.search(text)),
            bool(_A_SUMMARY.search(text)),
        )

    @property
    def favours_the_user(self) -> bool:
        """Whether a user's own words come first: not where the assistant's are asked for, nor in a summary, which needs both."""
        return not (self.asks_the_assistant or self.asks_for_a_summary)

    def dated(self, said_at: str) -> bool:
        """Whether something was said in the month and year that the question names; said_at is ISO-8601 text."""
        if not (self.months or self.years):
            return False
        in_month = not self.months or int(said_at[5:7]) in self.months
        return in_month and (not self.years or int(said_at[:4]) in self.years)


def names_a_time(text: str) -> bool:
    """Whether a text has a word or a number of the kind that answers "when"."""
    return bool(_TIME.search(text[:LOOKED_AT]))


def only_asks(text: str, most: int) -> bool:
    """Whether a turn of at most so many characters is a question; longer ones say something on the way to it."""
    return len(text) <= most and text.rstrip().endswith(("?", "？", "؟"))


def _is_month(found: re.Match[str]) -> bool:
    return found["month"].lower() not in _AMBIGUOUS or bool(found["before"] or found["after"])
