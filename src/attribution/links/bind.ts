import type { AttributionRecord, Binding } from "../../store/memory/git-records.ts";
import type { AttributionEvidence } from "../evidence/judge.ts";
import type { Delegation, Write } from "../evidence/writes.ts";
import { align } from "../lines/align.ts";
import type { FileToAttribute } from "../lines/file-lines.ts";
import type { ChangeToAttribute } from "../lines/types.ts";
import { clockMs, committedBy, ofOneSession, saysSubject } from "./committed-by.ts";

/**
 * A session takes part in a commit if its lines weigh this much and are some share of the total weight, or are a large
 * share. A session without lines since the parent commit needs more: equal lines are more often a coincidence than left
 * over.
 */
const enough = {
  fresh: { weight: 1.5, share: 0.01, largeShare: 0.25 },
  stale: { weight: 3, share: 0.08, largeShare: 0.4 },
} as const;
/** Of a session that ran the command that made a commit, by what shows that. */
const certaintyOf = { hash: 1, message: 0.95, time: 0.6 } as const;
/** A commit without lines of its own is bound by its removed lines. */
const enoughRemoved = 1;

/** The weight of a session's lines in a commit. */
export interface Weighed {
  sessionUid: string;
  turn: number;
  weight: number;
}

type SessionTurn = Pick<Write, "sessionUid" | "turn">;

interface Part {
  turns: Set<number>;
  lines: number;
  weight: number;
  how: Binding["how"];
  confidence: number;
}

export interface BindingEvidence {
  attributionEvidence: Pick<
    AttributionEvidence,
    "runs" | "delegations" | "freshSince" | "recentlyTouched" | "branchOf"
  >;
  writes: readonly Write[];
  files: readonly FileToAttribute[];
}

/** The sessions that led to a commit. */
export function bindingsOf(
  change: ChangeToAttribute,
  ranges: readonly AttributionRecord[],
  weighed: readonly Weighed[],
  { attributionEvidence, writes, files }: BindingEvidence,
): Binding[] {
  const parts = new Map<string, Part>();
  const partOf = (uid: string): Part => {
    const known = parts.get(uid);
    if (known) return known;
    const part: Part = { turns: new Set(), lines: 0, weight: 0, how: "lines", confidence: 0 };
    parts.set(uid, part);
    return part;
  };
  for (const { sessionUid, turn, firstLine, lastLine, how } of ranges) {
    // The writer of lines that somebody else moved took no part.
    if (sessionUid === null || turn === null || how === "moved") continue;
    const part = partOf(sessionUid);
    part.lines += lastLine - firstLine + 1;
    part.turns.add(turn);
  }
  for (const { sessionUid, weight } of weighed) partOf(sessionUid).weight += weight;
  const all = files.reduce(
    (sum, { lines }) => sum + lines.reduce((own, { isAdded, weight }) => own + (isAdded ? weight : 0), 0),
    0,
  );
  const fresh = writes.filter(({ at }) => at >= attributionEvidence.freshSince);
  const isFresh = new Set(fresh.map(({ sessionUid }) => sessionUid));
  for (const [uid, part] of parts) {
    const { weight, share, largeShare } = isFresh.has(uid) ? enough.fresh : enough.stale;
    const isEnough = (part.weight >= weight && part.weight >= all * share) || part.weight >= all * largeShare;
    if (!isEnough) parts.delete(uid);
    else part.confidence = part.weight >= 2 * weight ? 0.98 : 0.9;
  }
  const { runs, branchOf } = attributionEvidence;
  for (const { run, proof } of committedBy(change, runs, branchOf)) {
    const part = partOf(run.sessionUid);
    if (part.lines === 0) part.how = "command";
    part.confidence = Math.max(part.confidence, certaintyOf[proof]);
    part.turns.add(run.turn);
  }
  // Without evidence from its lines, weaker evidence, strongest first.
  const bindTo = (turns: readonly SessionTurn[], how: Binding["how"], confidence: number) => {
    for (const { sessionUid, turn } of turns) {
      const part = partOf(sessionUid);
      part.how = how;
      part.confidence = confidence;
      part.turns.add(turn);
    }
  };
  if (parts.size === 0) bindTo(removing(files, fresh), "removed", 0.85);
  if (parts.size === 0) bindTo(delegated(change, attributionEvidence.delegations), "command", 0.75);
  if (parts.size === 0) bindTo(ofOneSession(attributionEvidence.recentlyTouched()), "touched", 0.6);
  return [...parts]
    .map(([sessionUid, { turns, lines, how, confidence }]) => ({
      sessionUid,
      turns: [...turns].sort((a, b) => a - b),
      lines,
      how,
      confidence,
    }))
    .sort(
      (a, b) => b.lines - a.lines || b.confidence - a.confidence || a.sessionUid.localeCompare(b.sessionUid),
    );
}

/** An agent that waits longer for another one is not waiting for this commit. Milliseconds. */
const maxWait = 30 * 60_000;

/**
 * The agents that had others work for them when the commit was made, and that asked for it or were told of it; none where
 * that is more than one session.
 */
function delegated(
  { hash, authoredAt, subject }: ChangeToAttribute,
  delegations: readonly Delegation[],
): readonly Delegation[] {
  const during = delegations.filter(
    ({ startedAt, endedAt, text }) =>
      hash !== null &&
      startedAt <= authoredAt + clockMs &&
      authoredAt <= endedAt &&
      endedAt - startedAt <= maxWait &&
      (namesCommit(text, hash) || saysSubject(text, subject)),
  );
  return ofOneSession(during);
}

/** Whether a text has the beginning of a hash, as git abbreviates it. */
const namesCommit = (text: string, hash: string): boolean =>
  [...text.matchAll(/\b[0-9a-f]{7,64}\b/g)].some(([word]) => hash.startsWith(word));

/** Of a commit that only removed lines, the last write of each file that took the same lines out. */
function removing(files: readonly FileToAttribute[], writes: readonly Write[]): Write[] {
  return files.flatMap(({ change, removed }) => {
    const gone = removed.flat().map((line) => ({ ...line, isAdded: true }));
    const own = writes.filter(({ path }) => path === change.path || path === change.oldPath);
    const stretches = own.flatMap((write) =>
      write.hunks.map((hunk) => ({
        of: write,
        lines: hunk.removed.map((line) => ({ ...line, isNew: true })),
      })),
    );
    const support = new Map<Write, number>();
    for (const matches of align(gone, stretches).values()) {
      for (const match of matches) support.set(match.of, Math.max(support.get(match.of) ?? 0, match.support));
    }
    const fits = own.filter((write) => (support.get(write) ?? 0) >= enoughRemoved);
    return fits.slice(-1);
  });
}
