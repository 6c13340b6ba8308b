import { addTo } from "../../base/multimap.ts";
import { dayMs } from "../../base/text/day.ts";
import type { ChunkKind, ChunkType } from "../../protocol/values.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import type { SessionIntent } from "./intent.ts";
import type { SessionWeights } from "./weights.ts";

/** A chunk that may be an answer. */
export interface SessionCandidate {
  id: SessionChunkId;
  sessionId: number;
  /** The first that it spans. */
  turn: number;
  type: ChunkType;
  kind: ChunkKind;
  abandoned: boolean;
  startedAt: number | null;
}

/** Evidence in standard deviations above the average; 0 without any. */
export interface ChunkEvidence {
  words: (id: SessionChunkId) => number;
  passage: (id: SessionChunkId) => number;
  whole: (id: SessionChunkId) => number;
  /** By row of `sessions`: of its title and prompts, of its summary, and of all its chunks on average. */
  asked: (sessionId: number) => number;
  summary: (sessionId: number) => number;
  nearness: (sessionId: number) => number;
}

/** The parts of a score: evidence, which is added up, and the factors on it. */
interface SessionSignals {
  words: number;
  passage: number;
  whole: number;
  session: number;
  session_asked: number;
  session_summary: number;
  session_nearness: number;
  kind: number;
  recency: number;
}

export interface RankedChunk {
  candidate: SessionCandidate;
  score: number;
  signals: Readonly<SessionSignals>;
}

/** Orders candidates by how well they answer, best first; of equals the one that was stored first. */
export function rankSessions(
  candidates: readonly SessionCandidate[],
  evidence: ChunkEvidence,
  intent: SessionIntent,
  weights: SessionWeights,
  now: number,
): RankedChunk[] {
  const ranked = candidates.map((candidate) => scoreCandidate(candidate, evidence, intent, weights));
  const bestOfSessions = sumEvidenceBySession(ranked, weights);
  const isSpread = measureTimeSpread(candidates) > weights.spread * dayMs;
  for (const one of ranked) {
    const { candidate, signals } = one;
    signals.session = weights.session * (bestOfSessions.get(candidate.sessionId) ?? 0);
    signals.session_asked = weights.sessionAsked * evidence.asked(candidate.sessionId);
    signals.session_summary = weights.sessionSummary * evidence.summary(candidate.sessionId);
    signals.session_nearness = weights.sessionNearness * evidence.nearness(candidate.sessionId);
    if (isSpread) signals.recency = computeRecency(candidate, intent, weights, now);
    // Below the average of all counts as no evidence, and a boost must not lower it. What the whole session has is the same
    // for all of its chunks, of any kind.
    const ofChunks = Math.max(sumOwnEvidence(signals) + signals.session, 0) * signals.kind;
    const ofSession = signals.session_asked + signals.session_summary + signals.session_nearness;
    one.score = Math.max(ofChunks + ofSession, 0) * signals.recency;
  }
  return ranked.sort((a, b) => b.score - a.score || a.candidate.id - b.candidate.id);
}

/** Signals of the whole session, where there are none. */
export const noneOfSession = { session: 0, session_asked: 0, session_summary: 0, session_nearness: 0 };

/** A candidate with its own evidence. */
function scoreCandidate(
  candidate: SessionCandidate,
  { words, passage, whole }: ChunkEvidence,
  intent: SessionIntent,
  weights: SessionWeights,
): { candidate: SessionCandidate; score: number; signals: SessionSignals } {
  const { id } = candidate;
  const signals = {
    words: weights.words * words(id),
    passage: weights.passage * passage(id),
    whole: weights.whole * whole(id),
    ...noneOfSession,
    kind: computeScoreFactor(candidate, intent, weights),
    recency: 1,
  };
  return { candidate, score: 0, signals };
}

/** Of a chunk alone, without its session's. */
export function sumOwnEvidence({ words, passage, whole }: SessionSignals): number {
  return words + passage + whole;
}

/** A session with several good chunks is the likelier one. */
function sumEvidenceBySession(
  ranked: readonly RankedChunk[],
  { sessionChunks, sessionDecay }: SessionWeights,
): Map<number, number> {
  const ofSession = new Map<number, number[]>();
  for (const { candidate, signals } of ranked) {
    addTo(ofSession, candidate.sessionId, sumOwnEvidence(signals));
  }
  const shares = Array.from({ length: sessionChunks }, (_, i) => sessionDecay ** i);
  const whole = shares.reduce((a, b) => a + b, 0);
  return new Map(
    [...ofSession].map(([session, all]) => {
      const best = all.sort((a, b) => b - a);
      return [session, shares.reduce((total, share, i) => total + share * (best[i] ?? 0), 0) / whole];
    }),
  );
}

function computeScoreFactor(
  { type, kind, abandoned }: SessionCandidate,
  intent: SessionIntent,
  weights: SessionWeights,
) {
  let factor = 1;
  if (type === "annotated") factor *= weights.annotated;
  if (type === "summary")
    factor *= intent.isHighLevel ? weights.summaryForOverview : weights.summaryForDetail;
  if (intent.isFix && kind === "error-fix") factor *= weights.fixForFix;
  if (intent.isDecision && kind === "decision") factor *= weights.decisionForDecision;
  if (abandoned) factor *= weights.abandoned;
  return factor;
}

/** A true half-life, of the part of the score that age may take. */
function computeRecency(
  { startedAt }: SessionCandidate,
  intent: SessionIntent,
  weights: SessionWeights,
  now: number,
): number {
  if (startedAt === null) return 1;
  const share = intent.isRecent ? weights.recencyWhenAsked : weights.recency;
  const age = Math.max(now - startedAt, 0) / dayMs;
  return 1 - share + share * 0.5 ** (age / weights.halfLife);
}

/** Standard deviation of the candidates' times. Milliseconds. */
function measureTimeSpread(candidates: readonly SessionCandidate[]): number {
  const times = candidates.flatMap(({ startedAt }) => startedAt ?? []);
  if (times.length < 2) return 0;
  const mean = times.reduce((a, b) => a + b, 0) / times.length;
  return Math.sqrt(times.reduce((total, time) => total + (time - mean) ** 2, 0) / times.length);
}

/**
 * Says how many standard deviations above the mean a value is, of `population` values, of which those not given are 0. NaN
 * stands for no value, and stays.
 */
export function createStandardizer(values: Float64Array, population: number): (value: number) => number {
  let [count, total, squares] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    count++;
    total += value;
    squares += value * value;
  }
  const n = Math.max(population, count, 1);
  const mean = total / n;
  const deviation = Math.sqrt(Math.max(squares / n - mean * mean, 0));
  return (value) => (deviation > 0 ? (value - mean) / deviation : value * 0);
}
