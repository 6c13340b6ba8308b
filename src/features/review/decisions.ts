import pLimit from "p-limit";
import { escapeGlob } from "../../answers/file-place.ts";
import { answerAbout } from "../../answers/run.ts";
import { findLineAuthors } from "../../attribution/lines/line-authors.ts";
import type { Project } from "../../base/paths.ts";
import { type Blame, blameFile } from "../../git/diff/blame.ts";
import type { ChangedFile, CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure } from "../../git/git.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listDecisions } from "../decisions/operation.ts";
import type { Reviewed } from "./change.ts";
import type { ReviewAnswer, ReviewDecision, ReviewFile, ReviewSession } from "./operation.ts";

const maxDecisions = 5;
/** Decisions that are looked through for those that the change undoes. */
const maxLookedAt = 30;
/** Files whose removed lines are looked at; processes of git. */
const maxFiles = 40;
export const blamesAtOnce = 4;

/**
 * What was decided about the files of a change. A decision is followed where it was made in a turn that led to the change, and
 * may be broken where the change removes lines that were written in its turn.
 */
export async function findDecisionsAbout(
  project: Project,
  memory: Memory,
  what: Reviewed,
  changed: readonly ChangedFile[],
  ledTo: (turn: TurnRef) => boolean,
  signal?: AbortSignal,
): Promise<ReviewDecision[]> {
  if (changed.length === 0) return [];
  const file = changed.map(({ path }) => escapeGlob(path));
  const { decisions } = await answerAbout(listDecisions, { project, memory }, { file, limit: maxLookedAt });
  const isOlder = (turn: TurnRef) => turn.session_id !== null && !ledTo(turn);
  // Lines of a turn are in the files that it wrote.
  const theirs = new Set(decisions.filter(isOlder).flatMap(({ files }) => files));
  const older = changed.filter(({ path, oldPath }) => theirs.has(path) || theirs.has(oldPath ?? path));
  const removed = await countRemovedByTurn(project, memory, what, older, signal);
  return decisions
    .map((decision) => {
      const { session_id, turn } = decision;
      const gone = isOlder(decision) ? removed.get(turnKey(session_id, turn)) : undefined;
      return {
        ...decision,
        made_here: session_id !== null && !isOlder(decision),
        lines_removed: gone?.lines ?? 0,
        removed_at: gone?.at ?? null,
      };
    })
    .sort((a, b) => b.lines_removed - a.lines_removed)
    .slice(0, maxDecisions);
}

/** Whether a turn led to a change: it wrote lines of it, or its session certainly led to a commit of it. */
export function makeLedTo(sessions: readonly ReviewSession[]): (turn: TurnRef) => boolean {
  const led = new Set(
    sessions.flatMap(({ session_id, confidence, turns }) =>
      turns
        .filter(({ lines }) => lines > 0 || (confidence ?? 0) >= certain)
        .map(({ turn }) => turnKey(session_id, turn)),
    ),
  );
  return ({ session_id, turn }) => led.has(turnKey(session_id, turn));
}

interface TurnRef {
  session_id: string | null;
  turn: number | null;
}

/** Lines that a change removes, and where the first of them was: "path:line". */
interface Removed {
  lines: number;
  at: string;
}

const turnKey = (session: string | null, turn: number | null) => `${session} ${turn}`;

/** Lines that a change removes, by the turn that wrote them. */
async function countRemovedByTurn(
  project: Project,
  memory: Memory,
  { from }: Reviewed,
  changed: readonly ChangedFile[],
  signal?: AbortSignal,
): Promise<Map<string, Removed>> {
  const byTurn = new Map<string, Removed>();
  if (from === null) return byTurn;
  const shortened = changed.filter(({ hunks }) => hunks.some(({ removed }) => removed.length > 0));
  await pLimit(blamesAtOnce).map(shortened.slice(0, maxFiles), async ({ path, oldPath, hunks }) => {
    const before = oldPath ?? path;
    const ranges = hunks.flatMap(({ oldStart, removed }): [number, number][] =>
      removed.length === 0 ? [] : [[oldStart, oldStart + removed.length - 1]],
    );
    const blamed = await blameIfAny(project.root, before, { ranges, revision: from, signal });
    const { authors } = await findLineAuthors(project, memory, before, blamed, null, signal);
    for (const [i, { session_id, turn }] of authors.entries()) {
      const key = turnKey(session_id, turn);
      const { lines, at } = byTurn.get(key) ?? { lines: 0, at: `${before}:${blamed.lines[i]?.line}` };
      byTurn.set(key, { lines: lines + 1, at });
    }
  });
  return byTurn;
}

/** Without lines where git cannot blame it: a file that is binary, say. */
export async function blameIfAny(
  root: string,
  path: string,
  options: Parameters<typeof blameFile>[2],
): Promise<Pick<Blame, "lines" | "commits">> {
  try {
    return await blameFile(root, path, options);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
    return { lines: [], commits: new Map() };
  }
}

/** The commits of a range. */
export interface Commits {
  /** The latest. */
  shown: CommitInfo[];
  total: number;
  /** The lines that all of them added to each file, and how many of them changed it. */
  added: Map<string, { lines: number; commits: number }>;
  /** What brought them, where a merge is reviewed. */
  merge: CommitInfo | null;
}

/** Fewer lines are what every change has. */
const minReworked = 10;
const maxReworked = 10;

/** What a range of commits did and undid again: lines that one added and a later one removed, and commits that revert one. */
export function findContested(
  what: Reviewed,
  { shown, added }: Commits,
  files: readonly ReviewFile[],
): Pick<ReviewAnswer, "reworked" | "reverts"> {
  const reverts = shown.flatMap(({ hash, message }) => {
    const [, reverted] = /^This reverts commit ([0-9a-f]{7,64})\b/m.exec(message) ?? [];
    return reverted === undefined ? [] : [{ hash, subject: message.split("\n", 1)[0] ?? "", reverted }];
  });
  if (what.kind !== "range") return { reworked: [], reverts };
  const reworked = files
    .map(({ path, insertions }) => {
      const { lines, commits } = added.get(path) ?? { lines: 0, commits: 0 };
      return { path, lines: lines - insertions, commits };
    })
    .filter(({ lines, commits }) => commits > 1 && lines >= minReworked)
    .sort((a, b) => b.lines - a.lines)
    .slice(0, maxReworked);
  return { reworked, reverts };
}
