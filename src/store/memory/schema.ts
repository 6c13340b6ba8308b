import { createTextTable, deleteTexts } from "../sqlite/full-text.ts";
import type { Schema } from "../sqlite/schema.ts";

/** The tables of memory.db, which is precious: no step but the first may lose anything. */

const sessionTables = `
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
    end_reason      TEXT,
    -- What somebody else's words are labelled with; null: they are this person's.
    author          TEXT,
    -- The key that signed it (SHA256:…), or a colleague's role at a team's server; null: recorded here, or unsigned.
    signer          TEXT
  ) STRICT;
  CREATE INDEX sessions_by_time ON sessions (last_at);
  CREATE INDEX sessions_of_parent ON sessions (parent_id);
  CREATE INDEX sessions_of_origin ON sessions (forked_from) WHERE forked_from IS NOT NULL;
  CREATE INDEX sessions_by_author ON sessions (author) WHERE author IS NOT NULL;

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
    skipped    TEXT NOT NULL DEFAULT '{}',
    -- Lines that are no record, or several: DamagedLine[] of agents/agent.ts, JSON.
    damaged    TEXT NOT NULL DEFAULT '[]'
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
  CREATE INDEX usage_by_message ON usage (message_uid);

  -- How a turn ended: turnStates of protocol/values.ts; none where its agent's reader cannot tell. No column of turns, as of actions.
  CREATE TABLE turn_states (
    turn_id INTEGER PRIMARY KEY REFERENCES turns ON DELETE CASCADE,
    state   TEXT NOT NULL
  ) STRICT;

  -- What a turn's tool calls did, beside their names. No column of turns: it would lie behind the content, and take reading that
  -- to get at.
  CREATE TABLE turn_actions (
    turn_id INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- ToolAction of agents/agent.ts: command, write, read, delegate, other.
    action  TEXT NOT NULL,
    -- How many did, failed ones included.
    calls   INTEGER NOT NULL,
    PRIMARY KEY (turn_id, action)
  ) STRICT, WITHOUT ROWID;

  -- Which of a session's secrets of a type is which, by a keyed fingerprint too short to give the secret away.
  CREATE TABLE secrets (
    session_id  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    type        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    number      INTEGER NOT NULL,
    PRIMARY KEY (session_id, type, fingerprint)
  ) STRICT, WITHOUT ROWID;
`;

/** Searchable spans of sessions: cutting a session again makes all of it anew. */
const chunkTables = `
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
  ${createTextTable("chunk_terms")}

  -- However a chunk goes, also with its session or its note: its terms go with it.
  CREATE TRIGGER chunks_forgotten AFTER DELETE ON chunks BEGIN
    ${deleteTexts("chunk_terms", "old.id")}
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

  -- What sessions were cut into chunks by; one without a row is to be cut.
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

  -- A chunk that has no row was not looked at yet.
  CREATE TABLE chunk_decisions (
    chunk_id  INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    -- ChunkDecision[] of memory-records.ts, JSON; mostly empty.
    decisions TEXT NOT NULL
  ) STRICT;
`;

const commandTables = `
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

const annotationTables = `
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
    note        TEXT NOT NULL,
    -- As of a session.
    author      TEXT,
    signer      TEXT
  ) STRICT;
  CREATE INDEX annotations_by_time ON annotations (at);
  CREATE INDEX annotations_of_session ON annotations (session_uid);
`;

/** A session whose row is missing is indexed again by the next `indexSessions`. */
const dropTerms = (session: string) => deleteTexts("session_terms", session);
const dropTopics = (session: string) => `DELETE FROM session_topics WHERE session_id = ${session};`;

/** What whole sessions are about, and are found by. */
const overviewTables = `
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

  -- Key phrases of a session (sessions/topics/), the most telling first, from 0.
  CREATE TABLE session_topics (
    session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    topic      TEXT NOT NULL,
    -- The model that named it; null: found by the rules of sessions/topics/.
    model      TEXT,
    PRIMARY KEY (session_id, position)
  ) STRICT, WITHOUT ROWID;

  -- They go at once with turns that they may quote, and are made again from those that are left.
  CREATE TRIGGER session_topics_turn_gone AFTER DELETE ON turns BEGIN ${dropTopics("old.session_id")} END;

  -- What sessions are called, were asked and led to; keyed by sessions.id. Streams come ready-made (tokens.ts).
  ${createTextTable("session_terms")}

  -- A row goes at once with anything that it was made of, so that nothing forgotten or redacted is left in it.
  CREATE TRIGGER session_terms_forgotten AFTER DELETE ON sessions BEGIN ${dropTerms("old.id")} END;
  CREATE TRIGGER session_terms_renamed AFTER UPDATE OF title, branch ON sessions
    WHEN old.title IS NOT new.title OR old.branch IS NOT new.branch BEGIN ${dropTerms("new.id")} END;
  CREATE TRIGGER session_terms_turn_added AFTER INSERT ON turns BEGIN ${dropTerms("new.session_id")} END;
  CREATE TRIGGER session_terms_turn_changed AFTER UPDATE OF prompt, branch ON turns
    WHEN old.prompt IS NOT new.prompt OR old.branch IS NOT new.branch BEGIN ${dropTerms("new.session_id")} END;
  CREATE TRIGGER session_terms_turn_gone AFTER DELETE ON turns BEGIN ${dropTerms("old.session_id")} END;
  CREATE TRIGGER session_terms_summary_added AFTER INSERT ON summaries BEGIN ${dropTerms("new.session_id")} END;
  CREATE TRIGGER session_terms_summary_changed AFTER UPDATE OF text ON summaries
    WHEN old.text IS NOT new.text BEGIN ${dropTerms("new.session_id")} END;
  CREATE TRIGGER session_terms_summary_gone AFTER DELETE ON summaries BEGIN ${dropTerms("old.session_id")} END;
`;

/** Commits, who wrote their lines, and the sessions that led to them. */
const commitTables = `
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
    -- What the verdict rests on: attributionBases of protocol/values.ts.
    basis       TEXT,
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
const eventTables = `
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
    updated_at  INTEGER NOT NULL,
    -- As of a session: whose its words are.
    author      TEXT,
    signer      TEXT
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

/** Automatic context. */
const contextTables = `
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

/** Marks a thing as changed, with a number of its own: who exported it takes back exactly what it saw. */
const markChanged = (kind: string, uid: string) =>
  `DELETE FROM sync_changed WHERE kind = '${kind}' AND uid = ${uid};
    INSERT INTO sync_changed (kind, uid) SELECT '${kind}', ${uid} WHERE ${uid} IS NOT NULL;`;

const createTrigger = (name: string, event: string, kind: string, uid: string, when = "") => `
  CREATE TRIGGER ${name} AFTER ${event} ${when} BEGIN
    ${markChanged(kind, uid)}
  END;`;

const selectSession = (row: string) => `(SELECT uid FROM sessions WHERE id = ${row}.session_id)`;
const selectCommit = (row: string) => `(SELECT hash FROM commits WHERE id = ${row}.commit_id)`;

/** What can be made again from a session's turns is not shared. */
const whenShared = "WHEN new.source IN ('llm', 'compaction')";

const syncTriggers = [
  createTrigger("sync_session_added", "INSERT ON sessions", "session", "new.uid"),
  createTrigger("sync_session_changed", "UPDATE ON sessions", "session", "new.uid"),
  createTrigger("sync_turn_added", "INSERT ON turns", "session", selectSession("new")),
  createTrigger(
    "sync_turn_changed",
    "UPDATE OF content, abandoned, branch ON turns",
    "session",
    selectSession("new"),
  ),
  createTrigger("sync_summary_added", "INSERT ON summaries", "session", selectSession("new"), whenShared),
  createTrigger("sync_summary_changed", "UPDATE ON summaries", "session", selectSession("new"), whenShared),
  createTrigger("sync_note_added", "INSERT ON annotations", "annotation", "new.uid"),
  createTrigger("sync_note_changed", "UPDATE ON annotations", "annotation", "new.uid"),
  createTrigger("sync_checkpoint_added", "INSERT ON checkpoints", "checkpoint", "new.uid"),
  createTrigger("sync_checkpoint_changed", "UPDATE ON checkpoints", "checkpoint", "new.uid"),
  createTrigger("sync_binding_added", "INSERT ON checkpoint_sessions", "checkpoint", "new.checkpoint_uid"),
  createTrigger("sync_binding_changed", "UPDATE ON checkpoint_sessions", "checkpoint", "new.checkpoint_uid"),
  createTrigger("sync_attribution_added", "INSERT ON attributions", "attribution", selectCommit("new")),
  createTrigger("sync_attribution_changed", "UPDATE ON attributions", "attribution", selectCommit("new")),
  createTrigger("sync_event_added", "INSERT ON events", "event", "new.uid"),
  createTrigger("sync_event_changed", "UPDATE ON events", "event", "new.uid"),
  createTrigger("sync_link_added", "INSERT ON event_links", "event", "new.event_uid"),
  createTrigger("sync_link_changed", "UPDATE ON event_links", "event", "new.event_uid"),
].join("");

/** What has still to be shared through git. */
const syncTables = `
  -- Facts of the last synchronisation: the commit that was taken in last, what is half done.
  CREATE TABLE sync_state (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What keys signed of the shared branch, by the digest that stands for a record (sync/origin/signed-records.ts).
  CREATE TABLE signed_records (
    digest TEXT NOT NULL,
    -- As of a session.
    signer TEXT NOT NULL,
    PRIMARY KEY (digest, signer)
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
  ${syncTriggers}
`;

const whenInTeam = "WHEN EXISTS (SELECT 1 FROM sync_state WHERE key = 'team project')";

const markForTeam = (kind: string, uid: string) => `
    DELETE FROM team_changed WHERE kind = ${kind} AND uid = ${uid};
    INSERT INTO team_changed (kind, uid) SELECT ${kind}, ${uid} WHERE ${uid} IS NOT NULL;`;

/** What has still to be shared with a team. */
const teamTables = `
  -- As sync_changed, for the team's server: each is emptied by its own exchange. Filled only while there is a team.
  CREATE TABLE team_changed (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    uid  TEXT NOT NULL,
    UNIQUE (kind, uid)
  ) STRICT;
  CREATE TRIGGER team_noticed AFTER INSERT ON sync_changed ${whenInTeam} BEGIN
    ${markForTeam("new.kind", "new.uid")}
  END;
  -- What was forgotten is withdrawn there, so losses count as changes.
  CREATE TRIGGER team_turn_removed AFTER DELETE ON turns ${whenInTeam} BEGIN
    ${markForTeam("'session'", selectSession("old"))}
  END;
  CREATE TRIGGER team_summary_removed AFTER DELETE ON summaries ${whenInTeam} BEGIN
    ${markForTeam("'session'", selectSession("old"))}
  END;
  CREATE TRIGGER team_binding_removed AFTER DELETE ON checkpoint_sessions ${whenInTeam} BEGIN
    ${markForTeam("'checkpoint'", "old.checkpoint_uid")}
  END;

  -- What this author shares at the server, by the SHA-256 of its text.
  CREATE TABLE team_shared (
    kind   TEXT NOT NULL,
    uid    TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (kind, uid)
  ) STRICT, WITHOUT ROWID;
`;

/** The memory's own affairs. */
const housekeepingTables = `
  CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
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
`;

/** The schema of memory.db. From the first release on each change of it is a step of its own. */
export const memorySchema: Schema = {
  // Lower numbers were used before the first release.
  first: 17,
  steps: [
    [
      sessionTables,
      chunkTables,
      commandTables,
      annotationTables,
      overviewTables,
      commitTables,
      eventTables,
      contextTables,
      syncTables,
      teamTables,
      housekeepingTables,
    ].join(""),
  ],
};

/**
 * Made from turns, summaries and notes: cutting the sessions again makes them anew, with their full-text rows, which cannot
 * be read without their index.
 */
export const derivedTables: ReadonlySet<string> = new Set([
  "chunks",
  "chunk_terms_lengths",
  "session_terms_lengths",
  "vectors",
  "chunk_sources",
  "chunk_decisions",
  "session_cuts",
  "session_topics",
  "chunk_summaries",
]);
