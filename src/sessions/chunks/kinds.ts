import type { ChunkKind } from "../../protocol/values.ts";
import type { AroundChunk } from "./error-fix.ts";
import {
  architectureTerms,
  choiceTerms,
  decisionTerms,
  errorReports,
  fixReports,
  handsOverPlan,
  reasoningTerms,
  wordPattern,
} from "./kind-terms.ts";
import type { Unit } from "./units/units.ts";

/**
 * A chunk's kind, by rules (docs/conversations.md describes them). The first match counts: decision, error-fix,
 * code-change where something was edited, architecture, code-change where it was only checked, conversation.
 */
export interface KindRules {
  decision: RegExp;
  /** The project's own words for a decision alone; null: it has none. */
  ownDecision: RegExp | null;
  choosing: RegExp;
  reasoning: RegExp;
  error: RegExp;
  fixed: RegExp;
  architecture: RegExp;
}

/** Words of a project's own, on top of those of kind-terms.ts. */
export interface KindTerms {
  decision?: readonly string[];
  error?: readonly string[];
}

export function kindRules(words: KindTerms = {}): KindRules {
  return {
    decision: wordPattern(decisionTerms, words.decision),
    ownDecision: words.decision?.length ? wordPattern([], words.decision) : null,
    choosing: wordPattern(choiceTerms),
    reasoning: wordPattern(reasoningTerms),
    error: wordPattern(errorReports, words.error),
    fixed: wordPattern(fixReports),
    architecture: wordPattern(architectureTerms),
  };
}

/** This many different words of reasoning make a decision, even without a word for it. */
const enoughReasoning = 4;
/** Architecture needs long messages (characters) with this many different terms of it. */
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

/** The messages of one side, without code. */
function textsOf(units: readonly Unit[], stream: "prompt" | "answer"): string[] {
  return units
    .filter(({ prose, pasted }) => prose === stream && !pasted)
    .map(({ body }) => body.replace(fenced, " "));
}

/** A longer prompt is mostly pasted; the human's own words are at its ends. Characters. */
const maxSpoken = 600;
const spokenOf = (prompt: string): string =>
  prompt.length <= 2 * maxSpoken ? prompt : `${prompt.slice(0, maxSpoken)}\n${prompt.slice(-maxSpoken)}`;

/** The ends of a long prompt that are searched for errors: the rest is pasted. Characters. */
const reporting = 300;

/** Whether a human reports something that does not work. */
export function reportsError(unit: Unit, rules: KindRules): boolean {
  if (unit.prose !== "prompt" || unit.pasted || handsOverPlan.test(unit.body)) return false;
  const unfenced = unit.body.replace(fenced, " ");
  if (unfenced.length <= 2 * maxSpoken) return has(rules.error, unfenced);
  return has(rules.error, unfenced.slice(0, reporting)) || has(rules.error, unfenced.slice(-reporting));
}

function isDecision(units: readonly Unit[], rules: KindRules): boolean {
  const prompts = textsOf(units, "prompt");
  const answers = textsOf(units, "answer").join("\n");
  if (has(rules.decision, answers) || prompts.some((prompt) => has(rules.decision, spokenOf(prompt))))
    return true;
  // Who chooses is brief; a plan that is pasted has such words for other reasons.
  const brief = prompts.filter((prompt) => prompt.length <= 2 * maxSpoken);
  if (brief.some((prompt) => has(rules.choosing, prompt))) return true;
  return distinct(rules.reasoning, [...brief, answers].join("\n"), enoughReasoning) >= enoughReasoning;
}

/** Whether the agent reports a fix. */
function reportsFix(units: readonly Unit[], { editedBefore }: AroundChunk, rules: KindRules): boolean {
  const edited = editedBefore || units.some(({ outcome }) => outcome.edits);
  return edited && textsOf(units, "answer").some((answer) => has(rules.fixed, answer));
}

export function kindOf(units: readonly Unit[], around: AroundChunk, rules: KindRules): ChunkKind {
  if (isDecision(units, rules)) return "decision";
  if (around.mends || reportsFix(units, around, rules)) return "error-fix";
  if (units.some(({ outcome }) => outcome.edits)) return "code-change";
  const isArchitecture = textsOf(units, "answer").some(
    (answer) =>
      answer.length > longMessage && distinct(rules.architecture, answer, enoughTerms) >= enoughTerms,
  );
  if (isArchitecture) return "architecture";
  // Between edits, or checks and reports after them.
  const isAbout =
    around.editsLater || units.some(({ outcome, prose }) => outcome.passes || prose === "answer");
  return around.editedBefore && isAbout ? "code-change" : "conversation";
}

/** The kind of a text about a conversation, such as a summary. */
export function kindOfText(text: string, rules: KindRules): ChunkKind {
  if (has(rules.decision, text)) return "decision";
  if (has(rules.fixed, text)) return "error-fix";
  return distinct(rules.architecture, text, enoughTerms) >= enoughTerms ? "architecture" : "conversation";
}
