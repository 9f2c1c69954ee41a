"""From markers to the profile: what each peer wants, rejects, corrects, and how they like things done.

An entry is one statement of one kind by one peer, however it is capitalized or ended. A preference and a rejection of the same
thing are two entries, and each counts against the other.
"""

import numpy as np
import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.rows import Chunk, KeyedMarker, Marker, ProfileEntry, ProfileEvidence
from dataflows.tables import Table, each, shaped, stacked, table
from hymem.confidence import smoothed_confidence
from hymem.digests import entry_id
from hymem.profile import normalized_statement
from hymem.statements import as_statement
from hymem.vocabulary import DEFAULT_PEERS, OPPOSING_MARKERS

_DAY = pd.Timedelta(days=1)


def keyed_markers(behavioral_markers: Table[Marker], chunks: Table[Chunk]) -> Table[KeyedMarker]:
    """The markers, once for each chunk that makes a statement, with the entry they speak for and the thing it is about."""
    said = behavioral_markers.merge(chunks[["chunk_id", "said_at"]], on="chunk_id")
    topics = [normalized_statement(statement) for statement in said.statement]
    keyed = said.assign(
        topic=pd.Series(topics, dtype="str"),
        entry_id=pd.Series(
            [entry_id(*key) for key in zip(said.peer_id, said.kind, topics, strict=True)], dtype="int64"
        ),
    )
    ordered = keyed[keyed.topic != ""].sort_values(["entry_id", "chunk_id", "position"])
    return shaped(KeyedMarker, ordered.drop_duplicates(["entry_id", "chunk_id"]))


@tag(table="profile_evidence")
def profile_evidence(keyed_markers: Table[KeyedMarker]) -> Table[ProfileEvidence]:
    """Which markers speak for each entry, and which of the opposite kind speak against it."""
    opposite = keyed_markers.assign(kind=keyed_markers.kind.map(OPPOSING_MARKERS).astype("str"))
    entries = keyed_markers[["peer_id", "kind", "topic", "entry_id"]].drop_duplicates()
    against = opposite.drop(columns="entry_id").merge(entries, on=["peer_id", "kind", "topic"])
    together = stacked(ProfileEvidence, keyed_markers.assign(polarity=1), against.assign(polarity=-1))
    ordered = together.sort_values(["entry_id", "chunk_id", "position"])
    return shaped(ProfileEvidence, ordered.drop_duplicates(["entry_id", "chunk_id", "position"]))


@tag(table="profile_entries")
def profile_entries(keyed_markers: Table[KeyedMarker], profile_evidence: Table[ProfileEvidence]) -> Table[ProfileEntry]:
    """The entries, each in the words of its newest marker."""
    if keyed_markers.empty:
        return table(ProfileEntry)
    newest = keyed_markers.sort_values(["entry_id", "said_at", "chunk_id"]).drop_duplicates("entry_id", keep="last")
    seen = keyed_markers.groupby("entry_id").said_at.agg(first_seen="min", last_seen="max")
    counts = profile_evidence.groupby(["entry_id", "polarity"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=[1, -1], fill_value=0).rename(columns={1: "pos_evidence", -1: "neg_evidence"})
    entries = newest.merge(seen, left_on="entry_id", right_index=True).merge(
        counts, left_on="entry_id", right_index=True
    )
    confidence = smoothed_confidence(entries.pos_evidence, entries.neg_evidence)
    return shaped(ProfileEntry, entries.assign(confidence=confidence).sort_values("entry_id"))


def shown_entries(
    profile_entries: Table[ProfileEntry],
    profile_max_entries: int,
    graph_recency_half_life_days: float,
    now: pd.Timestamp,
) -> Table[ProfileEntry]:
    """The entries for USER.md: those with the highest confidence × recency."""
    # log(confidence · exp(-age / scale)) without `now`, which shifts all alike: so the order does not change with time
    last = profile_entries.last_seen.where(profile_entries.last_seen <= now, now)
    age = (pd.Timestamp("1970-01-01") - last) / _DAY
    standing = np.log(profile_entries.confidence) - age / graph_recency_half_life_days
    believed = profile_entries.assign(standing=standing)[profile_entries.confidence >= 0.5]
    ordered = believed.sort_values(["standing", "entry_id"], ascending=[False, True])
    return shaped(ProfileEntry, ordered.head(profile_max_entries))


def user_section(shown_entries: Table[ProfileEntry]) -> str:
    """The managed section of USER.md: the default user's entries, then those of every named peer, by kind."""
    default = DEFAULT_PEERS["user"]
    peers = sorted(shown_entries.peer_id.unique(), key=lambda peer: (peer != default, peer))
    cards = [_card(shown_entries[shown_entries.peer_id == peer], "" if peer == default else peer) for peer in peers]
    return "\n\n".join(["## Profile", *cards]) if cards else "## Profile\n\nNothing learnt yet."


def _card(entries: pd.DataFrame, peer: str) -> str:
    lines = [f"### {as_statement(peer)}", ""] if peer else []
    for entry in each(entries):
        lines.append(f"- **{entry.kind}**: {as_statement(entry.statement)}")
    return "\n".join(lines)
