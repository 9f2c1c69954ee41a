"""English verbs and their forms: which word is a verb, of which base, in which form.

The forms are spelled by rule; only irregular ones are listed.
"""

from typing import Final

from hymem.models.rules.words import words

IRREGULAR: Final = {
    "be": "was been", "begin": "began begun", "break": "broke broken", "bring": "brought brought",
    "build": "built built", "buy": "bought bought", "catch": "caught caught", "choose": "chose chosen",
    "come": "came come", "cut": "cut cut", "do": "did done", "draw": "drew drawn", "drive": "drove driven",
    "eat": "ate eaten", "fall": "fell fallen", "feel": "felt felt", "fight": "fought fought", "find": "found found",
    "forget": "forgot forgotten", "get": "got got", "give": "gave given", "go": "went gone", "grow": "grew grown",
    "have": "had had", "hear": "heard heard", "hide": "hid hidden", "hit": "hit hit", "hold": "held held",
    "keep": "kept kept", "know": "knew known", "lead": "led led", "leave": "left left", "let": "let let",
    "lose": "lost lost", "make": "made made", "mean": "meant meant", "meet": "met met", "pay": "paid paid",
    "put": "put put", "quit": "quit quit", "read": "read read", "rewrite": "rewrote rewritten", "run": "ran run",
    "say": "said said", "see": "saw seen", "sell": "sold sold", "send": "sent sent", "set": "set set",
    "shut": "shut shut", "sing": "sang sung", "sit": "sat sat", "sleep": "slept slept", "speak": "spoke spoken",
    "spend": "spent spent", "split": "split split", "stand": "stood stood", "steer": "steered steered",
    "stick": "stuck stuck", "swim": "swam swum", "take": "took taken", "teach": "taught taught", "tell": "told told",
    "think": "thought thought", "throw": "threw thrown", "understand": "understood understood", "wear": "wore worn",
    "win": "won won", "write": "wrote written", "rip": "ripped ripped", "overwrite": "overwrote overwritten",
}  # fmt: skip
DOUBLING: Final = words(
    """ship swap drop plan stop ban opt commit submit admit permit refer occur control program debug transfer pin rip
    scrap plug hit cut run set begin quit put get let shut sit swim win prefer bin step chat map tag wrap log
    dig ram spin trim skip slip strip fit bet sub dub forget"""
)
"""Verbs that double their last letter."""
NOUN_VERBS: Final = words(
    """test build log call query store model record report release update design plan form cache export import
    request deploy commit branch merge patch script host server cloud network backup stream trace monitor
    schedule job index document file format lint mock hook check code review track stack frame email message
    chart map tag table image picture video photo paint dance cook work walk run hike ride drive play game book
    note list budget cost bill pay loan plant garden craft dress shop market trade travel trip camp process
    program project name address label link load lock mark match mix cover cut exit fix focus guide handle help
    interest issue layer level limit look need pack page pass place point post press price print proof pull push
    queue rank rate reason render return route sample save scan score search sense ship sign sort source space
    split staff start state step study style support switch task template train transfer transform trust try
    turn type use value view visit vote watch wrap answer question reply comment contact control copy delay
    demand display draft drop experience exercise feature filter finish float function gesture harvest influence
    increase install interview lead learn measure memory move object offer order organize pattern pause practice
    profile promise purchase reset respect result research reward set shape share shift show signal sketch sleep
    smile snack sound speed spring stay stop stress surf swim talk taste tax thread touch trouble upgrade upload
    wait wear wire wish zoom container compute power lunch package port conflict clash interface setup archive
    convert dinner drink dream drum edit escape flow ground hope house land light like love mail mention mind
    number paper part pilot position present product regret rest rent risk rule screen season service sport
    stage stand stock storm sub surprise team theme tool tour tutor water"""
)
"""Words that are a noun as readily as a verb."""
OTHER_VERBS: Final = words(
    """add agree aim allow appear apply approve argue arrange arrive ask assume attend attract attempt balance become
    begin believe belong bet bother break bring bundle buy calculate cancel care carry cause celebrate change
    chat choose clean clear close collaborate collect combine come communicate compare compile complain complete
    comprise configure confirm conflict confuse connect consider consist consume contain continue contribute
    convert cooperate create crash debate debug decide define delete deliver depend describe detest develop
    disagree discover discuss dislike despise ditch divide donate draw drive eat edit effect eliminate emit
    employ enable encourage end enhance enjoy ensure enter equal establish estimate evaluate evolve examine
    exclude execute exist expand expect explain explore extend face fail fall feel fetch figure find follow
    forget forward generate get give go google graduate grow guess hang happen hate hear hide highlight hire hit
    hold identify ignore imagine implement improve include inform initialize inspire integrate intend introduce
    invest investigate invite involve join jump keep kick kill know last launch lead leave leverage listen live
    locate lose maintain make manage mean meet mention migrate modernize move negotiate notice obtain occur open
    operate opt overhaul own parse participate perform pick planning please port prefer prepare prevent
    prioritize produce promote propose protect prove provide publish put quit raise reach react read realize
    receive recommend reduce refactor refer refuse reject relate relax rely remain remember remind remove
    replace represent require resolve respond restart restore retire retrieve revise rewrite rip rollback ruin
    satisfy say scale scrap secure see seem select sell send serve settle shut sing sit skip solve speak specify
    spend standardize steer stick strengthen struggle submit subscribe succeed suffer suggest sunset supersede
    suppose swap sync synchronize tackle take teach tell tend thank think throw tie treat trigger troubleshoot
    tweak understand uninstall utilize utilise validate verify veto want warn win wonder work worry write yank
    abandon accept access achieve acquire adapt adjust adopt adore advise afford analyze announce annoy avoid
    accommodate acknowledge base bake author bill boost brainstorm compete conclude conduct construct
    consolidate deal deprecate decline demonstrate deserve determine disable document dockerize drop expose
    finalize gather govern incorporate install interact lean lint loathe let miss narrow onboard outline
    overcome overwrite persist pin polish populate practise process recall refine register reinforce replicate
    resort reuse schedule seek separate simplify speed spin start structure tailor target test transition
    translate underestimate upgrade wire host rest rock store power back query call push pull run deploy ship
    release build use try need like love help show look play stop optimize detect compute admire align mitigate
    facilitate allocate redirect automate illustrate streamline pursue maximize recharge visualize categorize
    minimize recognize summarize quantify resonate clarify distribute authenticate motivate authorize empower
    dedicate classify articulate modify reschedule borrow assign observe denote emphasize enforce convey
    delegate hesitate affect elaborate weigh justify simulate delve inquire enrich append anticipate provoke
    undertake notify revisit solidify embark diagnose grab rebuild outweigh preserve savor meditate accelerate
    embrace concentrate breathe expire neglect evoke expedite iterate condense oversee rehearse twiddle browse
    appreciate cherish exchange favour favor standardise shy tolerate conform output poll decommission mount
    reboot reinstall chmod unplug scroll click type guarantee interpret cultivate nurture volunteer knit sketch
    compose relocate commute codename atop boot substitute bump import inherit interfere reconnect invoke adhere
    comply resid reside log hook render"""
)


def _third_person(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return (base + base[-1] if base in DOUBLING else base) + "ed"


def _progressive(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return (base + base[-1] if base in DOUBLING else base) + "ing"


def forms(base: str) -> dict[str, set[str]]:
    """Every spelling of a verb with the forms it may be: base, s, past, part, ing."""
    past, participle = IRREGULAR.get(base, f"{_past(base)} {_past(base)}").split()
    spellings: dict[str, set[str]] = {}
    for spelling, form in (
        (base, "base"),
        (_third_person(base), "s"),
        (past, "past"),
        (participle, "part"),
        (_progressive(base), "ing"),
    ):
        spellings.setdefault(spelling, set()).add(form)
    return spellings


def lexicon(bases: frozenset[str]) -> dict[str, tuple[str, frozenset[str]]]:
    """Spelling → (base, forms) for a list of verbs."""
    return {spelling: (base, frozenset(found)) for base in sorted(bases) for spelling, found in forms(base).items()}


VERBS: Final = lexicon(NOUN_VERBS | OTHER_VERBS)
"""Every spelling the grammar knows as a verb."""
