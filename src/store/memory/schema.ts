import { createTextTable, deleteTexts } from "../sqlite/full-text.ts";
import type { Schema } from "../sqlite/schema.ts";
import { checkpointSessions, checkpoints } from "../tables/checkpoints.ts";
import { chunkDecisions, chunkSources, chunks, sessionCuts, vectors } from "../tables/chunks.ts";
import { commandErrors, commands } from "../tables/commands.ts";
import { attributions, commitFiles, commits, observations } from "../tables/commits.ts";
import { eventLinks, events } from "../tables/events.ts";
import { injected, injections } from "../tables/injections.ts";
import { notes } from "../tables/notes.ts";
import { sessions } from "../tables/sessions.ts";
import {
  signedRecords,
  syncChanged,
  syncRefused,
  syncState,
  teamChanged,
  teamShared,
} from "../tables/sharing.ts";
import { addColumns, createTable } from "../tables/statements.ts";
import { chunkSummaries, sessionTopics, summaries, unusableSummaries } from "../tables/summaries.ts";
import type { Table } from "../tables/table.ts";
import { lines, secrets, transcripts } from "../tables/transcripts.ts";
import { turnActions, turnEndings, turnFiles, turns, usage } from "../tables/turns.ts";
import { activity, forgotten, jobs, llmUsage, meta, storageDays } from "../tables/upkeep.ts";

/** memory.db, which is precious: no step but the first may lose anything. */

const chunkTerms = `
  -- Keyed by chunks.id. Streams come ready-made (tokens.ts).
  ${createTextTable("chunk_terms")}

  -- However a chunk goes, also with its session or its note: its terms go with it.
  CREATE TRIGGER chunks_forgotten AFTER DELETE ON chunks BEGIN
    ${deleteTexts("chunk_terms", "old.id")}
  END;
`;

/** A session whose row is missing is indexed again by the next `indexSessions`. */
const dropTerms = (session: string) => deleteTexts("session_terms", session);
const dropTopics = (session: string) => `DELETE FROM session_topics WHERE session_id = ${session};`;

const sessionTerms = `
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

const injectionTriggers = `
  -- What a session was told goes with the session.
  CREATE TRIGGER session_told_forgotten AFTER DELETE ON sessions BEGIN
    DELETE FROM injections WHERE session_uid = old.uid;
  END;
`;

/** Marks a thing as changed, with a number of its own: who exported it takes back exactly what it saw. */
const markChanged = (kind: string, uid: string) =>
  `DELETE FROM sync_changed WHERE kind = '${kind}' AND uid = ${uid};
    INSERT INTO sync_changed (kind, uid) SELECT '${kind}', ${uid} WHERE ${uid} IS NOT NULL;`;

const selectSession = (row: string) => `(SELECT uid FROM sessions WHERE id = ${row}.session_id)`;
const selectCommit = (row: string) => `(SELECT hash FROM commits WHERE id = ${row}.commit_id)`;

/** Of which thing a row is a part that was added or changed: [name, table, the thing's kind, its uid, columns that count, when]. */
const sharedParts: [name: string, table: Table, kind: string, uid: string, of?: string, when?: string][] = [
  ["session", sessions, "session", "new.uid"],
  ["turn", turns, "session", selectSession("new"), "OF content, abandoned, branch"],
  // What can be made again from a session's turns is not shared.
  ["summary", summaries, "session", selectSession("new"), "", "WHEN new.source IN ('llm', 'compaction')"],
  ["note", notes, "annotation", "new.uid"],
  ["checkpoint", checkpoints, "checkpoint", "new.uid"],
  ["binding", checkpointSessions, "checkpoint", "new.checkpoint_uid"],
  ["attribution", attributions, "attribution", selectCommit("new")],
  ["event", events, "event", "new.uid"],
  ["link", eventLinks, "event", "new.event_uid"],
];

const syncTriggers = sharedParts
  .map(([name, { name: table }, kind, uid, of = "", when = ""]) => {
    const mark = `${when} BEGIN ${markChanged(kind, uid)} END;`;
    return `
  CREATE TRIGGER sync_${name}_added AFTER INSERT ON ${table} ${mark}
  CREATE TRIGGER sync_${name}_changed AFTER UPDATE ${of} ON ${table} ${mark}`;
  })
  .join("");

const refusalTriggers = `
  CREATE TRIGGER sync_note_renamed AFTER UPDATE OF uid ON annotations WHEN old.uid <> new.uid BEGIN
    INSERT INTO sync_refused (uid) SELECT old.uid WHERE NOT EXISTS (SELECT 1 FROM sync_refused WHERE uid = old.uid);
  END;
  CREATE TRIGGER sync_note_dropped AFTER DELETE ON annotations BEGIN
    INSERT INTO sync_refused (uid) SELECT old.uid WHERE NOT EXISTS (SELECT 1 FROM sync_refused WHERE uid = old.uid);
    DELETE FROM sync_changed WHERE kind = 'annotation' AND uid = old.uid;
  END;
`;

const whenInTeam = "WHEN EXISTS (SELECT 1 FROM sync_state WHERE key = 'team project')";

const markForTeam = (kind: string, uid: string) => `
    DELETE FROM team_changed WHERE kind = ${kind} AND uid = ${uid};
    INSERT INTO team_changed (kind, uid) SELECT ${kind}, ${uid} WHERE ${uid} IS NOT NULL;`;

const teamTriggers = `
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
`;

/** In the order in which they are made: where a damaged file does not say where a table begins, it begins where it does in every other. */
const parts: readonly (Table | string)[] = [
  sessions,
  transcripts,
  lines,
  turns,
  turnFiles,
  usage,
  turnEndings,
  turnActions,
  secrets,
  chunks,
  chunkTerms,
  vectors,
  sessionCuts,
  chunkSources,
  chunkDecisions,
  commands,
  commandErrors,
  notes,
  summaries,
  chunkSummaries,
  unusableSummaries,
  sessionTopics,
  sessionTerms,
  commits,
  commitFiles,
  attributions,
  checkpoints,
  checkpointSessions,
  observations,
  events,
  eventLinks,
  injections,
  injected,
  injectionTriggers,
  syncState,
  signedRecords,
  syncChanged,
  syncRefused,
  refusalTriggers,
  syncTriggers,
  teamChanged,
  teamTriggers,
  teamShared,
  meta,
  jobs,
  activity,
  forgotten,
  llmUsage,
  storageDays,
];

export const memoryTables: readonly Table[] = parts.filter((part) => typeof part !== "string");

/** The tables that hold what is no memory, by what they hold. */
export const findTablesHolding = (...what: NonNullable<Table["holds"]>[]): ReadonlySet<string> =>
  new Set(memoryTables.flatMap(({ name, holds }) => (holds && what.includes(holds) ? [name] : [])));

/** Lower numbers were used before the first release. */
const firstSchemaNumber = 17;

const latest = Math.max(
  firstSchemaNumber,
  ...memoryTables.flatMap(({ columns }) =>
    Object.values(columns).map(({ since = firstSchemaNumber }) => since),
  ),
);

/** The schema of memory.db. From the first release on a column is added with the number of the schema that has it first. */
export const memorySchema: Schema = {
  first: firstSchemaNumber,
  steps: [
    parts.map((part) => (typeof part === "string" ? part : createTable(part))).join(""),
    ...Array.from({ length: latest - firstSchemaNumber }, (_, i) =>
      memoryTables.map((table) => addColumns(table, firstSchemaNumber + 1 + i)).join(""),
    ),
  ],
};
