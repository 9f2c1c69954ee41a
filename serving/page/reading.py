"""What the page asks of a workspace: everything that memory can tell, as of a moment where one is named."""

from dataclasses import asdict
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from hymem.canonical import canonical_or_none
from hymem.store.graph import edges_among, edges_by_id, edges_of, entity_of
from hymem.store.surroundings import edges_at, edges_naming, entities_named, extent
from serving.cli.printing import plain
from serving.honcho.asking import WorkspaceId
from serving.honcho.shapes import answer
from serving.page import shapes
from serving.page.child import told_by
from serving.page.state import Page

router = APIRouter(prefix="/workspaces/{workspace_id}/page", include_in_schema=False)

LISTED: Final = 200
"""Rows of a list, at most."""

DRAWN: Final = 60
"""Edges around an entity that are drawn at most; between them and their neighbours, as many again."""

Text = Annotated[str, Query(max_length=20_000)]
AsOf = Annotated[str | None, Query(max_length=40)]


@router.get("/overview")
def overview(workspace_id: WorkspaceId, page: Page, request: Request) -> Response:
    """How much is remembered, what waits, and how dreams go."""
    with page.seen(workspace_id, None) as memory:
        with memory.reading() as connection:
            found = extent(connection)
        waiting = sum(each.pending + each.in_progress for each in memory.backlogs())
        last = next((shapes.dream(run) for run in memory.runs(1)), None)
        now = memory.now()
    status = request.app.state.server.dream_status(workspace_id)
    dreams = {"state": status.state, "trouble": status.trouble, "failures": status.failures, "dreams": status.dreams}
    return answer({**asdict(found), "waiting": waiting, "last_dream": last, "dreaming": dreams, "now": now})


@router.get("/recall")
def recall(workspace_id: WorkspaceId, page: Page, q: Text, as_of: AsOf = None) -> Response:
    """What an agent would be given that reads this, with reasons."""
    with page.seen(workspace_id, as_of) as memory:
        return answer(shapes.recalled(memory.augment(q)))


@router.get("/search")
def search(workspace_id: WorkspaceId, page: Page, q: Text, as_of: AsOf = None) -> Response:
    """The messages that bear on a text."""
    with page.seen(workspace_id, as_of) as memory:
        return answer([plain(hit) for hit in memory.search(q, limit=30)])


@router.get("/facts")
def facts(workspace_id: WorkspaceId, page: Page, q: Text = "", retracted: bool = False, as_of: AsOf = None) -> Response:
    """The facts about things whose name has this in it; `total` says how many there are."""
    with page.seen(workspace_id, as_of) as memory, memory.reading() as connection:
        ids, total = edges_naming(connection, canonical_or_none(q) or "", retracted, LISTED)
        found = edges_by_id(connection, ids)
        return answer({"facts": [shapes.edge(found[one]) for one in ids], "total": total})


@router.get("/entities")
def entities(workspace_id: WorkspaceId, page: Page, q: Text = "", as_of: AsOf = None) -> Response:
    """The things whose name has this in it."""
    with page.seen(workspace_id, as_of) as memory, memory.reading() as connection:
        return answer([plain(one) for one in entities_named(connection, canonical_or_none(q) or "", 30)])


@router.get("/around")
def around(workspace_id: WorkspaceId, page: Page, entity: Text, as_of: AsOf = None) -> Response:
    """The graph around a thing: its latest edges, as many as can be looked at, and how many there are.

    `entity` is null where nothing bears the name.
    """
    with page.seen(workspace_id, as_of) as memory, memory.reading() as connection:
        name = canonical_or_none(entity) or ""
        it = entity_of(connection, name)
        if it is None:
            return answer({"entity": None})
        near = edges_of(connection, it, limit=DRAWN)[:DRAWN]
        ends = {end for edge in near for end in (edge.subject, edge.object)}
        between = [edge for edge in edges_among(connection, ends) if it not in (edge.subject, edge.object)]
        between.sort(key=lambda edge: (-edge.confidence, edge.edge_id))
        told: dict[str, Any] = {
            "entity": it,
            "edges": [shapes.edge(edge) for edge in near],
            "between": [shapes.edge(edge) for edge in between[:DRAWN]],
            "total": edges_at(connection, it),
            "between_total": len(between),
        }
        return answer(told)


@router.get("/origin")
def origin(workspace_id: WorkspaceId, page: Page, what: Text, as_of: AsOf = None) -> Response:
    """Where something comes from, down to the messages; of an edge, the edge as well."""
    with page.seen(workspace_id, as_of) as memory:
        found = memory.origin(what)
        with memory.reading() as connection:
            edges = edges_by_id(connection, [int(found.id, 16)] if found.kind.endswith("edge") else [])
        told = next((shapes.edge(edge) for edge in edges.values()), None)
        return answer({"origin": plain(found), "edge": told, "messages": found.supporting_messages()})


@router.get("/removal")
def removal(workspace_id: WorkspaceId, page: Page, what: Text) -> Response:
    """What would go with the messages that something rests on."""
    with page.seen(workspace_id, None) as memory:
        root = memory.root
    return answer(told_by(root, "why", "--", what))


@router.get("/conflicts")
def conflicts(workspace_id: WorkspaceId, page: Page, as_of: AsOf = None) -> Response:
    """Pairs of facts that cannot both hold."""
    with page.seen(workspace_id, as_of) as memory:
        found = memory.conflicts()
    return answer({"conflicts": [shapes.conflict(one) for one in found[:LISTED]], "total": len(found)})


@router.get("/profile")
def profile(workspace_id: WorkspaceId, page: Page, as_of: AsOf = None) -> Response:
    """What people want, reject, correct, and how they like things done; and the lines of MEMORY.md."""
    with page.seen(workspace_id, as_of) as memory:
        entries, insights = memory.profile(), memory.insights()
    return answer({"entries": plain(entries[:LISTED]), "total": len(entries), "insights": plain(insights[:LISTED])})


@router.get("/experience")
def experience(workspace_id: WorkspaceId, page: Page, as_of: AsOf = None) -> Response:
    """What happened, and how things are done."""
    with page.seen(workspace_id, as_of) as memory:
        episodes, procedures = memory.episodes(), memory.procedures()
    told = {"episodes": plain(episodes[:LISTED]), "procedures": plain(procedures[:LISTED])}
    return answer({**told, "episodes_total": len(episodes), "procedures_total": len(procedures)})


@router.get("/dreams")
def dreams(workspace_id: WorkspaceId, page: Page) -> Response:
    """The last dreams."""
    with page.seen(workspace_id, None) as memory:
        return answer([shapes.dream(run) for run in memory.runs(50)])


@router.get("/dreams/{run}")
def dream(workspace_id: WorkspaceId, page: Page, run: str) -> Response:
    """A dream: what each node did, whether its value is another than in the dream before, and what it is made from."""
    with page.seen(workspace_id, None) as memory:
        it, nodes = memory.run(run)
        changed = {change.node: change.changed for change in memory.compare_runs(run)}
        root = memory.root
    if page.pipeline is None:
        page.pipeline = told_by(root, "lineage")
    did = [{**plain(node), "changed": changed.get(node.node)} for node in nodes]
    return answer({"run": shapes.dream(it), "nodes": did, "pipeline": page.pipeline})
