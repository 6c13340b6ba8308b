import { createHash } from "node:crypto";
import type { Turn } from "../../src/sessions/turn-content.ts";

/** A sentence that may state a decision, as in the labels. */
export interface Candidate {
  /** Of the transcript's line. */
  line: string;
  hash: string;
  by: "human" | "agent" | "answer";
  turn: number;
  text: string;
  /** The whole message. */
  message: string;
}

/** Maximum number of sentences of a prompt (a longer one is pasted text) and of an answer. */
const mostSentences = 60;

/**
 * Words that most decisions have, as do far more sentences without a decision: much wider than the measured judgement,
 * and independent of it, because recall is measured against it.
 */
const cues =
  /\b(?:decid|decision|cho(?:o?se|ice|sen)|option|alternativ|approach|instead|rather than|prefer|recommend|let'?s|(?:go|going|went|stick|stay|leave) (?:with|to)|keep|drop|avoid|because|so that|reason|rationale|trade-?off|by design|intentional|deliberate|on purpose|always|never|must|should|shouldn't|won't|don'?t|do not|no longer|only|agree|settle|opt(?:ed|s|ing)? |strategy|convention|rule|switch(?:ed|ing)?|replac|mov(?:e|ed|ing) |use[sd]? |using|remov|simpler|better|need to|want|just|not )/i;

/** Every sentence of the turns that may state a decision, in order, each once per line. */
export function* candidatesIn(turns: Iterable<Turn>): Generator<Candidate> {
  for (const { number, lines, abandoned } of turns) {
    if (abandoned) continue;
    for (const { uid, entries } of lines) {
      if (uid === null) continue;
      const known = new Set<string>();
      for (const entry of entries) {
        if (entry.kind !== "prompt" && entry.kind !== "text" && entry.kind !== "tool_result") continue;
        const by = entry.kind === "prompt" ? "human" : entry.kind === "text" ? "agent" : "answer";
        for (const text of by === "answer" ? answersIn(entry.text) : sentencesIn(entry.text)) {
          const hash = hashOf(text);
          if (known.has(hash)) continue;
          known.add(hash);
          yield { line: uid, hash, by, turn: number, text, message: entry.text };
        }
      }
    }
  }
}

const hashOf = (text: string): string =>
  createHash("sha256").update(lettersOf(text)).digest("hex").slice(0, 16);

/** What is compared of two texts: the letters and digits alone. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** What a human chose when the client asked. */
function answersIn(text: string): string[] {
  if (!text.startsWith("User has answered your question")) return [];
  return [...text.matchAll(/"([^"]{3,600})"="([^"]{1,600})"/g)].map(
    ([, asked, answer]) => `${asked} ${answer}`,
  );
}

function sentencesIn(text: string): string[] {
  const found: string[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    if (isCode || /^(?: {4}|\t)[^-*\d\s]/.test(line)) continue;
    for (const part of line.slice(0, 2_000).split(/(?<=[.!?])\s+(?=[\p{Lu}"'`(*])/u)) {
      const words = part.match(/\p{L}+/gu)?.length ?? 0;
      if (words >= 3 && words <= 80 && cues.test(part)) found.push(part.trim());
      if (found.length >= mostSentences) return found;
    }
  }
  return found;
}
