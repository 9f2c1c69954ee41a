"""How far an erasure reaches: from the message, session, peer or entity that is named to everything that must go with it.

An entity is forgotten with the messages that name it. What is left of a message when a name is cut out still tells of the thing
("it runs on port 5432"), and would be asked about again; so the whole message goes, after a preview that shows which.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from hymem.aliases import Aliases
from hymem.canonical import canonical_name
from hymem.errors import UnknownError
from hymem.mentions import NameFinder
from hymem.store.acts import alias_acts
from hymem.store.connection import Connection
from hymem.store.erasure import Erasure, texts_left, texts_of


def erasure_of_message(connection: Connection, message_id: str) -> Erasure:
    """A message, and the names that only it told."""
    found = connection.execute("select seq from messages where message_id = ?", (message_id,)).fetchall()
    if not found:
        raise UnknownError(f"no message {message_id!r}: `hymem show messages` lists them")
    return _reaching(connection, Erasure(frozenset({found[0][0]})))


def erasure_of_messages(connection: Connection, seqs: Iterable[int]) -> Erasure:
    """Messages by their numbers, and the names that only they told."""
    return _reaching(connection, Erasure(frozenset(seqs)))


def erasure_of_session(connection: Connection, session_id: str) -> Erasure:
    """A session with its messages, and the names that only they told."""
    if not connection.execute("select 1 from sessions where session_id = ?", (session_id,)).fetchall():
        raise UnknownError(f"no session {session_id!r}: `hymem show messages` lists what there is")
    seqs = connection.execute("select seq from messages where session_id = ?", (session_id,))
    return _reaching(connection, Erasure(frozenset(seq for (seq,) in seqs), sessions=frozenset({session_id})))


def erasure_of_peer(connection: Connection, peer_id: str) -> Erasure:
    """A peer with everything that it said, the sessions in which nobody else spoke, and the names that only it told."""
    if not connection.execute("select 1 from peers where peer_id = ?", (peer_id,)).fetchall():
        known = ", ".join(name for (name,) in connection.execute("select peer_id from peers order by peer_id limit 20"))
        raise UnknownError(f"no peer {peer_id!r}; there are {known or 'none'}")
    seqs = frozenset(seq for (seq,) in connection.execute("select seq from messages where peer_id = ?", (peer_id,)))
    alone = connection.execute(
        "select session_id from messages group by session_id having min(peer_id = ?)", (peer_id,)
    ).fetchall()
    erasure = Erasure(seqs, frozenset(session for (session,) in alone), frozenset({peer_id}))
    return _reaching(connection, erasure)


def erasure_of_entity(connection: Connection, name: str) -> Erasure:
    """An entity with all its names, and every message that names it or was read as telling of it."""
    names = _names_of(connection, canonical_name(name))
    finder = NameFinder(names)
    said = connection.execute("select seq, content, metadata from messages")
    naming = {seq for seq, content, metadata in said if finder.find(content) or finder.find(metadata)}
    erasure = Erasure(frozenset(naming | _read_as_telling(connection, names)), names=names)
    if not erasure.seqs and not _is_known(connection, erasure):
        raise UnknownError(f"nothing tells of {name!r}: `hymem show entities` lists what is known")
    return _reaching(connection, erasure)


def erasure_of_fact(connection: Connection, number: str) -> Erasure:
    """A told fact, removed or not, with all that was said of it; the message that told it stays."""
    found = connection.execute("select fact_id from facts_told where cast(fact_id as text) = ?", (number,)).fetchall()
    if not found:
        raise UnknownError(f"there is no told fact {number}: `hymem show facts` lists them")
    return Erasure(facts=frozenset({found[0][0]}))


def labels_left(connection: Connection, erasure: Erasure) -> list[str]:
    """Sessions and peers that stay and whose id or metadata tells one of the names: labels that clients gave."""
    found = connection.execute(
        """
        select 'session', session_id, metadata, '' from sessions
        union all
        select 'peer', peer_id, metadata, configuration from peers
        """
    )
    return [f"{kind} {label}" for kind, label, *more in found if erasure.is_told(label, *more)]


def _reaching(connection: Connection, erasure: Erasure) -> Erasure:
    edges = frozenset(_edges_resting_on(connection, erasure.seqs))
    return replace(erasure, edges=edges, names=erasure.names | _names_left_behind(connection, erasure))


def _names_of(connection: Connection, name: str) -> frozenset[str]:
    known = Aliases.replay(alias_acts(connection))
    same = connection.execute(
        "select name from entity_names where entity = (select entity from entity_names where name = ?)", (name,)
    )
    return known.surface_forms(name) | {one for (one,) in same}


def _read_as_telling(connection: Connection, names: Iterable[str]) -> set[int]:
    """The messages whose reply told of the entity though they do not name it: a model knows what "PG" stands for."""
    found = connection.execute(
        """
        with named as (select value from json_each(?))
        select c.message_seq from chunks c join type_claims t using (chunk_id) where t.name in named
        union
        select c.message_seq
        from chunks c join kg_evidence e using (chunk_id) join knowledge_graph g using (edge_id)
        where g.subject in named or g.object in named
        """,
        (json.dumps(sorted(names)),),
    )
    return {seq for (seq,) in found}


def _edges_resting_on(connection: Connection, seqs: Iterable[int]) -> set[int]:
    found = connection.execute(
        """
        with gone as (select value from json_each(?))
        select e.edge_id from kg_evidence e join chunks c using (chunk_id)
        where c.message_seq in gone or c.context_seq in gone
        """,
        (json.dumps(sorted(seqs)),),
    )
    return {edge for (edge,) in found}


def _names_left_behind(connection: Connection, erasure: Erasure) -> frozenset[str]:
    """The names in people's acts that something erased told, and nothing that stays."""
    acts = connection.execute(
        """
        select alias from entity_aliases union select canonical from entity_aliases
        union select subject from extraction_feedback union select object from extraction_feedback
        """
    ).fetchall()
    finder = NameFinder([name for (name,) in acts])
    told = {name for text in texts_of(connection, erasure) for name in finder.find(text)} if acts else set[str]()
    if told:
        finder = NameFinder(told)
        for text in texts_left(connection, erasure):
            told -= finder.find(text)
    return frozenset(told)


def _is_known(connection: Connection, erasure: Erasure) -> bool:
    """Whether people's acts or replies tell the names, though no message does."""
    acts = connection.execute(
        """
        select alias, canonical from entity_aliases
        union all select subject, object from extraction_feedback
        """
    )
    return any(not erasure.names.isdisjoint(ends) for ends in acts) or any(
        erasure.is_told(reply) for (reply,) in connection.execute("select reply from processed_chunks")
    )
