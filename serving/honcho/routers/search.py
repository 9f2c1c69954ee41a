"""Search: messages of a workspace, a peer or a session that bear on a text, each with the reasons for which it was found.

Words find a message as soon as it is told, meaning what a dream has embedded. In a session, a message is also found where it
states a fact that answers the text in other words.
"""

from collections.abc import Mapping, Sequence

from fastapi import APIRouter
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store.conversation import count_the_uncounted, messages_named
from hymem.store.filters import SEARCHED
from hymem.store.graph import messages_stating
from hymem.store.scopes import PREFIX, is_scope
from hymem.store.session_peers import heard_by
from hymem.store.where import Where
from hymem.vocabulary import verb_phrase
from serving.honcho import answers, shapes
from serving.honcho.answering import undeleted
from serving.honcho.asking import Name, Open, WorkspaceId, peer_name, where
from serving.honcho.errors import Refusal
from serving.honcho.models import Search, WorkspaceSearch
from serving.memory import HyMem
from serving.recall.facts import GraphFact
from serving.recall.ranker import RECENCY

router = APIRouter(prefix="/workspaces/{workspace_id}", tags=["search"])

Reasons = dict[str, list[str]]


@router.post("/search", response_model=list[answers.Message])
def search_workspace(workspace_id: WorkspaceId, body: WorkspaceSearch, workspaces: Open) -> Response:
    """Messages of a workspace, the best first; with `peer_perspective` among the filters, those that a peer heard."""
    condition = _condition(workspace_id, body)
    if body.scope is not None:
        if "session_id" in (body.filters or {}):
            raise Refusal(422, "scope and filters.session_id exclude each other: a scope names its sessions itself")
        heard = heard_by(PREFIX + body.scope)
        condition = condition.also(heard.condition, **heard.parameters)
    if not workspaces.has(workspace_id):
        return shapes.answer([])
    with workspaces.use(workspace_id) as memory:
        _need_scope(memory, body.scope)
        return _found(memory, workspace_id, body, condition)


@router.post("/peers/{peer_id}/search", response_model=list[answers.Message])
def search_peer(workspace_id: WorkspaceId, peer_id: Name, body: Search, workspaces: Open) -> Response:
    """Messages that a peer said, in whatever session, the best first."""
    condition = _condition(workspace_id, body).also("m.peer_id = :of_peer", of_peer=peer_name(peer_id))
    if not workspaces.has(workspace_id):
        return shapes.answer([])
    with workspaces.use(workspace_id) as memory:
        return _found(memory, workspace_id, body, condition)


@router.post("/sessions/{session_id}/search", response_model=list[answers.Message])
def search_session(workspace_id: WorkspaceId, session_id: Name, body: Search, workspaces: Open) -> Response:
    """Messages of a session, the best first; after them those that state what answers the text, with `metadata.facts`."""
    condition = _condition(workspace_id, body).also("m.session_id = :of_session", of_session=session_id)
    if not workspaces.has(workspace_id):
        return shapes.answer([])
    with workspaces.use(workspace_id) as memory:
        return _found(memory, workspace_id, body, condition, graph=True)


def _condition(workspace_id: str, body: Search) -> Where:
    return where(body, SEARCHED(workspace_id))


def _found(memory: HyMem, workspace_id: str, body: Search, condition: Where, *, graph: bool = False) -> Response:
    """The messages for which a condition holds; where somebody's ears are asked for, what else was said plays no part."""
    if "m.token_count" in condition.condition:
        with memory.writing() as connection:
            count_the_uncounted(connection)
    hits = memory.search(body.query, limit=body.limit, where=condition, sealed="session_peers" in condition.condition)
    why = {hit.message.message_id: {"why": list(hit.why_retrieved)} for hit in hits}
    answering = undeleted(memory.graph_facts(body.query), memory) if graph and body.query.strip() else ()
    facts = [fact for fact in answering if _answers(fact)]
    with memory.reading() as connection:
        if facts:
            _add_facts(why, facts, messages_stating(connection, [fact.edge.edge_id for fact in facts], condition))
        names = list(why)[: body.limit]
        records = messages_named(connection, names)
    told = [(shapes.message(workspace_id, records[name]), why[name]) for name in names if name in records]
    return shapes.answer([{**message, "metadata": {**message["metadata"], **reasons}} for message, reasons in told])


def _answers(fact: GraphFact) -> bool:
    """Whether a fact was said, and bears on the question rather than being the last that was learnt."""
    return not fact.derived and RECENCY not in fact.why_retrieved


def _add_facts(why: dict[str, Reasons], facts: Sequence[GraphFact], stating: Sequence[tuple[int, str]]) -> None:
    """Put facts beside the messages that state them, and those messages that words did not find at the end.

    A fact is told as the message says it, and without how recent it is: what other sessions say of it is not this one's.
    """
    by_edge: Mapping[int, GraphFact] = {fact.edge.edge_id: fact for fact in facts}
    for edge_id, message_id in stating:
        fact = by_edge[edge_id]
        reasons = [reason for reason in fact.why_retrieved if not reason.startswith("recency_")]
        there = why.setdefault(message_id, {"why": reasons})
        there.setdefault("facts", []).append(f"{fact.subject} {verb_phrase(fact.predicate)} {fact.object}")


def _need_scope(memory: HyMem, scope_id: str | None) -> None:
    if scope_id is None:
        return
    with memory.reading() as connection:
        if not is_scope(connection, scope_id):
            raise UnknownError(f"no scope {scope_id!r}")
