/**
 * Learns which session search shows first (sessions.json), from questions that are mined from sessions of other repositories,
 * none of which is in a benchmark.
 *
 *   npm run model:sessions -- --memories DIR
 *
 *   --dry  write nothing
 *
 * For each repository DIR holds NAME.db, a memory with its sessions, and NAME.json, what is published beside them: [{session_id,
 * commits: [{subject}], summaries: [{intent, learnings, friction}]}]. Commits name their session in a trailer.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { average, printTable } from "../../bench/measure.ts";
import { mineQuestions } from "../../bench/recall/mined.ts";
import { addTo } from "../../src/base/multimap.ts";
import { analyseQuery } from "../../src/code/search/query.ts";
import { PassageNearness } from "../../src/code/search/vectors/nearness.ts";
import { listQueryVectors, noMeaning, QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { collectEvidence } from "../../src/sessions/search/evidence.ts";
import { detectSessionIntent } from "../../src/sessions/search/intent.ts";
import { type RankedChunk, rankSessions, sumOwnEvidence } from "../../src/sessions/search/rank.ts";
import { buildChunkFilter } from "../../src/sessions/search/scope.ts";
import { openQuery } from "../../src/sessions/search/types.ts";
import { type SessionWeights, sessionWeights } from "../../src/sessions/search/weights.ts";
import { readChunkOutlines } from "../../src/store/memory/chunks/chunks.ts";
import { createPassageSource } from "../../src/store/memory/chunks/vectors.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { descend, listwise } from "./descent.ts";

const { values: options } = parseArgs({
  options: { memories: { type: "string" }, dry: { type: "boolean", default: false } },
});
if (options.memories === undefined) {
  console.error("usage: npm run model:sessions -- --memories DIR [options, see models/rank/sessions.ts]");
  process.exit(2);
}

type Learned = "words" | "passage" | "whole" | "sessionAsked" | "sessionSummary" | "sessionNearness";

/**
 * The weights that people found by trying, to which learned ones are held: nearly all questions are of six repositories. Nobody
 * had tried what has none.
 */
const before: Readonly<Record<Learned, number | null>> = {
  words: 1.5,
  passage: 2,
  whole: 2,
  sessionAsked: 3,
  sessionSummary: 3,
  sessionNearness: null,
};
const names = Object.keys(before) as Learned[];
/** How much they are held, and how little what is new. */
const hold = { known: 1, fresh: 0.05 };
/** Differences of scores to logarithms of odds, before anything is learned. */
const odds = 0.15;

/** How much a question of a kind counts: that a summary has many sentences makes none of them more likely to be asked. */
const counts = { title: 1, intent: 1, commit: 0.5, files: 0.5, learning: 0.4, friction: 0.3 };
type Kind = keyof typeof counts;

/** A repository's questions count as much as their root from so many on. */
const enough = 30;

interface Asked {
  kind: Kind;
  text: string;
  right: readonly number[];
  until: number | null;
}

/** A question with what speaks for each session: `names.length` values a session. */
interface Example {
  kind: Kind;
  count: number;
  evidence: Float64Array[];
  isRight: boolean[];
}

const published = z.array(
  z.object({
    session_id: z.string(),
    summaries: z.array(
      z.object({ intent: z.string(), learnings: z.array(z.string()), friction: z.array(z.string()) }),
    ),
  }),
);

/** Of each summary. */
const most = { intent: 1, learning: 3, friction: 2 };
/** Shorter sentences say nothing, longer ones are no question. Characters. */
const isSentence = ({ length }: string) => length > 30 && length < 300;

function questionsOf(memory: Memory, file: string): Asked[] {
  const sessions = new Map(
    memory.all<{ uid: string; id: number }>("SELECT uid, id FROM sessions").map(({ uid, id }) => [uid, id]),
  );
  const mined = mineQuestions(memory, sessions, file).map(
    ({ category, question, relevant_sessions, until = null }): Asked => ({
      kind: category as Kind,
      text: question,
      right: relevant_sessions.map((uid) => sessions.get(uid)!),
      until,
    }),
  );
  const seen = new Set<string>();
  const summed = z
    .parse(published, JSON.parse(readFileSync(file, "utf8")))
    .flatMap(({ session_id, summaries }) => {
      const right = sessions.get(session_id);
      return right === undefined ? [] : summaries.map((summary) => ({ right, ...summary }));
    })
    .flatMap(({ right, intent, learnings, friction }) => {
      const told = { intent: [intent], learning: learnings, friction };
      return (["intent", "learning", "friction"] as const).flatMap((kind) => {
        const fresh = told[kind].filter((text) => !seen.has(text) && (kind === "intent" || isSentence(text)));
        for (const text of fresh) seen.add(text);
        return fresh
          .filter((text) => text !== "")
          .slice(0, most[kind])
          .map((text): Asked => ({ kind, text, right: [right], until: null }));
      });
    });
  return [...mined, ...summed];
}

async function examplesOf(memory: Memory, file: string): Promise<Example[]> {
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const passages = new Map<string, PassageNearness>();
  const examples: Example[] = [];
  for (const { kind, text, right, until } of questionsOf(memory, file)) {
    const { tokens } = analyseQuery(text);
    if (tokens.length === 0) continue;
    const embedded = (await embedder.embed(text, () => true)) ?? noMeaning;
    const nearness = listQueryVectors(embedded).flatMap(({ model, vector }) => {
      const known = passages.get(model) ?? new PassageNearness(createPassageSource(memory), model);
      passages.set(model, known);
      const near = known.to(vector);
      return near ? [{ ...near, model }] : [];
    });
    // A title that is asked for must not give its session away.
    const asked = kind === "title" ? { ...sessionWeights.asked, title: 0 } : sessionWeights.asked;
    const weights = { ...sessionWeights, ...inUse, asked };
    const filter = buildChunkFilter(memory, { ...openQuery, until });
    const { evidence, candidates } = collectEvidence(memory, tokens, filter, nearness, weights);
    const known = [...readChunkOutlines(memory, candidates).values()].map(({ firstTurn, ...chunk }) => ({
      ...chunk,
      turn: firstTurn,
    }));
    const sessions = bySession(
      rankSessions(known, evidence, detectSessionIntent(text), weights, Date.now()),
      weights,
    );
    const isRight = [...sessions.keys()].map((session) => right.includes(session));
    examples.push({ kind, count: counts[kind], evidence: [...sessions.values()], isRight });
  }
  await embedder.close();
  const all = examples.reduce((sum, { count }) => sum + count, 0);
  for (const example of examples) example.count *= Math.sqrt(enough / Math.max(all, enough));
  return examples;
}

/** What weights are multiplied with: of the best chunk of each session, with its session's share, and of the session. */
function bySession(ranked: readonly RankedChunk[], weights: SessionWeights): Map<number, Float64Array> {
  const chunks = new Map<number, RankedChunk[]>();
  for (const one of ranked) addTo(chunks, one.candidate.sessionId, one);
  return new Map(
    [...chunks].map(([session, own]) => {
      const [best, next] = [...own].sort((a, b) => sumOwnEvidence(b.signals) - sumOwnEvidence(a.signals));
      const { signals } = own[0]!;
      const ofChunk = (["words", "passage", "whole"] as const).map((name) => {
        const share = best!.signals[name] + weights.sessionDecay * (next?.signals[name] ?? 0);
        const ofSession = (weights.session * share) / (1 + weights.sessionDecay);
        return ((signals[name] + ofSession) / weights[name]) * signals.kind;
      });
      const ofSession = [
        signals.session_asked / weights.sessionAsked,
        signals.session_summary / weights.sessionSummary,
        signals.session_nearness / weights.sessionNearness,
      ];
      return [session, Float64Array.from([...ofChunk, ...ofSession], (value) => value * signals.recency)];
    }),
  );
}

/** With these, evidence is looked at: each must count. */
const inUse = Object.fromEntries(names.map((name) => [name, before[name] ?? 1])) as Record<Learned, number>;

function scoresOf({ evidence }: Example, weights: ArrayLike<number>): Float64Array {
  const scores = new Float64Array(evidence.length);
  for (let session = 0; session < evidence.length; session++)
    for (let i = 0; i < names.length; i++) scores[session]! += evidence[session]![i]! * weights[i]!;
  return scores;
}

/** Evidence can only speak for a session. */
function learn(examples: readonly Example[]): Float64Array {
  const spread = names.map((_, i) =>
    deviation(examples.flatMap(({ evidence }) => evidence.map((of) => of[i]!))),
  );
  const start = names.map((name, i) => (before[name] ?? 0) * odds * spread[i]!);
  const weights = Float64Array.from(start);
  const all = examples.reduce((sum, { count }) => sum + count, 0);
  const gradientAt = () => {
    const raw = weights.map((weight, i) => weight / spread[i]!);
    const gradient = weights.map(
      (weight, i) => (before[names[i]!] === null ? hold.fresh : hold.known) * (weight - start[i]!),
    );
    for (const example of examples) {
      const slopes = listwise(scoresOf(example, raw), example.isRight);
      example.evidence.forEach((values, session) => {
        const slope = (slopes[session]! * example.count) / all;
        for (let i = 0; i < names.length; i++) gradient[i]! += (slope * values[i]!) / spread[i]!;
      });
    }
    return gradient;
  };
  descend(weights, { rounds: 100, rate: 0.05 }, gradientAt, () => {
    for (let i = 0; i < names.length; i++) weights[i] = Math.max(weights[i]!, 0);
  });
  return weights.map((weight, i) => weight / spread[i]!);
}

function deviation(values: readonly number[]): number {
  const mean = average(values);
  return Math.sqrt(average(values.map((value) => (value - mean) ** 2)));
}

/** The rank of the first right session. */
function rankBy(weights: ArrayLike<number>, example: Example): number {
  const scores = scoresOf(example, weights);
  const best = Math.max(...scores.filter((_, i) => example.isRight[i]));
  return best === Number.NEGATIVE_INFINITY
    ? Number.POSITIVE_INFINITY
    : 1 + scores.filter((score, i) => score > best && !example.isRight[i]).length;
}

const mined: Example[][] = [];
for (const name of readdirSync(options.memories).filter((each) => each.endsWith(".db"))) {
  const memory = Memory.open(join(options.memories, name), { readonly: true });
  const examples = await examplesOf(memory, join(options.memories, name.replace(/\.db$/, ".json")));
  console.error(`${name}: ${examples.length} questions`);
  mined.push(examples);
  memory.close();
}

const rows: string[][] = [];
function report(by: string, asked: readonly { kind: string; rank: number }[]) {
  for (const kind of Object.keys(counts)) {
    const ranks = asked.filter((one) => one.kind === kind).map(({ rank }) => rank);
    const within = (k: number) => average(ranks.map((rank) => Number(rank <= k))).toFixed(3);
    rows.push([by, kind, String(ranks.length), within(1), within(5), within(10)]);
  }
}
/** Repositories are left out in so many groups. */
const folds = 7;
const old = names.map((name) => before[name] ?? 0);
report(
  "before",
  mined.flat().map((one) => ({ kind: one.kind, rank: rankBy(old, one) })),
);
report(
  "left out",
  Array.from({ length: folds }, (_, fold) => {
    const weights = learn(mined.flatMap((own, i) => (i % folds === fold ? [] : own)));
    const asked = mined.flatMap((own, i) => (i % folds === fold ? own : []));
    return asked.map((one) => ({ kind: one.kind, rank: rankBy(weights, one) }));
  }).flat(),
);
printTable(["", "question", "n", "first", "of 5", "of 10"], rows, { markdown: false });

/** Scores stay as large as they were, on average. */
const learned = learn(mined.flat());
const top = (weights: ArrayLike<number>) =>
  average(mined.flat().map((one) => scoresOf(one, weights).reduce((a, b) => Math.max(a, b), 0)));
const scale = top(old) / top(learned);
const model = Object.fromEntries(names.map((name, i) => [name, Math.round(learned[i]! * scale * 100) / 100]));
if (options.dry) console.log(JSON.stringify(model, null, 2));
else writeFileSync(join(import.meta.dirname, "sessions.json"), `${JSON.stringify(model, null, 2)}\n`);
