"""The small words of English: closed classes that end a name, open a clause or change its mood.

They are finite, which makes them good fences: what lies between two of them is a candidate for a name.
"""

from typing import Final


def words(text: str) -> frozenset[str]:
    """A word list written as running text."""
    return frozenset(text.split())


ARTICLES: Final = words("a an the")
OWN: Final = words("my our")
OTHERS: Final = words("your his her their its whose")
DEMONSTRATIVES: Final = words("this that these those")
QUANTIFIERS: Final = words(
    """some any every each all both another other more most few several many much such certain various different
    multiple enough half less fewer lots tons plenty either neither none one two three four five six seven eight nine
    ten couple dozens next last same rest"""
)
DETERMINERS: Final = ARTICLES | OWN | OTHERS | DEMONSTRATIVES | QUANTIFIERS | {"no"}

FIRST_SINGULAR: Final = words("i me myself")
FIRST_PLURAL: Final = words("we us ourselves")
FIRST: Final = words("i we")
OTHER_PRONOUNS: Final = words(
    """you he she it they him them himself herself itself themselves yourself me us myself ourselves this that these
    those there here who whom what which someone somebody something anyone anybody anything everyone everybody
    everything nobody nothing one mine yours ours theirs u ya y'all whatever whichever whoever"""
)
PRONOUNS: Final = FIRST | OTHER_PRONOUNS

PREPOSITIONS: Final = words(
    """of in on at to for from with by about over under into onto through via as like than between among across during
    without within against towards toward upon off out up down around after before behind beside besides near per
    instead except despite along inside outside throughout since until till because using including versus vs
    alongside regarding concerning"""
)
CONJUNCTIONS: Final = words("and or but nor plus & yet so")
SUBORDINATORS: Final = words(
    """because although though while whereas which who where when whenever if unless so but whether whereby once
    that why how what"""
)
BE: Final = words("be am is are was were been being 'm 're 's")
BE_PAST: Final = words("was were")
HAVE: Final = words("have has had 've having")
DO: Final = words("do does did")
GET: Final = words("get gets got getting gotten")
MODALS: Final = words(
    "will 'll would 'd might may could should can shall must ought gonna wanna gotta tryna needa lemme hafta"
)
NEGATIONS: Final = words("not n't never")
AUXILIARIES: Final = BE | HAVE | DO | MODALS | NEGATIONS

TIME_WORDS: Final = words(
    """today tomorrow yesterday tonight now monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
    wednesdays thursdays fridays saturdays sundays january february march april may june july august september october
    november december jan feb mar apr jun jul aug sep sept oct nov dec week weeks weekend weekends weekday weekdays
    month months year years day days hour hours minute minutes second seconds morning mornings evening evenings night
    nights afternoon noon midnight spring summer autumn fall winter quarter decade century moment time times"""
)
ADVERBS: Final = words(
    """now also just still currently always often usually only already even too then again soon really very quite
    rather pretty mostly mainly basically actually simply generally typically normally sometimes never ever here
    there today well instead maybe perhaps anymore longer back away together yet though however therefore thus hence
    finally recently lately eventually almost nearly barely hardly rarely seldom once twice everywhere somewhere
    anyway else ago forever indeed otherwise sort kinda kind totally absolutely definitely probably possibly so far
    regularly kindof sorta personally honestly directly internally locally please pls tho as first later earlier
    nowadays meanwhile okay ok yeah yes yep nope hey hi hello thanks sorry btw lol hmm oh ah well fwiw imho imo"""
)
HEDGES: Final = words(
    """maybe perhaps probably possibly presumably supposedly apparently allegedly hopefully potentially eventually
    almost nearly barely hardly rarely seldom soon theoretically ideally hypothetically seemingly tomorrow"""
)
CLOSED: Final = (
    DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS | AUXILIARIES | ADVERBS | HEDGES | GET
) - {"kind", "sort", "second", "first", "back"}
"""Words that can be no part of a name, unless their spelling shows that they are one ("Will", "May")."""

WEAK_ADJECTIVES: Final = words(
    """new old current existing own latest actual little big huge small good great nice whole entire same favorite
    favourite main real pinned beloved trusty good-old simple basic own standard usual regular personal fancy cool
    awesome amazing excellent fantastic wonderful lovely best better bad worst terrible brand-new"""
)
"""Adjectives that praise or date a thing without naming it."""

WH: Final = words("what which who whom whose where when why how whats wheres hows")
QUESTION_AUX: Final = words(
    "can could would should will shall do does did is are am was were has have had may might must any anyone"
)
