import { createHash } from "node:crypto";
import { storedTurns } from "../../src/sessions/stored-turns.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { sessionById } from "../../src/store/memory/sessions/sessions.ts";
import { listTranscripts } from "../../src/store/memory/sessions/transcripts.ts";
import { type Candidate, candidatesIn } from "./candidates.ts";

/** A candidate to label, with what stands around it for the reader. */
export interface Drawn extends Candidate {
  session: string;
  before: string;
  after: string;
}

/** Shares of a sample. Humans and answers decide more often for each sentence, so they are drawn more often. */
const strata = { human: 0.36, agent: 0.58, answer: 0.06 } as const;
/** Of one stratum, from one session. */
const mostOfSession = 2;
/** Characters around a candidate. */
const around = { before: 260, after: 160 } as const;

/**
 * Candidates at random, in random order: by a hash of a seed and the id, spread over sessions, without the known ones.
 * Whoever labels them sees no judgement.
 */
export function drawSample(
  memory: Memory,
  { count, seed, known }: { count: number; seed: string; known: ReadonlySet<string> },
): Drawn[] {
  const sessions = new Set(listTranscripts(memory).map(({ sessionId }) => sessionId));
  const all = [...sessions].flatMap((id) => (id === null ? [] : inSession(memory, id)));
  const unknown = all.filter((one) => !known.has(idOf(one)));
  const drawn = (Object.keys(strata) as Candidate["by"][]).flatMap((by) => {
    const taken = new Map<string, number>();
    const spread = inOrder(
      unknown.filter((one) => one.by === by),
      seed,
    ).filter(({ session }) => {
      const before = taken.get(session) ?? 0;
      taken.set(session, before + 1);
      return before < mostOfSession;
    });
    return spread.slice(0, Math.round(count * strata[by]));
  });
  return inOrder(drawn, `${seed} shuffled`);
}

const idOf = ({ session, line, hash }: Pick<Drawn, "session" | "line" | "hash">) =>
  `${session} ${line} ${hash}`;

/** In an order that a seed gives. */
function inOrder<T extends Pick<Drawn, "session" | "line" | "hash">>(some: readonly T[], seed: string): T[] {
  const key = (one: T) =>
    createHash("sha256")
      .update(`${seed} ${idOf(one)}`)
      .digest("hex");
  return some
    .map((one) => [key(one), one] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);
}

function inSession(memory: Memory, id: number): Drawn[] {
  const session = sessionById(memory, id)?.uid ?? "";
  const turns = [...storedTurns(memory, id)];
  const texts = new Map<string, string>();
  let last = "";
  for (const { lines } of turns) {
    for (const { uid, entries } of lines) {
      const said = entries.flatMap((entry) => ("text" in entry ? [entry.text] : [])).join("\n");
      if (uid !== null) texts.set(uid, `${last.slice(-around.before)} ¶ ${said}`);
      if (entries.some(({ kind }) => kind === "text" || kind === "prompt")) last = said;
    }
  }
  return [...candidatesIn(turns)].map((one) => {
    const whole = texts.get(one.line) ?? "";
    const at = whole.indexOf(one.text);
    const before = at < 0 ? "" : whole.slice(Math.max(0, at - around.before), at);
    const after = at < 0 ? "" : whole.slice(at + one.text.length, at + one.text.length + around.after);
    return { ...one, session, before, after };
  });
}
