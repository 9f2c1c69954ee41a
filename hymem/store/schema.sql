-- HyMem's one file. Four kinds of table:
--   the ledger        what happened; append-only but for erasure
--   materialized      what a dream computed from the ledger; may be rebuilt at any time; each row carries its digest
--   kept in step      what told facts come to; computed from the ledger in the transaction that adds to it
--   operational       runs, the lock, attempts: about the work, not about the world
-- Times are ISO-8601 UTC text of fixed width. Ids of chunks, edges and entries are digests (63 bits).

-- ---------------------------------------------------------------------------------------------------- the ledger

create table ledger_state (
  one integer primary key check (one = 1),
  revision integer not null,          -- moves with every write to the ledger
  generation integer not null         -- moves with people's acts and erasures, which a running dream must notice
) strict;
insert into ledger_state values (1, 0, 0);

create table workspace (            -- whose file this is
  one integer primary key check (one = 1),
  workspace_id text not null,
  metadata text not null default '{}',
  configuration text not null default '{}',
  created_at text not null
) strict;

create table peers (
  peer_id text primary key,
  role text not null check (role in ('user', 'assistant', 'system', 'tool')),
  metadata text not null default '{}',
  configuration text not null default '{}',
  created_at text not null
) strict;

create table sessions (
  session_id text primary key,
  started_at text not null,
  ended_at text,
  summary text,                       -- written by the dream
  metadata text not null default '{}',
  configuration text not null default '{}',
  created_at text not null,           -- when HyMem was told of it
  revision integer not null default 0 -- moves with every message that comes or goes
) strict;

create table session_peers (          -- who takes part in a session: one row for each stay
  stay_id integer primary key autoincrement,
  session_id text not null references sessions on delete cascade,
  peer_id text not null references peers on delete cascade,
  observe_me integer,                 -- null where nothing was said
  observe_others integer,
  joined_at text not null,
  left_at text,
  after_seq integer not null,         -- the last message that was there when the peer came
  last_seq integer                    -- and the last one when it left
) strict;
create unique index session_peers_present on session_peers (session_id, peer_id) where left_at is null;
create index session_peers_by_session on session_peers (session_id);
create index session_peers_by_peer on session_peers (peer_id);

create table deleted_sessions (       -- names that a client deleted, as digests: they are not taken up again
  session_digest integer primary key,
  deleted_at text not null
) strict;

create table forgotten_messages (     -- ids of messages that people had forgotten, as digests: an agent's transcript brings none back
  message_digest integer primary key,
  forgotten_at text not null
) strict;

create table scopes (                 -- peers that observe some sessions and never speak
  peer_id text primary key references peers on delete cascade
) strict;

create table messages (
  seq integer primary key autoincrement,
  message_id text not null unique,
  session_id text not null references sessions on delete cascade,
  peer_id text not null references peers,
  role text not null check (role in ('user', 'assistant', 'system', 'tool')),
  content text not null,
  created_at text not null,           -- when it was said
  logged_at text not null,            -- when it was told to HyMem
  metadata text not null default '{}',
  observed integer not null default 1, -- 0 where nothing may be learnt from it
  token_count integer                 -- null where nobody has counted
) strict;
create index messages_by_session on messages (session_id, created_at, seq);
create index messages_by_peer on messages (peer_id);
create index messages_told on messages (session_id, seq);

create table processed_chunks (       -- what a language model replied
  kind text not null,                 -- which prompt: extraction, …
  chunk_id integer not null,
  prompt_version text not null,
  model text not null,
  reply text not null,
  beside text not null default '{}',  -- what else was in the prompt
  prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0,
  replied_at text not null,
  session_id text not null references sessions on delete cascade,
  first_seq integer not null,         -- the messages that it was asked about lie between these two
  last_seq integer not null,
  run_id text not null default '',    -- the dream that asked
  primary key (kind, chunk_id, prompt_version, model)
) strict;
create index processed_chunks_by_session on processed_chunks (session_id, first_seq, last_seq);
create index processed_chunks_by_run on processed_chunks (run_id);

create table reply_rejections (       -- what people said of all that one dream was replied, in order
  rejection_id integer primary key autoincrement,
  act text not null check (act in ('reject', 'ask_again')),  -- both reject; of the first kind nothing is asked again
  run_id text not null,
  created_at text not null
) strict;
create index reply_rejections_by_run on reply_rejections (run_id);

create table entity_aliases (         -- what people said of names, in order; "x means x" takes back what was said of x
  alias_id integer primary key autoincrement,
  alias text not null,
  canonical text not null,
  source text not null default 'person',
  created_at text not null
) strict;

create table extraction_feedback (    -- what people said of edges, in order
  feedback_id integer primary key autoincrement,
  act text not null check (act in ('retract', 'restore')),
  subject text not null,
  predicate text not null,
  object text not null,
  reason text,
  created_at text not null
) strict;

create table facts_told (             -- what was told as a fact, in order, as it was told
  fact_id integer primary key autoincrement,
  peer_id text not null,              -- whose fact it is; no other peer sees it
  content text not null,
  category text not null,
  tags text not null,
  trust real not null,                -- at first
  message_id text references messages (message_id) on delete cascade,  -- where it was said, if it is known
  created_at text not null
) strict;
create index facts_told_by_peer on facts_told (peer_id);
create index facts_told_by_message on facts_told (message_id);

create table fact_acts (              -- what was said of told facts, in order; null leaves a thing as it was
  act_id integer primary key autoincrement,
  fact_id integer not null references facts_told on delete cascade,
  act text not null check (act in ('update', 'remove', 'helpful', 'unhelpful')),
  content text,
  category text,
  tags text,
  trust_change real,
  message_id text references messages (message_id) on delete cascade,
  created_at text not null
) strict;
create index fact_acts_by_fact on fact_acts (fact_id, act_id);
create index fact_acts_by_message on fact_acts (message_id);

create table conclusions (            -- what clients concluded, in order
  seq integer primary key autoincrement,
  conclusion_id text not null unique,
  content text not null,
  observer_id text not null references peers on delete cascade,
  observed_id text not null references peers on delete cascade,
  session_id text references sessions on delete cascade,
  created_at text not null
) strict;
create index conclusions_by_pair on conclusions (observer_id, observed_id);
create index conclusions_by_observed on conclusions (observed_id);
create index conclusions_by_session on conclusions (session_id);

create table conclusion_deletions (   -- what clients deleted of what was concluded from memory: edges, entries, clashes, as digests
  what integer primary key,
  deleted_at text not null            -- what is said anew after this comes back
) strict;

create table peer_cards (             -- what clients wrote on the card that one peer keeps of another
  observer_id text not null references peers on delete cascade,
  observed_id text not null references peers on delete cascade,
  card text not null,                 -- a JSON list of lines
  written_at text not null,
  primary key (observer_id, observed_id)
) strict;
create index peer_cards_by_observed on peer_cards (observed_id);

-- -------------------------------------------------------------------------------------------------- materialized

create table chunked_sessions (       -- as of which revision each session was cut into chunks
  session_id text primary key references sessions on delete cascade,
  revision integer not null,
  let_go integer not null,            -- silent chunks of it that are kept no longer
  row_digest integer not null
) strict;
create index chunked_sessions_let_go on chunked_sessions (session_id) where let_go > 0 and row_digest <> 0;
create trigger chunks_may_return after delete on messages begin
  update chunked_sessions set revision = -1, row_digest = 0 where let_go > 0 and row_digest <> 0;
end;

create table chunks (
  chunk_id integer primary key,
  session_id text not null references sessions on delete cascade,
  message_seq integer not null references messages on delete cascade,
  context_seq integer references messages on delete cascade,
  part integer not null,              -- 0, or which piece of a long message
  peer_id text not null,
  said_at text not null,
  salience_reason text not null,      -- '' for silent ones: searched, and never read by a model
  context text not null,              -- the assistant's turn before, its end
  text text not null,
  bigrams text not null,              -- of scripts without spaces between words, for the index
  row_digest integer not null
) strict;
create index chunks_by_session on chunks (session_id, said_at, message_seq, part);
create index chunks_by_message on chunks (message_seq);
create index chunks_by_context on chunks (context_seq);
create index chunks_let_go on chunks (session_id) where text = '';

create virtual table chunks_fts using fts5 (
  text, bigrams,
  content = 'chunks', content_rowid = 'chunk_id',
  tokenize = "porter unicode61 remove_diacritics 2"
);
insert into chunks_fts (chunks_fts, rank) values ('secure-delete', 1);
create virtual table chunks_vocabulary using fts5vocab (chunks_fts, row);
create trigger chunks_fts_insert after insert on chunks begin
  insert into chunks_fts (rowid, text, bigrams)
  values (new.chunk_id, new.text, new.bigrams);
end;
create trigger chunks_fts_delete after delete on chunks begin
  insert into chunks_fts (chunks_fts, rowid, text, bigrams)
  values ('delete', old.chunk_id, old.text, old.bigrams);
end;
create trigger chunks_fts_update after update of text, bigrams on chunks begin
  insert into chunks_fts (chunks_fts, rowid, text, bigrams)
  values ('delete', old.chunk_id, old.text, old.bigrams);
  insert into chunks_fts (rowid, text, bigrams)
  values (new.chunk_id, new.text, new.bigrams);
end;

create table chunk_replies (          -- which reply each chunk was read from
  chunk_id integer primary key references chunks on delete cascade,
  prompt_version text not null,
  model text not null,
  replied_at text not null,
  refused text not null,              -- the items of the reply that were dropped, and why
  row_digest integer not null
) strict;

create table extracted_triples (      -- as the reply gave them, surface forms and all
  chunk_id integer not null references chunks on delete cascade,
  position integer not null,
  subject text not null,
  predicate text not null,
  object text not null,
  polarity integer not null check (polarity in (-1, 1)),
  quote text not null,
  value_text text,
  value_numeric real,
  value_unit text,
  temporal_scope text,
  row_digest integer not null,
  primary key (chunk_id, position)
) strict, without rowid;
create index extracted_subjects_in_camel_case on extracted_triples (subject) where subject glob '*[a-z][A-Z]*';
create index extracted_objects_in_camel_case on extracted_triples (object) where object glob '*[a-z][A-Z]*';

create table behavioral_markers (
  chunk_id integer not null references chunks on delete cascade,
  position integer not null,
  peer_id text not null,
  kind text not null,
  statement text not null,
  quote text not null,
  row_digest integer not null,
  primary key (chunk_id, position)
) strict, without rowid;

create table type_claims (
  chunk_id integer not null references chunks on delete cascade,
  name text not null,
  type text not null,
  row_digest integer not null,
  primary key (chunk_id, name)
) strict, without rowid;

create table entity_names (           -- every canonical name, and the entity that its aliases lead to
  name text primary key,
  entity text not null,
  row_digest integer not null
) strict;
create index entity_names_by_entity on entity_names (entity);

create table entity_types (
  entity text primary key,
  type text not null,
  source text not null,
  row_digest integer not null
) strict;
create index entity_types_by_type on entity_types (type);

create table entity_mentions (
  chunk_id integer not null references chunks on delete cascade,
  name text not null,
  entity text not null,
  row_digest integer not null,
  primary key (chunk_id, name)
) strict, without rowid;
create index entity_mentions_by_entity on entity_mentions (entity, chunk_id);

create table knowledge_graph (
  edge_id integer primary key,
  subject text not null,
  predicate text not null,
  object text not null,
  derived integer not null check (derived in (0, 1)),
  status text not null check (status in ('active', 'stale', 'retracted')),
  confidence real not null,
  pos_evidence integer not null,
  neg_evidence integer not null,      -- stated negatives and decay windows together
  decay_windows integer not null,
  first_seen text not null,
  last_seen text not null,
  last_reinforced text,
  value_text text,
  value_numeric real,
  value_unit text,
  temporal_scope text,
  path text not null,                 -- of a derived edge: the edges it follows from, as a JSON list
  row_digest integer not null,
  unique (subject, predicate, object, derived)
) strict;
create index knowledge_graph_by_subject on knowledge_graph (subject, last_seen);
create index knowledge_graph_by_object on knowledge_graph (object, last_seen);
create index knowledge_graph_by_predicate on knowledge_graph (predicate, confidence desc, last_seen desc);
create index knowledge_graph_by_last_seen on knowledge_graph (last_seen);

create table kg_evidence (
  edge_id integer not null references knowledge_graph on delete cascade,
  chunk_id integer not null references chunks on delete cascade,
  polarity integer not null check (polarity in (-1, 1)),
  source text not null check (source in ('stated', 'superseded')),
  said_at text not null,
  position integer not null,          -- of the triple in the reply
  quote text not null,
  value_text text,
  value_numeric real,
  value_unit text,
  temporal_scope text,
  row_digest integer not null,
  primary key (edge_id, chunk_id, polarity)
) strict, without rowid;
create index kg_evidence_by_chunk on kg_evidence (chunk_id);

create table rediscussions (          -- each decay window that counts against an edge, and a chunk that shows why
  edge_id integer not null references knowledge_graph on delete cascade,
  window integer not null,
  chunk_id integer not null references chunks on delete cascade,
  row_digest integer not null,
  primary key (edge_id, window)
) strict, without rowid;
create index rediscussions_by_chunk on rediscussions (chunk_id);

create table profile_entries (
  entry_id integer primary key,
  peer_id text not null,
  kind text not null,
  statement text not null,
  pos_evidence integer not null,
  neg_evidence integer not null,
  confidence real not null,
  first_seen text not null,
  last_seen text not null,
  row_digest integer not null
) strict;
create index profile_entries_by_peer on profile_entries (peer_id);

create table profile_evidence (
  entry_id integer not null references profile_entries on delete cascade,
  chunk_id integer not null references chunks on delete cascade,
  position integer not null,          -- of the marker in the reply
  polarity integer not null check (polarity in (-1, 1)),
  row_digest integer not null,
  primary key (entry_id, chunk_id, position)
) strict, without rowid;
create index profile_evidence_by_chunk on profile_evidence (chunk_id);

create table insights (
  rank integer primary key,
  kind text not null check (kind in ('hub', 'preference', 'contradiction')),
  statement text not null,
  edges text not null,                -- the edges it rests on, as a JSON list
  row_digest integer not null
) strict;

create table markdown_sections (
  section text primary key,           -- 'profile' in USER.md, 'insights' in MEMORY.md
  body text not null,
  row_digest integer not null
) strict;

create table session_windows (        -- stretches of sessions that are read as a whole
  session_window_id integer primary key,
  session_id text not null references sessions on delete cascade,
  place integer not null,
  revision_id integer not null,       -- a digest of its messages; replies are about a revision
  first_seq integer not null,
  last_seq integer not null,
  started_at text not null,
  ended_at text not null,
  prompt_version text not null,       -- of the reply about this revision; '' as long as there is none
  model text not null,
  replied_at text not null,
  summary text not null,
  row_digest integer not null
) strict;
create index session_windows_by_session on session_windows (session_id, place);

create table session_summaries (      -- shown as sessions.summary
  session_id text primary key references sessions on delete cascade,
  summary text not null,
  row_digest integer not null
) strict;
create trigger session_summaries_insert after insert on session_summaries begin
  update sessions set summary = new.summary where session_id = new.session_id;
end;
create trigger session_summaries_update after update on session_summaries begin
  update sessions set summary = new.summary where session_id = new.session_id;
end;
create trigger session_summaries_delete after delete on session_summaries begin
  update sessions set summary = null where session_id = old.session_id;
end;

create table episodes (
  episode_id integer primary key,
  session_window_id integer not null references session_windows on delete cascade,
  session_id text not null references sessions on delete cascade,
  title text not null,
  summary text not null,
  outcome text not null,
  entities text not null,             -- a JSON list of canonical names
  first_seq integer not null,
  last_seq integer not null,
  started_at text not null,
  ended_at text not null,
  bigrams text not null,              -- as of chunks
  row_digest integer not null
) strict;
create index episodes_by_session on episodes (session_id);
create index episodes_by_window on episodes (session_window_id);

create virtual table episodes_fts using fts5 (
  title, summary, outcome, entities, bigrams,
  content = 'episodes', content_rowid = 'episode_id',
  tokenize = "porter unicode61 remove_diacritics 2"
);
insert into episodes_fts (episodes_fts, rank) values ('secure-delete', 1);
create trigger episodes_fts_insert after insert on episodes begin
  insert into episodes_fts (rowid, title, summary, outcome, entities, bigrams)
  values (new.episode_id, new.title, new.summary, new.outcome, new.entities, new.bigrams);
end;
create trigger episodes_fts_delete after delete on episodes begin
  insert into episodes_fts (episodes_fts, rowid, title, summary, outcome, entities, bigrams)
  values ('delete', old.episode_id, old.title, old.summary, old.outcome, old.entities, old.bigrams);
end;
create trigger episodes_fts_update after update on episodes begin
  insert into episodes_fts (episodes_fts, rowid, title, summary, outcome, entities, bigrams)
  values ('delete', old.episode_id, old.title, old.summary, old.outcome, old.entities, old.bigrams);
  insert into episodes_fts (rowid, title, summary, outcome, entities, bigrams)
  values (new.episode_id, new.title, new.summary, new.outcome, new.entities, new.bigrams);
end;

create table procedures (
  procedure_id integer primary key,
  session_window_id integer not null references session_windows on delete cascade,
  session_id text not null references sessions on delete cascade,
  name text not null,
  description text not null,
  steps text not null,                -- a JSON list of {order, action, tools}
  triggers text not null,             -- a JSON list
  entities text not null,             -- a JSON list of canonical names
  first_seq integer not null,
  last_seq integer not null,
  said_at text not null,
  wording text not null,              -- what the steps say, without the keys
  bigrams text not null,
  row_digest integer not null
) strict;
create index procedures_by_session on procedures (session_id);
create index procedures_by_window on procedures (session_window_id);

create virtual table procedures_fts using fts5 (
  name, description, wording, triggers, entities, bigrams,
  content = 'procedures', content_rowid = 'procedure_id',
  tokenize = "porter unicode61 remove_diacritics 2"
);
insert into procedures_fts (procedures_fts, rank) values ('secure-delete', 1);
create trigger procedures_fts_insert after insert on procedures begin
  insert into procedures_fts (rowid, name, description, wording, triggers, entities, bigrams)
  values (new.procedure_id, new.name, new.description, new.wording, new.triggers, new.entities, new.bigrams);
end;
create trigger procedures_fts_delete after delete on procedures begin
  insert into procedures_fts (procedures_fts, rowid, name, description, wording, triggers, entities, bigrams)
  values ('delete', old.procedure_id, old.name, old.description, old.wording, old.triggers, old.entities, old.bigrams);
end;
create trigger procedures_fts_update after update on procedures begin
  insert into procedures_fts (procedures_fts, rowid, name, description, wording, triggers, entities, bigrams)
  values ('delete', old.procedure_id, old.name, old.description, old.wording, old.triggers, old.entities, old.bigrams);
  insert into procedures_fts (rowid, name, description, wording, triggers, entities, bigrams)
  values (new.procedure_id, new.name, new.description, new.wording, new.triggers, new.entities, new.bigrams);
end;

create table embedding_space (        -- whose vectors these are; those of two models are never mixed
  one integer primary key check (one = 1),
  model text not null,
  dimension integer not null
) strict;

create table chunk_embeddings (       -- vectors are float32, little-endian, of length 1
  chunk_id integer primary key references chunks on delete cascade,
  text_digest integer not null,
  vector blob not null
) strict;

create table edge_embeddings (        -- kept under the text, so that a derived edge finds its vector when it returns
  text_id integer primary key,
  text text not null unique,          -- subject predicate object
  subject text not null,
  object text not null,
  text_digest integer not null,
  vector blob not null
) strict;

create table episode_embeddings (
  episode_id integer primary key references episodes on delete cascade,
  text_digest integer not null,
  vector blob not null
) strict;

create table vector_blocks (          -- a compact index: the signs of the numbers, some hundred vectors a row
  kind text not null,                 -- chunk, edge, episode
  first_owner integer not null,       -- owners from here on, as far as the next block
  version integer not null,           -- vector_state's, when the block was written
  owners blob not null,               -- 64 bits each, little-endian, rising
  signs blob not null,                -- a bit a number, in the same order
  primary key (kind, first_owner)
) strict;

create table vector_changes (         -- owners whose vectors came or went since the blocks were written
  kind text not null,
  owner integer not null,
  primary key (kind, owner)
) strict, without rowid;

create table vector_state (
  one integer primary key check (one = 1),
  version integer not null            -- moves whenever blocks are written
) strict;
insert into vector_state values (1, 0);

create trigger chunk_embeddings_insert after insert on chunk_embeddings begin
  insert or ignore into vector_changes values ('chunk', new.chunk_id);
end;
create trigger chunk_embeddings_update after update on chunk_embeddings begin
  insert or ignore into vector_changes values ('chunk', new.chunk_id);
end;
create trigger chunk_embeddings_delete after delete on chunk_embeddings begin
  insert or ignore into vector_changes values ('chunk', old.chunk_id);
end;
create trigger edge_embeddings_insert after insert on edge_embeddings begin
  insert or ignore into vector_changes values ('edge', new.text_id);
end;
create trigger edge_embeddings_update after update on edge_embeddings begin
  insert or ignore into vector_changes values ('edge', new.text_id);
end;
create trigger edge_embeddings_delete after delete on edge_embeddings begin
  insert or ignore into vector_changes values ('edge', old.text_id);
end;
create trigger episode_embeddings_insert after insert on episode_embeddings begin
  insert or ignore into vector_changes values ('episode', new.episode_id);
end;
create trigger episode_embeddings_update after update on episode_embeddings begin
  insert or ignore into vector_changes values ('episode', new.episode_id);
end;
create trigger episode_embeddings_delete after delete on episode_embeddings begin
  insert or ignore into vector_changes values ('episode', old.episode_id);
end;

-- -------------------------------------------------------------------------------------------------- kept in step

create table fact_space (             -- how long the holographic vectors are
  one integer primary key check (one = 1),
  dimension integer not null
) strict;
insert into fact_space values (1, 1024);

create table facts (                  -- told facts as they stand
  fact_id integer primary key references facts_told on delete cascade,
  peer_id text not null,
  content text not null,              -- without secrets
  category text not null,
  tags text not null,
  trust_score real not null,
  helpful_count integer not null,
  retrieval_count integer not null,
  created_at text not null,
  updated_at text not null,           -- when its words last changed; feedback does not count
  names text not null,                -- canonical names, for the index
  bigrams text not null,              -- as of chunks
  hrr_vector blob not null            -- angles as uint16, little-endian
) strict;
create index idx_facts_trust on facts (trust_score desc);
create index idx_facts_category on facts (category);
create index facts_by_content on facts (peer_id, content);

create virtual table facts_fts using fts5 (
  content, tags, names, bigrams,
  content = 'facts', content_rowid = 'fact_id',
  tokenize = "porter unicode61 remove_diacritics 2"
);
insert into facts_fts (facts_fts, rank) values ('secure-delete', 1);
create trigger facts_fts_insert after insert on facts begin
  insert into facts_fts (rowid, content, tags, names, bigrams)
  values (new.fact_id, new.content, new.tags, new.names, new.bigrams);
end;
create trigger facts_fts_delete after delete on facts begin
  insert into facts_fts (facts_fts, rowid, content, tags, names, bigrams)
  values ('delete', old.fact_id, old.content, old.tags, old.names, old.bigrams);
end;
create trigger facts_fts_update after update of content, tags, names, bigrams on facts begin
  insert into facts_fts (facts_fts, rowid, content, tags, names, bigrams)
  values ('delete', old.fact_id, old.content, old.tags, old.names, old.bigrams);
  insert into facts_fts (rowid, content, tags, names, bigrams)
  values (new.fact_id, new.content, new.tags, new.names, new.bigrams);
end;

create table entities (               -- what told facts name; those of the graph are in entity_names
  entity_id integer primary key,
  peer_id text not null,
  canonical text not null,
  name text not null,                 -- as the first of its facts writes it
  unique (peer_id, canonical)
) strict;
create index idx_entities_name on entities (name);

create table fact_entities (
  fact_id integer not null references facts on delete cascade,
  entity_id integer not null references entities,
  name text not null,                 -- as this fact writes it
  primary key (fact_id, entity_id)
) strict, without rowid;
create index fact_entities_by_entity on fact_entities (entity_id, fact_id);

create table fact_aliases (           -- "X aka Y", as a fact says it
  fact_id integer not null references facts on delete cascade,
  alias text not null,
  canonical text not null,
  primary key (fact_id, alias, canonical)
) strict, without rowid;

create table memory_banks (           -- all facts of a category in one vector
  peer_id text not null,
  bank_name text not null,            -- cat:<category>
  dim integer not null,
  fact_count integer not null,
  sums blob not null,                 -- of cosines and sines, in 2^20ths, as int64: exact, so that facts come and go
  vector blob not null,               -- as of facts
  primary key (peer_id, bank_name)
) strict, without rowid;

-- --------------------------------------------------------------------------------------------------- operational

create table fact_retrievals (        -- how often each told fact was found; a count, and no part of the ledger
  fact_id integer primary key references facts_told on delete cascade,
  count integer not null
) strict;

create table attempts (               -- questions that got no readable reply
  kind text not null,
  chunk_id integer not null,
  prompt_version text not null,
  model text not null,
  failures integer not null,
  reason text not null,
  last_at text not null,
  session_id text not null references sessions on delete cascade,
  primary key (kind, chunk_id, prompt_version, model)
) strict, without rowid;

create table deliveries (             -- requests that a client may repeat, and what came of them
  delivery_id integer primary key,    -- a digest of session and key, or of session and body
  session_id text not null references sessions on delete cascade,
  body_digest text not null,
  message_ids text not null,          -- a JSON list
  keyed integer not null check (keyed in (0, 1)),
  delivered_at text not null
) strict;
create index deliveries_by_time on deliveries (keyed, delivered_at);
create index deliveries_by_session on deliveries (session_id);

create table webhooks (               -- whom to tell when there is nothing left to dream about
  webhook_id text primary key,
  url text not null unique,
  created_at text not null
) strict;

create table run_lock (
  name text primary key,
  holder text not null,               -- a random token
  host text not null,
  pid integer not null,
  acquired_at text not null,
  heartbeat_at text not null
) strict;

create table dream_state (            -- what the tables above were computed from
  one integer primary key check (one = 1),
  fingerprint text not null,          -- of configuration and code
  revision integer not null,          -- of the ledger
  waiting integer not null,           -- questions still to be asked
  seen_at text not null,              -- the dream's `now`
  changes_at text,                    -- when time alone will change something
  embedded text not null default '',  -- the embedding model that has a vector for every text
  model text not null default ''      -- the language model whose replies count
) strict;

create table dream_runs (
  run_id text primary key,
  started_at text not null,
  finished_at text,
  outcome text not null,              -- dreaming, done, interrupted, failed, locked
  as_seen_at text not null,           -- the run's `now`
  asked integer not null default 0,
  answered integer not null default 0,
  failed integer not null default 0,       -- for a reason of their own
  unavailable integer not null default 0,  -- for the endpoint's
  waiting integer not null default 0,
  quarantined integer not null default 0,
  prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0,
  embedded integer not null default 0,
  changed text not null default '{}', -- rows written and deleted, by table, as JSON
  edges text,                         -- of the graph as the run left it: how many, by status, as JSON
  warnings text not null default '[]',
  error text
) strict;
create index dream_runs_by_start on dream_runs (started_at);

create table node_runs (
  run_id text not null references dream_runs on delete cascade,
  node text not null,
  started_at text not null,
  milliseconds real not null,
  rows integer,
  digest text,
  error text,
  primary key (run_id, node)
) strict, without rowid;
