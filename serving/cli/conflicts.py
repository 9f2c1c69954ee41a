"""`hymem conflicts`: pairs of facts that cannot both hold, and what to do about them."""

from serving.cli.options import as_of_option, command, json_option, opened_memory
from serving.cli.printing import day, note, one_line, plain, say, say_json


@command("hymem conflicts", "hymem conflicts --json", "hymem conflicts --as-of 2025-03-01")
@as_of_option
@json_option
def conflicts(as_of: str | None, as_json: bool) -> None:
    """List facts that contradict each other, the most believed first.

    Two things where there is room for one, or opposite relations to the same thing. Facts that were retracted or that nobody
    said contradict nothing. `hymem why` tells who said each, and `hymem retract` settles it.
    """
    with opened_memory(as_of=as_of) as memory:
        found = memory.conflicts()
    if as_json:
        say_json([{**plain(one), "sentence": str(one)} for one in found])
        return
    for one in found:
        say(one_line(str(one), 200))
        say(f"    {one_line(one.reason, 200)}")
        for edge in (one.first, one.second):
            named = one_line(f"{edge.subject} {edge.predicate} {edge.object}")
            say(f"    {named}: confidence {edge.confidence:.3f}, last said {day(edge.last_seen)}")
    if not found:
        note("Nothing that is remembered contradicts itself.")
