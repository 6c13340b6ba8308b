import { isAbsolute, relative, resolve, sep } from "node:path";
import { LRUCache } from "lru-cache";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { findAgentByName, statTranscript } from "../../agents/registry.ts";
import { stripFormatting } from "../../attribution/lines/line-keys.ts";
import { isInside, toRealPath } from "../../base/paths.ts";
import { listEdits, pickChangedLines, readStoredTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSessionById, listSessions } from "../../store/memory/sessions/sessions.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";

/** A session that says nothing for so long is not at work, whatever it left. Milliseconds. */
const atWorkMs = 3_600_000;
/** What a session changed before that is no news. Milliseconds. */
const changedWithinMs = 8 * 3_600_000;
/** Turns of a session that are looked through, the latest. */
const maxTurns = 20;
/** Shorter lines, such as brackets, show nothing. Characters without white space. */
const minLineChars = 3;

/** What a session's edits of a file show of it. */
interface EditedFile {
  root: string;
  /** From the root, with slashes. */
  path: string;
  /** The latest. Milliseconds since the epoch. */
  at: number;
  /** Lines that it wrote and took out, without layout. */
  added: ReadonlySet<string>;
  removed: ReadonlySet<string>;
}

export interface SessionAtWork {
  session: SessionRecord;
  /** The checkout that it was launched in; null: none that is there. */
  root: string | null;
  files: EditedFile[];
  /** What it has read lately, and may change next, from the root. */
  read: string[];
}

/**
 * Sessions in which an agent is at work, with the files that they, and their subagents, changed; the latest first.
 * @param roots real paths of checkouts that are there
 */
export async function listSessionsAtWork(
  memory: Memory,
  roots: readonly string[],
  now = Date.now(),
): Promise<SessionAtWork[]> {
  const found = new Map<number, SessionAtWork>();
  const recent = listSessions(memory, { since: now - atWorkMs, shared: false, children: true });
  for (const record of recent) {
    const session = record.parentId === null ? record : findSessionById(memory, record.parentId);
    if (session === null || session.endedAt !== null || session.author !== null) continue;
    const known = found.get(session.id);
    const one = known ?? { session, root: findRoot(roots, session.cwd), files: [], read: [] };
    found.set(session.id, one);
    one.read.push(...listReadFiles(memory, record));
    const since = now - changedWithinMs;
    for (const edit of [...readEdits(memory, record, since), ...(await readFreshEdits(memory, record))]) {
      const root = findRoot(roots, edit.path);
      if (root !== null) addEdit(one.files, root, edit);
    }
  }
  return [...found.values()].sort((a, b) => (b.session.lastAt ?? 0) - (a.session.lastAt ?? 0));
}

/** Of the latest turn, the latest. */
const maxRead = 8;

function listReadFiles(memory: Memory, { id }: SessionRecord): string[] {
  const files = listTurns(memory, id).at(-1)?.files ?? [];
  return files
    .filter(({ how, path }) => how === "read" && !isAbsolute(path))
    .slice(-maxRead)
    .map(({ path }) => path);
}

/** The innermost of these directories that a path is in. */
function findRoot(roots: readonly string[], path: string): string | null {
  const real = toRealPath(path);
  const around = roots.filter((root) => isInside(real, root));
  return around.sort((a, b) => b.length - a.length)[0] ?? null;
}

function addEdit(files: EditedFile[], root: string, { path, at, added, removed }: LiveEdit): void {
  const inside = relative(root, toRealPath(path)).split(sep).join("/");
  const known = files.find((one) => one.root === root && one.path === inside);
  const before = known ?? { at: 0, added: new Set<string>(), removed: new Set<string>() };
  const file: EditedFile = {
    root,
    path: inside,
    at: Math.max(before.at, at),
    added: new Set([...before.added, ...added]),
    removed: new Set([...before.removed, ...removed]),
  };
  if (known === undefined) files.push(file);
  else files[files.indexOf(known)] = file;
}

interface LiveEdit {
  /** Absolute. */
  path: string;
  at: number;
  added: readonly string[];
  removed: readonly string[];
}

/** Edits of turns that do not change any more. */
const readTurns = new LRUCache<string, readonly LiveEdit[]>({ max: 400 });

function readEdits(memory: Memory, { id, uid, cwd }: SessionRecord, since: number): LiveEdit[] {
  const turns = listTurns(memory, id).slice(-maxTurns);
  return turns
    .filter(({ files, abandoned }) => !abandoned && files.some(({ how }) => how !== "read"))
    .flatMap(({ number, endedAt, files }) => {
      const key = `${memory.file}\n${uid}\n${number}\n${endedAt}\n${files.length}`;
      const known = readTurns.get(key);
      if (known !== undefined) return known;
      const edits = readEditsOfTurn(memory, id, number, cwd);
      readTurns.set(key, edits);
      return edits;
    })
    .filter(({ at }) => at >= since);
}

function readEditsOfTurn(memory: Memory, session: number, number: number, launchedIn: string): LiveEdit[] {
  return [...readStoredTurns(memory, session, { first: number, last: number })].flatMap((turn) =>
    describeEdits(turn.lines, launchedIn, turn.record.endedAt ?? 0),
  );
}

/** What was written of a transcript and is not stored yet is little, or it is an import. Bytes. */
const maxFreshBytes = 1_000_000;

/**
 * Edits in the end of a session's transcript, which is not stored yet: to scrub, cut and store it takes longer than the next agent
 * waits. Nothing of it is kept.
 */
async function readFreshEdits(memory: Memory, { id, cwd }: SessionRecord): Promise<LiveEdit[]> {
  const edits: LiveEdit[] = [];
  for (const { path, agent: name, offset, lineHash } of listTranscripts(memory, id)) {
    const agent = findAgentByName(name);
    const size = statTranscript(path)?.size ?? 0;
    if (agent === undefined || agent.database !== undefined) continue;
    if (size <= offset || size - offset > maxFreshBytes) continue;
    try {
      for await (const { lines } of agent.read(path, { offset, lineHash }))
        edits.push(...describeEdits(lines, cwd, Date.now()));
    } catch {
      // It was replaced, or is gone: whoever stores it says so.
    }
  }
  return edits;
}

function describeEdits(
  lines: readonly { at: number | null; cwd?: string | null; entries: TranscriptEntry[] }[],
  launchedIn: string,
  otherwiseAt: number,
): LiveEdit[] {
  return [...listEdits({ lines })].map(({ line, edit }) => {
    const { added, removed } = pickChangedLines(edit);
    return {
      path: isAbsolute(edit.path) ? edit.path : resolve(line.cwd ?? launchedIn, edit.path),
      at: line.at ?? otherwiseAt,
      added: added.map(stripFormatting).filter(isTelling),
      removed: removed.map(stripFormatting).filter(isTelling),
    };
  });
}

const isTelling = (line: string): boolean => line.length >= minLineChars;

/** Whether a session's edits of a file show that it changed lines so. */
export const hasChanged = (
  { added, removed }: Pick<EditedFile, "added" | "removed">,
  before: readonly string[],
  now: readonly string[],
): boolean => {
  const [former, current] = [before.map(stripFormatting), now.map(stripFormatting)];
  const [formerly, currently] = [new Set(former), new Set(current)];
  return (
    current.some((line) => !formerly.has(line) && added.has(line)) ||
    former.some((line) => !currently.has(line) && removed.has(line))
  );
};
