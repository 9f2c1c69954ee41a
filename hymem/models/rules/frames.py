"""The patterns: which wording states which relation.

One line is one frame, `subject verb elements => effects`. Before the verb stands who may say it: I (the speaker), R
(the speaker, who would rather), T (a named thing or person), D (data), C (a configuration), S (speaker or thing), Y
("you"). After it come words that must follow, `~words` that may come later in the clause, and slots, whose letters
`names.ACCEPTS` explains. `verb.p` is the passive, `!` at the end of the verb wants the clause denied, `…` passes over
a few words, `.` ends the clause but for a preposition's phrase, `$` ends it. Effects may deny with `-`; only the
first is kept where the clause itself is denied, `+` keeps its sign even then, `now` is for clauses that say that
things were otherwise before. Lines of one verb are tried in order, the first that fits wins; a line that opens with
`+` lets others follow.
"""

from dataclasses import dataclass
from typing import Final

_TABLE: Final = """
S use|utilize|utilise|leverage|employ K ~instead_of|rather_than|in_place_of|over P => S uses K, K replaces P now, S uses P -
S use|utilize|utilise|leverage|employ K => S uses K
S adopt Q => S uses Q
S using Q => S uses Q
T use.p to test O => O tested_by T
T use.p|need.p|require.p by S => S uses T
+I build|develop J => I part_of J
+I author|launch|found Q => I part_of Q
I write|code|speak U => I uses U
I build|write|implement|develop|code O with|in|using|on_top_of|on Q => O uses Q
I build|write|implement|develop|code ~using|with Q => I uses Q
I build|develop|code|write|script in|with|on_top_of Q => I uses Q
T build.p|write.p|rewrite.p|implement.p|code.p|make.p with|in|using|on_top_of|on N => T uses N
T develop.p|create.p|program.p|script.p with|in|using|on_top_of|on N => T uses N
T base.p on|upon N => T uses N
T power O => O uses T
T power.p|back.p|drive.p by N => T uses N
I make use of N => I uses N
T make use of N => T uses N

I rewrite|port|convert|migrate O ~from N ~to|in|into P => P replaces N, O uses P
I rewrite|port|convert|translate O in|to|into N => O uses N
I switch from K ~to|over_to|onto P => P replaces K, I uses P, I uses K -
I migrate|transition|convert from N ~to|over_to|onto P => P replaces N, I uses P, I uses N -
I move|go|change|jump from N ~to|over_to|onto Q => Q replaces N, I uses Q, I uses N -
I upgrade from N ~to V => I uses V
T switch|move|migrate|transition from N ~to|over_to|onto P => P replaces N, T uses P, T uses N -
I switch to|over_to|onto P ~from K => P replaces K, I uses P, I uses K -
I move|migrate|transition|convert|change|jump to|over_to|onto Q ~from N => Q replaces N, I uses Q, I uses N -
I switch to|over_to|onto P ~from N => P replaces N, I uses P, I uses N -
I switch|move|migrate off|off_of|away_from|out_of N ~to|onto|in_favor_of|in_favour_of P => P replaces N, I uses P, I uses N -
I switch|move|migrate|transition|convert|change O ~from N ~to|over_to|onto P => P replaces N, I uses P, I uses N -
I switch|move|migrate ~from N ~to|over_to|onto Q => Q replaces N, I uses Q, I uses N -
I switch|migrate|convert O to|over_to|onto N => I uses N
I switch|move|migrate off|off_of|away_from N => I uses N -
I switch to|over_to K => I uses K
I migrate|convert to|over_to|onto N => I uses N
I move|upgrade|transition|change to|over_to|onto Q => I uses Q
I upgrade|update|bump N ~to V => I uses N
I replace|swap|substitute O with|by|for|out_for P => P replaces O, I uses P, I uses O -
I trade|exchange|ditch|drop|swap|abandon O for|in_favor_of|in_favour_of P => P replaces O, I uses P, I uses O -
T replace|supersede|succeed O => T replaces O
T take over_from|the_place_of O => T replaces O
T replace.p|supersede.p|swap.p with|by|for|out_for P => P replaces T
T be … replacement|successor for|to|of O => T replaces O
I deprecate|retire|remove|scrap O in_favor_of|in_favour_of P => P replaces O, I uses P, I uses O -
I drop|ditch|scrap|retire|abandon|deprecate|sunset|uninstall N => I uses N -
I remove Q => I uses Q -
I quit Q => I uses Q -
I get off|off_of Q => I uses Q -
I leave Q for P => P replaces Q, I uses P, I uses Q -
I get rid_of N => I uses N -
I rip|throw|kick out N => I uses N -
I give up_on N => I uses N -
I be done|finished|through with N => I uses N -
T drop.p|retire.p|remove.p|deprecate.p|sunset.p for|in_favor_of|in_favour_of P => P replaces T
T drop.p|retire.p|remove.p|sunset.p|decommission.p|replace.p . => I uses T -
T be gone|dead|history|out . => I uses T -

I go|stick|stay|start with Q => I uses Q
I settle|standardize|standardise on N => I uses N
I choose|pick|select O over|instead_of|rather_than P => I prefers O
I choose|pick Q => I uses Q
I decide on Q => I uses Q
I install N => I uses N
I be user of N => I uses N
I be on Q => I uses Q
T be on H => T runs_on H
T be on F => T uses F
T be on V => T uses V
T be on Q => T runs_on Q
T be … B => I uses T
I lint|format|monitor|provision|manage|track|document|design|debug|profile ~with|in|using Q => I uses Q
I package|compile|bundle|deploy|draw|schedule|orchestrate|build|ship ~with|using Q => I uses Q
I work with Q => I uses Q
I store|keep|save|cache|persist|log O in N => I uses N
T store|cache|persist|keep O in N => T uses N
T store.p|cache.p|persist.p|keep.p in N => I uses N

S depend|rely on|upon O => S depends_on O
T need|require V => T requires_version V
T need|require O => T depends_on O
I need|require V => I requires_version V
I need|require! E $ => I depends_on E
Y need|require V ~to … O => O requires_version V
T support|target V => T requires_version V
T support only V => T requires_version V
T work only with V => T requires_version V
T pin.p to V => T requires_version V
V require.p|need.p by|for S => S requires_version V
T be dependent|reliant on|upon O => T depends_on O
T be … dependency of O => O depends_on T
T run|work|start|function|boot! without O => T depends_on O +

R have|take|see|write|do|get|drink|eat|read|watch|drive|choose|pick|go_with|work_with K => I prefers K
I prefer|like|love|enjoy|adore|favor|favour K => I prefers K
T prefer|love|favor|favour|enjoy|like K => T prefers K
I be … fan of K => I prefers K
I be into|keen_on|big_on K => I prefers K
I be … fond of K => I prefers K
I be … partial to O => I prefers O
T be my|our favorite|favourite|go-to|preferred => I prefers T
I hate|dislike|detest|despise|loathe|veto|reject K => I rejects K
T hate|dislike|detest|despise|loathe|reject K => T rejects K
I rule out O => I rejects O
I decide against O => I rejects O
I vote against O => I rejects O
I turn down O => I rejects O
I stand|tolerate! K => I rejects K +
I want! K . => I rejects K +
I be against K => I rejects K
I care! for K => I rejects K +
I be allergic to K => I rejects K
I be sick|tired of K => I rejects K
I be fed up_with O => I rejects O
S avoid K => S avoids K
I stay|steer|keep|shy away_from|clear_of O => I avoids O

T conflict|clash|interfere with O => T conflicts_with O
T be incompatible with O => T conflicts_with O
T be compatible! with O => T conflicts_with O +
T work|play|cooperate! … with O => T conflicts_with O +

I deploy|ship|release|publish|push|upload O to|on|onto N => O deploys_to N
I deploy|ship|publish|release to|on N => I deploys_to N
T deploy|ship to N => T deploys_to N
D ship.p|push.p|upload.p|publish.p|send.p|forward.p|export.p|stream.p to|into N => T connects_to N
T deploy.p|ship.p|publish.p|release.p|push.p|upload.p to|on|onto N => T deploys_to N
T host.p|serve.p on|at|by|with|in|from N => T runs_on N
I host|run|serve O on|in|under|at|with Q => O runs_on Q
T run on|in|under|atop|inside N => T runs_on N
I run on|under N => I runs_on N
I run Q => I uses Q
T run Q => T uses Q
T live on N => T runs_on N

T be … part|member|component|module|submodule|maintainer|author|creator|lead|owner|founder|head of O => T part_of O
I be … part|member|maintainer|author|creator|lead|owner|founder|head of O => I part_of O
T belong to O => T part_of O
T live|reside|sit in|under|inside|within O => T part_of O
I work on J => I part_of J
T work on O => T part_of O
S work at|for N => S part_of N
S join N => S part_of N
S work in|on G => S part_of G
S join G => S part_of G
I be on|in G => I part_of G
T be in|under|inside M => T part_of M
T be on|in G => T part_of G
S contribute to N => S part_of N
I maintain|lead J => I part_of J
T own O => T contains O
T maintain|lead|manage O => T part_of O
S be responsible for J => S part_of J
T contain|include|bundle|comprise|incorporate O => T contains O
T consist of O => T contains O
T have L => T contains L
T compose.p|make.p of|up_of O => T contains O
T ship|come with O => T contains O
T include.p|bundle.p in|with|into O => O contains T

T be … same as O => T equivalent_to O
T be … alias|synonym|nickname|shorthand|abbreviation|name|codename for|of O => T equivalent_to O
T be short for O => T equivalent_to O
T stand for O => T equivalent_to O
T mean O => T equivalent_to O
T be equivalent|identical to O => T equivalent_to O
T be aka O => T equivalent_to O
T call.p|name.p|codename.p X => T equivalent_to X
T know.p as N => T equivalent_to N

T implement|satisfy O => T implements O
T follow|support|speak|expose|provide Z => T implements Z
T conform|comply|adhere to|with O => T implements O
T speak N => T implements N
T be … implementation of O => T implements O
T implement.p by|in O => O implements T

C live|sit|be in|at|under O => C configured_with O
T read|load|take … config|configuration|settings|options from O => T configured_with O
T configure.p with|in|via|through|using|by|from O => T configured_with O
T set.p up_with|up_in|up_via|up_through|up_using O => T configured_with O
I configure O with|in|via|through|using P => O configured_with P
I set up O via|through|using Q => O configured_with Q

S connect|reconnect to|with N => S connects_to N
T connect|talk|speak|communicate|interface|integrate|sync|hook to|with|into O => T connects_to O
T connect.p|link.p|hook.p|integrate.p|sync.p to|with|into|up_to O => T connects_to O
T read|consume|fetch|pull|import|stream|load from O => T connects_to O
T write|log|publish|send|push|forward|report|stream|export|emit to O => T connects_to O
T pull|fetch|read|import|consume|receive|grab ~from P => T connects_to P
T send|push|write|publish|forward|stream|export|report|ship ~to P => T connects_to P
T query|call|poll|hit|invoke N => T connects_to N
T query|call|poll|hit|invoke O => T connects_to O
T authenticate against|with O => T connects_to O
T sync ~with|to O => T connects_to O
T post|upload ~to O => T connects_to O
T subscribe|listen to O => T connects_to O
D go|flow|end to|into|up_in N => T connects_to N
T send.p|push.p|forward.p|write.p|ship.p|export.p|stream.p to N => T connects_to N

T generate|produce|output|render|emit O => T generates O
T compile|convert|transform ~into|to|down_to O => T generates O
T compile to|into|down_to O => T generates O
T generate.p|produce.p|render.p|create.p|build.p|emit.p|write.p by|from|with|using O => O generates T
I generate O with|from|using|via P => P generates O

T test.p|cover.p|verify.p|validate.p|check.p with|by|using|in O => T tested_by O
I test O with|using|in|via|by P => O tested_by P
T test|cover O => O tested_by T
"""


@dataclass(frozen=True, slots=True)
class Effect:
    """One triple to be made: slots or "I" at its ends; `sign` −1 denies; `fixed` ignores the clause's negation.

    One that is `new` holds only where the clause says "now".
    """

    subject: str
    predicate: str
    object: str
    sign: int = 1
    fixed: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """One wording of a verb and what it states."""

    subject: str
    elements: tuple[str, ...]
    effects: tuple[Effect, ...]
    goes_on: bool = False
    wants_denial: bool = False


def _effect(text: str) -> Effect:
    subject, predicate, target, *sign = text.split()
    return Effect(subject, predicate, target, -1 if sign == ["-"] else 1, sign == ["+"], sign == ["now"])


def _frames(line: str) -> list[tuple[tuple[str, bool], Frame]]:
    """The frames of one line, one for each verb in it, under (base, passive)."""
    pattern, effects = line.split(" => ")
    subject, verbs, *elements = pattern.split()
    frame = Frame(
        subject.lstrip("+"),
        tuple(elements),
        tuple(_effect(effect) for effect in effects.split(", ")),
        subject.startswith("+"),
        verbs.endswith("!"),
    )
    heads = [(verb.rstrip("!").removesuffix(".p"), verb.rstrip("!").endswith(".p")) for verb in verbs.split("|")]
    if heads[0] == ("be", False) and not frame.wants_denial and elements and elements[0].endswith("!"):
        frame = Frame(frame.subject, (elements[0].rstrip("!"), *elements[1:]), frame.effects, frame.goes_on, True)
    return [(head, frame) for head in heads]


def _indexed() -> dict[tuple[str, bool], tuple[Frame, ...]]:
    index: dict[tuple[str, bool], tuple[Frame, ...]] = {}
    for line in filter(None, _TABLE.splitlines()):
        for head, frame in _frames(line):
            index[head] = (*index.get(head, ()), frame)
    return index


FRAMES: Final = _indexed()
"""(base of the verb, passive) → its frames in the order of the table."""

HEADS: Final = frozenset(base for base, _ in FRAMES)
"""Every verb that may state a relation."""
