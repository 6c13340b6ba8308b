import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions, sessionById, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { allUids } from "../../store/memory/sharing.ts";
import { encode, type FileType, type SharedRecords } from "../branch/shared-file.ts";
import {
  type ExportWork,
  exportAnnotation,
  exportAttribution,
  exportCheckpoint,
  exportEvent,
  exportSession,
  exportTurns,
} from "../records/from-memory.ts";
import { firstLine, type Kind, lastLine } from "./memory-line.ts";

interface Exported {
  /** Lines of the file, each with its line feed. */
  text: string;
  /** Of the things that the memory has. */
  done: number;
  total: number;
}

/**
 * The whole memory as lines of JSON, thing by thing: the records of synchronisation, in an order that depends on nothing
 * but them, so that equal memories give equal bytes. A session comes before those that continue it.
 */
export function* exportMemory(exportWork: ExportWork): Generator<Exported, void, undefined> {
  const { memory } = exportWork.work;
  const others = (["annotation", "event", "checkpoint", "attribution"] as const).flatMap((kind) =>
    allUids(memory, kind).map((uid) => ({ kind, uid })),
  );
  const sessions = inOrder(exportWork);
  const total = sessions.length + others.length;
  let done = 0;
  let records = 0;
  const exported = (lines: readonly string[]): Exported => {
    records += lines.length;
    return { text: lines.join(""), done: ++done, total };
  };
  yield { text: firstLine, done, total };
  for (const session of sessions) yield exported(memory.inSnapshot(() => sessionLines(exportWork, session)));
  for (const { kind, uid } of others) {
    const record = otherRecord(exportWork, kind, uid);
    yield exported(record === null ? [] : [record]);
  }
  yield { text: lastLine(records), done, total };
}

/**
 * Sessions of which something is known, each behind its parent and its origin. Left out are those that were only reported
 * to have started, or that only a note or a commit names.
 */
function inOrder({ work: { memory } }: ExportWork): SessionRecord[] {
  const noted = listAnnotations(memory).map(({ sessionUid }) => sessionUid);
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
      if (id !== null && id !== session.id) add(sessionById(memory, id), true);
    }
    ordered.set(session.id, session);
  };
  for (const uid of allUids(memory, "session")) add(sessionByUid(memory, uid), false);
  return [...ordered.values()];
}

function sessionLines(exportWork: ExportWork, session: SessionRecord): string[] {
  const meta = exportSession(exportWork, session.uid);
  if (meta === null) return [];
  const turns = encode("transcript", [...exportTurns(exportWork, session)]).split("\n");
  return [
    lineOf("session", encode("meta", meta)),
    ...turns.filter((turn) => turn !== "").map((turn) => lineOf("turn", turn, session.uid)),
  ];
}

function otherRecord(
  exportWork: ExportWork,
  kind: "annotation" | "event" | "checkpoint" | "attribution",
  uid: string,
): string | null {
  const line = <T extends FileType>(name: Kind, type: T, record: SharedRecords[T] | null) =>
    record === null ? null : lineOf(name, encode(type, record));
  switch (kind) {
    case "annotation":
      return line("note", kind, exportAnnotation(exportWork, uid));
    case "event":
      return line(kind, kind, exportEvent(exportWork, uid));
    case "checkpoint":
      return line(kind, kind, exportCheckpoint(exportWork, uid));
    case "attribution":
      return line(kind, kind, exportAttribution(exportWork, uid));
  }
}

function lineOf(kind: Kind, record: string, session?: string): string {
  const of = session === undefined ? "" : `"session":${JSON.stringify(session)},`;
  return `{"kind":"${kind}",${of}"record":${record.trimEnd()}}\n`;
}
