import { existsSync } from "node:fs";
import { extname } from "node:path";
import type { Agent, TranscriptFile, TranscriptInfo } from "../../agents/agent.ts";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { isCwdInProject } from "../../git/projects/roots.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { listRecentActivity } from "../../store/memory/sessions/activity.ts";
import { type FileToRead, findTranscript, isCopyOfStored, sortForReading } from "./known-transcripts.ts";
import { hasMentionOfAnyDirectory } from "./touched-directories.ts";

/** A transcript that is still to be read, or read on. */
export interface TranscriptToImport extends FileToRead {
  path: string;
  /** Bytes that are not read yet. */
  left: number;
  session: string;
  /** As of `sortForReading`. */
  urgency: number;
}

/** What an import would read, and what it would skip. Sessions are people's own; bytes include subagents'. */
export interface ImportPreview {
  /** Those to be read first come first. */
  files: TranscriptToImport[];
  sessions: number;
  subagents: number;
  bytes: number;
  /** Of the first line of the first session, and of the last change. Milliseconds; null when there is none. */
  from: number | null;
  to: number | null;
  /** How long it takes at the speed of recent imports. Milliseconds. */
  estimatedMs: number;
  /** Read already, to the end. */
  imported: { sessions: number; bytes: number };
  /** Of sessions that ran elsewhere and touched nothing here. */
  elsewhere: { sessions: number; bytes: number };
  /** Of sessions that were over before the time that was asked for, or that the user had forgotten. */
  older: number;
  forgotten: number;
  /** Directories that are gone, and where sessions of the project ran. */
  gone: string[];
  /** Files that do not name their project. */
  unclear: number;
  /** Files with what no agent writes, and what that is. */
  refused: { path: string; error: string }[];
}

export interface ImportAsked {
  agent: Agent;
  /** Directories, or files. */
  places: readonly string[];
  /** null: nothing is stored yet. */
  memory: Memory | null;
  /** The project's roots, whose sessions are those that ran or touched something in them; null: all projects. */
  roots: readonly string[] | null;
  /** Whether a session that ran in a directory that is gone is the project's. Left out: none is. */
  wasOurs?: (path: string, cwd: string) => Promise<boolean>;
  /** Only what has changed since. Milliseconds. */
  since: number | null;
  signal?: AbortSignal | undefined;
}

/** Bytes a second, until something was read here: docs/benchmarks.md#sessions. */
const typicalSpeed = 4_000_000;

/** How many files are looked into at once. */
const filesAtOnce = 8;

/** Looks through transcripts without reading more than their beginnings. */
export async function previewImport(asked: ImportAsked): Promise<ImportPreview> {
  const preview: ImportPreview = {
    files: [],
    sessions: 0,
    subagents: 0,
    bytes: 0,
    from: null,
    to: null,
    estimatedMs: 0,
    imported: { sessions: 0, bytes: 0 },
    elsewhere: { sessions: 0, bytes: 0 },
    older: 0,
    forgotten: 0,
    gone: [],
    unclear: 0,
    refused: [],
  };
  const known = new Map<string, Promise<boolean>>();
  const judge = async (path: string, cwd: string): Promise<boolean> => {
    if (asked.roots === null || isCwdInProject(asked.roots, cwd)) return true;
    const wasOurs = !existsSync(cwd) && ((await asked.wasOurs?.(path, cwd)) ?? false);
    if (wasOurs) preview.gone.push(cwd);
    return wasOurs;
  };
  const isOurs = (path: string, cwd: string): Promise<boolean> => {
    const ours = known.get(cwd) ?? judge(path, cwd);
    known.set(cwd, ours);
    return ours;
  };
  for await (const batch of splitIntoBatches(listTranscriptFiles(asked))) {
    asked.signal?.throwIfAborted();
    const infos = await Promise.all(batch.map(({ path }) => describe(asked.agent, path)));
    for (const [i, file] of batch.entries()) {
      const info = infos[i] ?? null;
      if (info instanceof PommelError) preview.refused.push({ path: file.path, error: info.message });
      else if (info === null) preview.unclear++;
      else sort(preview, asked, file, info, await isOurs(file.path, info.cwd));
    }
  }
  const [root = ""] = asked.roots ?? [];
  preview.files = sortForReading(asked.agent, root, preview.files, { isHere: true });
  preview.estimatedMs = Math.round((preview.bytes / measureImportSpeed(asked.memory)) * 1000);
  return preview;
}

function sort(
  preview: ImportPreview,
  { agent, memory, roots, since }: ImportAsked,
  file: TranscriptFile,
  info: TranscriptInfo,
  isOurs: boolean,
): void {
  const { session, parent, startedAt } = info;
  const isOwn = parent === null;
  // What a session in a database is about, its beginning alone says.
  const isTouched = () => roots !== null && !agent.database && hasMentionOfAnyDirectory(file.path, roots);
  if (!isOurs && !isTouched()) {
    if (isOwn) preview.elsewhere.sessions++;
    preview.elsewhere.bytes += file.size;
    return;
  }
  if (since !== null && file.mtimeMs < since) {
    if (isOwn) preview.older++;
    return;
  }
  if (memory !== null && [session, parent?.session].some((uid) => uid && isForgotten(memory, uid))) {
    if (isOwn) preview.forgotten++;
    return;
  }
  if (memory !== null && isCopyOfStored(memory, info)) {
    preview.imported.sessions++;
    preview.imported.bytes += file.size;
    return;
  }
  const read = (memory && findTranscript(memory, file.path, session)?.offset) ?? 0;
  // A shorter file is another one.
  const left = read > file.size ? file.size : file.size - read;
  if (read > 0 && left === 0) {
    if (isOwn) preview.imported.sessions++;
    preview.imported.bytes += file.size;
    return;
  }
  const { path, size, mtimeMs } = file;
  preview.files.push({ path, left, session, size, mtimeMs, startedAt, urgency: 0 });
  if (isOwn) preview.sessions++;
  else preview.subagents++;
  preview.bytes += left;
  preview.from = Math.min(preview.from ?? Number.POSITIVE_INFINITY, startedAt ?? file.mtimeMs);
  preview.to = Math.max(preview.to ?? 0, file.mtimeMs);
}

/** Every transcript in the places, each once; with one that is named itself come its subagents'. */
async function* listTranscriptFiles({
  agent,
  places,
}: ImportAsked): AsyncGenerator<TranscriptFile, void, undefined> {
  const seen = new Set<string>();
  const left = [...places];
  for (let place = left.shift(); place !== undefined; place = left.shift()) {
    for await (const file of agent.list(place)) {
      if (seen.has(file.path)) continue;
      seen.add(file.path);
      yield file;
      if (file.path === place) left.push(place.slice(0, place.length - extname(place).length));
    }
  }
}

async function* splitIntoBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[], void, undefined> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < filesAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** @returns why it is refused, where it is */
async function describe(agent: Agent, path: string): Promise<TranscriptInfo | PommelError | null> {
  try {
    return await agent.describe(path);
  } catch (error) {
    if (error instanceof PommelError && error.code === "transcript_refused") return error;
    // Gone or locked: the next import sees.
    if (getErrorCode(error) === "") throw error;
    return null;
  }
}

/** Bytes per second of recent imports. */
function measureImportSpeed(memory: Memory | null): number {
  const read = memory
    ? listRecentActivity(memory, 100).filter(
        ({ kind, outcome }) => kind === "transcript" && outcome === "done",
      )
    : [];
  const bytes = read.reduce((sum, { units }) => sum + units, 0);
  const ms = read.reduce((sum, { tookMs }) => sum + tookMs, 0);
  // A few lines added to a session are too little to measure.
  return bytes > 5_000_000 && ms > 0 ? (bytes / ms) * 1000 : typicalSpeed;
}
