import { addTo, getOrCreate } from "../../base/multimap.ts";
import { dayMs } from "../../base/text/day.ts";
import { minAgain } from "../../base/text/telling-lines.ts";
import type { TakenBackLines } from "./match.ts";
import type { EditEvent } from "./read-edits.ts";

/** Changes that were tried and taken back: lines that agents wrote into a file, and that went again in favour of what was there before. */

export interface TakenBackChange {
  /** One of each edit of a turn. */
  traces: TakenBackLines[];
  /** The edit that wrote the lines. */
  written: EditEvent;
  /** What took the last of them away. */
  taken: EditEvent;
}

/** An edit that wrote lines, and what became of each. */
interface WrittenLines {
  event: EditEvent;
  path: string;
  lines: number[];
  /** The lines that it replaced. */
  before: ReadonlySet<number>;
  out: Map<number, EditEvent>;
  isCommitted: boolean;
  isTrial: boolean;
}

/** What is longer is a whole file. Lines. */
const maxLines = 120;
/** What stood for longer was no trial. Milliseconds. */
const maxAgeMs = 7 * dayMs;

/** What agents' edits made of a file. */
interface FileState {
  /** The edit that wrote each line that stands. */
  lines: Map<number, WrittenLines>;
  /** Those that wrote a line that is gone. */
  gone: Map<number, WrittenLines[]>;
}

/** @param events the earliest first */
export function findTakenBack(events: readonly EditEvent[]): TakenBackChange[] {
  const files = new Map<string, FileState>();
  const all: WrittenLines[] = [];
  const uncommitted = new Map<number, WrittenLines[]>();
  const failures = new Map<string, number[]>();
  for (const event of events) {
    const { what, session } = event;
    if (what.kind === "failure") addTo(failures, `${session.id}:${event.turn}`, event.seq);
    else if (what.kind === "commit") {
      for (const one of uncommitted.get(session.id) ?? []) one.isCommitted = true;
      uncommitted.delete(session.id);
    } else if (what.kind === "restore") {
      for (const [path, file] of files) {
        if (what.paths?.some((named) => isSameFile(path, named)) === false) continue;
        for (const [line, one] of file.lines)
          if (!one.isCommitted && one.event.session.id === session.id) takeOut(file, line, event);
      }
    } else if (what.kind === "edit") {
      const written = applyEdit(
        event,
        what,
        getOrCreate(files, what.path, () => ({ lines: new Map(), gone: new Map() })),
      );
      if (written === null) continue;
      all.push(written);
      addTo(uncommitted, session.id, written);
    }
  }
  return pickTakenBack(all, failures, countStanding(files));
}

function pickTakenBack(
  all: readonly WrittenLines[],
  failures: ReadonlyMap<string, readonly number[]>,
  standing: ReadonlyMap<number, number>,
): TakenBackChange[] {
  const changes = new Map<string, TakenBackChange>();
  for (const one of all) {
    const isGone = one.out.size >= minAgain.lines && one.out.size >= minAgain.share * one.lines.length;
    if (!isGone || one.isTrial || one.lines.length > maxLines) continue;
    const taken = [...one.out.values()].sort((a, b) => b.at - a.at || b.seq - a.seq)[0]!;
    if (!isUndo(one, taken) || !hasReason(one, taken, failures)) continue;
    if (taken.at - one.event.at > maxAgeMs) continue;
    const lines = [...one.out.keys()];
    // What stands elsewhere was moved there.
    if (lines.filter((line) => (standing.get(line) ?? 0) > 0).length * 2 > lines.length) continue;
    const { session, turn } = one.event;
    const key = JSON.stringify([one.path, session.id, turn, taken.session.id, taken.turn]);
    const change = getOrCreate(changes, key, () => ({ traces: [], written: one.event, taken }));
    change.traces.push({ kind: "lines", path: one.path, lines });
  }
  return [...changes.values()];
}

/** @returns null where it wrote no line that is new there */
function applyEdit(
  event: EditEvent,
  { path, added, removed, isWhole, isTrial }: EditEvent["what"] & { kind: "edit" },
  file: FileState,
): WrittenLines | null {
  const put = new Set(added);
  const gone = isWhole ? [...file.lines.keys()].filter((line) => !put.has(line)) : removed;
  for (const line of gone) takeOut(file, line, event);
  const before = new Set(gone);
  const fresh = [...put].filter((line) => !before.has(line) && !file.lines.has(line));
  if (fresh.length === 0) return null;
  const one = { event, path, lines: fresh, before, out: new Map(), isCommitted: false, isTrial };
  for (const line of fresh) {
    // What comes again was not dropped.
    for (const earlier of file.gone.get(line) ?? []) earlier.out.delete(line);
    file.gone.delete(line);
    file.lines.set(line, one);
  }
  return one;
}

function takeOut({ lines, gone }: FileState, line: number, event: EditEvent): void {
  const one = lines.get(line);
  if (one === undefined) return;
  one.out.set(line, event);
  addTo(gone, line, one);
  lines.delete(line);
}

const isSameFile = (path: string, named: string): boolean =>
  path === named || path.endsWith(`/${named.replace(/^\.\//, "")}`) || named.endsWith(`/${path}`);

/** Whether what took lines away put nothing in their place but what was there before. */
function isUndo({ before }: WrittenLines, { what }: EditEvent): boolean {
  if (what.kind !== "edit") return what.kind === "restore";
  return what.added.every((line) => before.has(line) || what.removed.includes(line));
}

/** A turn that goes to and fro by itself only works: a command failed in between, git put it back, or it was another turn. */
function hasReason(
  { event }: WrittenLines,
  taken: EditEvent,
  failures: ReadonlyMap<string, readonly number[]>,
): boolean {
  if (taken.what.kind === "restore" || taken.session.id !== event.session.id || taken.turn !== event.turn)
    return true;
  return (failures.get(`${event.session.id}:${event.turn}`) ?? []).some(
    (seq) => seq > event.seq && seq < taken.seq,
  );
}

function countStanding(files: ReadonlyMap<string, FileState>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { lines } of files.values())
    for (const line of lines.keys()) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
