"""From the graph to MEMORY.md: what many things depend on, what is strongly wanted or refused, and what contradicts itself.

Each kind has its share of the lines; shares that are not used go to the others. Only stated edges count.
"""

import json
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.rows import Edge, Insight, RankedInsight, Section
from dataflows.tables import Table, each, frame, shaped, stacked, table
from hymem.decay import RETRACTED
from hymem.statements import as_statement
from hymem.vocabulary import verb_phrase

HUB_CONFIDENCE = 0.6
STRONG_CONFIDENCE = 0.7
SUBJECTS_NAMED = 5
QUOTAS = {"hub": 5, "preference": 4, "contradiction": 3}
"""Lines of each kind among twelve; for another number in proportion."""


def told_edges(knowledge_graph: Table[Edge]) -> Table[Edge]:
    """The stated edges that are not retracted."""
    return shaped(Edge, knowledge_graph[~knowledge_graph.derived & (knowledge_graph.status != RETRACTED)])


def dependency_hubs(told_edges: Table[Edge]) -> Table[Insight]:
    """What two or more things depend on; the more there are, the weightier."""
    strong = told_edges[(told_edges.predicate == "depends_on") & (told_edges.confidence > HUB_CONFIDENCE)]
    strong = strong[strong.pos_evidence > 0].sort_values(
        ["object", "confidence", "subject"], ascending=[True, False, True]
    )
    rows = [
        ("hub", float(len(group)), _hub_line(str(hub), group.subject.tolist()), _ids(group.edge_id))
        for hub, group in strong.groupby("object")
        if len(group) > 1
    ]
    return table(Insight, rows)


def strong_preferences(told_edges: Table[Edge]) -> Table[Insight]:
    """What is preferred, rejected or avoided with confidence."""
    wanted = told_edges[told_edges.predicate.isin(["prefers", "rejects", "avoids"])]
    strong = wanted[(wanted.confidence > STRONG_CONFIDENCE) & (wanted.pos_evidence > 0)]
    rows = [("preference", edge.confidence, _edge_line(edge), _ids([edge.edge_id])) for edge in each(strong)]
    return table(Insight, rows)


def contradictions(told_edges: Table[Edge]) -> Table[Insight]:
    """Edges that are said and denied in so many words; fading is no contradiction."""
    denied = told_edges.neg_evidence - told_edges.decay_windows
    torn = told_edges.assign(denied=denied)[(denied > 0) & (told_edges.pos_evidence > 0)]
    rows = [
        (
            "contradiction",
            float(min(edge.pos_evidence, edge.denied)),
            _conflict_line(edge),
            _ids([edge.edge_id]),
        )
        for edge in each(torn)
    ]
    return table(Insight, rows)


@tag(table="insights")
def insights(
    dependency_hubs: Table[Insight],
    strong_preferences: Table[Insight],
    contradictions: Table[Insight],
    insights_max_entries: int,
) -> Table[RankedInsight]:
    """The lines that are shown, kind by kind, the weightiest of each first."""
    every = stacked(Insight, dependency_hubs, strong_preferences, contradictions)
    order = every.assign(kind_order=every.kind.map({kind: place for place, kind in enumerate(QUOTAS)}).astype("int64"))
    order = order.sort_values(["kind_order", "weight", "statement"], ascending=[True, False, True], ignore_index=True)
    shares = _shares(Counter(order.kind), insights_max_entries)
    shown = order[order.groupby("kind").cumcount() < order.kind.map(shares).astype("int64")]
    return shaped(RankedInsight, shown.assign(rank=np.arange(1, len(shown) + 1)))


def memory_section(insights: Table[RankedInsight]) -> str:
    """The managed section of MEMORY.md."""
    titles = {"hub": "Dependency hubs", "preference": "Preferences and rejections", "contradiction": "Contradictions"}
    parts = ["## What is known"]
    for kind, title in titles.items():
        lines = insights.statement[insights.kind == kind]
        if len(lines):
            parts.append("\n".join([f"### {title}", "", *(f"- {line}" for line in lines)]))
    return "\n\n".join(parts) if len(parts) > 1 else "## What is known\n\nNothing learnt yet."


@tag(table="markdown_sections")
def markdown_sections(user_section: str, memory_section: str) -> Table[Section]:
    """Both managed sections, as they are to be written into the files."""
    return frame(Section, {"section": ["insights", "profile"], "body": [memory_section, user_section]})


def _hub_line(hub: str, subjects: list[str]) -> str:
    named = ", ".join(subjects[:SUBJECTS_NAMED])
    more = len(subjects) - SUBJECTS_NAMED
    return as_statement(f"{hub} is a shared dependency of: {named}" + (f" and {more} more" if more > 0 else ""))


def _edge_line(edge: Any) -> str:
    return as_statement(f"{edge.subject} {verb_phrase(edge.predicate)} {edge.object}")


def _conflict_line(edge: Any) -> str:
    return f"conflicting evidence whether {_edge_line(edge)} ({edge.pos_evidence} for, {edge.denied} against)"


def _ids(edges: pd.Series | list[int]) -> str:
    return json.dumps([int(edge) for edge in edges])


def _shares(counts: Counter[str], limit: int) -> dict[str, int]:
    """How many lines each kind gets: its quota, and then what the others leave, in the quotas' order."""
    total = sum(QUOTAS.values())
    shares = {kind: min(counts[kind], quota * limit // total) for kind, quota in QUOTAS.items()}
    for kind in QUOTAS:
        left = limit - sum(shares.values())
        shares[kind] += min(left, counts[kind] - shares[kind])
    return shares
