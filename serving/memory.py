"""`HyMem`: the one object per database, with every verb.

It logs what happened, dreams, and answers what is remembered and why. Threads may share it; processes may open the same file
at once. Recall starts without pandas and Hamilton: they come with the first dream, or with the first question about lineage.
"""

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from hymem.aliases import Aliases
from hymem.canonical import canonical_name
from hymem.config import HyMemConfig
from hymem.errors import ConfigError, InputError, UnknownError
from hymem.markdown import read_markdown, remove_section
from hymem.memory_files import FILES
from hymem.models.chat import LLMClient
from hymem.records import (
    DreamRun,
    Edge,
    Insight,
    LoggedMessage,
    Message,
    MessageHit,
    PipelineNode,
    ProfileEntry,
    Role,
    Session,
)
from hymem.redaction import redacted
from hymem.settings import DATABASE, NO_KEY
from hymem.store import acts, entities, experience, graph, messages, runs, sessions
from hymem.store.adoption import open_or_adopt
from hymem.store.aftermath import resting_on, seqs_of
from hymem.store.connection import Connection
from hymem.store.database import Database, user_query
from hymem.store.entities import Drift, Entity
from hymem.store.experience import EpisodeRecord, ProcedureRecord
from hymem.store.ledger import ledger_state
from hymem.store.lock import Clock, dream_lock
from hymem.store.sections import sections
from hymem.store.vectors import drop_orphans, drop_vectors
from hymem.store.where import Where, chosen_messages
from hymem.times import Moment, parse_as_of, parse_time, wall_clock
from hymem.vocabulary import DEFAULT_PEERS, PREDICATES, fact_in_words, predicate_named
from serving.idle import is_idle
from serving.recall import AugmentedContext, augment
from serving.recall.budget import checked_budget, fitted
from serving.recall.caches import QueryCaches
from serving.recall.conflicts import Conflict, conflicts
from serving.recall.facts import GraphFact
from serving.recall.graph import recall_graph
from serving.recall.question import Question
from serving.recall.search import search_messages

if TYPE_CHECKING:
    from types import ModuleType

    import pandas as pd
    from hamilton import driver

    from hymem.difference import MemoryDiff, Standing
    from hymem.models.embedding import EmbeddingClient
    from hymem.models.relevance import Reranker
    from hymem.store.deliveries import Delivery
    from hymem.store.part import Part, Viewpoint
    from hymem.store.queue import Backlog
    from hymem.store.receipts import Receipt
    from serving.aftermath import CameOf, Removal
    from serving.exchange.archive import Exported
    from serving.exchange.moving import Imported
    from serving.facts import MemoryStore
    from serving.memory_view import MemoryView
    from serving.recall.explain import Explanation
    from serving.recall.origin import Origin
    from serving.recall.why import Why

NOTHING_TO_DO = "nothing to do"


class HyMem:
    """A workspace's memory.

    `root` is the folder of `hymem.db`, MEMORY.md and USER.md. `llm` answers extraction's questions; without one, everything
    but dreaming works. Secrets are kept from models, indexes and files in any case; `redact_stored` keeps them out of the
    ledger's messages too. `clock` gives the present moment as ISO-8601 UTC text.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        llm: LLMClient | None = None,
        embedder: "EmbeddingClient | None" = None,
        config: HyMemConfig | None = None,
        concurrency: int = 8,
        redact_stored: bool = False,
        clock: Clock = wall_clock,
    ) -> None:
        """Open the database in `root`, or make it; raises `StoreError` where that cannot be."""
        self.root = Path(root)
        self.llm = llm
        self.embedder = embedder
        self.config = config or HyMemConfig()
        self._concurrency = concurrency
        self._redact_stored = redact_stored
        self._clock = clock
        self._caches = QueryCaches()
        self._database = open_or_adopt(self.root / DATABASE, clock())

    def __enter__(self) -> Self:
        """The memory itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close this process's connections."""
        self._caches.close()
        self._database.close()

    def fork(self) -> "HyMem":
        """Another `HyMem` on the same file, with connections of its own and the same clients."""
        return HyMem(
            self.root,
            llm=self.llm,
            embedder=self.embedder,
            config=self.config,
            concurrency=self._concurrency,
            redact_stored=self._redact_stored,
            clock=self._clock,
        )

    # ------------------------------------------------------------------------------------------------------ the store

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection for the store's functions that read, all seeing one moment."""
        return self._database.reading()

    def writing(self) -> AbstractContextManager[Connection]:
        """A connection for the store's functions that write: all of the block or nothing of it."""
        return self._database.writing()

    def stored_form(self, text: str) -> str:
        """A text as the ledger is to keep it: without its secrets, where they are kept out of the ledger too."""
        return redacted(text) if self._redact_stored else text

    def backup(
        self, file: Path | str, *, force: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Copy the database to a file while everything goes on; its size in bytes.

        `progress` hears how many pages are copied, and of how many. Raises `InputError` where there is such a file, unless it is
        to be replaced by `force`.
        """
        from hymem.store.backup import back_up

        return back_up(self._database, Path(file), force=force, progress=progress)

    def export(
        self,
        file: Path | str,
        *,
        settings: Mapping[str, str] | None = None,
        force: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> "Exported":
        """Write all that was ever told here, and both Markdown files, to an archive that `import_archive` reads anywhere.

        `settings` go with it, to be told to whoever imports it. Raises `InputError` where there is such a file, unless it is to
        be replaced by `force`.
        """
        from serving.exchange.archive import export

        return export(self, Path(file), settings or {}, force=force, progress=progress)

    def export_graph(self, file: Path | str, format: str, *, force: bool = False) -> dict[str, int]:
        """Write the graph for other programs, as "parquet", "json" or "graphml"; how many edges and entities.

        Raises `InputError` for another format, and where there is such a file, unless it is to be replaced by `force`.
        """
        from serving.exchange.graph_files import export_graph

        return export_graph(self, Path(file), format, force=force)

    @staticmethod
    def parquet(kind: Literal["edges", "entities"], rows: Sequence[Edge] | Sequence[Entity]) -> bytes:
        """Edges, or entities, as a Parquet file."""
        from dataflows.parquet import as_parquet

        return as_parquet(kind, rows)

    def import_archive(
        self, file: Path | str, *, replace: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> "Imported":
        """Add what an archive holds to what is here, or put it in its place, after a backup; the next dream computes memory.

        All of it or nothing; a second time adds nothing. Raises `InputError` for what is no archive, is damaged, or is newer,
        and `ConflictError` where an id stands for another text here.
        """
        from serving.exchange.moving import import_archive

        imported = import_archive(self, self._database, Path(file), replace=replace, progress=progress)
        self._caches.invalidate()
        self._database.checkpoint()
        return imported

    def wipe(self) -> None:
        """Remove everything that was ever said or computed here, and the managed parts of the Markdown files."""
        from hymem.store.wiping import wipe

        with self._database.writing() as connection:
            wipe(connection)
        self._caches.invalidate()
        self._database.checkpoint()
        for name, file in FILES.items():
            remove_section(self.root / file, name)

    # ------------------------------------------------------------------------------------------------ what happened

    def open_session(self, session_id: str) -> None:
        """Begin a session, or take it up again; logging a message does so by itself."""
        with self._database.writing() as connection:
            sessions.open_session(connection, session_id, self._clock())

    def close_session(self, session_id: str) -> None:
        """End a session."""
        with self._database.writing() as connection:
            sessions.close_session(connection, session_id, self._clock())

    def describe_sessions(self, metadata: Mapping[str, Mapping[str, Any]]) -> None:
        """Attach to each of these sessions, where it is known, what was not attached to it before."""
        if not metadata:
            return
        with self._database.writing() as connection:
            for session_id, told in metadata.items():
                sessions.describe_session(connection, session_id, told)

    def log_message(
        self,
        session_id: str,
        role: str,
        content: str,
        *,
        peer_id: str | None = None,
        created_at: str | None = None,
        message_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        observed: bool = True,
    ) -> str:
        """Log one turn and return its id; without `created_at` it was said now. Nothing is learnt from one not `observed`."""
        turn = Message(session_id, cast(Role, role), content, peer_id, created_at, message_id, metadata or {}, observed)
        return self.log_messages([turn]).message_ids[0]

    def log_messages(
        self, turns: Iterable[Message | Mapping[str, Any]], *, delivery: "Delivery | None" = None
    ) -> messages.Logged:
        """Log a batch, whole or not at all; raises `InputError` naming the turn that cannot be taken.

        A batch that came by the same `delivery` before is not stored again, and has the ids that it had then.
        """
        from hymem.store.deliveries import delivered, note_delivery

        batch = [turn if isinstance(turn, Message) else _message(n, turn) for n, turn in enumerate(turns, start=1)]
        if self._redact_stored:
            batch = [_without_secrets(message) for message in batch]
        now = self._clock()
        with self._database.writing() as connection:
            if delivery is not None and (known := delivered(connection, delivery, now)) is not None:
                return messages.Logged(known, 0)
            logged = messages.log(connection, batch, now)
            if delivery is not None and batch:
                note_delivery(connection, delivery, logged.message_ids, now)
            return logged

    def settle(self) -> None:
        """Bring what was written onto the disk itself: it survives a power cut from now on, and not only the process's end."""
        self._database.checkpoint()

    def erase_message(self, message_id: str) -> None:
        """Remove a message; the next dream forgets what came of it."""
        with self._database.writing() as connection:
            messages.erase_message(connection, message_id)
            drop_orphans(connection)
        self._database.checkpoint()

    def erase_session(self, session_id: str, *, for_good: bool = False) -> None:
        """Remove a session with its messages; the next dream forgets what came of them.

        A server takes up no session again that was erased `for_good`.
        """
        with self._database.writing() as connection:
            if for_good:
                sessions.bury_session(connection, session_id, self._clock())
            sessions.erase_session(connection, session_id)
            drop_orphans(connection)
        self._database.checkpoint()

    def forget(
        self,
        *,
        message: str | None = None,
        session: str | None = None,
        peer: str | None = None,
        entity: str | None = None,
        fact: int | None = None,
        preview: bool = False,
    ) -> "Receipt":
        """Erase one of these from the ledger, from memory and from both Markdown files, at once; returns what went.

        An entity goes with every message that names it or was read as telling of it; a told fact, by its number, with all
        that was said of it. With `preview` nothing is changed, and the
        receipt has examples. Raises `UnknownError` where there is no such thing.
        """
        from serving.forgetting import Forgetting, copies, named_target

        number = None if fact is None else str(fact)
        target = named_target(message=message, session=session, peer=peer, entity=entity, fact=number)
        from dataflows.amending import amend

        forgetting = Forgetting(target, self._clock())
        receipt = amend(self._database, self.root, self.config, forgetting.now, forgetting, preview=preview)
        self._caches.invalidate()
        return replace(receipt, remarks=(*receipt.remarks, *forgetting.remarks, *copies(self.root)))

    def undo(self, run: str, *, preview: bool = False) -> "Receipt":
        """Reject every reply that one dream got, and remove at once what came of them; returns what went.

        `run` is a dream's id, its beginning, or "last". The replies stay in the ledger and are not read; what they answered is
        asked again when prompt or model change, or on request (`ask_again`). With `preview` nothing is changed.
        """
        from dataflows.amending import amend

        with self._database.reading() as connection:
            run_id = runs.run_named(connection, run)

        def reject(connection: Connection) -> None:
            acts.record_rejection(connection, "reject", run_id, self._clock())

        receipt = amend(self._database, self.root, self.config, self._clock(), reject, preview=preview, carry=False)
        self._caches.invalidate()
        return receipt

    def ask_again(self, run: str) -> None:
        """Let the next dream ask again what a dream that was undone had asked; a reply that is not undone is rejected by this."""
        with self._database.writing() as connection:
            acts.record_rejection(connection, "ask_again", runs.run_named(connection, run), self._clock())

    # ------------------------------------------------------------------------------------------------------ dreaming

    def dream(
        self,
        *,
        budget: int | None = None,
        now: str | None = None,
        progress: Callable[[int, int], None] | None = None,
        stop: threading.Event | None = None,
        executor: str | None = None,
        address: str | None = None,
    ) -> DreamRun:
        """Dream once: ask about what is new, and bring memory up to date.

        `budget` limits the chunks, and as many session windows, that are asked about; 0 for all. `executor` shares the asking
        with other threads ("threads"), or the workers of a Dask or Ray cluster ("dask", "ray"): one that is started for
        this dream, or the running one at `address`, which is then sent what was said, and the client with its key.

        Where ledger, configuration and code are as they were, there is nothing to do and nothing is loaded or written.
        Raises `BusyError` where another dream is under way, and `ConfigError` without a language model.
        """
        if self.llm is None:
            raise ConfigError(NO_KEY)
        from hymem.fingerprint import memory_fingerprint

        moment = parse_time(now, self._clock())
        fingerprint = memory_fingerprint(self.config, self.llm.model)
        embedding_model = self.embedder.model if self.embedder else None
        if is_idle(self._database, self.root, fingerprint, embedding_model, moment):
            return DreamRun("", moment, moment, NOTHING_TO_DO)
        from dataflows import dreaming

        config = self.config if budget is None else self.config.replace(dream_budget=budget)
        context = dreaming.DreamContext(
            self.llm, config, moment, fingerprint, self._concurrency, self._clock, stop, progress, self.embedder
        )
        if executor is not None:
            from dataflows.workers import workforce

            context = replace(context, workforce=workforce(executor, address))
        return dreaming.dream(self._database, self.root, context)

    def reembed(self, *, progress: Callable[[int, int], None] | None = None) -> DreamRun:
        """Drop all vectors and embed every text anew with the present model: the way from one embedding model to another."""
        if self.embedder is None:
            raise ConfigError("no embedding model: set HYMEM_EMBEDDING_MODEL, or HYMEM_EMBEDDING_BASE_URL and a key")
        if self.llm is None:
            raise ConfigError(NO_KEY)
        with dream_lock(self._database, self._clock), self._database.writing() as connection:
            drop_vectors(connection)
        return self.dream(progress=progress)

    def driver(self, *adapters: Any, overrides: "Sequence[ModuleType]" = ()) -> "driver.Driver":
        """The dream as a Hamilton driver, for looking at it and for running parts of it.

        Nodes of `overrides`, which are modules, take the place of those of the same name.
        """
        from dataflows.driver import build_driver

        return build_driver(*adapters, overrides=overrides)

    def inputs(self, now: str | None = None) -> dict[str, Any]:
        """What the driver takes from outside, as this memory has it: nothing carried, and nobody asked."""
        from dataflows.dreaming import ledger_inputs

        return ledger_inputs(self._database, self.config, parse_time(now, self._clock()), self._model())

    def view(
        self,
        *,
        as_of: Moment | None = None,
        sessions: Iterable[str] | None = None,
        without: Iterable[str] = (),
        heard_by: str | None = None,
        config: HyMemConfig | None = None,
    ) -> "MemoryView":
        """A view of memory, to be read and closed: what would be remembered of a part of the ledger, asking no model.

        `as_of` is a moment, or a day, whose end is meant; only what had been said and done by then counts, and the clock stands
        there. `sessions` names the only sessions that count, `without` some that do not; `heard_by` a peer, what it was there
        for. `config` takes this memory's place.
        It lives in a folder of its own until it is closed. Raises `InputError` for a moment that lies ahead, and
        `UnknownError` for a session that is not there.
        """
        from serving.memory_view import open_view

        viewpoint = self.viewpoint(as_of=as_of, sessions=sessions, without=without, heard_by=heard_by, config=config)
        return open_view(self, viewpoint)

    def what_if(
        self, *, as_of: Moment | None = None, without: Iterable[str] = (), config: HyMemConfig | None = None
    ) -> "MemoryDiff":
        """What a dream would make of memory, under another configuration or without some sessions; nothing is written.

        No model is asked: `waiting` says how many questions are open. With `as_of`, memory of that moment is changed, and
        compared with itself; with nothing but `as_of`, it is compared with the present memory. Raises as `view` does.
        """
        from hymem.difference import difference

        left_out = tuple(without)
        compared = as_of if left_out or config is not None else None
        with self._as_it_stood(compared) as before, self.view(as_of=as_of, without=left_out, config=config) as after:
            return difference(before.standing(), after.standing())

    def diff(self, before: Moment, after: Moment | None = None) -> "MemoryDiff":
        """What was learnt, strengthened, faded, retracted and forgotten between two moments, the second being now by default.

        Both look at the ledger as it is: what was erased since is in neither. Raises `InputError` as `view` does.
        """
        from hymem.difference import difference

        with self.view(as_of=before) as earlier, self.view(as_of=after) as later:
            return difference(earlier.standing(), later.standing())

    def standing(self) -> "Standing":
        """What this memory holds, to be compared with another."""
        from hymem.difference import Standing
        from hymem.store.facts import told_facts

        with self._database.reading() as connection:
            state = runs.dream_state(connection)
            return Standing(
                self._clock(),
                graph.edges(connection, include_retracted=True),
                graph.profile(connection),
                graph.insights(connection),
                sections(connection),
                acts.standing_retractions(connection),
                self.config.retract_threshold,
                state.waiting if state else 0,
                told_facts(connection),
            )

    def viewpoint(
        self,
        *,
        as_of: Moment | None = None,
        sessions: Iterable[str] | None = None,
        without: Iterable[str] = (),
        heard_by: str | None = None,
        config: HyMemConfig | None = None,
    ) -> "Viewpoint":
        """From where a view looks; its parameters are those of `view`."""
        from hymem.store.part import Part, Viewpoint

        now = self._clock()
        then = parse_as_of(as_of, now)
        chosen = None if sessions is None else _session_ids(sessions)
        part = Part(then, chosen, _session_ids(without), heard_by)
        return Viewpoint(part, config or self.config, self._model(), then or now)

    def remember_part(self, scratch: Database, viewpoint: "Viewpoint") -> dict[str, str]:
        """Fill an empty database with a view of this memory; returns the Markdown sections. `view` is what you want."""
        from dataflows.views import remember_part

        return remember_part(self._database, scratch, viewpoint)

    def part_stamp(self, part: "Part") -> tuple[Any, ...]:
        """Equal as long as a view of that part would be the same, time apart; begins with the ledger's generation."""
        from hymem.store.part import part_stamp

        with self._database.reading() as connection:
            return part_stamp(connection, part)

    def last_dream(self) -> tuple[int, str]:
        """Which dream made the present memory: the ledger's revision that it saw, and its `now`."""
        with self._database.reading() as connection:
            state = runs.dream_state(connection)
        return (state.revision, state.seen_at) if state else (-1, "")

    def generation(self) -> int:
        """A number that moves with people's acts and with erasures."""
        with self._database.reading() as connection:
            return ledger_state(connection).generation

    def now(self) -> str:
        """The present moment by this memory's clock."""
        return self._clock()

    def _model(self) -> str:
        """The model whose replies count first: the configured one, or that of the last dream."""
        if self.llm is not None:
            return self.llm.model
        with self._database.reading() as connection:
            state = runs.dream_state(connection)
        return state.model if state else ""

    def frames(self, *names: str) -> "dict[str, pd.DataFrame]":
        """The named tables, or all of them, as frames; those that a dream fills have the dtypes of its dataflow.

        Moments of these are UTC, without a zone. Raises `InputError` for a table that there is not.
        """
        from dataflows.frames import stored_frames

        return stored_frames(self._database, names)

    def query(self, sql: str) -> "pd.DataFrame":
        """A frame of what a reading SQL statement finds."""
        import pandas as pd

        names, rows = user_query(self._database, sql)
        return pd.DataFrame(rows, columns=names)

    # -------------------------------------------------------------------------------------------------------- recall

    @contextmanager
    def _as_it_stood(self, as_of: Moment | None) -> Generator["HyMem", None, None]:
        """This memory, or a view of it as of a moment."""
        if as_of is None:
            yield self
            return
        with self.view(as_of=as_of) as then:
            yield then

    def augment(
        self, message: str, *, as_of: Moment | None = None, max_tokens: int | None = None, files: bool = True
    ) -> AugmentedContext:
        """What is remembered about a message, with reasons; `as_of` asks what was remembered then (see `view`).

        `max_tokens` keeps the best of it, and `left_out` says what went; without `files` both Markdown files are left alone.
        Raises `InputError` for a number of tokens under 1.
        """
        most = checked_budget(max_tokens)
        with self._as_it_stood(as_of) as it:
            root = it.root if files else None
            found = augment(it._database, root, it._question(message), it._caches, it.embedder, it._reranker)
        return found if most is None else fitted(found, most)

    def _reranker(self, config: HyMemConfig) -> "Reranker":
        return self._caches.reranker(config, self.llm)

    def explain(self, message: str, *, expecting: str) -> "Explanation":
        """At which step something wanted was lost that `augment` does not return for a message.

        `expecting` is an edge in words ("billing depends on redis"), an entity's name, a message's id, the title or id of an
        episode or a procedure, or a told fact's words. A reranker that was chosen is asked. Raises `InputError` where it
        names nothing.
        """
        from serving.recall.explain import explained

        question = self._question(message)
        return explained(self._database, question, self._caches, self.embedder, self._reranker, expecting)

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        sessions: Iterable[str] | None = None,
        peers: Iterable[str] | None = None,
        roles: Iterable[Role] | None = None,
        where: Where | None = None,
        sealed: bool = False,
    ) -> list[MessageHit]:
        """The messages that bear on a text, the best first, whoever said them and whatever tools returned included.

        Only those of these sessions, peers and roles, where any are given, and for which `where` holds, a condition on a message
        `m`; where it is `sealed`, no others count as what was said around them. Words find undreamt messages too; meaning finds
        those that a dream has embedded. Raises `InputError` for a limit under 1 and an unknown role.
        """
        chosen = chosen_messages(sessions, peers, roles, where)
        if not isinstance(cast(Any, text), str):
            raise InputError(f"what is searched for must be text, not {type(text).__name__}")
        return search_messages(self._database, self._question(text), self._caches, self.embedder, limit, chosen, sealed)

    def graph_facts(self, text: str) -> tuple[GraphFact, ...]:
        """The facts of the graph that answer a text, the best first, with reasons; `augment` has what was said besides."""
        question = self._question(text)
        return recall_graph(self._database, question, self._caches, self.embedder).ranking.facts

    def conflicts(self, *, as_of: Moment | None = None) -> list[Conflict]:
        """Pairs of edges that cannot both hold, with the reason; `as_of` a moment, as things stood then."""
        with self._as_it_stood(as_of) as it, it._database.reading() as connection:
            return conflicts(connection)

    def invalidate_query_caches(self) -> None:
        """Forget what is kept of names between questions; needed only where something wrote past HyMem."""
        self._caches.invalidate()

    def _question(self, message: str) -> Question:
        return Question.of(message, self._clock(), self.config)

    def why(self, subject: str, predicate: str, object_: str, *, as_of: Moment | None = None) -> "tuple[Why, ...]":
        """Why an edge is believed, or was as of a moment, down to the messages.

        Raises `UnknownError` where there is no such edge.
        """
        from serving.recall.why import why

        with self._as_it_stood(as_of) as it:
            named = it._edge_name(subject, predicate, object_)
            with it._database.reading() as connection:
                found = why(connection, *named)
        if not found:
            raise UnknownError(f"nothing is known of: {' '.join(named)}; `hymem show graph` lists what is")
        return found

    def origin(self, what: str) -> "Origin":
        """Where something comes from, down to the messages.

        `what` is a line of MEMORY.md or USER.md (its text, or its place: "MEMORY.md:7"), an id of sixteen hexadecimal digits,
        an edge in words, or a told fact ("fact 12", "#12", or its words). Raises `UnknownError` where it is nothing of these.
        """
        from serving.recall.origin import origin_of
        from serving.recall.told_origin import origin_of_number, origin_of_words

        with self._database.reading() as connection:
            found = origin_of_number(connection, what) or origin_of(connection, self.root, what)
        if found is not None:
            return found
        try:
            return self._origin_of_edge_in_words(what)
        except (UnknownError, InputError):
            with self._database.reading() as connection:
                told = origin_of_words(connection, what)
            if told is None:
                raise
            return told

    def _origin_of_edge_in_words(self, what: str) -> "Origin":
        named = fact_in_words(what)
        if named is None:
            raise UnknownError(
                f"nothing that is remembered reads {what[:60]!r}: name a line, an id, or a fact in words"
            )
        return self.origin_of_edge(*named)

    def origin_of_edge(self, subject: str, predicate: str, object_: str) -> "Origin":
        """Where an edge comes from, the stated one where there is one; raises `UnknownError` where there is none."""
        from serving.recall.origin import origin_of_edge

        return origin_of_edge(self.why(subject, predicate, object_)[0])

    def removal(self, origin: "Origin") -> "Removal":
        """What would remove something, and what else would go with it; nothing is changed."""
        from serving.aftermath import messages_to_forget, removal

        return removal(origin, self._without(messages_to_forget(origin)))

    def what_came_of(self, *message_ids: str) -> "list[CameOf]":
        """Everything that messages have a part in, and whether it would go without them; nothing is changed.

        Raises `UnknownError` where there is no such message.
        """
        from serving.aftermath import came_of

        with self._database.reading() as connection:
            resting = resting_on(connection, seqs_of(connection, message_ids))
        return came_of(resting, self._without(message_ids))

    def _without(self, message_ids: Iterable[str]) -> "Receipt":
        """What would go with these messages, row by row."""
        from dataflows.amending import amend
        from hymem.store.erasure import erase
        from hymem.store.erasure_scope import erasure_of_messages

        def act(connection: Connection) -> None:
            erase(connection, erasure_of_messages(connection, seqs_of(connection, message_ids)))

        return amend(self._database, self.root, self.config, self._clock(), act, preview=True, every=True)

    def edges(self, include_retracted: bool = False, *, as_of: Moment | None = None) -> list[Edge]:
        """The graph, the most confident edges first; `as_of` a moment, as it stood then."""
        with self._as_it_stood(as_of) as it, it._database.reading() as connection:
            return graph.edges(connection, include_retracted)

    def edges_of(self, entity: str) -> list[Edge]:
        """The active and stale edges at an entity, the most confident first; raises `UnknownError` where it has none."""
        with self._database.reading() as connection:
            known = Aliases.replay(acts.alias_acts(connection))
            found = graph.edges_of(connection, _entity(connection, known, canonical_name(entity)))
        if not found:
            raise UnknownError(f"nothing is known of {entity!r}; `hymem show entities` lists what is known")
        return found

    def files(self) -> tuple[str, str]:
        """USER.md and MEMORY.md as they stand, "" where there is none; raises `StoreError` where one cannot be read."""
        return read_markdown(self.root / FILES["profile"]), read_markdown(self.root / FILES["insights"])

    def profile(self) -> list[ProfileEntry]:
        """What every peer wants, rejects, corrects, and how they like things done."""
        with self._database.reading() as connection:
            return graph.profile(connection)

    def insights(self) -> list[Insight]:
        """The lines of MEMORY.md."""
        with self._database.reading() as connection:
            return graph.insights(connection)

    def entities(self) -> list[Entity]:
        """The things in the graph, those with the most edges first."""
        with self._database.reading() as connection:
            return entities.entities(connection)

    def episodes(self) -> list[EpisodeRecord]:
        """What happened, the latest first."""
        with self._database.reading() as connection:
            return experience.episodes(connection)

    def procedures(self) -> list[ProcedureRecord]:
        """How things are done, by name."""
        with self._database.reading() as connection:
            return experience.procedures(connection)

    def messages(self, session_id: str | None = None, limit: int = -1) -> list[LoggedMessage]:
        """What was logged, in the order of its telling; the last `limit` turns where one is given."""
        with self._database.reading() as connection:
            return messages.messages(connection, session_id, limit)

    def sessions(self) -> list[Session]:
        """All sessions, the newest first."""
        with self._database.reading() as connection:
            return sessions.sessions(connection)

    @staticmethod
    def lineage(
        node: str | None = None,
        *,
        up: bool = False,
        down: bool = False,
        start: str | None = None,
        end: str | None = None,
    ) -> list[PipelineNode]:
        """The nodes of a dream: all, those around one, or those between two; raises `UnknownError` for one that is not there."""
        from dataflows.lineage import part_of_pipeline

        return part_of_pipeline(node, up=up, down=down, start=start, end=end)

    @staticmethod
    def dreaming_page() -> str:
        """The page that describes every node of a dream, as Markdown."""
        from dataflows.lineage import dreaming_page

        return dreaming_page()

    def run(self, name: str) -> tuple[DreamRun, list[runs.NodeRun]]:
        """A dream, by its id, the beginning of that, or "last", and what each node did; raises `UnknownError`."""
        with self._database.reading() as connection:
            run_id = runs.run_named(connection, name)
            dream = next(one for one in runs.runs(connection, runs.RUNS_KEPT + 1) if one.run_id == run_id)
            return dream, runs.node_runs(connection, run_id)

    def compare_runs(self, run: str, other: str | None = None) -> list[runs.NodeChange]:
        """What each node of a dream was in another one, the one before where none is named; empty where there is none."""
        with self._database.reading() as connection:
            run_id = runs.run_named(connection, run)
            before = runs.run_named(connection, other) if other else runs.run_before(connection, run_id)
            if before is None:
                return []
            return runs.compared(runs.node_runs(connection, before), runs.node_runs(connection, run_id))

    def runs(self, limit: int = 20) -> list[DreamRun]:
        """The last dreams, the newest first."""
        with self._database.reading() as connection:
            return runs.runs(connection, limit)

    def backlogs(self) -> "list[Backlog]":
        """How many messages are dreamt over and how many wait, by session and speaker."""
        from hymem.store.queue import backlogs

        with self._database.reading() as connection:
            return backlogs(connection, self._clock())

    # --------------------------------------------------------------------------------------------------- told facts

    def remember(
        self,
        text: str,
        category: str = "general",
        tags: str = "",
        *,
        peer_id: str = DEFAULT_PEERS["user"],
        message_id: str | None = None,
    ) -> int:
        """Tell a statement as a fact, to be found from now on, and return its id; one that stands already keeps its id.

        For what no predicate fits: `log_message` is for what was said. Raises `InputError` where it says nothing or too much.
        """
        return self.fact_store(peer_id).add_fact(text, category, tags, message_id=message_id)

    def facts(
        self,
        category: str | None = None,
        *,
        min_trust: float = 0.0,
        limit: int = 50,
        peer_id: str = DEFAULT_PEERS["user"],
    ) -> list[dict[str, Any]]:
        """What a peer told as facts, the most trusted first."""
        return self.fact_store(peer_id).list_facts(category, min_trust, limit)

    def forget_fact(self, fact_id: int, *, peer_id: str = DEFAULT_PEERS["user"]) -> bool:
        """Erase a told fact with all that was said of it; False where there is none."""
        return self.fact_store(peer_id).forget_fact(fact_id)

    def fact_store(self, peer_id: str = DEFAULT_PEERS["user"], **settings: Any) -> "MemoryStore":
        """A peer's told facts, in this memory's file; `settings` are those of `MemoryStore`."""
        from serving.facts import MemoryStore

        held = {"clock": self._clock, "stored_form": self.stored_form}
        return MemoryStore(self._database, peer_id=peer_id, **held, **settings)

    # ----------------------------------------------------------------------------------------------- people's words

    def alias(self, alias: str, canonical: str) -> bool:
        """Say that one name means another; takes effect in the next dream. False where the two mean the same already."""
        names = _two_names(alias, canonical)
        with self._database.writing() as connection:
            known = Aliases.replay(acts.alias_acts(connection))
            if known.resolve(names[0]) == known.resolve(names[1]):
                return False
            return acts.record_alias(connection, *names, self._clock())

    def undo_alias(self, alias: str) -> None:
        """Take back what was said of an alias, or that it is commonly known as one; takes effect in the next dream.

        Raises `UnknownError` where the name stands for nothing but itself.
        """
        name = canonical_name(alias)
        with self._database.writing() as connection:
            said = acts.alias_acts(connection)
            if Aliases.replay(said) == Aliases.replay([*said, (name, name)]):
                raise UnknownError(
                    f"{alias!r} is no alias, so there is nothing to undo; `hymem show entities` lists names"
                )
            acts.record_alias(connection, name, name, self._clock())

    def merge_canonical(self, merged: str, into: str) -> bool:
        """Say that two entities are one; their edges, types and mentions are united in the next dream.

        False where they are one already. Raises `UnknownError` where one of them is no entity of the graph.
        """
        for name in (merged, into):
            with self._database.reading() as connection:
                known = Aliases.replay(acts.alias_acts(connection))
                entity = _entity(connection, known, canonical_name(name))
                if graph.entity_of(connection, entity) is None:
                    raise UnknownError(
                        f"{name!r} is no entity; `hymem show entities` lists them, `hymem alias` names them"
                    )
        return self.alias(merged, into)

    def find_canonical_drift(self) -> list[Drift]:
        """Stored names that are not in canonical form, because something wrote past HyMem."""
        with self._database.reading() as connection:
            return entities.canonical_drift(connection)

    def repair_canonical_drift(self) -> list[Drift]:
        """Put drifted names right; what was materialized from them is made anew by the next dream."""
        with self._database.writing() as connection:
            return list(entities.repair_canonical_drift(connection))

    def retract_edge(self, subject: str, predicate: str, object_: str, reason: str | None = None) -> bool:
        """Say that an edge is wrong; the next dream retracts it, until two newer chunks say it again.

        False where it was retracted already. Raises `UnknownError` where there is no such edge.
        """
        return self._feedback("retract", subject, predicate, object_, reason)

    def restore_edge(self, subject: str, predicate: str, object_: str, reason: str | None = None) -> bool:
        """Take a retraction back."""
        return self._feedback("restore", subject, predicate, object_, reason)

    def retraction(self, subject: str, predicate: str, object_: str) -> "Receipt":
        """What would go, and what would be another, if an edge were retracted; nothing is changed. Raises as `retract_edge`."""
        named = self._edge_name(subject, predicate, object_)
        with self._database.reading() as connection:
            if not graph.edges_between(connection, *named):
                raise UnknownError(f"nothing is known of: {' '.join(named)}; `hymem show graph` lists what is")

        def act(connection: Connection) -> None:
            acts.record_feedback(connection, "retract", *named, None, self._clock())

        return self._rehearsed(act)

    def aliasing(self, alias: str, canonical: str) -> "Receipt":
        """What would go, and what would be another, if a name meant another; nothing is changed. Raises as `alias`."""
        names = _two_names(alias, canonical)

        def act(connection: Connection) -> None:
            acts.record_alias(connection, *names, self._clock())

        return self._rehearsed(act)

    def _rehearsed(self, act: Callable[[Connection], None]) -> "Receipt":
        from dataflows.amending import amend

        return amend(self._database, self.root, self.config, self._clock(), act, preview=True, every=True)

    def _feedback(self, act: str, subject: str, predicate: str, object_: str, reason: str | None) -> bool:
        named = self._edge_name(subject, predicate, object_)
        with self._database.writing() as connection:
            if not graph.edges_between(connection, *named):
                raise UnknownError(f"nothing is known of: {' '.join(named)}; `hymem show graph` lists what is")
            return acts.record_feedback(connection, act, *named, reason, self._clock())

    def _edge_name(self, subject: str, predicate: str, object_: str) -> tuple[str, str, str]:
        relation = predicate_named(predicate)
        if relation is None:
            raise InputError(f"{predicate!r} is no predicate; the predicates are {', '.join(PREDICATES)}")
        ends = (canonical_name(subject), canonical_name(object_))
        with self._database.reading() as connection:
            known = Aliases.replay(acts.alias_acts(connection))
            first, second = (_entity(connection, known, end) for end in ends)
        return first, relation, second


def _two_names(alias: str, canonical: str) -> tuple[str, str]:
    names = canonical_name(alias), canonical_name(canonical)
    if names[0] == names[1]:
        raise InputError(f"{alias!r} and {canonical!r} are the same name already: {names[0]}")
    return names


def _entity(connection: Connection, known: Aliases, name: str) -> str:
    """The entity of that name, or of a name that people have given it since the last dream; else the name itself."""
    names = (name, *sorted(known.surface_forms(name)))
    return next((entity for each in names if (entity := graph.entity_of(connection, each))), name)


def _message(number: int, turn: Mapping[str, Any]) -> Message:
    try:
        message = Message(**turn)
    except TypeError:
        known = ", ".join(sorted(Message.__dataclass_fields__))
        raise InputError(f"message {number}: give session_id, role and content, and at most {known}") from None
    return replace(message, metadata={}) if cast(object, message.metadata) is None else message


def _session_ids(named: Iterable[str]) -> tuple[str, ...]:
    if isinstance(named, str):
        raise InputError(f"name sessions in a list: [{named!r:.60}]")
    return tuple(sorted({messages.identifier(session_id, "session_id") for session_id in named}))


def _without_secrets(message: Message) -> Message:
    if not isinstance(message.content, str):  # to be refused by the store, with the number of the message
        return message
    return replace(message, content=redacted(message.content))
