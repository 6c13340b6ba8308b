import * as z from "zod/mini";
import { PommelError } from "../base/errors.ts";
import { outside } from "../protocol/shape-parts.ts";
import { findNoteByUid, listStoredNotes } from "../store/memory/chunks/notes.ts";
import { findEventByUid } from "../store/memory/events.ts";
import type { SessionRecord } from "../store/memory/memory-records.ts";
import { findSessionById, findSessionByUid, listSessions } from "../store/memory/sessions/sessions.ts";
import { listAllUids } from "../store/memory/sharing.ts";
import { decode, encode, type FileType, type SharedRecords } from "./branch/shared-file.ts";
import type { SignedRecords } from "./origin/signed-records.ts";
import { type ExportWork, exportSession, exportTurns } from "./records/from-memory.ts";
import { exportText, importRecord, type WholeKind } from "./records/kinds.ts";
import type { SharedSession, SharedSignature, SharedTurn } from "./records/records.ts";
import { importSession, makeNamelessSession } from "./records/to-memory-session.ts";
import { makeEmptyCounts, type SyncCounts, toCountName } from "./report.ts";

/** The lines of a memory's export (docs/export.md). */

const kinds = ["session", "turn", "note", "event", "checkpoint", "attribution", "signature"] as const;
type MemoryRecordKind = (typeof kinds)[number];

const fileVersion = 1;
const format = "pommel-memory";

const firstLine = `${JSON.stringify({ format, version: fileVersion })}\n`;

/** Without it the file was cut off. */
const formatLastLine = (records: number) => `${JSON.stringify({ end: true, records })}\n`;

const headShape = z.object({ format: z.literal(format), version: z.int() });
const endShape = z.object({ end: z.literal(true), records: z.int() });
const recordShape = z.object({
  kind: z.enum(kinds),
  /** Of a turn. */
  session: z.optional(outside("session")),
  record: z.record(z.string(), z.unknown()),
});
type MemoryLine = z.infer<typeof recordShape>;

function parseJsonAs<T>(shape: z.ZodMiniType<T>, line: string): T | null {
  try {
    const read = shape.safeParse(JSON.parse(line));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** The version that the first line names; null: it is another file. */
const parseVersion = (line: string) => parseJsonAs(headShape, line)?.version ?? null;
/** How many records the last line names; null: it is another line. */
const parseEnd = (line: string) => parseJsonAs(endShape, line)?.records ?? null;
/** null: it is not understood. */
const readLine = (line: string): MemoryLine | null => parseJsonAs(recordShape, line);

interface ExportedLines {
  /** Lines of the file, each with its line feed. */
  text: string;
  /** Of the things that the memory has. */
  done: number;
  total: number;
  /** It is the file's end. */
  isLast?: boolean;
}

/**
 * The whole memory as lines of JSON, thing by thing: the records of synchronisation, in an order that depends on nothing
 * but them, so that equal memories give equal bytes. A session comes before those that continue it.
 * @param signed signs what is this person's; its list is for the caller to write
 */
export function* exportMemory(
  exportWork: ExportWork,
  signed?: SignedRecords,
): Generator<ExportedLines, void, undefined> {
  const { memory } = exportWork.work;
  const others = (["annotation", "event", "checkpoint", "attribution"] as const).flatMap((kind) =>
    listAllUids(memory, kind).map((uid) => ({ kind, uid })),
  );
  const sessions = listSessionsInOrder(exportWork);
  const total = sessions.length + others.length;
  let done = 0;
  let records = 0;
  const exported = (lines: readonly string[]): ExportedLines => {
    records += lines.length;
    return { text: lines.join(""), done: ++done, total };
  };
  yield { text: firstLine, done, total };
  for (const session of sessions)
    yield exported(memory.readInSnapshot(() => buildSessionLines(exportWork, session, signed)));
  for (const { kind, uid } of others) {
    const record = exportText(exportWork, kind, uid);
    if (record !== null && isOwn(exportWork, kind, uid))
      signed?.add({ kind, id: uid, part: "whole" }, record, true);
    yield exported(record === null ? [] : [formatRecordLine(kind === "annotation" ? "note" : kind, record)]);
  }
  yield { text: formatLastLine(records), done, total, isLast: true };
}

/**
 * Sessions of which something is known, each behind its parent and its origin. Left out are those that were only reported
 * to have started, or that only a note or a commit names.
 */
function listSessionsInOrder({ work: { memory } }: ExportWork): SessionRecord[] {
  const noted = listStoredNotes(memory).map(({ sessionUid }) => sessionUid);
  const remembered = listSessions(memory, { children: true, remembered: true }).map(({ uid }) => uid);
  const withContent = new Set([...noted, ...remembered]);
  const ordered = new Map<number, SessionRecord>();
  const add = (session: SessionRecord | null, isNamed: boolean) => {
    if (session === null || ordered.has(session.id) || session.agent === "pommel") return;
    // A note names its session itself, so one of which nothing else is known is not needed.
    const isUnknown = session.lastAt === null && session.startedAt === null;
    const isBare = session.title === null && (isUnknown || !withContent.has(session.uid));
    if (isBare && !isNamed) return;
    for (const id of [session.parentId, session.forkedFrom]) {
      if (id !== null && id !== session.id) add(findSessionById(memory, id), true);
    }
    ordered.set(session.id, session);
  };
  for (const uid of listAllUids(memory, "session")) add(findSessionByUid(memory, uid), false);
  return [...ordered.values()];
}

function buildSessionLines(exportWork: ExportWork, session: SessionRecord, signed?: SignedRecords): string[] {
  const meta = exportSession(exportWork, session.uid);
  if (meta === null) return [];
  const [head, transcript] = [
    encode("meta", meta),
    encode("transcript", [...exportTurns(exportWork, session)]),
  ];
  if (session.author === null) {
    signed?.add({ kind: "session", id: session.uid, part: "meta" }, head, true);
    signed?.add({ kind: "session", id: session.uid, part: "transcript" }, transcript, true);
  }
  const turns = transcript.split("\n");
  return [
    formatRecordLine("session", head),
    ...turns.filter((turn) => turn !== "").map((turn) => formatRecordLine("turn", turn, session.uid)),
  ];
}

/** Whether it is this person's to sign. */
function isOwn({ work: { memory } }: ExportWork, kind: WholeKind, uid: string): boolean {
  if (kind === "annotation") return findNoteByUid(memory, uid)?.author == null;
  return kind === "event" && findEventByUid(memory, uid)?.author == null;
}

/** The line of a signed list. */
export const formatSignatureLine = (list: SharedSignature): string =>
  formatRecordLine("signature", encode("signature", list));

/** A signed list in a line; null: it holds none. */
export function parseSignatureLine(text: string): SharedSignature | null {
  if (!text.startsWith('{"kind":"signature"')) return null;
  const line = readLine(text);
  return line === null ? null : recordIn(line, "signature");
}

function formatRecordLine(kind: MemoryRecordKind, record: string, session?: string): string {
  const of = session === undefined ? "" : `"session":${JSON.stringify(session)},`;
  return `{"kind":"${kind}",${of}"record":${record.trimEnd()}}\n`;
}

export interface MemoryImport {
  /** Records of the file that were read. */
  records: number;
  /** What is new here. */
  imported: SyncCounts;
  /** Sessions and notes that were forgotten here, and stay so. */
  forgotten: number;
  /** Lines that were skipped, from 1, and why. */
  problems: { line: number; reason: string }[];
}

interface MemoryImportOptions {
  /** Only read the file. */
  dryRun?: boolean;
  onProgress?: (lines: number) => void;
  signal?: AbortSignal;
}

/**
 * Imports an export of a memory. Idempotent: records have the ids of synchronisation, and are joined in the same way.
 * Lines that are not understood are skipped and named.
 * @throws PommelError `unreadable` for another file, or one of a newer Pommel
 */
export async function importMemory(
  exportWork: ExportWork,
  lines: AsyncIterable<string>,
  { dryRun = false, onProgress, signal }: MemoryImportOptions = {},
): Promise<MemoryImport> {
  const result: MemoryImport = { records: 0, imported: makeEmptyCounts(), forgotten: 0, problems: [] };
  let open = null as { meta: SharedSession; turns: SharedTurn[] } | null;
  const finish = async () => {
    if (open === null) return;
    const { meta, turns } = open;
    open = null;
    if (dryRun) return;
    const taken = await importSession(exportWork, meta, turns, signal);
    if (taken === null) result.forgotten++;
    else {
      if (taken.isNew || taken.turns > 0) result.imported.sessions++;
      result.imported.turns += taken.turns;
    }
  };
  let number = 0;
  let promised: number | null = null;
  for await (const text of lines) {
    signal?.throwIfAborted();
    number++;
    onProgress?.(number);
    if (number === 1) {
      refuseOther(parseVersion(text));
      continue;
    }
    if (text.trim() === "") continue;
    const end = parseEnd(text);
    if (end !== null) {
      promised = end;
      continue;
    }
    const problem = (reason: string) => result.problems.push({ line: number, reason });
    const line = readLine(text);
    if (line === null) {
      problem("not understood");
      continue;
    }
    const { kind } = line;
    // Read before all else.
    if (kind === "signature") continue;
    if (kind === "session" || kind === "turn") {
      const session = kind === "session" ? recordIn(line, "meta") : null;
      const turn = kind === "turn" && line.session !== undefined ? recordIn(line, "transcript")?.[0] : null;
      if (session !== null) {
        await finish();
        open = { meta: session, turns: [] };
      } else if (turn && line.session !== undefined) {
        if (open?.meta.uid !== line.session) {
          await finish();
          open = { meta: makeNamelessSession(line.session), turns: [] };
        }
        open?.turns.push(turn);
      } else {
        problem(`not a ${kind}`);
        continue;
      }
      result.records++;
      continue;
    }
    await finish();
    const isNew = await importOne(exportWork, line, kind, dryRun);
    if (isNew === undefined) {
      problem(`not ${kind === "attribution" || kind === "event" ? "an" : "a"} ${kind}`);
      continue;
    }
    result.records++;
    if (isNew === null) result.forgotten++;
    else if (isNew) result.imported[toCountName(toStoredKind(kind))]++;
  }
  await finish();
  if (number === 0) refuseOther(null);
  if (promised === null) {
    result.problems.push({
      line: number,
      reason: "the file ends here, before its last line: it was cut off",
    });
  } else if (promised !== result.records) {
    const missing = promised - result.records;
    if (missing > result.problems.length)
      result.problems.push({
        line: number,
        reason: `${missing - result.problems.length} records are missing`,
      });
  }
  return result;
}

/** @throws PommelError `unreadable` */
function refuseOther(version: number | null): void {
  if (version === null)
    throw new PommelError(
      "unreadable",
      "The file is not an export of a Pommel memory.",
      "Make one with `pm memory export --all --to FILE`.",
    );
  if (version > fileVersion)
    throw new PommelError("unreadable", "A newer Pommel wrote the file.", "Update Pommel.");
}

/** @returns whether it is new, null when it was forgotten; undefined: it is not understood */
async function importOne(
  exportWork: ExportWork,
  line: MemoryLine,
  kind: Exclude<MemoryRecordKind, "session" | "turn" | "signature">,
  dryRun: boolean,
): Promise<boolean | null | undefined> {
  const record = recordIn(line, toStoredKind(kind));
  if (record === null) return undefined;
  return dryRun ? false : importRecord(exportWork, toStoredKind(kind), record);
}

/** People call an annotation a note. */
const toStoredKind = (kind: Exclude<MemoryRecordKind, "session" | "turn" | "signature">): WholeKind =>
  kind === "note" ? "annotation" : kind;

function recordIn<T extends FileType>({ record }: MemoryLine, type: T): SharedRecords[T] | null {
  const read = decode(type, JSON.stringify(record));
  return read.malformed > 0 ? null : read.record;
}
