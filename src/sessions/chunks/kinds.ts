import type { ChunkKind } from "../../protocol/values.ts";
import type { AroundChunk } from "./error-fix.ts";
import type { ChunkUnit } from "./units/units.ts";
import { WordPattern } from "./word-pattern.ts";

/**
 * A chunk's kind, by rules (docs/sessions.md describes them). The first match counts: decision, error-fix,
 * code-change where something was edited, architecture, code-change where it was only checked, conversation.
 */
export interface KindRules {
  decision: WordPattern;
  /** The project's own words for a decision alone; null: it has none. */
  ownDecision: WordPattern | null;
  choosing: WordPattern;
  reasoning: WordPattern;
  error: WordPattern;
  fixed: WordPattern;
  architecture: WordPattern;
}

/** Words of a project's own, on top of those that come with Pommel. */
export interface KindTerms {
  decision?: readonly string[];
  error?: readonly string[];
}

export function buildKindRules(words: KindTerms = {}): KindRules {
  return {
    decision: new WordPattern(decisionTerms, words.decision),
    ownDecision: words.decision?.length ? new WordPattern([], words.decision) : null,
    choosing: new WordPattern(choiceTerms),
    reasoning: new WordPattern(reasoningTerms),
    error: new WordPattern(errorReports, words.error),
    fixed: new WordPattern(fixReports),
    architecture: new WordPattern(architectureTerms),
  };
}

/** This many different words of reasoning make a decision, even without a word for it. */
const enoughReasoning = 4;
/** Architecture needs long messages (characters) with this many different terms of it. */
const longMessage = 500;
const enoughTerms = 3;

const fenced = /(?:```|~~~)[\s\S]*?(?:```|~~~|$)/g;

/** The messages of one side, without code. */
function listMessagesOfSide(units: readonly ChunkUnit[], stream: "prompt" | "answer"): string[] {
  return units
    .filter(({ prose, pasted }) => prose === stream && !pasted)
    .map(({ body }) => body.replace(fenced, " "));
}

/** A longer prompt is mostly pasted; the human's own words are at its ends. Characters. */
const maxSpoken = 600;
const shortenPrompt = (prompt: string): string =>
  prompt.length <= 2 * maxSpoken ? prompt : `${prompt.slice(0, maxSpoken)}\n${prompt.slice(-maxSpoken)}`;

/** The ends of a long prompt that are searched for errors: the rest is pasted. Characters. */
const reporting = 300;

/** Whether a human reports something that does not work. */
export function isErrorReport(unit: ChunkUnit, rules: KindRules): boolean {
  if (unit.prose !== "prompt" || unit.pasted || handsOverPlan.test(unit.body)) return false;
  const unfenced = unit.body.replace(fenced, " ");
  if (unfenced.length <= 2 * maxSpoken) return rules.error.isIn(unfenced);
  return rules.error.isIn(unfenced.slice(0, reporting)) || rules.error.isIn(unfenced.slice(-reporting));
}

function isDecision(units: readonly ChunkUnit[], rules: KindRules): boolean {
  const prompts = listMessagesOfSide(units, "prompt");
  const answers = listMessagesOfSide(units, "answer").join("\n");
  if (rules.decision.isIn(answers) || prompts.some((prompt) => rules.decision.isIn(shortenPrompt(prompt))))
    return true;
  // Who chooses is brief; a plan that is pasted has such words for other reasons.
  const brief = prompts.filter((prompt) => prompt.length <= 2 * maxSpoken);
  if (brief.some((prompt) => rules.choosing.isIn(prompt))) return true;
  return rules.reasoning.countDistinct([...brief, answers].join("\n"), enoughReasoning) >= enoughReasoning;
}

/** Whether the agent reports a fix. */
function hasFixReport(units: readonly ChunkUnit[], { editedBefore }: AroundChunk, rules: KindRules): boolean {
  const edited = editedBefore || units.some(({ outcome }) => outcome.edits);
  return edited && listMessagesOfSide(units, "answer").some((answer) => rules.fixed.isIn(answer));
}

export function classifyChunk(units: readonly ChunkUnit[], around: AroundChunk, rules: KindRules): ChunkKind {
  if (isDecision(units, rules)) return "decision";
  if (around.mends || hasFixReport(units, around, rules)) return "error-fix";
  if (units.some(({ outcome }) => outcome.edits)) return "code-change";
  const isArchitecture = listMessagesOfSide(units, "answer").some(
    (answer) =>
      answer.length > longMessage && rules.architecture.countDistinct(answer, enoughTerms) >= enoughTerms,
  );
  if (isArchitecture) return "architecture";
  // Between edits, or checks and reports after them.
  const isAbout =
    around.editsLater || units.some(({ outcome, prose }) => outcome.passes || prose === "answer");
  return around.editedBefore && isAbout ? "code-change" : "conversation";
}

/** The kind of a text about a session, such as a summary. */
export function classifyText(text: string, rules: KindRules): ChunkKind {
  if (rules.decision.isIn(text)) return "decision";
  if (rules.fixed.isIn(text)) return "error-fix";
  return rules.architecture.countDistinct(text, enoughTerms) >= enoughTerms ? "architecture" : "conversation";
}

/**
 * Words that indicate a chunk's kind, in English and Danish, as `WordPattern` takes them.
 */

const list = (words: string): readonly string[] => words.split(/[,\n]/).map((word) => word.trim());

/** A decision or a recommendation, from either side. */
const decisionTerms = list(
  `we decided, i decided, decided to, decided against, decided on, decision:, key decision*, design decision*
   the decision was, the decision is, we chose, i chose, we_ve chosen, chose to, opted for, opted to, settled on
   we agreed, reason:, rationale, recommendation:, my recommendation, i recommend, i_d recommend, i would recommend
   i_d go with, i would go with, let_s go with, we_ll go with, we go with, going with option, trade-off*, tradeoff*
   the reason we, the reason i, the reason for this, the reason is, pros and cons, user has answered your question*
   vi valgte, vi har valgt, jeg valgte, vi vælger, beslutning:, besluttede, besluttet, anbefaling:, min anbefaling
   jeg anbefaler, jeg vil anbefale, grunden er, årsagen er, begrundelse, afvejning, fordele og ulemper
   lad os gå med, vi går med`,
);

/** Only counts in a human's message: they choose. */
const choiceTerms = list(
  `option a, option b, option c, option d, option 1, option 2, option 3, option 4, go with, let_s use, let_s keep
   let_s not, let_s drop, let_s stick, let_s remove, i prefer, i_d prefer, i_d rather, i would rather, i would prefer
   we should not, we shouldn_t, i think we should, i don_t think we should, i don_t want, we don_t want, instead of
   rather than, i like option, i like the, i like that approach, makes more sense
   mulighed a, mulighed b, mulighed 1, mulighed 2, jeg foretrækker, jeg vil hellere, vi skal ikke, lad os bruge
   lad os beholde, lad os droppe, i stedet for, frem for`,
);

/** One of them says nothing; several in one place weigh one thing against another. */
const reasoningTerms = list(
  `because, instead of, rather than, option a, option b, option 1, option 2, alternative*, on the other hand
   downside*, upside*, drawback*, advantage*, disadvantage*, prefer*, pros, cons, better to, simpler, therefore
   however, approach
   fordi, i stedet for, frem for, derimod, alternativ*, ulempe*, fordel*, derfor, hellere`,
);

/** A human reports that something does not work. */
const errorReports = list(
  `error*, fail, fails, failed, failing, failure*, broken, breaks, bug, bugs, crash*, exception*, panic*, stack trace
   stacktrace, traceback, doesn_t work, does not work, didn_t work, isn_t working, not working, still not
   stopped working, wrong, flaky, regression*, incorrect*, unexpected*, hangs, deadlock*, race condition*
   fejl*, virker ikke, virkede ikke, går ned, gik ned, går i stå, hænger, crasher, ødelagt, forkert*, uventet*`,
);

/** How a plan is handed over that was made before: the errors in it are not reported but planned for. */
export const handsOverPlan =
  /^\s*(?:please )?(?:implement|execute|carry out|follow) (?:the|this)(?: following)? plan\b/i;

/** An agent reports a fix. */
const fixReports = list(
  `root cause, the fix was, the fix is, the bug was, the problem was, the issue was, is fixed, is now fixed, fixed the, i_ve fixed
   i fixed, bug fix*, now passes, now works, works now
   årsagen var, problemet var, fejlen var, er rettet, er løst, rettelsen, virker nu`,
);

const architectureTerms = list(
  `architecture*, architectural*, layer*, module*, component*, interface*, abstraction*, dependency, dependencies
   decoupl*, coupling, design pattern*, schema*, pipeline*, data flow*, dataflow, service*, boundary, boundaries
   state machine*, lifecycle*, protocol*, registry, adapter*, concurrency, event-driven, separation of concerns
   single source of truth, data model*, backend*, frontend*, storage, extensib*, plugin*, responsibilit*
   entry point*
   arkitektur*, lagdeling*, modul, moduler, modulet, komponent*, grænseflade*, afhængighed*, mønster, mønstre
   datastrøm*, datamodel*, tjeneste*, tilstandsmaskine*, livscyklus, ansvar`,
);
