"""`hymem audit`: what memory holds twice, without support, against itself, stale, secret or astray."""

from typing import TYPE_CHECKING

import click

from serving.cli.options import command, json_option, opened_memory
from serving.cli.printing import minute, one_line, plain, say, say_json, say_table

if TYPE_CHECKING:
    from serving.audit import Audit


@command("hymem audit", "hymem audit --examples 20 --json")
@click.option("--examples", default=3, show_default=True, type=click.IntRange(min=0), help="To show of each, at most.")
@json_option
def audit(examples: int, as_json: bool) -> None:
    """Tell how far memory can be relied on.

    Counted are entities and facts that stand there twice, facts that nothing supports, contradictions, stale facts, secrets in
    what was said, and what nothing leads to; then how the graph stood after the last ten dreams that changed it. Secrets are told
    by kind and place only. Nothing is changed; `hymem doctor` tells whether memory works at all.
    """
    from serving.audit import audited

    with opened_memory() as memory:
        found = audited(memory, examples)
    if as_json:
        trend = [{**plain(counts), "stale_share": counts.stale_share} for counts in found.trend]
        say_json({**plain(found), "trend": trend})
    else:
        _tell(found)


def _tell(found: "Audit") -> None:
    for concern in found.concerns:
        say(f"{concern.count:>6}  {concern.name}")
        for example in concern.examples:
            say(f"{'':8}{one_line(example)}")
        if concern.remedy:
            say(f"{'':8}→ {concern.remedy}")
    say(f"\n{found.stale_share:.0%} of the facts in force are stale\n")
    told = [
        (minute(one.dreamt_at), one.active, one.stale, f"{one.stale_share:.0%}", one.retracted) for one in found.trend
    ]
    say_table(("after the dream of", "active", "stale", "share", "retracted"), told)
