/** The seventh step of the schema of memory.db: what sessions were cut into chunks by, and of what chunks were made. */
export const cutTables = `
  -- A session without a row was cut by an older Pommel.
  CREATE TABLE session_cuts (
    session_id INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    -- Versions of the agent's adapter and of the rules, and a hash of the settings (sessions/chunks/cut-rules.ts).
    reader     INTEGER NOT NULL,
    rules      INTEGER NOT NULL,
    settings   TEXT NOT NULL
  ) STRICT;

  -- A hash of the streams that a chunk's words and vectors were made of: the streams themselves are not stored.
  CREATE TABLE chunk_sources (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    hash     BLOB NOT NULL
  ) STRICT;
`;
