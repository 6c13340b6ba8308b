import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import type {
  AnswerEvidence,
  Judgement,
  judge,
  ResultEvidence,
  Searched,
} from "../../src/code/search/confidence/judge.ts";

/** A question that was asked, the evidence that the engine handed over, and which results were right. */
export interface Sample {
  searched: Searched;
  /** "doc", "commit", "syllables", "symbol": the source of the question. */
  kind: string;
  /** The repository, or "sessions". */
  source: string;
  half: Half;
  question: string;
  isAnswerable: boolean;
  asked: AnswerEvidence;
  /** Best first, ten at most. */
  found: { evidence: ResultEvidence; isRight: boolean }[];
}

/** Numbers are chosen on the one half of all questions, and confirmed on the other. */
export type Half = "choose" | "confirm";

/** Between 0 and 1, the same for the same text. */
export function hashOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;
}

export const halfOfQuestion = (question: string): Half => (hashOf(question) < 0.5 ? "choose" : "confirm");

/** A verdict promises that one of so many first results is right. */
const promised = 3;

/** Whether one of the first results is right. */
export const isAnswered = ({ found }: Sample, within = promised): boolean =>
  found.slice(0, within).some(({ isRight }) => isRight);

type Judge = typeof judge;

/** Records what an engine passes to the judge; `last` is from the last search. */
export class Listener {
  last: { asked: AnswerEvidence; evidence: readonly ResultEvidence[] } | null = null;

  constructor(private readonly judge: Judge) {}

  readonly listen: Judge = (searched, asked, evidence): Judgement => {
    this.last = { asked, evidence };
    return this.judge(searched, asked, evidence);
  };
}

/**
 * Questions that none of the repositories answers: syllables without meaning, everyday matters, software of other
 * domains, other languages, misspelt nonsense.
 */
export const unanswerable = z
  .array(z.object({ kind: z.string(), question: z.string() }))
  .parse(JSON.parse(readFileSync(new URL("unanswerable.json", import.meta.url), "utf8")));
