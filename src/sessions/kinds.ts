import type { ChunkKind } from "../store/memory-records.ts";
import {
  architectureTerms,
  choosingWords,
  decisionWords,
  errorReports,
  reasoningWords,
  wordPattern,
} from "./kind-words.ts";
import type { Unit } from "./units.ts";

/**
 * Of which kind a chunk is, told by rules: docs/conversations.md says them in words. The first that holds counts:
 * decision, error-fix, code-change where something was edited, architecture, code-change where it was only checked,
 * conversation.
 */
export interface KindRules {
  decision: RegExp;
  choosing: RegExp;
  reasoning: RegExp;
  error: RegExp;
  architecture: RegExp;
}

/** Words of a project's own, on top of those of kind-words.ts. */
export interface KindWords {
  decision?: readonly string[];
  error?: readonly string[];
  architecture?: readonly string[];
}

export function kindRules(words: KindWords = {}): KindRules {
  return {
    decision: wordPattern(decisionWords, words.decision),
    choosing: wordPattern(choosingWords),
    reasoning: wordPattern(reasoningWords),
    error: wordPattern(errorReports, words.error),
    architecture: wordPattern(architectureTerms, words.architecture),
  };
}

/** What happens in the turns that a chunk is of, outside of it. */
export interface AroundChunk {
  /** Later in the turn that it ends in. */
  editsLater: boolean;
  passesLater: boolean;
  /** Before, in the turn that it begins in: a failure, or an error that the human reports. */
  failedBefore: boolean;
  editedBefore: boolean;
}

export const nothingAround: AroundChunk = {
  editsLater: false,
  passesLater: false,
  failedBefore: false,
  editedBefore: false,
};

/** So many different words of reasoning make a decision, even if no word says so. */
const enoughReasoning = 4;
/** Architecture is spoken of in long messages (characters) with so many different terms of it. */
const longMessage = 500;
const enoughTerms = 3;

const fenced = /(?:```|~~~)[\s\S]*?(?:```|~~~|$)/g;

/** How many different matches a global pattern has, up to `enough`. */
function distinct(pattern: RegExp, text: string, enough: number): number {
  const found = new Set<string>();
  for (const [match] of text.matchAll(pattern)) {
    found.add(match.toLowerCase());
    if (found.size >= enough) break;
  }
  return found.size;
}

const has = (pattern: RegExp, text: string): boolean => text.search(pattern) >= 0;

/** What is said by one side, without code. */
function said(units: readonly Unit[], stream: "prompt" | "answer"): string[] {
  return units.filter(({ prose }) => prose === stream).map(({ body }) => body.replace(fenced, " "));
}

/** A prompt that is longer is mostly pasted; what the human says of it stands at its ends. Characters. */
const spoken = 1_500;
const spokenOf = (prompt: string): string =>
  prompt.length <= 2 * spoken ? prompt : `${prompt.slice(0, spoken)}\n${prompt.slice(-spoken)}`;

/** Whether a human reports something that does not work. */
export function reportsError(units: readonly Unit[], rules: KindRules): boolean {
  return said(units, "prompt").some((prompt) => has(rules.error, spokenOf(prompt)));
}

function isDecision(units: readonly Unit[], rules: KindRules): boolean {
  const prompts = said(units, "prompt").map(spokenOf).join("\n");
  const answers = said(units, "answer").join("\n");
  if (has(rules.decision, prompts) || has(rules.choosing, prompts) || has(rules.decision, answers))
    return true;
  return distinct(rules.reasoning, `${prompts}\n${answers}`, enoughReasoning) >= enoughReasoning;
}

function isErrorFix(units: readonly Unit[], around: AroundChunk, rules: KindRules): boolean {
  if (around.failedBefore && units.some(({ deeds }) => deeds.edits)) return true;
  const trouble = units.findIndex((unit) => unit.deeds.fails || reportsError([unit], rules));
  if (trouble < 0) return false;
  const after = units.slice(trouble + 1);
  const isFixed = around.editsLater || after.some(({ deeds }) => deeds.edits);
  return (
    isFixed || ((around.passesLater || after.some(({ deeds }) => deeds.passes)) && !isAsked(units, trouble))
  );
}

/** Whether the trouble is but a human's words: a check that goes well after it does not show that anything was mended. */
const isAsked = (units: readonly Unit[], trouble: number): boolean => units[trouble]?.deeds.fails !== true;

export function kindOf(units: readonly Unit[], around: AroundChunk, rules: KindRules): ChunkKind {
  if (isDecision(units, rules)) return "decision";
  if (isErrorFix(units, around, rules)) return "error-fix";
  if (units.some(({ deeds }) => deeds.edits)) return "code-change";
  const isArchitecture = said(units, "answer").some(
    (answer) =>
      answer.length > longMessage && distinct(rules.architecture, answer, enoughTerms) >= enoughTerms,
  );
  if (isArchitecture) return "architecture";
  return around.editedBefore && units.some(({ deeds }) => deeds.passes) ? "code-change" : "conversation";
}
