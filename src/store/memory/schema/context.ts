/** Tables of memory.db for automatic context; the third step of its schema. */
export const contextTables = `
  -- What was put into an agent's context. The text itself is not kept: it is made of what the ids name.
  CREATE TABLE injections (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The session's own id: it may not be known yet.
    session_uid TEXT NOT NULL,
    -- session-start, user-prompt, post-tool-use.
    event       TEXT NOT NULL,
    at          INTEGER NOT NULL,
    -- Why there was something to say.
    reason      TEXT NOT NULL,
    tokens      INTEGER NOT NULL,
    took_ms     INTEGER NOT NULL,
    text_hash   TEXT NOT NULL
  ) STRICT;
  CREATE INDEX injections_of_session ON injections (session_uid);
  CREATE INDEX injections_by_time ON injections (at);

  CREATE TABLE injected (
    injection_id INTEGER NOT NULL REFERENCES injections ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    -- What was quoted: chunk:<uid>, note:<uid>, session:<uid>, event:<uid>.
    ref          TEXT NOT NULL,
    -- Why this one.
    why          TEXT NOT NULL,
    -- 0 to 1; null where nothing was asked.
    score        REAL,
    PRIMARY KEY (injection_id, position)
  ) STRICT, WITHOUT ROWID;

  -- What a session was told goes with the session.
  CREATE TRIGGER session_told_forgotten AFTER DELETE ON sessions BEGIN
    DELETE FROM injections WHERE session_uid = old.uid;
  END;
`;
