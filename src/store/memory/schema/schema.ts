import type { Migration } from "../../sqlite/sqlite.ts";
import { eventTables, gitTables } from "./git.ts";
import {
  actionTables,
  commandTables,
  contextTables,
  cutTables,
  decisionTables,
  modelTables,
  sessionTerms,
  topicTables,
} from "./later-steps.ts";
import { authorsOfShared, syncTables, teamTables } from "./sharing.ts";

/** The schema of memory.db, step by step. It is precious: forward only, and copied before every step. */
export const memoryMigrations: readonly Migration[] = [
  `
  CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The agent's own id; of a subagent <session>/<agent id>.
    uid             TEXT NOT NULL UNIQUE,
    agent           TEXT NOT NULL,
    parent_id       INTEGER REFERENCES sessions ON DELETE CASCADE,
    parent_tool_use TEXT,
    agent_type      TEXT,
    -- The session whose lines its transcript begins with; they are stored there only.
    forked_from     INTEGER REFERENCES sessions ON DELETE SET NULL,
    title           TEXT,
    -- Where a title comes from decides which one stays: prompt < agent < summary < user.
    title_source    TEXT,
    cwd             TEXT NOT NULL,
    branch          TEXT,
    -- Milliseconds since the epoch, of its first and its last line.
    started_at      INTEGER,
    last_at         INTEGER,
    -- Set when the agent said that it is over, reset when it goes on.
    ended_at        INTEGER,
    end_reason      TEXT
  ) STRICT;
  CREATE INDEX sessions_by_time ON sessions (last_at);
  CREATE INDEX sessions_of_parent ON sessions (parent_id);
  CREATE INDEX sessions_of_origin ON sessions (forked_from) WHERE forked_from IS NOT NULL;

  -- Every file that is, or was, read; a session may have several.
  CREATE TABLE transcripts (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,
    agent      TEXT NOT NULL,
    session_id INTEGER REFERENCES sessions ON DELETE CASCADE,
    -- As far as it was read: Cursor of agents/agent.ts.
    offset     INTEGER NOT NULL,
    line_hash  TEXT NOT NULL,
    size       INTEGER NOT NULL,
    read_at    INTEGER NOT NULL,
    -- Lines left out, by reason: JSON object of counts.
    skipped    TEXT NOT NULL DEFAULT '{}'
  ) STRICT;
  CREATE INDEX transcripts_of_session ON transcripts (session_id);

  -- Lines of conversation that are stored, so that no copy of one is stored again.
  CREATE TABLE lines (
    uid        TEXT PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- Order within the session, from 0.
    seq        INTEGER NOT NULL,
    -- Of a line whose turn was forgotten -1 - the turn's number: known, so that it is not stored again.
    turn       INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lines_of_session ON lines (session_id, seq);

  CREATE TABLE turns (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- From 1; 0 holds what came before the first prompt.
    number      INTEGER NOT NULL,
    started_at  INTEGER,
    ended_at    INTEGER,
    branch      TEXT,
    -- The user went back to before it and took another way.
    abandoned   INTEGER NOT NULL DEFAULT 0,
    -- Number of the turn with which the group begins that it is cut into chunks with.
    group_start INTEGER NOT NULL,
    -- The beginning of what was asked, for lists.
    prompt      TEXT NOT NULL,
    -- JSON object: uses by tool.
    tools       TEXT NOT NULL DEFAULT '{}',
    -- Everything, scrubbed: StoredLine[] of turn-content.ts, JSON, deflated.
    content     BLOB NOT NULL,
    UNIQUE (session_id, number)
  ) STRICT;

  -- Files that a turn touched.
  CREATE TABLE turn_files (
    turn_id INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- Relative to the project's root with slashes, absolute outside of it.
    path    TEXT NOT NULL,
    -- read, edit, write: the strongest of them.
    how     TEXT NOT NULL,
    PRIMARY KEY (turn_id, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turn_files_by_path ON turn_files (path);

  -- What messages cost, once for each: a message spans several lines.
  CREATE TABLE usage (
    session_id  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    message_uid TEXT NOT NULL,
    turn        INTEGER NOT NULL,
    model       TEXT NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    PRIMARY KEY (session_id, message_uid)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE chunks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    uid         TEXT NOT NULL UNIQUE,
    session_id  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- Order within the session among chunks of its type.
    position    INTEGER NOT NULL,
    first_turn  INTEGER NOT NULL,
    last_turn   INTEGER NOT NULL,
    -- Lines that it covers, by lines.seq; null for a chunk that covers none (a summary).
    first_seq   INTEGER,
    last_seq    INTEGER,
    type        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    event_type  TEXT NOT NULL,
    abandoned   INTEGER NOT NULL,
    branch      TEXT,
    started_at  INTEGER,
    ended_at    INTEGER,
    -- The note of an annotated chunk.
    annotation_id INTEGER REFERENCES annotations ON DELETE CASCADE,
    text        TEXT NOT NULL,
    -- JSON array of paths, as in turn_files.
    files       TEXT NOT NULL
  ) STRICT;
  CREATE INDEX chunks_of_session ON chunks (session_id, type, position);
  CREATE INDEX chunks_by_time ON chunks (started_at);
  CREATE INDEX chunks_of_annotation ON chunks (annotation_id) WHERE annotation_id IS NOT NULL;

  -- Keyed by chunks.id. Streams come ready-made (tokens.ts).
  CREATE VIRTUAL TABLE chunk_terms USING fts5 (
    prompt, answer, actions, errors,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_$'"
  );

  -- However a chunk goes, also with its session or its note: its terms go with it.
  CREATE TRIGGER chunks_forgotten AFTER DELETE ON chunks BEGIN
    DELETE FROM chunk_terms WHERE rowid = old.id;
  END;

  -- A row for each chunk and model: sessions grow at their end, so rows of many chunks would be written over and over.
  CREATE TABLE vectors (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  INTEGER NOT NULL,
    model       TEXT NOT NULL,
    dimensions  INTEGER NOT NULL,
    chunk_id    INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
    -- int8 components of all passages, side by side; empty where the model has none for the text.
    data        BLOB NOT NULL,
    UNIQUE (chunk_id, model)
  ) STRICT;
  CREATE INDEX vectors_of_model ON vectors (model, id, dimensions);

  -- What the user asked to remember. Kept when retention takes the session away.
  CREATE TABLE annotations (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    uid         TEXT NOT NULL UNIQUE,
    -- The session's own id, which may be unknown (yet), or null for a note from a shell.
    session_uid TEXT,
    turn        INTEGER,
    -- The prompt's line; null until the transcript shows it.
    line_uid    TEXT,
    at          INTEGER NOT NULL,
    -- prompt or shell.
    source      TEXT NOT NULL,
    branch      TEXT,
    note        TEXT NOT NULL
  ) STRICT;
  CREATE INDEX annotations_by_time ON annotations (at);
  CREATE INDEX annotations_of_session ON annotations (session_uid);

  CREATE TABLE summaries (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- extractive, compaction (the agent's own), llm.
    source     TEXT NOT NULL,
    -- Turns that it speaks of, from the first up to this one.
    up_to_turn INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    -- The model that wrote it; null for the extractive one.
    model      TEXT,
    text       TEXT NOT NULL,
    UNIQUE (session_id, source, up_to_turn)
  ) STRICT;

  -- Which of a session's secrets of a type is which, by a keyed fingerprint too short to give the secret away.
  CREATE TABLE secrets (
    session_id  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    type        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    number      INTEGER NOT NULL,
    PRIMARY KEY (session_id, type, fingerprint)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE jobs (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    -- JobKind of memory-records.ts.
    kind       TEXT NOT NULL,
    -- What it is about: a transcript's path, a session's uid; one waiting job for each.
    subject    TEXT NOT NULL,
    -- What the kind needs to know: JSON.
    payload    TEXT NOT NULL DEFAULT '{}',
    -- pending, running, dead.
    state      TEXT NOT NULL,
    -- Who works on it while it is running, else null.
    owner      TEXT,
    -- Smaller first.
    priority   INTEGER NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    error      TEXT,
    -- Units of work (bytes of a transcript).
    done       INTEGER NOT NULL DEFAULT 0,
    total      INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX jobs_waiting ON jobs (kind, subject) WHERE state = 'pending';
  CREATE INDEX jobs_in_order ON jobs (state, priority, not_before, id);

  -- What the queue did last.
  CREATE TABLE activity (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- done or dead.
    outcome TEXT NOT NULL,
    chunks  INTEGER NOT NULL,
    -- Units of work done (bytes of a transcript).
    units   INTEGER NOT NULL,
    took_ms INTEGER NOT NULL
  ) STRICT;

  -- What must not be stored (again): ids alone tell nothing of what was said.
  CREATE TABLE forgotten (
    uid  TEXT PRIMARY KEY,
    -- session, line, annotation.
    kind TEXT NOT NULL,
    at   INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What language models were asked, by day (UTC, YYYY-MM-DD).
  CREATE TABLE llm_usage (
    day      TEXT NOT NULL,
    model    TEXT NOT NULL,
    purpose  TEXT NOT NULL,
    requests INTEGER NOT NULL,
    input    INTEGER NOT NULL,
    output   INTEGER NOT NULL,
    dollars  REAL NOT NULL,
    PRIMARY KEY (day, model, purpose)
  ) STRICT, WITHOUT ROWID;

  -- Size of the database, a row a day, to tell its growth.
  CREATE TABLE storage_days (
    day   TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  gitTables + eventTables + syncTables,
  contextTables,
  actionTables,
  decisionTables,
  sessionTerms,
  cutTables,
  `
  -- What a verdict rests on: attributionBases of protocol/values.ts; null where an older Pommel stored it.
  ALTER TABLE attributions ADD COLUMN basis TEXT;
  `,
  teamTables,
  `
  -- How a turn ended: turnStates of protocol/values.ts. None for what an older Pommel stored. No column of turns, as of actions.
  CREATE TABLE turn_states (
    turn_id INTEGER PRIMARY KEY REFERENCES turns ON DELETE CASCADE,
    state   TEXT NOT NULL
  ) STRICT;
  `,
  commandTables,
  "CREATE INDEX usage_by_message ON usage (message_uid)",
  topicTables,
  modelTables,
  authorsOfShared,
];
