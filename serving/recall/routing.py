"""From the words of a question to the predicates it asks for: "what does billing depend on?" → `depends_on`.

A cue is matched as whole words in every inflection that is spelled out, in English and in Dutch. Routing only ever adds
signal: an edge with a routed predicate scores more, and no edge is left out for having another. So a cue may be generous.
"""

import re
from typing import Final

from hymem.vocabulary import PREDICATES
from serving.recall.giants import ends_of

MOST_CHARACTERS: Final = 2_000
"""A pasted text holds every cue: of a longer message the beginning and the end are read."""

CUES: Final[dict[str, tuple[str, ...]]] = {
    "uses runs_on": (
        r"(?:technolog(?:y|ies)|tech|tools?|tooling|stacks?|techstack)",
        r"us(?:e|es|ed|ing|age)",
        r"utili[sz](?:e|es|ed|ing|ation)",
        r"technologie(?:ën)?|gereedschap(?:pen)?",
        r"gebruik(?:t|en|te|ten|ende)?|gebruikmak(?:en|end)|gebruikt",
    ),
    "uses": (
        r"librar(?:y|ies)|frameworks?|languages?|databases?",
        r"(?:built|build|builds|building|written|made|powered) (?:with|in|by|using)",
        r"work(?:s|ed|ing)? with",
        r"bibliothe(?:ek|ken)|programmeertaal|gebouwd met|geschreven in|werkt? met",
    ),
    "depends_on": (
        r"depend(?:s|ed|ing|ent|ant)? (?:up)?on",
        r"depends?|dependenc(?:y|ies)|dependents?",
        r"need(?:s|ed|ing)?",
        r"requir(?:e|es|ed|ing|ements?)",
        r"rel(?:y|ies|ied|ying|iant) (?:up)?on",
        r"prerequisites?",
        r"hang(?:t|en)? af van|hing(?:en)? af van|afhankelijk(?:heid|heden)?|nodig|vereis(?:t|en|te|ten)",
    ),
    "requires_version": (
        r"versions?|releases?|v\d+(?:\.\d+)*",
        r"requir(?:e|es|ed|ing|ements?)",
        r"(?:minimum|minimal|at least|or newer|or later|upgrad(?:e|es|ed|ing))",
        r"versies?|minimaal|minstens",
    ),
    "prefers": (
        r"prefer(?:s|red|ring|ences?|able|ably)?",
        r"favou?r(?:s|ed|ing|ites?)?",
        r"likes|liked|(?:do|does|did|don't|doesn't|didn't) (?:not )?(?:\w+ ){1,3}like(?! to know)",
        r"(?<!would )(?:i|we|you|they) (?:really |also )?like(?! to)|(?:loves?|loved|enjoys?|enjoyed|fond of)",
        r"rather have|would rather",
        r"voorkeur(?:en)?|verkie(?:s|st|zen)|liever|favoriete?|houd(?:t|en)? van",
    ),
    "rejects": (
        r"reject(?:s|ed|ing|ions?)?",
        r"refus(?:e|es|ed|ing|al)",
        r"dislik(?:e|es|ed|ing)|hat(?:e|es|ed|ing)",
        r"(?:don't|doesn't|didn't|do not|does not|did not) (?:\w+ ){0,2}(?:like|want)",
        r"(?:rul(?:e|es|ed|ing)|turn(?:s|ed|ing)?) (?:\w+ )?(?:out|down)|declin(?:e|es|ed|ing)",
        r"wijst? (?:\w+ ){0,3}af|afgewezen|weiger(?:t|en|de|den)?|geweigerd|haat|haten",
    ),
    "avoids": (
        r"avoid(?:s|ed|ing|ance)?",
        r"(?:stay|stays|stayed|staying|keep|keeps|kept|steer|steers) (?:\w+ )?(?:away|clear) (?:from|of)",
        r"(?:never|not to|don't|do not|stop|stopped|stops) us(?:e|ing)",
        r"vermijd(?:t|en)?|vermeden|vermeed|mijd(?:t|en)?",
    ),
    "replaces": (
        r"replac(?:e|es|ed|ing|ements?)",
        r"supersed(?:e|es|ed|ing)|successors?|instead of",
        r"(?:switch(?:es|ed|ing)?|migrat(?:e|es|ed|ing)|mov(?:e|es|ed|ing)) (?:\w+ ){0,3}(?:from|to|away)|migrations?",
        r"swap(?:s|ped|ping)?",
        r"vervang(?:t|en|ing|er)?|vervangen|verving(?:en)?|in plaats van|overgestapt|stap(?:t|pen|te|ten) over",
    ),
    "conflicts_with": (
        r"conflict(?:s|ed|ing)?",
        r"(?:in)?compatib(?:le|ility)|clash(?:es|ed|ing)?|contradict(?:s|ed|ing|ions?)?",
        r"conflicteert|conflicteren|botst|botsen|onverenigbaar|(?:in)?compatibel",
    ),
    "deploys_to": (
        r"deploy(?:s|ed|ing|ments?|able)?|redeploy(?:s|ed|ing)?",
        r"ship(?:s|ped|ping)? (?:\w+ ){0,3}to|roll(?:s|ed|ing)? (?:\w+ ){0,3}out|rollouts?",
        r"in production|release(?:s|d)? (?:\w+ ){0,3}to",
        r"deployen|deployt|gedeployd|uitgerold|uitrol(?:len)?|rolt? (?:\w+ ){0,3}uit|in productie",
    ),
    "part_of": (
        r"parts? of|belong(?:s|ed|ing)? to|members? of|components? of|modules? of",
        r"work(?:s|ed|ing)? (?:on|for)|(?:which|what) (?:team|project)s?",
        r"deel van|onderdeel van|onderdelen van|hoort bij|horen bij|behoort tot|lid van|leden van|werk(?:t|en|te|ten)? aan",
    ),
    "equivalent_to": (
        r"(?:the )?same (?:\w+ )?as|the same thing|equivalents?|equivalent to|identical to",
        r"synonym(?:s|ous)?|alias(?:es)?|aka|also (?:called|known as)|another (?:name|word) for|stands? for",
        r"hetzelfde(?: als)?|dezelfde als|gelijk aan|synoniem(?:en)?|ook (?:bekend als|wel)|oftewel",
    ),
    "implements": (
        r"implement(?:s|ed|ing|ations?)?",
        r"conform(?:s|ed|ing|ance)?(?: to)?",
        r"implementeert|implementeren|geïmplementeerd|implementatie(?:s)?",
    ),
    "contains": (
        r"contain(?:s|ed|ing)?|includ(?:e|es|ed|ing)|consist(?:s|ed|ing)? of|compris(?:e|es|ed|ing)",
        r"(?:made|composed) (?:up )?of|what(?:'s| is) in(?:side)?",
        r"bevat(?:ten|te)?|bestaat uit|bestaan uit|omvat(?:ten|te)?",
    ),
    "configured_with": (
        r"(?:re)?configur(?:e|es|ed|ing|ations?|able)|configs?|settings?|setup|parameters?",
        r"set(?:s|ting)? (?:\w+ ){0,2}(?:up|to)",
        r"(?:ge)?configure(?:erd|ert|ren)|configuraties?|ingesteld|instelling(?:en)?",
    ),
    "runs_on": (
        r"(?:run|runs|ran|running) (?:on|in|under|atop)",
        r"where (?:\w+ ){1,4}(?:run|runs|running)",
        r"host(?:s|ed|ing)|platforms?|infrastructure|operating systems?|(?:which|what) (?:os|servers?|machines?|hardware|cloud)",
        r"draai(?:t|en|de|den)?(?: \w+){0,3} op|waar (?:\w+ ){0,2}draai(?:t|en)|draai(?:t|en)|gehost",
    ),
    "connects_to": (
        r"connect(?:s|ed|ing|ions?|ors?|ivity)?",
        r"(?:talk|speak)(?:s|ed|ing)? (?:to|with)|communicat(?:e|es|ed|ing) with",
        r"link(?:s|ed|ing)? (?:to|with)|integrat(?:e|es|ed|ing|ions?)|interfac(?:e|es|ed|ing) with",
        r"verbind(?:t|en|ing|ingen)?|verbonden|koppel(?:t|en|ing|ingen)?|gekoppeld|praat met|praten met",
    ),
    "generates": (
        r"generat(?:e|es|ed|ing|ions?|ors?)|produc(?:e|es|ed|ing)|emit(?:s|ted|ting)?|outputs?|creat(?:e|es|ed|ing)",
        r"genereert|genereren|gegenereerd|produceert|produceren|maakt? (?:\w+ ){0,2}aan",
    ),
    "tested_by": (
        r"(?:re)?test(?:s|ed|ing|ers?)?|covered by|coverage|verif(?:y|ies|ied|ying|ication)|qa",
        r"getest|testen|testte|gedekt",
    ),
}
"""The cues of each predicate, or of several that share them, as regular expressions; each is matched as whole words."""

_ROUTES: Final = [
    (predicates.split(), re.compile(rf"(?<![\w'])(?:{'|'.join(cues)})(?!\w)")) for predicates, cues in CUES.items()
]
_BLANKS: Final = re.compile(r"[\s_-]+")


def routed_predicates(message: str) -> tuple[str, ...]:
    """The predicates that a message asks for, in the vocabulary's order."""
    text = _BLANKS.sub(" ", ends_of(message, MOST_CHARACTERS).casefold().replace("’", "'"))
    found = {predicate for predicates, cue in _ROUTES if cue.search(text) for predicate in predicates}
    return tuple(predicate for predicate in PREDICATES if predicate in found)
