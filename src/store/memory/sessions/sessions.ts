import { sessions, titleSources } from "../../tables/sessions.ts";
import {
  emptyRow,
  insertInto,
  mergeRows,
  readRow,
  selectColumns,
  setColumns,
  storeRow,
} from "../../tables/statements.ts";
import type { Memory } from "../memory.ts";
import type { SessionRecord, TitleSource } from "../memory-records.ts";
import { requireOnly } from "../the-only.ts";

const toSessionRecord = (row: object): SessionRecord => readRow(sessions, row);

type SessionIdentity = Pick<SessionRecord, "uid" | "agent" | "cwd">;

/** New facts about a session, merged with the stored ones. Absent fields stay as they are. */
export interface SessionUpdate
  extends SessionIdentity,
    Partial<
      Omit<SessionRecord, keyof SessionIdentity | "id" | "title" | "titleSource" | "endedAt" | "endReason">
    > {
  /** `replaces`: whatever the known one is from. */
  title?: { text: string; source: TitleSource; replaces?: boolean } | null;
  /** null: it goes on. */
  ended?: { at: number; reason: string | null } | null;
}

const columns = selectColumns(sessions);

/**
 * Adds or merges a session: what is not merged column by column is the branch, which is that of the latest line, the title, which is
 * that of the strongest source (of equal ones the latest; a prompt: the first), and its end.
 * @returns the session as it is now
 */
export function saveSession(memory: Memory, update: SessionUpdate): SessionRecord {
  return memory.runInTransaction(() => {
    const known = findSessionByUid(memory, update.uid);
    const merged = merge(known ?? { ...unknownSession, uid: update.uid }, update);
    if (known && isSame(known, merged)) return known;
    const row = storeRow(sessions, merged);
    if (known === null)
      return { ...merged, id: memory.prepare(insertInto(sessions)).run(row).lastInsertRowid };
    updateRow(memory, merged);
    return merged;
  });
}

const unknownSession: SessionRecord = { ...emptyRow(sessions), id: 0, uid: "", agent: "", cwd: "" };

/** Empties a session's row, except for its ids, its author and its signer. */
export function resetSession(memory: Memory, id: number): void {
  const known = findSessionById(memory, id);
  if (known === null) return;
  const { uid, author, signer } = known;
  updateRow(memory, { ...unknownSession, id, uid, author, signer });
}

function updateRow(memory: Memory, session: SessionRecord): void {
  memory
    .prepare(`UPDATE sessions SET ${setColumns(sessions, ["uid"])} WHERE id = @id`)
    .run({ ...storeRow(sessions, session), id: session.id });
}

function merge(known: SessionRecord, update: SessionUpdate): SessionRecord {
  const { title, ended, ...facts } = update;
  const { branch, lastAt = null } = facts;
  const merged = mergeRows(sessions, known, facts);
  const isLatest = known.branch === null || (lastAt ?? 0) >= (known.lastAt ?? 0);
  if (branch && isLatest) merged.branch = branch;
  if (title && (title.replaces || shouldReplaceTitle(title.source, known.titleSource))) {
    merged.title = title.text;
    merged.titleSource = title.source;
  }
  if (ended !== undefined) {
    merged.endedAt = ended?.at ?? null;
    merged.endReason = ended?.reason ?? null;
  }
  return merged;
}

function shouldReplaceTitle(source: TitleSource, known: TitleSource | null): boolean {
  if (known === null) return true;
  if (source === known) return source !== "prompt";
  return titleSources.indexOf(source) > titleSources.indexOf(known);
}

function isSame(a: SessionRecord, b: SessionRecord): boolean {
  return (Object.keys(a) as (keyof SessionRecord)[]).every((key) => a[key] === b[key]);
}

/** Replaces a title that was made of prompts; others stay. */
export function replacePromptTitle(memory: Memory, id: number, title: string): void {
  memory
    .prepare(
      "UPDATE sessions SET title = @title WHERE id = @id AND title_source = 'prompt' AND title <> @title",
    )
    .run({ id, title });
}

export function findSessionByUid(memory: Memory, uid: string): SessionRecord | null {
  const row = memory.get<object | null>(`SELECT ${columns} FROM sessions WHERE uid = ?`, uid);
  return row === null ? null : toSessionRecord(row);
}

export function findSessionById(memory: Memory, id: number): SessionRecord | null {
  const row = memory.get<object | null>(`SELECT ${columns} FROM sessions WHERE id = ?`, id);
  return row === null ? null : toSessionRecord(row);
}

/** Sessions of the given ids, by id; those that are gone are missing. */
export function readSessionsByIds(memory: Memory, ids: readonly number[]): Map<number, SessionRecord> {
  const rows = memory
    .all<object>(`SELECT ${columns} FROM sessions WHERE id IN (SELECT value FROM json_each(?))`, ids)
    .map(toSessionRecord);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Sessions of the given uids, by uid; those that are gone are missing. */
export function readSessionsByUids(memory: Memory, uids: readonly string[]): Map<string, SessionRecord> {
  const rows = memory
    .all<object>(`SELECT ${columns} FROM sessions WHERE uid IN (SELECT value FROM json_each(?))`, uids)
    .map(toSessionRecord);
  return new Map(rows.map((row) => [row.uid, row]));
}

/**
 * The session that a person means: its uid, or the beginning of it that no other has. A beginning without `/` never
 * means a subagent.
 * @throws PommelError `not_found`; `usage` when several begin so
 */
export function findSession(memory: Memory, beginning: string): SessionRecord {
  const exact = findSessionByUid(memory, beginning);
  if (exact) return exact;
  return requireOnly(beginning === "" ? [] : listSessionsBeginningWith(memory, beginning, 4), {
    kind: "session",
    asked: beginning,
    idOf: ({ uid }) => uid,
    hint: "`pm session list` lists them.",
  });
}

/** Sessions whose ids begin so, by id; those of subagents only where the beginning names their session whole. */
export function listSessionsBeginningWith(memory: Memory, beginning: string, limit: number): SessionRecord[] {
  return memory
    .all<object>(
      `SELECT ${columns} FROM sessions WHERE substr(uid, 1, length(@beginning)) = @beginning
     AND (instr(uid, '/') = 0 OR instr(@beginning, '/') > 0) ORDER BY uid LIMIT @limit`,
      { beginning, limit },
    )
    .map(toSessionRecord);
}

/** Whether an agent's session began and ended at these milliseconds. */
export const hasSessionOfTime = (memory: Memory, agent: string, startedAt: number, lastAt: number): boolean =>
  memory.has(
    "SELECT 1 FROM sessions WHERE last_at = ? AND started_at = ? AND agent = ?",
    lastAt,
    startedAt,
    agent,
  );

/** People's own sessions, without those of subagents. */
export const isOwn = "parent_id IS NULL AND instr(uid, '/') = 0";
const isRemembered = `(EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
  OR EXISTS (SELECT 1 FROM summaries WHERE session_id = sessions.id))`;

export interface SessionFilter {
  /** Sessions with anything from then on, and up to then. */
  since?: number | null;
  until?: number | null;
  branch?: string | null;
  agent?: string | null;
  /** A part of the name of the colleague who shared it; letter case does not matter. */
  author?: string | null;
  /** true: only what colleagues shared; false: only what was recorded here. */
  shared?: boolean | null;
  /** A part of one of its topics; letter case does not matter. */
  topic?: string | null;
  /** The directory it was launched in, or one above. */
  cwd?: string | null;
  /** Only the subagents' sessions of this one; true: those of all sessions as well; else none. */
  children?: number | true;
  /** Only those of which something is stored: their turns, or what retention leaves of them, a summary. */
  remembered?: boolean;
  limit?: number;
}

/** Sessions, those with the latest line first. */
export function listSessions(memory: Memory, filter: SessionFilter = {}): SessionRecord[] {
  const { since = null, until = null, branch = null, agent = null, author = null } = filter;
  const { topic = null, cwd = null, limit = -1 } = filter;
  const conditions = [
    typeof filter.children === "number" && "parent_id = @parent",
    filter.children === undefined && isOwn,
    filter.remembered === true && isRemembered,
    since !== null && "last_at >= @since",
    until !== null && "started_at <= @until",
    branch !== null && "branch = @branch",
    agent !== null && "agent = @agent",
    author !== null && "instr(lower(author), lower(@author)) > 0",
    filter.shared === true && "author IS NOT NULL",
    filter.shared === false && "author IS NULL",
    topic !== null &&
      `EXISTS (SELECT 1 FROM session_topics WHERE session_id = sessions.id AND instr(lower(topic), lower(@topic)) > 0)`,
    cwd !== null && "(cwd = @cwd OR substr(cwd, 1, length(@cwd) + 1) = @cwd || '/')",
  ].filter((condition) => condition !== false);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  const parent = typeof filter.children === "number" ? filter.children : null;
  return memory
    .all<object>(
      `SELECT ${columns} FROM sessions ${where} ORDER BY last_at DESC NULLS LAST, id DESC LIMIT @limit`,
      {
        limit,
        parent,
        since,
        until,
        branch,
        agent,
        author,
        topic,
        cwd: cwd?.replace(/\/+$/, "") ?? null,
      },
    )
    .map(toSessionRecord);
}

/** Sessions that began when a session had written its last line, or later; those with the latest line first. */
export const listSessionsAfter = (
  memory: Memory,
  { id, lastAt }: Pick<SessionRecord, "id" | "lastAt">,
  filter: Omit<SessionFilter, "since"> = {},
): SessionRecord[] =>
  lastAt === null
    ? []
    : listSessions(memory, { ...filter, since: lastAt }).filter(
        (one) => one.id !== id && (one.startedAt ?? 0) >= lastAt,
      );

/** Names of the agents that sessions were with. */
export function listSessionAgents(memory: Memory): string[] {
  return memory.readColumn<string>("SELECT DISTINCT agent FROM sessions ORDER BY agent");
}

/** Branches that sessions were on. */
export function listSessionBranches(memory: Memory): string[] {
  return memory.readColumn<string>(
    "SELECT DISTINCT branch FROM sessions WHERE branch IS NOT NULL ORDER BY branch",
  );
}

export interface SessionCounts {
  turns: number;
  chunks: number;
  decisions: number;
  /** Sessions of subagents. */
  children: number;
}

/** Totals of sessions, by id. */
export function readSessionCounts(memory: Memory, ids: readonly number[]): Map<number, SessionCounts> {
  const rows = memory.all<{ id: number } & SessionCounts>(
    `SELECT value AS id,
       (SELECT count(*) FROM turns WHERE session_id = value AND number > 0) AS turns,
       (SELECT count(*) FROM chunks WHERE session_id = value) AS chunks,
       (SELECT coalesce(sum(json_array_length(decisions)), 0) FROM chunks JOIN chunk_decisions ON chunk_id = chunks.id
        WHERE session_id = value AND type = 'raw' AND NOT abandoned) AS decisions,
       (SELECT count(*) FROM sessions WHERE parent_id = value) AS children
     FROM json_each(?)`,
    ids,
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Totals of the whole memory. */
export interface MemoryCounts {
  /** People's own of which something is stored: those that are listed. */
  sessions: number;
  /** The same by agent, the one with the most first. */
  agents: Record<string, number>;
  turns: number;
  chunks: { raw: number; summary: number; annotated: number };
  annotations: number;
  summaries: number;
  /** Of the last line of all; null in an empty memory. */
  lastAt: number | null;
}

export function readMemoryCounts(memory: Memory): MemoryCounts {
  const row = memory.get<
    Pick<MemoryCounts, "turns" | "annotations" | "summaries" | "lastAt">
  >(`SELECT (SELECT count(*) FROM turns WHERE number > 0) AS turns,
    (SELECT count(*) FROM annotations) AS annotations,
    (SELECT count(*) FROM summaries) AS summaries,
    (SELECT max(last_at) FROM sessions) AS lastAt`);
  const chunks = { raw: 0, summary: 0, annotated: 0 };
  for (const { type, n } of memory.all<{ type: keyof typeof chunks; n: number }>(
    "SELECT type, count(*) AS n FROM chunks GROUP BY type",
  ))
    chunks[type] = n;
  const byAgent = memory.all<{
    agent: string;
    n: number;
  }>(`SELECT agent, count(*) AS n FROM sessions WHERE ${isOwn} AND ${isRemembered}
    GROUP BY agent ORDER BY n DESC, agent`);
  const agents = Object.fromEntries(byAgent.map(({ agent, n }) => [agent, n]));
  const sessions = byAgent.reduce((sum, { n }) => sum + n, 0);
  return { ...row, sessions, agents, chunks };
}
