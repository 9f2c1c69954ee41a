"""How two memories differ, printed: facts and profile entries by what happened to them, and the lines of both files."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from serving.cli.printing import counted, note, one_line, plain, say, say_json

if TYPE_CHECKING:
    from hymem.difference import EdgeChange, EntryChange, MemoryDiff


def tell_difference(diff: "MemoryDiff", as_json: bool) -> None:
    """Print what is another."""
    if as_json:
        say_json(diff_as_json(diff))
        return
    lines = [*_facts(diff), *_profile(diff), *_told(diff), *_insights(diff), *_files(diff)]
    say("\n".join(lines).strip() if lines else "No difference.")
    if diff.waiting:
        note(f"{counted(diff.waiting, 'question')} would be asked by a dream, and their answers are not in this.")


def diff_as_json(diff: "MemoryDiff") -> dict[str, object]:
    """What is another, as `--json` tells it."""
    from serving.recall.facts import sentence

    edges = [{**plain(change), "sentence": sentence(change.edge)} for change in diff.edges]
    return {**plain(diff), "edges": edges}


def _facts(diff: "MemoryDiff") -> Iterator[str]:
    told = ""
    for change in diff.edges:
        if change.kind != told:
            told = change.kind
            yield from ("", f"Facts {told}")
        yield from _fact(change)


def _fact(change: "EdgeChange") -> Iterator[str]:
    from serving.recall.facts import sentence

    derived = ", derived" if change.edge.derived else ""
    yield f"  {one_line(sentence(change.edge))}  ({_numbers(change)}{derived})"
    yield from (f"      {one_line(reason, 120)}" for reason in change.reasons)


def _profile(diff: "MemoryDiff") -> Iterator[str]:
    told = ""
    for change in diff.profile:
        if change.kind != told:
            told = change.kind
            yield from ("", f"Profile entries {told}")
        entry = change.entry
        yield f"  {one_line(entry.peer_id, 40)}, {entry.kind}: {one_line(entry.statement)}  ({_numbers(change)})"
        yield from (f"      {one_line(reason, 120)}" for reason in change.reasons)


def _numbers(change: "EdgeChange | EntryChange") -> str:
    """The confidence before and after."""
    sides = [f"{side.confidence:.3f}" for side in (change.before, change.after) if side is not None]
    return " → ".join(dict.fromkeys(sides))


def _told(diff: "MemoryDiff") -> Iterator[str]:
    kind = ""
    for change in diff.told:
        if change.kind != kind:
            kind = change.kind
            yield from ("", f"Told facts {kind}")
        sides = [f"{side.trust_score:.2f}" for side in (change.before, change.after) if side is not None]
        yield f"  {one_line(change.fact.content)}  (trust {' → '.join(dict.fromkeys(sides))})"
        if change.before and change.after and change.before.content != change.after.content:
            yield f"      it was: {one_line(change.before.content)}"


def _insights(diff: "MemoryDiff") -> Iterator[str]:
    if diff.insights_added or diff.insights_removed:
        yield from ("", "Insights")
    yield from (f"  - {one_line(line.statement)}" for line in diff.insights_removed)
    yield from (f"  + {one_line(line.statement)}" for line in diff.insights_added)


def _files(diff: "MemoryDiff") -> Iterator[str]:
    told = ""
    for change in diff.lines:
        if change.file != told:
            told = change.file
            yield from ("", told)
        yield f"  {'+' if change.added else '-'} {one_line(change.line, 120)}"
