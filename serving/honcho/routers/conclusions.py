"""Conclusions: those that clients write down and those that memory draws; add, list, seek, look at, delete."""

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store import conclusions
from hymem.store.acts import record_feedback
from hymem.store.connection import Connection
from hymem.store.filters import CONCLUSIONS
from hymem.store.graph import edges_by_id
from hymem.store.pages import Page
from hymem.store.peers import read_peer
from hymem.store.sessions import read_session
from hymem.tokens import count_tokens
from serving.honcho import answers, shapes
from serving.honcho.asking import Asked, Name, Open, Which, WorkspaceId, peer_name, where
from serving.honcho.concluding import wishes_reading
from serving.honcho.drawing import drawn_as, drawn_for, named_pair
from serving.honcho.errors import Refusal
from serving.honcho.models import ConclusionCreate, ConclusionsCreate, ConclusionsQuery
from serving.honcho.nearness import within
from serving.honcho.perspective import perspective
from serving.honcho.relevance import by_relevance

router = APIRouter(prefix="/workspaces/{workspace_id}/conclusions", tags=["conclusions"])
TOKENS = 8192
MOST_SOUGHT = 100


@router.post("", status_code=201, response_model=list[answers.Conclusion])
def create_conclusions(workspace_id: WorkspaceId, body: ConclusionsCreate, workspaces: Open) -> Response:
    """Write conclusions down; they stay through every dream until somebody deletes them."""
    for told in body.conclusions:
        if count_tokens(told.content.encode("utf-8", "replace").decode()) > TOKENS:
            raise Refusal(422, f"a conclusion has at most {TOKENS} tokens")
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        _need_all(connection, body.conclusions)
        new = [
            conclusions.NewConclusion(
                memory.stored_form(told.content), told.observer_id, told.observed_id, told.session_id
            )
            for told in body.conclusions
        ]
        records = conclusions.add_conclusions(connection, new, workspaces.clock())
    return shapes.answer([shapes.conclusion(record) for record in records], 201)


@router.post("/list", response_model=answers.NumberedPage[answers.Conclusion] | answers.CursorPage[answers.Conclusion])
def list_conclusions(workspace_id: WorkspaceId, workspaces: Open, asked: Asked, body: Which = None) -> Response:
    """Conclusions, the newest first: one peer's view of another where filters name both, else what memory holds of each."""
    condition = where(body, CONCLUSIONS(workspace_id))
    found, records = Page([], 0), []
    if workspaces.has(workspace_id):
        drawn = drawn_for(workspaces, workspace_id, body.filters if body else None)
        with workspaces.use(workspace_id) as memory, memory.reading() as connection:
            found, records = conclusions.list_conclusions(connection, condition, asked, drawn)
    return shapes.page(found, records, shapes.conclusion, asked)


@router.post("/query", response_model=list[answers.Conclusion])
def query_conclusions(workspace_id: WorkspaceId, body: ConclusionsQuery, workspaces: Open) -> Response:
    """The conclusions of one peer about another that bear on a text, the best first."""
    condition = where(body, CONCLUSIONS(workspace_id))
    observer, observed = named_pair(body.filters)
    if observer is None or observed is None:
        raise Refusal(422, "filters must name observer_id and observed_id: whose view of whom")
    with perspective(workspaces, workspace_id, observer, observed) as seen:
        with seen.ledger.reading() as connection:
            records = conclusions.conclusions_where(connection, condition, seen.conclusions())
        found = by_relevance(seen, body.query, records, MOST_SOUGHT)
        near = within(seen.ledger.embedder, body.query, found, body.distance)
    return shapes.answer([shapes.conclusion(record) for record in near[: body.top_k]])


@router.get("/{conclusion_id}", response_model=answers.Conclusion)
def get_conclusion(workspace_id: WorkspaceId, conclusion_id: Name, workspaces: Open) -> Response:
    """One conclusion."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        record = conclusions.read_conclusion(connection, conclusion_id)
    record = record or drawn_as(workspaces, workspace_id, conclusion_id)
    if record is None:
        raise UnknownError(f"no conclusion {conclusion_id!r}")
    return shapes.answer(shapes.conclusion(record))


@router.delete("/{conclusion_id}", status_code=204, response_class=Response)
def delete_conclusion(workspace_id: WorkspaceId, conclusion_id: Name, workspaces: Open) -> Response:
    """Take a conclusion back. What memory concludes stays away through every dream, until it is said anew."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        if conclusions.delete_conclusion(connection, conclusion_id):
            return shapes.nothing()
    drawn = drawn_as(workspaces, workspace_id, conclusion_id)
    if drawn is None:
        raise UnknownError(f"no conclusion {conclusion_id!r}")
    what, now = int(conclusion_id[:16], 16), workspaces.clock()
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        for each in (what, *wishes_reading(connection, drawn.observed_id, drawn.content)):
            conclusions.note_deletion(connection, each, now)
        for edge in edges_by_id(connection, [what]).values():
            record_feedback(connection, "retract", edge.subject, edge.predicate, edge.object, None, now)
    return shapes.nothing()


def _need_all(connection: Connection, told: Sequence[ConclusionCreate]) -> None:
    for peer in dict.fromkeys(name for one in told for name in (one.observer_id, one.observed_id)):
        if read_peer(connection, peer_name(peer)) is None:
            raise UnknownError(f"no peer {peer!r}")
    for session in dict.fromkeys(one.session_id for one in told if one.session_id is not None):
        if read_session(connection, session) is None:
            raise UnknownError(f"no session {session!r}")
