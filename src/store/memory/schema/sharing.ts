/** Tables of memory.db for what has still to be shared; part of the second step of its schema. */

/** Marks a thing as changed, with a number of its own: who exported it takes back exactly what it saw. */
const changed = (kind: string, uid: string) =>
  `DELETE FROM sync_changed WHERE kind = '${kind}' AND uid = ${uid};
    INSERT INTO sync_changed (kind, uid) SELECT '${kind}', ${uid} WHERE ${uid} IS NOT NULL;`;

const trigger = (name: string, event: string, kind: string, uid: string, when = "") => `
  CREATE TRIGGER ${name} AFTER ${event} ${when} BEGIN
    ${changed(kind, uid)}
  END;`;

const sessionOf = (row: string) => `(SELECT uid FROM sessions WHERE id = ${row}.session_id)`;
const commitOf = (row: string) => `(SELECT hash FROM commits WHERE id = ${row}.commit_id)`;

/** What can be made again from a session's turns is not shared. */
const isShared = "WHEN new.source IN ('llm', 'compaction')";

const triggers = [
  trigger("sync_session_added", "INSERT ON sessions", "session", "new.uid"),
  trigger("sync_session_changed", "UPDATE ON sessions", "session", "new.uid"),
  trigger("sync_turn_added", "INSERT ON turns", "session", sessionOf("new")),
  trigger("sync_turn_changed", "UPDATE OF content, abandoned, branch ON turns", "session", sessionOf("new")),
  trigger("sync_summary_added", "INSERT ON summaries", "session", sessionOf("new"), isShared),
  trigger("sync_summary_changed", "UPDATE ON summaries", "session", sessionOf("new"), isShared),
  trigger("sync_note_added", "INSERT ON annotations", "annotation", "new.uid"),
  trigger("sync_note_changed", "UPDATE ON annotations", "annotation", "new.uid"),
  trigger("sync_checkpoint_added", "INSERT ON checkpoints", "checkpoint", "new.uid"),
  trigger("sync_checkpoint_changed", "UPDATE ON checkpoints", "checkpoint", "new.uid"),
  trigger("sync_binding_added", "INSERT ON checkpoint_sessions", "checkpoint", "new.checkpoint_uid"),
  trigger("sync_binding_changed", "UPDATE ON checkpoint_sessions", "checkpoint", "new.checkpoint_uid"),
  trigger("sync_attribution_added", "INSERT ON attributions", "attribution", commitOf("new")),
  trigger("sync_attribution_changed", "UPDATE ON attributions", "attribution", commitOf("new")),
  trigger("sync_event_added", "INSERT ON events", "event", "new.uid"),
  trigger("sync_event_changed", "UPDATE ON events", "event", "new.uid"),
  trigger("sync_link_added", "INSERT ON event_links", "event", "new.event_uid"),
  trigger("sync_link_changed", "UPDATE ON event_links", "event", "new.event_uid"),
].join("");

export const syncTables = `
  -- Facts of the last synchronisation: the commit that was taken in last, what is half done.
  CREATE TABLE sync_state (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What changed since it was exported last. Kept by triggers, so that nobody has to think of it. What is deleted is
  -- not in it: what one machine lets go, others may keep.
  CREATE TABLE sync_changed (
    -- Another one for every change.
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    -- session, annotation, checkpoint, attribution, event.
    kind TEXT NOT NULL,
    -- The thing's uid; of an attribution the commit's hash.
    uid  TEXT NOT NULL,
    UNIQUE (kind, uid)
  ) STRICT;

  -- Notes that were put in other words, by what they were called before: their old words are not taken in again.
  CREATE TABLE sync_refused (
    uid TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER sync_note_renamed AFTER UPDATE OF uid ON annotations WHEN old.uid <> new.uid BEGIN
    INSERT INTO sync_refused (uid) SELECT old.uid WHERE NOT EXISTS (SELECT 1 FROM sync_refused WHERE uid = old.uid);
  END;
  CREATE TRIGGER sync_note_dropped AFTER DELETE ON annotations BEGIN
    INSERT INTO sync_refused (uid) SELECT old.uid WHERE NOT EXISTS (SELECT 1 FROM sync_refused WHERE uid = old.uid);
    DELETE FROM sync_changed WHERE kind = 'annotation' AND uid = old.uid;
  END;
  ${triggers}

  -- What was there before there was anything to share it with.
  INSERT INTO sync_changed (kind, uid) SELECT 'session', uid FROM sessions;
  INSERT INTO sync_changed (kind, uid) SELECT 'annotation', uid FROM annotations;
`;

/** The ninth step of the schema of memory.db: who recorded what others shared, and what is shared with a team. */

const isTeam = "WHEN EXISTS (SELECT 1 FROM sync_state WHERE key = 'team project')";

const teamChanged = (kind: string, uid: string) => `
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
    ${teamChanged("new.kind", "new.uid")}
  END;
  -- What was forgotten is withdrawn there, so losses count as changes.
  CREATE TRIGGER team_turn_removed AFTER DELETE ON turns ${isTeam} BEGIN
    ${teamChanged("'session'", sessionOf("old"))}
  END;
  CREATE TRIGGER team_summary_removed AFTER DELETE ON summaries ${isTeam} BEGIN
    ${teamChanged("'session'", sessionOf("old"))}
  END;
  CREATE TRIGGER team_binding_removed AFTER DELETE ON checkpoint_sessions ${isTeam} BEGIN
    ${teamChanged("'checkpoint'", "old.checkpoint_uid")}
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
