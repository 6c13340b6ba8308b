import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { type ForeignDatabase, openForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type { TranscriptFile } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { openClientDatabase, withClientDatabase } from "../reading/client-database.ts";
import {
  anything,
  count,
  makeLenientParser,
  orNull,
  type Parsed,
  parseJsonLine,
  text,
  time,
} from "../reading/json.ts";
import { databaseName, isComposerId } from "./profile.ts";

/** The parsed fields of the database's values. They are JSON, and some of their fields are JSON once more. */

const uri = orNull(z.object({ fsPath: text, path: text }));
const workspace = orNull(z.object({ uri }));
const subagent = orNull(z.object({ parentComposerId: text, subagentTypeName: text, toolCallId: text }));

/** `composerHeaders.value`, in newer databases. */
const asHead = makeLenientParser(z.object({ workspaceIdentifier: workspace, subagentInfo: subagent }));

/** `composerData:<composer>` */
const asComposer = makeLenientParser(
  z.object({
    name: text,
    /** Milliseconds since the epoch. */
    createdAt: time,
    lastUpdatedAt: time,
    status: text,
    fullConversationHeadersOnly: anything,
    modelConfig: orNull(z.object({ modelName: text })),
    workspaceIdentifier: workspace,
  }),
);
export type Composer = Parsed<typeof asComposer>;

const asBubbleHeader = makeLenientParser(z.object({ bubbleId: z.string() }));

const tool = z.object({
  name: text,
  status: text,
  toolCallId: text,
  params: anything,
  rawArgs: anything,
  result: anything,
  error: anything,
});
export type CursorTool = z.infer<typeof tool>;

/** `bubbleId:<composer>:<bubble>` */
export const asBubble = makeLenientParser(
  z.object({
    /** 1: the human's, 2: the agent's. */
    type: count,
    text,
    createdAt: anything,
    thinking: anything,
    images: anything,
    toolFormerData: orNull(tool),
    tokenCount: orNull(z.object({ inputTokens: count, outputTokens: count })),
  }),
);
export type Bubble = Parsed<typeof asBubble>;

export const asThought = makeLenientParser(z.object({ text: z.string() }));
/** The contents of a file before and after an edit, under keys of their own. */
export const asContents = makeLenientParser(z.object({ beforeContentId: text, afterContentId: z.string() }));
/** `composer.composerData` of a workspace, in older databases. */
const asWorkspaceComposers = makeLenientParser(
  z.object({ allComposers: z.array(z.object({ composerId: text })) }),
);

const asPair = makeLenientParser(z.object({ key: z.string(), value: text, size: count }));

/**
 * The editor's SQLite database `globalStorage/state.vscdb`, a table of keys and JSON: `composerData:<composer>` with the order
 * of a conversation's messages, `bubbleId:<composer>:<bubble>` with each. Not from files of our own: as several readers
 * describe it that do not know each other (docs/sessions.md names them).
 */

/** The database and conversation in a transcript's path; null for other paths. */
export function parseComposerPath(path: string): { file: string; composer: string } | null {
  const [file, composer] = [dirname(path), basename(path)];
  const isPlace = basename(file) === databaseName && isComposerId(composer);
  return isPlace ? { file, composer } : null;
}

/** The database that a changed file is part of; null for other files. Not `-shm`, which readers change as well. */
export function findDatabase(path: string): string | null {
  const file = path.replace(/-wal$/, "");
  return basename(file) === databaseName ? file : null;
}

export const openDatabase = (file: string) => openClientDatabase(file, isOurs);

/** Runs `work` on an open database; null when there is none. */
export const withDatabase = <T>(file: string, work: (db: ForeignDatabase) => T) =>
  withClientDatabase(file, isOurs, work);

function isOurs(db: ForeignDatabase): boolean {
  const columns = db.columns("cursorDiskKV");
  return columns.includes("key") && columns.includes("value");
}

/** A value as JSON; null when missing or too long. */
export function readValue(db: ForeignDatabase, key: string): Record<string, unknown> | null {
  const text = readRawValue(db, key);
  return text === null ? null : parseJsonLine(Buffer.from(text));
}

/** A value as it is. */
export function readRawValue(db: ForeignDatabase, key: string): string | null {
  const [row] = db.rows(
    `SELECT key, CASE WHEN octet_length(value) <= ? THEN CAST(value AS TEXT) END AS value, 0 AS size
     FROM cursorDiskKV WHERE key = ?`,
    bounds.line,
    key,
  );
  return asPair(row)?.value ?? null;
}

/** Keys with a prefix, with the sizes of their values. Bytes. */
function measureValues(db: ForeignDatabase, prefix: string): Map<string, number> {
  const rows = db.rows(
    `SELECT key, NULL AS value, octet_length(value) AS size FROM cursorDiskKV WHERE key >= ? AND key < ?`,
    prefix,
    `${prefix.slice(0, -1)};`,
  );
  return new Map(
    [...rows].flatMap((row) => {
      const pair = asPair(row);
      return pair ? [[pair.key.slice(prefix.length), pair.size ?? 0]] : [];
    }),
  );
}

/** A conversation's messages and their sizes. Bytes. */
export const measureBubbles = (db: ForeignDatabase, composer: string) =>
  measureValues(db, `bubbleId:${composer}:`);

export const readComposer = (db: ForeignDatabase, id: string): Composer | null =>
  asComposer(readValue(db, `composerData:${id}`));

/** The ids of a conversation's messages, in order. */
export function listBubbleIds({ fullConversationHeadersOnly: headers }: Composer): string[] {
  return Array.isArray(headers) ? headers.flatMap((header) => asBubbleHeader(header)?.bubbleId ?? []) : [];
}

/** What a newer database says about a conversation beside it. */
export function readComposerHeader(db: ForeignDatabase, id: string) {
  if (!db.columns("composerHeaders").includes("composerId")) return null;
  const [row] = db.rows(
    "SELECT composerId AS key, CAST(value AS TEXT) AS value, 0 AS size FROM composerHeaders WHERE composerId = ?",
    id,
  );
  const text = asPair(row)?.value;
  return text ? asHead(parseJsonLine(Buffer.from(text))) : null;
}

/** The conversations of a workspace, by its own database; none where it cannot be read. */
export function listComposers(file: string): string[] {
  let db: ForeignDatabase | null = null;
  try {
    db = openForeignDatabase(file);
    if (!db.columns("ItemTable").includes("value")) return [];
    const [row] = db.rows(
      "SELECT key, CAST(value AS TEXT) AS value, 0 AS size FROM ItemTable WHERE key = 'composer.composerData'",
    );
    const value = asWorkspaceComposers(parseJsonLine(Buffer.from(asPair(row)?.value ?? "")));
    return (value?.allComposers ?? []).flatMap(({ composerId }) => composerId ?? []);
  } catch {
    return [];
  } finally {
    db?.close();
  }
}

interface ComposerStamp {
  /** Of the conversation's own value. Bytes. */
  length: number;
  mtimeMs: number;
  startedAt: number;
  isEmpty: boolean;
  size: number;
}

/** What was found out about conversations that nobody works on, by path: adding up sizes takes a look at every message. */
const transcriptCache = new Map<string, ComposerStamp>();
/** Milliseconds. */
const idleAfterMs = 3600_000;

/** A database's conversations with messages, or one of them, the oldest first. Their size is that of all their messages. */
export function listTranscripts(db: ForeignDatabase, file: string, only?: string): TranscriptFile[] {
  const lengths = only
    ? new Map([[only, readValue(db, `composerData:${only}`) === null ? -1 : 0]])
    : measureValues(db, "composerData:");
  const found = [...lengths].flatMap(([id, length]) => {
    const path = join(file, id);
    const before = transcriptCache.get(path);
    const isSame = before?.length === length && Date.now() - before.mtimeMs > idleAfterMs;
    const now = isSame ? before : lookAt(db, id, length);
    if (now === null) return [];
    transcriptCache.set(path, now);
    return now.isEmpty ? [] : [{ path, ...now }];
  });
  return found
    .sort((one, other) => one.startedAt - other.startedAt || (one.path < other.path ? -1 : 1))
    .map(({ path, size, mtimeMs }) => ({ path, size, mtimeMs }));
}

function lookAt(db: ForeignDatabase, id: string, length: number): ComposerStamp | null {
  const composer = isComposerId(id) ? readComposer(db, id) : null;
  if (composer === null) return null;
  const sizes = measureBubbles(db, id);
  const listed = listBubbleIds(composer).filter((bubble) => sizes.has(bubble));
  const startedAt = composer.createdAt ?? 0;
  return {
    length,
    startedAt,
    mtimeMs: composer.lastUpdatedAt ?? startedAt,
    isEmpty: listed.length === 0,
    size: listed.reduce((sum, bubble) => sum + sizes.get(bubble)!, 0),
  };
}
