/** Tables of memory.db that bind conversations to commits; the second step of its schema. */
export const gitTables = `
  -- Commits that were looked at, whether an agent had a part in them or not.
  CREATE TABLE commits (
    id             INTEGER PRIMARY KEY,
    hash           TEXT NOT NULL UNIQUE,
    tree           TEXT NOT NULL,
    -- JSON array of hashes.
    parents        TEXT NOT NULL,
    -- The branch that it was made on, where that is known.
    branch         TEXT,
    author         TEXT NOT NULL,
    -- Milliseconds since the epoch.
    authored_at    INTEGER NOT NULL,
    committed_at   INTEGER NOT NULL,
    subject        TEXT NOT NULL,
    -- Of git patch-id --stable: the same for a commit and what a rebase or a cherry-pick made of it. Null: it has none.
    patch_id       TEXT,
    -- JSON array: commits that it took the place of (amend, rebase, squash).
    rewritten_from TEXT NOT NULL DEFAULT '[]',
    insertions     INTEGER NOT NULL,
    deletions      INTEGER NOT NULL,
    -- hook, reflog, history, sync: how it came to be known.
    seen           TEXT NOT NULL,
    -- Version of the attribution that looked at it (attribution/version.ts); 0: none has.
    attributed     INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX commits_by_time ON commits (committed_at);
  CREATE INDEX commits_by_patch ON commits (patch_id) WHERE patch_id IS NOT NULL;
  CREATE INDEX commits_rewritten ON commits (rewritten_from) WHERE rewritten_from <> '[]';

  CREATE TABLE commit_files (
    commit_id  INTEGER NOT NULL REFERENCES commits ON DELETE CASCADE,
    -- From the project's root, with slashes; files outside of it are left out.
    path       TEXT NOT NULL,
    -- What it was called before; null where it was not renamed or copied.
    old_path   TEXT,
    -- A, M, D, R, C, T as git says.
    status     TEXT NOT NULL,
    insertions INTEGER NOT NULL,
    deletions  INTEGER NOT NULL,
    -- The added lines: number and key of each (attribution/line-keys.ts); empty for a binary file.
    added      BLOB NOT NULL,
    PRIMARY KEY (commit_id, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX commit_files_by_path ON commit_files (path);
  CREATE INDEX commit_files_by_old_path ON commit_files (old_path) WHERE old_path IS NOT NULL;

  -- Who wrote the lines that a commit added, as ranges of lines of its version of the file.
  CREATE TABLE attributions (
    commit_id   INTEGER NOT NULL REFERENCES commits ON DELETE CASCADE,
    path        TEXT NOT NULL,
    first_line  INTEGER NOT NULL,
    last_line   INTEGER NOT NULL,
    -- agent, human, unknown.
    author      TEXT NOT NULL,
    -- Of an agent's lines; null where only that it was an agent is known.
    session_uid TEXT,
    turn        INTEGER,
    -- The tool call that wrote them, by the agent's own id.
    tool_use    TEXT,
    model       TEXT,
    -- 0 to 1.
    confidence  REAL NOT NULL,
    -- How it is known: edit, shell, moved, inherited, note, absence.
    how         TEXT NOT NULL,
    PRIMARY KEY (commit_id, path, first_line)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attributions_of_session ON attributions (session_uid, turn) WHERE session_uid IS NOT NULL;

  -- A commit that sessions led to.
  CREATE TABLE checkpoints (
    -- The first twelve digits of a hash of the commit's: the same on every machine.
    uid         TEXT PRIMARY KEY,
    commit_id   INTEGER NOT NULL UNIQUE REFERENCES commits ON DELETE CASCADE,
    -- The nearest one before it in history; null for the first.
    parent_uid  TEXT,
    -- What the agents were at (checkpoints/agent-state.ts): JSON, scrubbed.
    agent_state TEXT NOT NULL DEFAULT '{}',
    created_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE checkpoint_sessions (
    checkpoint_uid TEXT NOT NULL REFERENCES checkpoints (uid) ON DELETE CASCADE,
    -- The session's own id: it may be another machine's, or have been forgotten by age.
    session_uid    TEXT NOT NULL,
    -- JSON array of numbers, ascending.
    turns          TEXT NOT NULL,
    -- Lines of the commit that it wrote.
    lines          INTEGER NOT NULL,
    -- lines: it wrote lines of it; removed: it removed lines; command: it made the commit, or had it made; touched: it
    -- had files of it in hand shortly before; trailer: another tool says so.
    how            TEXT NOT NULL,
    confidence     REAL NOT NULL,
    PRIMARY KEY (checkpoint_uid, session_uid)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX checkpoint_sessions_by_session ON checkpoint_sessions (session_uid);

  -- When lines first showed up in a file, as its watcher saw it; kept for some weeks.
  CREATE TABLE observations (
    id   INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    -- The file's mtime.
    at   INTEGER NOT NULL,
    -- Keys of the lines that were new.
    keys BLOB NOT NULL
  ) STRICT;
  CREATE INDEX observations_by_path ON observations (path, at);
`;

/** Groups of sessions and checkpoints. */
export const eventTables = `
  CREATE TABLE events (
    uid         TEXT PRIMARY KEY,
    title       TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    -- task, temporal, milestone.
    type        TEXT NOT NULL,
    -- active, frozen, archived.
    status      TEXT NOT NULL,
    -- The branch that it is about; what happens there is linked by itself while it is active.
    branch      TEXT,
    starts_at   INTEGER,
    ends_at     INTEGER,
    created_at  INTEGER NOT NULL,
    -- The later one of two versions counts.
    updated_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE event_links (
    event_uid  TEXT NOT NULL REFERENCES events (uid) ON DELETE CASCADE,
    -- session, checkpoint.
    kind       TEXT NOT NULL,
    target_uid TEXT NOT NULL,
    added_at   INTEGER NOT NULL,
    -- Later than added_at: it was unlinked then; null: never.
    removed_at INTEGER,
    PRIMARY KEY (event_uid, kind, target_uid)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX event_links_by_target ON event_links (kind, target_uid);
`;
