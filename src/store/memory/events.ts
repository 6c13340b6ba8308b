import { randomBytes } from "node:crypto";
import { eventLinks, events } from "../tables/events.ts";
import { insertInto, selectColumns, storeRow, upsertInto } from "../tables/statements.ts";
import type { Memory } from "./memory.ts";
import type { Authorship, EventLink, EventRecord } from "./memory-records.ts";
import { isOwn } from "./sessions/sessions.ts";
import { requireOnly } from "./the-only.ts";

const columns = selectColumns(events);

/** An id for an event that is made here: twelve hexadecimal digits, as a checkpoint's. */
export function makeEventUid(): string {
  return randomBytes(6).toString("hex");
}

/**
 * Adds an event, or another version of it: the one with the later `updatedAt` stays, of two from the same moment the
 * same one on every machine.
 * @returns the version that stays
 */
export function saveEvent(memory: Memory, event: EventRecord): EventRecord {
  return memory.runInTransaction(() => {
    const known = findEventByUid(memory, event.uid);
    if (known && !isLater(event, known)) return known;
    memory
      .prepare(upsertInto(events, ["uid"]))
      .run(
        storeRow(events, { ...known, ...event, author: event.author ?? null, signer: event.signer ?? null }),
      );
    return event;
  });
}

/** Tells whose a version is that is here already. */
export function saveOriginOfEvent(memory: Memory, event: EventRecord, { author, signer }: Authorship): void {
  const known = findEventByUid(memory, event.uid);
  if (
    known === null ||
    known.updatedAt !== event.updatedAt ||
    serialiseEvent(known) !== serialiseEvent(event)
  )
    return;
  memory.change("UPDATE events SET author = ?, signer = ? WHERE uid = ?", author, signer, event.uid);
}

function isLater(event: EventRecord, known: EventRecord): boolean {
  if (event.updatedAt !== known.updatedAt) return event.updatedAt > known.updatedAt;
  return serialiseEvent(event) > serialiseEvent(known);
}

function serialiseEvent({
  title,
  description,
  type,
  status,
  branch,
  startsAt,
  endsAt,
  createdAt,
}: EventRecord) {
  return JSON.stringify([title, description, type, status, branch, startsAt, endsAt, createdAt]);
}

export function findEventByUid(memory: Memory, uid: string): EventRecord | null {
  return memory.get<EventRecord | null>(`SELECT ${columns} FROM events WHERE uid = ?`, uid);
}

export interface EventFilter {
  status?: EventRecord["status"] | null;
  type?: EventRecord["type"] | null;
  /** Events whose title, description, branch or sessions' titles hold every word of it, in any case. */
  query?: string | null;
}

/** Events: active ones first, then frozen, then archived; of each the one that changed last first. */
export function readEvents(memory: Memory, filter: EventFilter = {}): EventRecord[] {
  const { status = null, type = null } = filter;
  const words = (filter.query ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = memory.all<EventRecord>(
    `SELECT ${columns} FROM events
     WHERE (@status IS NULL OR status = @status) AND (@type IS NULL OR type = @type)
     ORDER BY CASE status WHEN 'active' THEN 0 WHEN 'frozen' THEN 1 ELSE 2 END, updated_at DESC, uid`,
    { status, type },
  );
  if (words.length === 0) return found;
  return found.filter((event) => {
    const titles = memory.readColumn<string>(
      "SELECT title FROM sessions WHERE uid IN (SELECT value FROM json_each(?)) AND title IS NOT NULL",
      findEventMembers(memory, event.uid).sessions,
    );
    // SQLite knows upper and lower case of English letters only, so words are looked for here.
    const text = [event.title, event.description, event.branch ?? "", ...titles].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * The event that a person means: its id, its title (in any case), the beginning of its id, or that of its title, which
 * no other has.
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
export function findEvent(memory: Memory, wanted: string): EventRecord {
  const exact = findEventByUid(memory, wanted);
  if (exact) return exact;
  const all = readEvents(memory);
  const title = wanted.trim().toLowerCase();
  const titled = all.filter((event) => event.title.toLowerCase() === title);
  const begun = /^[0-9a-f]+$/i.test(wanted)
    ? all.filter(({ uid }) => uid.startsWith(wanted.toLowerCase()))
    : [];
  const named = title === "" ? [] : all.filter((event) => event.title.toLowerCase().startsWith(title));
  return requireOnly([titled, begun, named].find((found) => found.length > 0) ?? [], {
    kind: "event",
    asked: wanted,
    idOf: ({ uid }) => uid,
    hint: "`pm event list` lists them.",
  });
}

/**
 * Adds or merges a link: of two versions, the later time of adding and the later time of removing count. The later of
 * both decides (`isLinked`).
 */
export function saveLink(memory: Memory, link: EventLink): void {
  memory.change(
    `${insertInto(eventLinks)} ON CONFLICT (event_uid, kind, target_uid) DO UPDATE SET
       added_at = max(added_at, excluded.added_at),
       removed_at = CASE WHEN removed_at IS NULL THEN excluded.removed_at
         ELSE max(removed_at, coalesce(excluded.removed_at, removed_at)) END`,
    { ...link },
  );
}

/** Every link that an event ever had, those that were removed included (`isLinked`); in one order on every machine. */
export function listEventLinks(memory: Memory, eventUid: string): EventLink[] {
  return memory.all<EventLink>(
    `SELECT ${selectColumns(eventLinks)} FROM event_links WHERE event_uid = ? ORDER BY kind, target_uid`,
    eventUid,
  );
}

/** Whether a link holds: it was added after it was last removed. */
export function isLinked({ addedAt, removedAt }: Pick<EventLink, "addedAt" | "removedAt">): boolean {
  return removedAt === null || removedAt < addedAt;
}

/**
 * Members of events: linked ones, and those that an event includes by itself: sessions (not those of subagents) and
 * checkpoints on its branch, or of its time where it is temporal, up to when it was closed; without what was unlinked.
 * It is worked out whenever it is asked for, so that all machines that know the same agree.
 */
const members = `
  WITH e AS (SELECT * FROM events WHERE uid = ?),
  own AS (SELECT * FROM e WHERE branch IS NOT NULL
    OR (type = 'temporal' AND (starts_at IS NOT NULL OR ends_at IS NOT NULL)))
  SELECT kind, target_uid FROM event_links
    WHERE event_uid IN (SELECT uid FROM e) AND (removed_at IS NULL OR removed_at < added_at)
  UNION
  SELECT 'session', s.uid FROM own JOIN sessions s
    ON s.parent_id IS NULL AND instr(s.uid, '/') = 0
      AND EXISTS (SELECT 1 FROM turns WHERE session_id = s.id)
      AND (own.branch IS NULL OR s.branch = own.branch
        OR EXISTS (SELECT 1 FROM turns WHERE session_id = s.id AND branch = own.branch))
      AND (own.ends_at IS NULL OR s.started_at <= own.ends_at)
      AND (own.starts_at IS NULL OR s.last_at >= own.starts_at)
    WHERE NOT EXISTS (SELECT 1 FROM event_links l WHERE l.event_uid = own.uid
      AND l.kind = 'session' AND l.target_uid = s.uid AND l.removed_at >= l.added_at)
  UNION
  SELECT 'checkpoint', c.target_uid FROM own JOIN (
      SELECT checkpoints.uid AS target_uid, branch, committed_at
      FROM checkpoints JOIN commits ON commits.id = commit_id) c
    ON (own.branch IS NULL OR c.branch = own.branch)
      AND (own.ends_at IS NULL OR c.committed_at <= own.ends_at)
      AND (own.starts_at IS NULL OR c.committed_at >= own.starts_at)
    WHERE NOT EXISTS (SELECT 1 FROM event_links l WHERE l.event_uid = own.uid
      AND l.kind = 'checkpoint' AND l.target_uid = c.target_uid AND l.removed_at >= l.added_at)`;

export interface EventMembers {
  /** Sessions' own ids; another machine's may not be known here. Sorted. */
  sessions: string[];
  /** Checkpoints' uids, sorted. */
  checkpoints: string[];
}

/** The sessions and checkpoints of an event: linked ones, and those that it includes by its branch or its time. */
export function findEventMembers(memory: Memory, eventUid: string): EventMembers {
  const rows = memory.all<{ kind: EventLink["kind"]; target_uid: string }>(members, eventUid);
  const of = (kind: EventLink["kind"]) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ target_uid }) => target_uid)
      .sort();
  return { sessions: of("session"), checkpoints: of("checkpoint") };
}

export interface BranchWorkedOn {
  branch: string;
  /** People's own, in all worktrees. */
  sessions: number;
  checkpoints: number;
  /** When something happened on it last. Milliseconds since the epoch. */
  lastAt: number;
}

/** Branches that were worked on and that no event is about, the one that something happened on last first. */
export function listBranchesWithoutEvent(memory: Memory): BranchWorkedOn[] {
  return memory.all<BranchWorkedOn>(`WITH on_branch (branch, session, checkpoint, at) AS (
      SELECT branch, id, NULL, last_at FROM sessions WHERE branch IS NOT NULL AND ${isOwn}
        AND EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
      UNION SELECT turns.branch, sessions.id, NULL, max(coalesce(turns.ended_at, turns.started_at))
        FROM turns JOIN sessions ON sessions.id = session_id
        WHERE turns.branch IS NOT NULL AND ${isOwn} GROUP BY turns.branch, sessions.id
      UNION SELECT commits.branch, NULL, checkpoints.uid, committed_at
        FROM checkpoints JOIN commits ON commits.id = commit_id WHERE commits.branch IS NOT NULL
    )
    SELECT branch, count(DISTINCT session) AS sessions, count(DISTINCT checkpoint) AS checkpoints,
      coalesce(max(at), 0) AS lastAt
    FROM on_branch WHERE branch NOT IN (SELECT branch FROM events WHERE branch IS NOT NULL)
    GROUP BY branch ORDER BY lastAt DESC, branch`);
}
