import {
  listLookupTerms,
  measureHeldShare,
  weighTerms,
} from "../../src/code/search/confidence/asked-terms.ts";
import {
  type AnswerEvidence,
  judge,
  judgedBy,
  type ResultEvidence,
} from "../../src/code/search/confidence/judge.ts";
import { analyseQuery } from "../../src/code/search/query.ts";
import type { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import type { SessionResult } from "../../src/protocol/results.ts";
import { SessionSearch } from "../../src/sessions/search/engine.ts";
import { openQuery } from "../../src/sessions/search/types.ts";
import { readStoredTurns } from "../../src/sessions/turn-content.ts";
import { countSessionChunks } from "../../src/store/memory/chunks/chunks.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { findSessionById } from "../../src/store/memory/sessions/sessions.ts";
import { findBestSummaries } from "../../src/store/memory/sessions/summaries.ts";
import { countRowsByToken } from "../../src/store/sqlite/full-text.ts";
import type { ForeignQuestion } from "./benchmark.ts";
import { halfOfQuestion, hashOf, Listener, type Sample, unanswerable } from "./sample.ts";

interface Found {
  result: SessionResult;
  evidence: ResultEvidence;
}

interface SessionPair {
  kind: string;
  question: string;
  /** The sentence behind the question: a chunk that contains it is the source, not an answer. */
  sentence: string;
  session: string;
}

/** Of each session. */
const sentencesOfEach = 4;
/** Number of results requested, as some of them are left out. */
const looked = 40;
const foreignAsked = 600;

/**
 * Mines questions from sessions and asks them: sentences of prompts and of summaries. Chunks with the sentence and
 * summaries are left out of the answer; the rest of the session has the same subject.
 */
export async function sessionSamples(
  memory: Memory,
  embedder: QueryEmbedder | null,
  rows: ReadonlyMap<string, number>,
  others: readonly ForeignQuestion[],
): Promise<Sample[]> {
  const listener = new Listener(judge);
  const search = new SessionSearch({ root: "/", memory, embedder, judge: listener.listen });
  const samples: Sample[] = [];
  const ask = async (kind: string, question: string, pair: SessionPair | null) => {
    if (analyseQuery(question).tokens.length === 0) return;
    const request = {
      ...openQuery,
      query: question,
      limit: looked,
      ...(pair && { types: ["raw" as const] }),
    };
    const { results } = await search.search(request);
    const { asked, evidence } = listener.last!;
    const found = results.map((result, i): Found => ({ result, evidence: evidence[i]! }));
    const isSource = ({ result }: Found) =>
      pair !== null && flat(result.content).includes(flat(pair.sentence));
    const kept = found.filter((one) => !isSource(one));
    samples.push({
      searched: "sessions",
      kind,
      source: "sessions",
      question,
      // Pairs of one session share its half, so that no session is in both.
      half: halfOfQuestion(pair?.session ?? question),
      isAnswerable: pair !== null,
      asked: pair === null ? asked : askedWithout(memory, question, found.filter(isSource), kept),
      found: kept.slice(0, judgedBy).map(({ result, evidence }) => ({
        evidence,
        isRight: result.session_id === pair?.session,
      })),
    });
  };
  for (const pair of minedPairs(memory, [...rows.values()])) await ask(pair.kind, pair.question, pair);
  const foreign = [...others].sort((a, b) => hashOf(a.query) - hashOf(b.query)).slice(0, foreignAsked);
  for (const { kind, query } of foreign) await ask(`foreign ${kind}`, query, null);
  for (const { kind, question } of unanswerable) await ask(kind, question, null);
  return samples;
}

/** The evidence as it would be if what the question is from were not remembered. */
function askedWithout(
  memory: Memory,
  question: string,
  sources: readonly Found[],
  kept: readonly Found[],
): AnswerEvidence {
  const terms = listLookupTerms(analyseQuery(question));
  const texts = sources.map(({ result }) => result.content);
  const holding = new Map(
    [...countRowsByToken(memory, "chunk_terms", terms)].flatMap(([term, count]): [string, number][] => {
      const alone = { weights: new Map([[term, 1]]), known: 1, chunks: 1 };
      const left = count - texts.filter((text) => measureHeldShare(alone, text) > 0).length;
      return left > 0 ? [[term, left]] : [];
    }),
  );
  const { known, chunks } = weighTerms(terms, { chunks: countSessionChunks(memory), holding });
  return { known, chunks, nearness: Math.max(0, ...kept.map(({ evidence }) => evidence.nearness ?? 0)) };
}

function minedPairs(memory: Memory, rows: readonly number[]): SessionPair[] {
  const summaries = findBestSummaries(memory, rows);
  return rows.flatMap((row) => {
    const session = findSessionById(memory, row);
    if (session === null || session.parentId !== null) return [];
    const prompts: string[] = [];
    for (const { lines } of readStoredTurns(memory, row)) {
      for (const entry of lines.flatMap(({ entries }) => entries)) {
        if (entry.kind === "prompt") prompts.push(...sentencesOf(entry.text));
      }
    }
    const summed = sentencesOf(summaries.get(row)?.text ?? "");
    const pick = (sentences: readonly string[]) =>
      [...new Set(sentences)].sort((a, b) => hashOf(a) - hashOf(b)).slice(0, sentencesOfEach);
    return [
      ...pick(prompts).map((sentence) => pairOf("prompt", sentence, session.uid)),
      ...pick(summed).map((sentence) => pairOf("summary", sentence, session.uid)),
    ];
  });
}

/** Half of the sentence's words, so that a question is shorter than its source. */
function pairOf(kind: string, sentence: string, session: string): SessionPair {
  const words = analyseQuery(sentence).words;
  const kept = words.filter((word) => hashOf(sentence + word) < 0.6);
  return { kind, question: (kept.length >= 3 ? kept : words).join(" "), sentence, session };
}

/** Of some length, in prose. */
function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s>*#\-\d.]+/, "").trim())
    .filter((sentence) => /^[A-Za-z][^{}<>|=;]{30,220}$/.test(sentence) && sentence.split(" ").length >= 6);
}

const flat = (text: string) => text.replace(/\s+/g, " ").toLowerCase();
