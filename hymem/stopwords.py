"""Words that tell nothing of what a text is about, in English and in Dutch: what a question is built of.

In a large corpus they are known by being everywhere; a small one has too few texts to tell.
"""

from typing import Final

_ENGLISH: Final = """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did didn do does doesn doing don down during each either else ever few for from further get give given had
has have having he her here hers herself him himself his how i if in into is isn it its itself just ll let like m many
may me might mine more most much must my myself no nor not now of off often on once one only or other our ours ourselves
out over own please re s said same say says shall she should so some such t tell than that the their theirs them
themselves then there these they this those through to too under until up upon us ve very was wasn we were what when
where which while who whom whose why will with within without won would yes yet you your yours yourself
"""
_DUTCH: Final = """
aan al als ben bij dan dat de deze die dit doen door een en er ga geen had hadden hebben hebt heeft het hij hoe hun ik
in is je jij jou jouw kan kun kunnen maar me meer met mij mijn naar niet nog nu of om omdat ons onze ook op over te tot
u uit uw van veel voor waar waarom wanneer waren was wat we welk welke wel werd wie wij word worden wordt zal ze zich
zij zijn zo zou
"""
STOP_WORDS: Final = frozenset(f"{_ENGLISH} {_DUTCH}".split())
