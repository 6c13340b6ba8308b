import type { Migration } from "../../sqlite/database.ts";

/** The schema of index.db, step by step. */
export const codeMigrations: readonly Migration[] = [
  `
  CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Every file that was looked at: indexed, or skipped with the reason.
  -- An id never comes back: readers may remember which path it stands for.
  CREATE TABLE files (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    path          TEXT NOT NULL UNIQUE,
    size          INTEGER NOT NULL,
    mtime_ms      INTEGER NOT NULL,
    skip_reason   TEXT,
    hash          TEXT,
    language      TEXT,
    lines         INTEGER NOT NULL DEFAULT 0,
    syntax_errors INTEGER NOT NULL DEFAULT 0,
    indexed_at    INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE chunks (
    id         INTEGER PRIMARY KEY,
    uid         TEXT NOT NULL,
    file_id     INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    parent_uid  TEXT,
    parent_name TEXT,
    level       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    signature   TEXT NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX chunks_of_file ON chunks (file_id);
  CREATE INDEX chunks_by_uid ON chunks (uid);

  -- Keyed by chunks.id. Streams come ready-made (tokens.ts), so the tokenizer only splits at blanks.
  CREATE VIRTUAL TABLE chunk_terms USING fts5 (
    name, path, head, body,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_$'"
  );

  CREATE TABLE symbols (
    key      TEXT NOT NULL,
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    file_id  INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX symbols_by_key ON symbols (key);
  CREATE INDEX symbols_of_file ON symbols (file_id);
  CREATE INDEX symbols_of_chunk ON symbols (chunk_id);
  `,
  `
  -- Vectors of a model for the chunks of a file, one row for all: a thousand rows are read sooner than the
  -- twelve thousand of their chunks. An id never comes back: readers ask for the rows after the last they know.
  DROP TABLE IF EXISTS vectors;
  CREATE TABLE vectors (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id     INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    model       TEXT NOT NULL,
    dimensions  INTEGER NOT NULL,
    -- Chunks of a file have consecutive ids, from this one on.
    first_chunk INTEGER NOT NULL,
    -- How many of them have no vector.
    missing     INTEGER NOT NULL,
    -- For each chunk a byte: the place of its level in levels.ts.
    levels      BLOB NOT NULL,
    -- For each chunk its int8 components; all zero where there is no vector.
    data        BLOB NOT NULL,
    UNIQUE (file_id, model)
  ) STRICT;
  CREATE INDEX vectors_of_model ON vectors (model);
  `,
  `
  -- Commits of HEAD's history.
  CREATE TABLE commits (
    id          INTEGER PRIMARY KEY,
    hash        TEXT NOT NULL UNIQUE,
    author      TEXT NOT NULL,
    -- Milliseconds since the epoch.
    authored_at INTEGER NOT NULL,
    subject     TEXT NOT NULL,
    body        TEXT NOT NULL,
    -- JSON array of paths.
    files       TEXT NOT NULL
  ) STRICT;

  -- Keyed by commits.id. Streams come ready-made (tokens.ts).
  CREATE VIRTUAL TABLE commit_terms USING fts5 (
    subject, body, files, author,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_$'"
  );
  CREATE TRIGGER commits_forgotten AFTER DELETE ON commits BEGIN
    DELETE FROM commit_terms WHERE rowid = old.id;
  END;
  `,
];
