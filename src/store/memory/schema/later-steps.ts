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

/**
 * The fourth step of the schema of memory.db: what a turn's tool calls did, beside their names. No column of turns: it would lie
 * behind the content, and take reading that to get at.
 */
export const actionTables = `
  -- What a turn's tool calls did.
  CREATE TABLE turn_actions (
    turn_id INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- ToolAction of agents/agent.ts: command, write, read, delegate, other.
    action  TEXT NOT NULL,
    -- How many did, failed ones included.
    calls   INTEGER NOT NULL,
    PRIMARY KEY (turn_id, action)
  ) STRICT, WITHOUT ROWID;
`;

/** The fifth step of the schema of memory.db: what was decided, found when a chunk is made. */
export const decisionTables = `
  -- A chunk that has no row was not looked at yet.
  CREATE TABLE chunk_decisions (
    chunk_id  INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    -- ChunkDecision[] of memory-records.ts, JSON; mostly empty.
    decisions TEXT NOT NULL
  ) STRICT;
`;

/** The full-text index of whole sessions in memory.db; a step of its schema. */

/** A session whose row is missing is indexed again by the next `indexSessions`. */
const outdated = (session: string) => `DELETE FROM session_terms WHERE rowid = ${session};`;

export const sessionTerms = `
  -- What sessions are called, were asked and led to; keyed by sessions.id. Streams come ready-made (tokens.ts).
  CREATE VIRTUAL TABLE session_terms USING fts5 (
    title, branch, prompts, summary,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_$'"
  );

  -- A row goes at once with anything that it was made of, so that nothing forgotten or redacted is left in it.
  CREATE TRIGGER session_terms_forgotten AFTER DELETE ON sessions BEGIN ${outdated("old.id")} END;
  CREATE TRIGGER session_terms_renamed AFTER UPDATE OF title, branch ON sessions
    WHEN old.title IS NOT new.title OR old.branch IS NOT new.branch BEGIN ${outdated("new.id")} END;
  CREATE TRIGGER session_terms_turn_added AFTER INSERT ON turns BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_turn_changed AFTER UPDATE OF prompt, branch ON turns
    WHEN old.prompt IS NOT new.prompt OR old.branch IS NOT new.branch BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_turn_gone AFTER DELETE ON turns BEGIN ${outdated("old.session_id")} END;
  CREATE TRIGGER session_terms_summary_added AFTER INSERT ON summaries BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_summary_changed AFTER UPDATE OF text ON summaries
    WHEN old.text IS NOT new.text BEGIN ${outdated("new.session_id")} END;
  CREATE TRIGGER session_terms_summary_gone AFTER DELETE ON summaries BEGIN ${outdated("old.session_id")} END;
`;

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

/** The eleventh step of the schema of memory.db: the commands that agents ran. Older sessions get theirs when they are cut again. */
export const commandTables = `
  -- A row for each program of a command line that does more than look.
  CREATE TABLE commands (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id   INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- The session's line with the call, and the place in its command line.
    seq       INTEGER NOT NULL,
    step      INTEGER NOT NULL,
    at        INTEGER,
    -- From the call to its result: of the whole command line, and of whoever had to permit it.
    took_ms   INTEGER,
    -- Relative to the project's root, "" for the root; absolute outside of it.
    directory TEXT NOT NULL,
    line      TEXT NOT NULL,
    -- Program and subcommand: npm test.
    name      TEXT NOT NULL,
    -- The line without what differs from run to run.
    form      TEXT NOT NULL,
    -- What the agent said it is for.
    purpose   TEXT NOT NULL,
    -- CommandOutcome of protocol/values.ts.
    outcome   TEXT NOT NULL,
    -- null: not known.
    status    INTEGER,
    -- What a failed one reported.
    error     TEXT
  ) STRICT;
  CREATE INDEX commands_of_turn ON commands (turn_id, seq, step);
  CREATE INDEX commands_by_name ON commands (name);

  -- Lines of an error without what differs from run to run (sessions/commands/commands-of-turn.ts).
  CREATE TABLE command_errors (
    signature  TEXT NOT NULL,
    command_id INTEGER NOT NULL REFERENCES commands ON DELETE CASCADE,
    PRIMARY KEY (signature, command_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX command_errors_of_command ON command_errors (command_id);
`;

/** The thirteenth step of the schema of memory.db: what sessions are about. Older sessions get theirs when they are cut again. */

const forgotten = (session: string) => `DELETE FROM session_topics WHERE session_id = ${session};`;

export const topicTables = `
  -- Key phrases of a session (sessions/topics/), the most telling first, from 0.
  CREATE TABLE session_topics (
    session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    topic      TEXT NOT NULL,
    PRIMARY KEY (session_id, position)
  ) STRICT, WITHOUT ROWID;

  -- They go at once with turns that they may quote, and are made again from those that are left.
  CREATE TRIGGER session_topics_turn_gone AFTER DELETE ON turns BEGIN ${forgotten("old.session_id")} END;
`;

/** The fourteenth step of the schema of memory.db: what a language model wrote besides summaries of sessions, and what it could not sum up. */
export const modelTables = `
  -- The model that named it; null: found by the rules of sessions/topics/.
  ALTER TABLE session_topics ADD COLUMN model TEXT;

  CREATE TABLE chunk_summaries (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    model    TEXT NOT NULL,
    -- Empty: the model gave none that can be used, and is not asked again.
    text     TEXT NOT NULL
  ) STRICT;

  -- Sessions whose answer could not be used: the model is not asked for the same turns again soon.
  CREATE TABLE unusable_summaries (
    session_id INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    model      TEXT NOT NULL,
    up_to_turn INTEGER NOT NULL,
    at         INTEGER NOT NULL
  ) STRICT;
`;
