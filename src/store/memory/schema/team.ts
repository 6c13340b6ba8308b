/** The ninth step of the schema of memory.db: who recorded what others shared, and what is shared with a team. */

const isTeam = "WHEN EXISTS (SELECT 1 FROM sync_state WHERE key = 'team project')";

const changed = (kind: string, uid: string) => `
    DELETE FROM team_changed WHERE kind = ${kind} AND uid = ${uid};
    INSERT INTO team_changed (kind, uid) SELECT ${kind}, ${uid} WHERE ${uid} IS NOT NULL;`;

export const teamTables = `
  -- Under which name a colleague shared it; null: recorded here, or not known.
  ALTER TABLE sessions ADD COLUMN author TEXT;
  ALTER TABLE annotations ADD COLUMN author TEXT;
  CREATE INDEX sessions_by_author ON sessions (author) WHERE author IS NOT NULL;

  -- As sync_changed, for the team's server: each is emptied by its own exchange. Filled only while there is a team.
  CREATE TABLE team_changed (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    uid  TEXT NOT NULL,
    UNIQUE (kind, uid)
  ) STRICT;
  CREATE TRIGGER team_noticed AFTER INSERT ON sync_changed ${isTeam} BEGIN
    ${changed("new.kind", "new.uid")}
  END;
  -- What was forgotten is withdrawn there, so losses count as changes.
  CREATE TRIGGER team_turn_removed AFTER DELETE ON turns ${isTeam} BEGIN
    ${changed("'session'", "(SELECT uid FROM sessions WHERE id = old.session_id)")}
  END;
  CREATE TRIGGER team_summary_removed AFTER DELETE ON summaries ${isTeam} BEGIN
    ${changed("'session'", "(SELECT uid FROM sessions WHERE id = old.session_id)")}
  END;
  CREATE TRIGGER team_binding_removed AFTER DELETE ON checkpoint_sessions ${isTeam} BEGIN
    ${changed("'checkpoint'", "old.checkpoint_uid")}
  END;

  -- What this author shares at the server, by the SHA-256 of its text.
  CREATE TABLE team_shared (
    kind   TEXT NOT NULL,
    uid    TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (kind, uid)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * The fifteenth step: what came through `pm share git` before that named authors is nobody's, and not this person's. Records that
 * are shared again name theirs.
 */
export const authorsOfShared = `
  UPDATE sessions SET author = 'unknown' WHERE author IS NULL AND agent <> 'pommel'
    AND NOT EXISTS (SELECT 1 FROM transcripts WHERE session_id = sessions.id)
    AND (cwd LIKE '~%' OR EXISTS (SELECT 1 FROM sync_state WHERE key = 'shared ' || uid));
  INSERT INTO sync_changed (kind, uid) SELECT 'session', uid FROM sessions
    WHERE EXISTS (SELECT 1 FROM transcripts WHERE session_id = sessions.id)
      AND uid NOT IN (SELECT uid FROM sync_changed WHERE kind = 'session');

  -- Whoever has the transcript recorded it.
  CREATE TRIGGER session_is_recorded AFTER INSERT ON transcripts WHEN new.session_id IS NOT NULL BEGIN
    UPDATE sessions SET author = NULL WHERE id = new.session_id AND author = 'unknown';
  END;
`;
