"""What is known of a peer, through its own eyes, another's or a scope's: its representation, its card, and both together."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store.cards import write_card
from hymem.store.peers import read_peer
from serving.honcho import answers, shapes
from serving.honcho.asking import Name, Open, WorkspaceId, peer_name
from serving.honcho.errors import Refusal
from serving.honcho.models import CardWritten, PeerContextAsked, Recalled, RepresentationAsked
from serving.honcho.participants import know
from serving.honcho.perspective import perspective
from serving.honcho.representation import MOST, Choice, card, representation
from serving.honcho.session_context import Target, known_of
from serving.honcho.summaries import says
from serving.workspaces import Workspaces

router = APIRouter(prefix="/workspaces/{workspace_id}/peers/{peer_id}", tags=["peers"])

AboutPeer = Annotated[str | None, Query(alias="target", min_length=1, max_length=512)]


@router.post("/representation", response_model=answers.Representation)
def get_representation(
    workspace_id: WorkspaceId, peer_id: Name, body: RepresentationAsked, workspaces: Open
) -> Response:
    """What is concluded of a peer, or by it of a target, as Markdown; "" for nothing, as for peers that are not there."""
    target = _asked_of(peer_id, body)
    if not workspaces.has(workspace_id):
        return shapes.answer({"representation": ""})
    with perspective(
        workspaces, workspace_id, target.observer, target.observed, sessions=target.sessions, scopes=target.scopes
    ) as seen:
        told = representation(seen, choice(body, bool(body.include_most_frequent)))
    return shapes.answer({"representation": told})


@router.get("/card", response_model=answers.Card)
def get_card(workspace_id: WorkspaceId, peer_id: Name, workspaces: Open, target: AboutPeer = None) -> Response:
    """The card that a peer keeps of itself, or of a target: as somebody wrote it, else what the profile says."""
    _need(workspaces, workspace_id, peer_name(peer_id))
    with perspective(workspaces, workspace_id, peer_id, peer_name(target or peer_id)) as seen:
        with seen.ledger.reading() as connection:
            generate = says(connection, None, "peer_card", "create")
        return shapes.answer({"peer_card": card(seen, generate=generate)})


@router.put("/card", response_model=answers.Card)
def set_card(
    workspace_id: WorkspaceId, peer_id: Name, body: CardWritten, workspaces: Open, target: AboutPeer = None
) -> Response:
    """Write the card anew; both peers are made where there are none of these names."""
    now, observed = workspaces.clock(), peer_name(target or peer_id)
    with workspaces.use(workspace_id, create=True) as memory:
        lines = [memory.stored_form(line.replace("\x00", "")) for line in body.peer_card]
        with memory.writing() as connection:
            for name in dict.fromkeys((peer_name(peer_id), observed)):
                know(connection, name, now)
            write_card(connection, peer_id, observed, lines, now)
    return shapes.answer({"peer_card": lines})


@router.get("/context", response_model=answers.PeerContext)
def get_context(
    workspace_id: WorkspaceId, peer_id: Name, workspaces: Open, asked: Annotated[PeerContextAsked, Query()]
) -> Response:
    """Representation and card together; 404 where there is no such peer."""
    observed = peer_name(asked.target or peer_id)
    _need(workspaces, workspace_id, peer_name(peer_id))
    known = known_of(workspaces, workspace_id, Target(observed, peer_id), choice(asked, asked.include_most_frequent))
    told = {"representation": known.representation, "peer_card": known.card}
    return shapes.answer({"peer_id": peer_id, "target_id": observed, **told})


def choice(asked: Recalled, most_frequent: bool) -> Choice:
    """Which conclusions a request asks for."""
    most = asked.max_conclusions or MOST
    return Choice(asked.search_query, asked.search_top_k, most_frequent, most, asked.search_max_distance)


def _asked_of(peer_id: str, body: RepresentationAsked) -> Target:
    scopes = (body.scope,) if isinstance(body.scope, str) else tuple(body.scope or ())
    limits = [
        sessions for sessions in (body.filters and body.filters.sessions, _one(body.session_id)) if sessions is not None
    ]
    if scopes and limits:
        raise Refusal(422, "scope excludes session_id and filters: a scope names its sessions itself")
    sessions = tuple(sorted(set.intersection(*map(set, limits)))) if limits else None
    return Target(peer_name(body.target or peer_id), peer_name(peer_id), sessions, scopes)


def _one(session_id: str | None) -> list[str] | None:
    return None if session_id is None else [session_id]


def _need(workspaces: Workspaces, workspace_id: str, peer_id: str) -> None:
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        if read_peer(connection, peer_id) is None:
            raise UnknownError(f"no peer {peer_id!r}")
