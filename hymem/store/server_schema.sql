-- What a server knows of all workspaces together. A workspace's own record is in its own file; this is the list of them.

create table workspaces (
  workspace_id text primary key,
  folder text not null,               -- below the root; '' for the root itself
  metadata text not null default '{}',
  configuration text not null default '{}',
  created_at text not null
) strict;
