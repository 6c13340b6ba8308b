import type { AttributionRecord, Binding } from "../../store/memory/memory-records.ts";
import type { AttributionEvidence } from "../evidence/evidence.ts";
import { clockMs, type Period } from "../evidence/period.ts";
import type { Delegation, Write } from "../evidence/writes.ts";
import { align } from "../lines/align.ts";
import type { FileToAttribute } from "../lines/file-lines.ts";
import type { ChangeToAttribute } from "../lines/types.ts";
import { wasThere } from "../lines/verdict.ts";
import { committedBy, ofOneSession, saysSubject } from "./committed-by.ts";
import type { WeightOfSession } from "./weigh.ts";

interface Enough {
  weight: number;
  share: number;
  largeShare: number;
}

/**
 * A session takes part in a commit if its lines weigh this much and are some share of the total weight, or are a large
 * share. A session that wrote nothing to the commit's files since the parent commit needs more: equal lines are more often
 * a coincidence than left over.
 */
const enough = {
  fresh: { weight: 1.5, share: 0.01, largeShare: 0.25 },
  stale: { weight: 3, share: 0.08, largeShare: 0.4 },
} as const satisfies Record<string, Enough>;
/** Of a session that ran the command that made a commit, by what shows that. */
const certaintyOf = { hash: 1, message: 0.95, time: 0.6 } as const;
/**
 * A commit without lines of anybody is bound by its removed lines: a stretch of such support, if those that a session took
 * out are this share of all.
 */
const enoughRemoved = { support: 1, share: 0.1 } as const;

type SessionTurn = Pick<Write, "sessionUid" | "turn">;

interface Part {
  turns: Set<number>;
  lines: number;
  how: Binding["how"];
  confidence: number;
}

export interface BindingEvidence {
  attributionEvidence: Pick<AttributionEvidence, "runs" | "delegations" | "recentlyTouched" | "branchOf"> & {
    period: Pick<Period, "freshSince">;
  };
  writes: readonly Write[];
  files: readonly FileToAttribute[];
}

/** The sessions that led to a commit. */
export function bindingsOf(
  change: ChangeToAttribute,
  ranges: readonly AttributionRecord[],
  weighed: ReadonlyMap<string, WeightOfSession>,
  { attributionEvidence, writes, files }: BindingEvidence,
): Binding[] {
  const parts = new Map<string, Part>();
  const partOf = (uid: string): Part => {
    const known = parts.get(uid);
    if (known) return known;
    const part: Part = { turns: new Set(), lines: 0, how: "lines", confidence: 0 };
    parts.set(uid, part);
    return part;
  };
  for (const range of ranges) {
    const { sessionUid, turn, firstLine, lastLine } = range;
    if (sessionUid === null || turn === null || wasThere(range)) continue;
    const part = partOf(sessionUid);
    part.lines += lastLine - firstLine + 1;
    part.turns.add(turn);
  }
  const all = files.reduce(
    (sum, { lines }) => sum + lines.reduce((own, { isAdded, weight }) => own + (isAdded ? weight : 0), 0),
    0,
  );
  const fresh = writes.filter(({ at }) => at >= attributionEvidence.period.freshSince);
  const isFresh = new Set(fresh.map(({ sessionUid }) => sessionUid));
  const isEnough = (weight: number, by: Enough) =>
    (weight >= by.weight && weight >= all * by.share) || weight >= all * by.largeShare;
  for (const [uid, part] of parts) {
    const { written, first } = weighed.get(uid) ?? { written: 0, first: 0 };
    if (isFresh.has(uid) && isEnough(written, enough.fresh))
      part.confidence = written >= 2 * enough.fresh.weight ? 0.98 : 0.9;
    else if (isEnough(first, enough.stale)) part.confidence = first >= 2 * enough.stale.weight ? 0.98 : 0.9;
    else parts.delete(uid);
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

/**
 * The last write to each file that took out the same lines as a commit: of sessions that took out a part of all that it
 * did.
 */
function removing(files: readonly FileToAttribute[], writes: readonly Write[]): Write[] {
  const weights = new Map<string, number>();
  let all = 0;
  const last = files.flatMap(({ change, removed }) => {
    const gone = removed.flat().map((line) => ({ ...line, isAdded: true }));
    all += gone.reduce((sum, { weight }) => sum + weight, 0);
    const own = writes.filter(({ path }) => path === change.path || path === change.oldPath);
    const stretches = own.flatMap((write) =>
      write.hunks.map((hunk) => ({
        of: write,
        lines: hunk.removed.map((line) => ({ ...line, isNew: true })),
      })),
    );
    const fits = new Set<Write>();
    for (const [i, matches] of align(gone, stretches)) {
      const by = matches.filter(({ support }) => support >= enoughRemoved.support).map(({ of }) => of);
      for (const write of by) fits.add(write);
      for (const uid of new Set(by.map(({ sessionUid }) => sessionUid)))
        weights.set(uid, (weights.get(uid) ?? 0) + gone[i]!.weight);
    }
    return own.filter((write) => fits.has(write)).slice(-1);
  });
  return last.filter(({ sessionUid }) => weights.get(sessionUid)! >= all * enoughRemoved.share);
}
