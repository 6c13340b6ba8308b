import { createTextTable, deleteTexts } from "../../sqlite/full-text.ts";
import type { Schema } from "../../sqlite/schema.ts";
import type { Sqlite } from "../../sqlite/sqlite.ts";

const tables = `
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
    indexed_at    INTEGER NOT NULL,
    chunks        INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- docs/decisions/0014-own-postings.md: no index of keys that come in no order. The leaves of one would be written again
  -- with every file, as each of its keys goes to another one.
  CREATE TABLE chunks (
    id          INTEGER PRIMARY KEY,
    uid         TEXT NOT NULL,
    file_id     INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    parent_uid  TEXT,
    parent_name TEXT,
    level       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    signature   TEXT NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL,
    -- Of nearly the same code few bits differ; 0 where there is too little of it.
    fingerprint INTEGER NOT NULL DEFAULT 0,
    -- 1: a compiler or a bundler wrote its file.
    built       INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX chunks_of_file ON chunks (file_id);

  CREATE TABLE symbols (
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    file_id  INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX symbols_of_file ON symbols (file_id);
  CREATE INDEX symbols_of_chunk ON symbols (chunk_id);

  -- docs/decisions/0020-edges-are-resolved-when-asked-for.md: what a file defines, imports and refers to (encodeGraph).
  CREATE TABLE graphs (
    file_id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    data    BLOB NOT NULL
  ) STRICT;

  -- How much there is, as counting takes as long as reading all of it. Kept by triggers, so that nothing can forget to.
  CREATE TABLE file_totals (
    -- One of them is null.
    language      TEXT,
    skip_reason   TEXT,
    files         INTEGER NOT NULL,
    chunks        INTEGER NOT NULL,
    syntax_errors INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER file_added AFTER INSERT ON files BEGIN
    INSERT INTO file_totals SELECT new.language, new.skip_reason, 0, 0, 0 WHERE NOT EXISTS (
      SELECT 1 FROM file_totals WHERE language IS new.language AND skip_reason IS new.skip_reason);
    UPDATE file_totals SET files = files + 1, chunks = chunks + new.chunks, syntax_errors = syntax_errors + new.syntax_errors
      WHERE language IS new.language AND skip_reason IS new.skip_reason;
  END;
  CREATE TRIGGER file_gone AFTER DELETE ON files BEGIN
    UPDATE file_totals SET files = files - 1, chunks = chunks - old.chunks, syntax_errors = syntax_errors - old.syntax_errors
      WHERE language IS old.language AND skip_reason IS old.skip_reason;
  END;

  -- docs/decisions/0014-own-postings.md
  -- What words are where is written segment by segment: the chunks of a transaction, later those of several. A segment never
  -- changes, except that chunks of it go.
  CREATE TABLE word_segments (
    -- An id never comes back: readers remember the segments that they know.
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    -- 'used', or 'made' of others until that is done, or 'merged' into another, which is to be deleted.
    state       TEXT NOT NULL,
    chunks      INTEGER NOT NULL,
    -- How many of them are gone.
    gone        INTEGER NOT NULL DEFAULT 0,
    -- What its postings take.
    bytes       INTEGER NOT NULL DEFAULT 0,
    -- Ids of chunks that no other segment in use has any between. They never come back, either.
    first_chunk INTEGER NOT NULL,
    last_chunk  INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE segment_chunks (
    segment INTEGER PRIMARY KEY,
    -- encodeChunks (words/segment.ts).
    data    BLOB NOT NULL
  ) STRICT;
  CREATE TABLE postings (
    segment INTEGER NOT NULL,
    word    TEXT NOT NULL,
    chunks  INTEGER NOT NULL,
    -- words/postings.ts.
    list    BLOB NOT NULL,
    places  BLOB NOT NULL,
    -- The id of the list, where list and places are in long_postings; null where they are here.
    long    INTEGER,
    PRIMARY KEY (segment, word)
  ) STRICT, WITHOUT ROWID;
  -- What is too long to lie beside its word. A list, and behind it its places.
  CREATE TABLE long_postings (
    id    INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TRIGGER long_postings_gone AFTER DELETE ON postings WHEN old.long IS NOT NULL BEGIN
    DELETE FROM long_postings WHERE id IN (old.long, old.long + 1);
  END;
  CREATE TABLE gone_chunks (chunk INTEGER PRIMARY KEY) STRICT;

  -- Vectors of a model for the chunks of a file, one row for all: a thousand rows are read sooner than the
  -- twelve thousand of their chunks. An id never comes back: readers ask for the rows after the last they know.
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
  CREATE TABLE vector_totals (
    model      TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    files      INTEGER NOT NULL,
    chunks     INTEGER NOT NULL,
    missing    INTEGER NOT NULL,
    PRIMARY KEY (model, dimensions)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    INSERT INTO vector_totals VALUES (new.model, new.dimensions, 1, length(new.levels), new.missing)
      ON CONFLICT DO UPDATE SET files = files + 1, chunks = chunks + excluded.chunks,
        missing = missing + excluded.missing;
  END;
  CREATE TRIGGER vectors_gone AFTER DELETE ON vectors BEGIN
    UPDATE vector_totals SET files = files - 1, chunks = chunks - length(old.levels), missing = missing - old.missing
      WHERE model = old.model AND dimensions = old.dimensions;
  END;

  -- docs/decisions/0014-own-postings.md: what a reader with a connection of its own has to forget.
  -- Counts changes of what can be found; merging words is none.
  CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
  INSERT INTO revision VALUES (0);
  -- Rows of vectors that went lately, and the last revision that had them.
  CREATE TABLE removed_vectors (
    revision INTEGER NOT NULL,
    id       INTEGER NOT NULL,
    PRIMARY KEY (revision, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    INSERT INTO removed_vectors SELECT number, old.id FROM revision;
  END;

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
  -- Keyed by commits.id. Streams come ready-made (tokens.ts), so the tokenizer only splits at blanks.
  ${createTextTable("commit_terms")}
  CREATE TRIGGER commits_forgotten AFTER DELETE ON commits BEGIN
    ${deleteTexts("commit_terms", "old.id")}
  END;
`;

/**
 * The schema of index.db. Everything in it can be made again, so a change takes no step: `first` goes up, which empties older ones.
 */
export const codeSchema: Schema = { first: 16, steps: [tables] };

/** The totals as they are kept, and as they are counted. Triggers of the schema keep them. */
const kept = [
  [
    "files and chunks",
    "SELECT language, skip_reason, files, chunks, syntax_errors FROM file_totals WHERE files > 0 ORDER BY 1, 2",
    `SELECT language, skip_reason, count(*) AS files, sum((SELECT count(*) FROM chunks WHERE file_id = files.id)) AS chunks,
       sum(syntax_errors) AS syntax_errors
     FROM files GROUP BY 1, 2 ORDER BY 1, 2`,
  ],
  [
    "vectors",
    "SELECT * FROM vector_totals WHERE files > 0 ORDER BY 1, 2",
    `SELECT model, dimensions, count(*) AS files, sum(length(levels)) AS chunks, sum(missing) AS missing
     FROM vectors GROUP BY 1, 2 ORDER BY 1, 2`,
  ],
] as const;

/** What is wrong with the totals of an index; null for nothing. Reads all rows. */
export function findWrongTotals(db: Pick<Sqlite, "prepare">): string | null {
  const isWrong = ([, stored, counted]: (typeof kept)[number]) =>
    JSON.stringify(db.prepare(stored).all()) !== JSON.stringify(db.prepare(counted).all());
  const wrong = kept.find(isWrong);
  return wrong ? `its totals of ${wrong[0]} are wrong` : null;
}
